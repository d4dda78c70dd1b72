// What is in suspense, added up: schema and presenter.

import { Type } from '@fastify/type-provider-typebox'
import { AGE_BUCKETS } from '#domain/records/age-buckets.ts'
import { SUMMARY_MAX, type SuspenseSum, type SuspenseSums } from '#domain/suspense/suspense-list.ts'
import { named, oneOf } from '#http/schemas.ts'
import { toNaira } from '#money.ts'

const Sum = { currency: Type.String(), count: Type.Integer(), amount: Type.Number() }

export const SummaryBody = named('SuspenseSummary', {
  totals: Type.Array(named('SuspenseTotal', Sum), { description: 'One for each currency.' }),
  byReason: Type.Array(named('SuspenseByReason', { reason: Type.String(), ...Sum }), {
    description: 'Largest sum first.',
  }),
  byAge: Type.Array(
    named('SuspenseByAge', {
      age: oneOf(AGE_BUCKETS, 'Days in suspense, of the calendar in West Africa.'),
      ...Sum,
    }),
    { description: 'Youngest first.' },
  ),
  isComplete: Type.Boolean({
    description: `False if there are more than ${SUMMARY_MAX} items: the newest are added up.`,
  }),
})

export function presentSums({ sums, isComplete }: SuspenseSums) {
  const byAge = AGE_BUCKETS.flatMap((age) => {
    return sums.filter((sum) => sum.age === age).map((sum) => ({ age, ...present(sum) }))
  })
  return {
    totals: sums.filter(({ reason, age }) => reason === null && age === null).map(present),
    byReason: sums.flatMap((sum) => {
      return sum.reason === null ? [] : [{ reason: sum.reason, ...present(sum) }]
    }),
    byAge,
    isComplete,
  }
}

function present({ currency, items, kobo }: SuspenseSum) {
  return { currency, count: Number(items), amount: toNaira(kobo) }
}
