// Ages of money in calendar days of West Africa, for the operator's ageing report and clients' suspense.

export const AGE_BUCKETS = ['0-1', '2-7', '8-30', '30+'] as const
export type AgeBucket = (typeof AGE_BUCKETS)[number]

const dayOf = (moment: string) => `(${moment} at time zone interval '1 hour')::date`

export const ageDays = (since: string, until: string) => `(${dayOf(until)} - ${dayOf(since)})`

export const bucketOf = (days: string) => `
  case when ${days} <= 1 then '0-1' when ${days} <= 7 then '2-7' when ${days} <= 30 then '8-30'
       else '30+' end`
