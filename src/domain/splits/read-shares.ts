// Columns with the shares of subaccounts in a credit or a payment, less the amounts they gave back.

import { type Kobo, kobo } from '#money.ts'

export type ShareView = { subaccountCode: string; amountKobo: Kobo }

// From JSON. Null: none.
export type ShareRows = { subaccountCode: string; amountKobo: string }[] | null

const shares = (condition: string) => `
  (select json_agg(json_build_object('subaccountCode', s.code, 'amountKobo', s.kobo::text)
                   order by s.code)
     from (select u.code, sum(s.share_kobo - s.returned_kobo) as kobo
             from credit_splits s join subaccounts u on u.id = s.subaccount_id
            where ${condition}
            group by u.code) as s)`

// For a credit `c`.
export const CREDIT_SHARES = `${shares('s.credit_id = c.id')} as splits`

// For a payment `p` of an advice `a`: from its own credits and from suspense items assigned to it.
// Without a split, nothing is searched.
export const PAYMENT_SHARES = `
  case when a.split_id is not null then ${shares(`
    s.item_id is null and s.credit_id in (select id from credits where payment_id = p.id)
    or s.item_id in (select id from suspense_items where assigned_payment_id = p.id)`)}
  end as splits`

export function openShares(rows: ShareRows): ShareView[] {
  return (rows ?? []).map(({ subaccountCode, amountKobo }) => ({
    subaccountCode,
    amountKobo: kobo(BigInt(amountKobo)),
  }))
}
