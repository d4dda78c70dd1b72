// The payout that a line names, and the possible booking by the current books. The paid amount of a
// payout is its amount once it is confirmed, plus bookings as paid from statements, less money that
// statements or the bank's answers show as returned.
//
//   payout_paid      it failed or was cancelled, and nothing of it is paid: `paid`
//   payout_returned  a part of it is paid: `returned`
//   either           nothing of it is or will be paid, and another line has the opposite amount:
//                    `undone`, both at once. Then neither is booked alone, even if the other has a
//                    request or a note.
//   else             none: a payout in transit is first confirmed or failed, as a payout
//
// A return that was paid after all is not booked: its money is in suspense again, or has left it since.

import type { PayoutStatus } from '#domain/payouts/payouts.ts'
import type { DifferenceId, PayoutId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { PayoutBooking } from './allowed-actions.ts'

// All null if the difference names no payout.
export type NamedPayout = {
  payoutId: PayoutId | null
  payoutReference: string | null
  payoutStatus: PayoutStatus | null
  payoutKobo: Kobo | null
  paidKobo: Kobo | null // In the books.
  payoutBooking: PayoutBooking | null
  twinId: DifferenceId | null // The difference of the line with the opposite amount.
}

// For the difference `d`.
export const JOIN_PAYOUT = `
  left join payouts payout
    on payout.id = d.payout_id and d.kind in ('payout_paid', 'payout_returned')
  left join lateral (
    select (case when payout.status = 'confirmed' then payout.amount_kobo else 0 end
            - coalesce(sum(sign(b.amount_kobo) * t.amount_kobo), 0)
            - coalesce((select n.amount_kobo from payout_returns n
                         where n.payout_id = payout.id), 0))::bigint as kobo
      from differences b join transfers t on t.difference_id = b.id
     where b.payout_id = payout.id) as paid on payout.id is not null
  left join lateral (
    select o.id, o.state = 'open' and o.action is null as is_open from differences o
     where o.payout_id = payout.id and o.kind in ('payout_paid', 'payout_returned')
       and (o.bank_code, o.currency) = (d.bank_code, d.currency)
       and o.amount_kobo = -d.amount_kobo and o.state <> 'cleared'
     order by is_open desc, o.id limit 1) as twin on true`

const IS_UNPAID = `payout.status in ('failed', 'cancelled') and paid.kobo = 0`

export const PAYOUT_COLUMNS = `
  payout.id as "payoutId", payout.reference as "payoutReference", payout.status as "payoutStatus",
  payout.amount_kobo as "payoutKobo", paid.kobo as "paidKobo", twin.id as "twinId",
  case when ${IS_UNPAID} and twin.id is not null then case when twin.is_open then 'undone' end
       when payout.purpose = 'return' then null
       when d.kind = 'payout_returned' and paid.kobo > 0 then 'returned'
       when d.kind = 'payout_paid' and ${IS_UNPAID} then 'paid'
  end as "payoutBooking"`
