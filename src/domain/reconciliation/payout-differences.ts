// The payout that a line names, and how the line can be booked as the books are now. What is paid of a
// payout is its amount once it is confirmed, with what was booked as paid from statements and without
// what came back, as statements or the bank's answers have it.
//
//   payout_paid      it failed or was cancelled, and nothing of it is paid: `paid`
//   payout_returned  something of it is paid: `returned`
//   either           nothing of it is paid, nor will be, and another line gives or takes the same
//                    amount: `undone`, both at once. Neither is booked alone then, also if the other
//                    was asked for or noted.
//   else             not at all: what is on its way is confirmed or failed first, as a payout
//
// A return that was paid after all is not booked: its money is in suspense again, or left it since.

import type { PayoutStatus } from '#domain/payouts/payouts.ts'
import type { DifferenceId, PayoutId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { PayoutBooking } from './allowed-actions.ts'

// All null of a difference that names none.
export type NamedPayout = {
  payoutId: PayoutId | null
  payoutReference: string | null
  payoutStatus: PayoutStatus | null
  payoutKobo: Kobo | null
  paidKobo: Kobo | null // Of it, in the books.
  payoutBooking: PayoutBooking | null
  twinId: DifferenceId | null // Of the line that gives or takes the same.
}

// Of the difference `d`.
export const JOIN_PAYOUT = `
  left join payouts named
    on named.id = d.payout_id and d.kind in ('payout_paid', 'payout_returned')
  left join lateral (
    select (case when named.status = 'confirmed' then named.amount_kobo else 0 end
            - coalesce(sum(sign(b.amount_kobo) * t.amount_kobo), 0)
            - coalesce((select n.amount_kobo from payout_returns n
                         where n.payout_id = named.id), 0))::bigint as kobo
      from differences b join transfers t on t.difference_id = b.id
     where b.payout_id = named.id) as paid on named.id is not null
  left join lateral (
    select o.id, o.state = 'open' and o.action is null as is_open from differences o
     where o.payout_id = named.id and o.kind in ('payout_paid', 'payout_returned')
       and (o.bank_code, o.currency) = (d.bank_code, d.currency)
       and o.amount_kobo = -d.amount_kobo and o.state <> 'cleared'
     order by is_open desc, o.id limit 1) as twin on true`

const IS_UNPAID = `named.status in ('failed', 'cancelled') and paid.kobo = 0`

export const PAYOUT_COLUMNS = `
  named.id as "payoutId", named.reference as "payoutReference", named.status as "payoutStatus",
  named.amount_kobo as "payoutKobo", paid.kobo as "paidKobo", twin.id as "twinId",
  case when ${IS_UNPAID} and twin.id is not null then case when twin.is_open then 'undone' end
       when named.purpose = 'return' then null
       when d.kind = 'payout_returned' and paid.kobo > 0 then 'returned'
       when d.kind = 'payout_paid' and ${IS_UNPAID} then 'paid'
  end as "payoutBooking"`
