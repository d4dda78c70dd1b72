// A difference between the statements and the books: its kinds, the actions that each kind allows, and the
// objects that its line names.

import { revisionOf } from '#approvals/revision.ts'
import type { LineKind } from '#banks/statements/statement.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { CreditId, DifferenceId, PayoutId, StatementLineId, UserId } from '#ids.ts'
import { AMOUNT_MAX_KOBO, type Kobo } from '#money.ts'
import type { PayoutStatus } from '#payouts/states.ts'
import { lockBank } from './banks.ts'
import type { ListedLine } from './statements.ts'
import type { DifferenceState } from './states.ts'

// The actions that a user may take on a difference, by its kind. Pure.
//
//   book   brings the statement's line into the books: a credit or reversal as if the bank had reported it,
//          a charge or refund of the bank to its cost account, a payout as `payoutBooking` says (book.ts)
//   match  confirms the suggested item of the line
//   note   makes the difference a reconciling item: a user has explained it, and the daily proof still adds
//          its amount, as `noted`
//
// An adjusting entry (adjusting-entries.ts) instead brings the books to the statement, and needs two users.

export const ACTIONS = ['book', 'match', 'note'] as const
export type DifferenceAction = (typeof ACTIONS)[number]

export const DIFFERENCE_KINDS = [
  'missing_in_books',
  'missing_at_bank',
  'amount_differs',
  'duplicate_at_bank',
  'duplicate_in_books',
  'wrong_account',
  'late_at_bank',
  'reversed_at_bank',
  'payout_paid',
  'payout_returned',
  'fee_differs',
  'unexplained_debit',
  'currency_differs',
  'sequence_gap',
  'balance_gap',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

// How a line that names a payout is booked. `paid`: the client owes the money that was credited back to it.
// `returned`: the client gets the returned money. `undone`: the bank took the money with one line and
// returned it with another, and the payout was never paid in the books.
type PayoutBooking = 'paid' | 'returned' | 'undone'
type Booking = 'credit' | 'charge' | 'reversal' | 'payout'

// The facts of a difference that decide which actions it allows.
type Resolvable = {
  kind: DifferenceKind
  amountKobo: Kobo // The amount by which the statement exceeds the books.
  lineKind: LineKind | null // null if the difference is about an item or a statement.
  hasSuggestion: boolean
  payoutBooking: PayoutBooking | null // How the books can book a line that names a payout.
}

type LineDifference = Resolvable & { lineKind: LineKind }
// Returns how a difference of one kind is booked, or undefined if it cannot be booked.
type BookingRule = (difference: LineDifference) => Booking | undefined

const CHARGES: readonly LineKind[] = ['fee', 'vat', 'stamp_duty']

const notBookable: BookingRule = () => undefined
const bookAsCharge: BookingRule = () => 'charge'
const bookAsPayout: BookingRule = ({ payoutBooking }) => (payoutBooking ? 'payout' : undefined)
const bookIfCharge: BookingRule = ({ lineKind }) =>
  CHARGES.includes(lineKind) ? 'charge' : undefined

// For each kind of difference, the rule that says how a user may book it.
const BOOKINGS: Readonly<Record<DifferenceKind, BookingRule>> = {
  missing_in_books: (difference) => bookIfCharge(difference) ?? bookAsCredit(difference),
  missing_at_bank: notBookable,
  amount_differs: notBookable,
  duplicate_at_bank: notBookable,
  duplicate_in_books: notBookable,
  wrong_account: notBookable,
  late_at_bank: notBookable, // The books have the item already.
  reversed_at_bank: ({ amountKobo }) => (amountKobo < 0n ? 'reversal' : undefined),
  payout_paid: bookAsPayout,
  payout_returned: bookAsPayout,
  fee_differs: bookAsCharge, // Includes credits from which the bank withheld more than it reported.
  unexplained_debit: bookIfCharge,
  currency_differs: notBookable,
  sequence_gap: notBookable,
  balance_gap: notBookable,
}

// Money that came in and is missing in the books is booked as a credit, up to the largest amount of a
// credit.
function bookAsCredit({ amountKobo }: LineDifference): Booking | undefined {
  return amountKobo > 0n && amountKobo <= AMOUNT_MAX_KOBO ? 'credit' : undefined
}

// Returns how the difference can be booked, or undefined if it cannot.
export function bookingOf(difference: Resolvable): Booking | undefined {
  const { kind, lineKind, amountKobo } = difference
  if (lineKind === null || amountKobo === 0n) return undefined
  return BOOKINGS[kind]({ ...difference, lineKind })
}

// Returns the actions that a user may choose from. Every difference can be noted.
export function allowedActions(difference: Resolvable): DifferenceAction[] {
  const isAllowed: Record<DifferenceAction, boolean> = {
    book: bookingOf(difference) !== undefined,
    match: difference.hasSuggestion && difference.lineKind !== null,
    note: true,
  }
  return ACTIONS.filter((action) => isAllowed[action])
}

// The ledger accounts of the bank that an adjusting entry may use, the most likely first.
export const ADJUSTING_ACCOUNTS = [
  'shortfall',
  'due_to_bank',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'write_off',
] as const
export type AdjustingAccount = (typeof ADJUSTING_ACCOUNTS)[number]

// The states of a payout that is not yet confirmed or failed.
const IN_TRANSIT: readonly (PayoutStatus | null)[] = ['queued', 'sending', 'unknown']

type Adjustable = Pick<
  Difference,
  'amountKobo' | 'lineKind' | 'payoutStatus' | 'state' | 'action' | 'entryReference' | 'replacedBy'
>

// Whether the difference still counts in the daily proof: it is open and not being booked, or a reconciling
// item.
export function isStanding({ state, action }: Pick<Difference, 'state' | 'action'>): boolean {
  return state === 'open' ? action === null : state === 'resolved' && action === 'note'
}

// Whether an adjusting entry can clear the difference. A difference without an amount needs no entry. A
// payout in transit will be confirmed or failed, and its difference clears by that.
export function isAdjustable({ amountKobo, payoutStatus }: Adjustable): boolean {
  return amountKobo !== 0n && !IN_TRANSIT.includes(payoutStatus)
}

// Returns the accounts that a user may choose for an adjusting entry, the most likely first. Returns none
// while an entry cannot be requested.
export function adjustingAccounts(difference: Adjustable): AdjustingAccount[] {
  if (!isStanding(difference) || !isAdjustable(difference)) return []
  if (difference.entryReference !== null) return []
  const likely = likelyAccount(difference)
  return [likely, ...ADJUSTING_ACCOUNTS.filter((account) => account !== likely)]
}

// Returns the account that a user most probably wants, which the form offers first. A late line undoes the
// entry that replaced its item, so it uses the same account.
function likelyAccount({ amountKobo, lineKind, replacedBy }: Adjustable): AdjustingAccount {
  if (replacedBy !== null) return replacedBy
  if (lineKind === 'vat') return 'input_vat'
  if (lineKind === 'stamp_duty') return 'stamp_duty'
  if (lineKind !== null && CHARGES.includes(lineKind)) return 'bank_cost'
  return amountKobo < 0n ? 'shortfall' : 'due_to_bank'
}

// A debit of the kind reversed_at_bank names a credit. If the debit is smaller than the credit, a user must
// say what it is: a charge, or a partial reversal.
export const READINGS = ['charge', 'reversal'] as const
export type Reading = (typeof READINGS)[number]

// The credit that a debit takes back, for differences of the kind reversed_at_bank. For other kinds, the
// fields are null, null and false.
type ReversedCredit = {
  reversedCreditId: CreditId | null
  reversedKobo: Kobo | null
  isPartialReversal: boolean
}

// SQL join: the credit that the line `l` of the difference `d` names, found by the first identifier of the
// line that belongs to a credit, as in credits/identifiers.ts.
export const JOIN_REVERSED = `
  left join lateral (
    select c.id, c.amount_kobo as kobo,
           c.amount_kobo - c.fee_kobo - c.vat_kobo - c.duty_kobo as net_kobo
      from credit_identifiers k join credits c on c.id = k.credit_id
     where k.value in (l.session_id, l.bank_reference, l.end_to_end_id)
       and k.bank_code = d.bank_code and c.currency = d.currency
     order by array_position(array[l.session_id, l.bank_reference, l.end_to_end_id], k.value)
     limit 1) as reversed on d.kind = 'reversed_at_bank'`

// SQL columns: the credit that a debit reverses. A debit smaller than the credit is a partial reversal,
// unless it equals the net amount that the bank paid in and its line is not a charge.
export const REVERSED_COLUMNS = `
  reversed.id as reversed_credit_id, reversed.kobo as reversed_kobo,
  coalesce(-d.amount_kobo < reversed.kobo
           and (-d.amount_kobo <> reversed.net_kobo or l.kind in ('fee', 'vat', 'stamp_duty')), false)
    as is_partial_reversal`

// The payout that a line names, and how the line can be booked now (`payoutBooking`). The paid amount of a
// payout is its amount once it is confirmed, plus bookings as paid from statements, less money that
// statements or the bank's answers show as returned. By the kind of the difference:
//
//   payout_paid      the payout failed or was cancelled, and no part of it is paid: `paid`
//   payout_returned  a part of the payout is paid: `returned`
//   either           no part of the payout is or will be paid, and another line has the opposite amount:
//                    `undone`, which books both lines at once. Then neither line is booked alone, even if
//                    the other line has a request or a note.
//   otherwise        null: a payout in transit must first be confirmed or failed
//
// A return that the bank paid after all is not booked: its money is in suspense again, or has left suspense
// since.

// The payout that the line of a difference names. All fields are null if it names none.
type NamedPayout = {
  payoutId: PayoutId | null
  payoutReference: string | null
  payoutStatus: PayoutStatus | null
  payoutKobo: Kobo | null
  paidKobo: Kobo | null // By the current books.
  payoutBooking: PayoutBooking | null
  twinId: DifferenceId | null // The difference of the line with the opposite amount.
}

// SQL joins: the payout of the difference `d`, its paid amount, and the difference with the opposite amount.
export const JOIN_PAYOUT = `
  left join payouts payout
    on payout.id = d.payout_id and d.kind in ('payout_paid', 'payout_returned')
  left join lateral (
    select (case when payout.status = 'confirmed' then payout.amount_kobo else 0 end
            - coalesce(sum(sign(b.amount_kobo) * t.amount_kobo), 0)
            - coalesce((select n.amount_kobo from payout_returns n
                         where n.payout_id = payout.id), 0))::bigint as kobo
      from differences b join transfers t on t.difference_id = b.id
     where b.payout_id = payout.id and t.reason <> 'adjusting_entry') as paid on payout.id is not null
  left join lateral (
    select o.id, o.state = 'open' and o.action is null as is_open from differences o
     where o.payout_id = payout.id and o.kind in ('payout_paid', 'payout_returned')
       and (o.bank_code, o.currency) = (d.bank_code, d.currency)
       and o.amount_kobo = -d.amount_kobo and o.state <> 'cleared'
     order by is_open desc, o.id limit 1) as twin on true`

// SQL condition: whether no part of the payout is or will be paid.
const IS_UNPAID = `payout.status in ('failed', 'cancelled') and paid.kobo = 0`

// SQL columns: the payout that the line of the difference `d` names, and how the line can be booked now.
// Needs JOIN_PAYOUT.
export const PAYOUT_COLUMNS = `
  payout.id as payout_id, payout.reference as payout_reference, payout.status as payout_status,
  payout.amount_kobo as payout_kobo, paid.kobo as paid_kobo, twin.id as twin_id,
  case when ${IS_UNPAID} and twin.id is not null then case when twin.is_open then 'undone' end
       when payout.purpose = 'return' then null
       when d.kind = 'payout_returned' and paid.kobo > 0 then 'returned'
       when d.kind = 'payout_paid' and ${IS_UNPAID} then 'paid'
  end as payout_booking`

// A difference with the parts of its line that are needed to resolve it.
export type Difference = Resolvable &
  NamedPayout &
  ReversedCredit & {
    id: DifferenceId
    bankCode: string
    currency: string
    day: string
    lineId: StatementLineId | null
    itemKind: string | null
    itemId: bigint | null
    suggestedKind: string | null
    suggestedId: bigint | null
    state: DifferenceState
    action: DifferenceAction | 'adjust' | null // Set on an open difference while its booking is in progress.
    entryReference: string | null // The adjusting entry that awaits approval.
    replacedBy: AdjustingAccount | null // The account of the entry that replaced the item of a late line.
    reason: string | null
    askedBy: string | null
    askedByUser: UserId | null
    makerPeople: readonly UserId[] | null // The people behind the requester.
    askedAt: Date | null
    decidedBy: string | null
    decidedAt: Date | null
    ownerId: UserId | null // The user may have been removed.
  }

// Names what an approver reads of a difference and of the resolution that is asked for.
export function resolutionRevision(difference: Difference): string {
  const { id, kind, amountKobo, day, lineId, itemKind, itemId } = difference
  const { suggestedKind, suggestedId, payoutBooking, reversedKobo } = difference
  const { action, reason, askedBy, askedByUser, askedAt } = difference
  const about = [id, kind, amountKobo, day, lineId, itemKind, itemId]
  const effect = [suggestedKind, suggestedId, payoutBooking, reversedKobo]
  return revisionOf([...about, ...effect, action, reason, askedBy, askedByUser, askedAt])
}

export type StatementRow = Omit<ListedLine, 'lineNo' | 'valueOn' | 'isReversal' | 'rule'> & {
  bankCode: string
  currency: string
  hash: Buffer
}

// SQL column: the reference of the open adjusting entry for the difference `d`.
export const OPEN_ENTRY = `
  (select e.reference from adjusting_entries e where e.difference_id = d.id and e.state = 'open')
    as entry_reference`

// SQL column: the account of the adjusting entry that replaced the item which the line `l` of the difference
// `d` names. An entry against the same account undoes the earlier entry.
export const REPLACED_BY = `
  (select e.account
     from adjusting_entries e
     join differences o on o.id = e.difference_id
     left join payouts p on o.item_kind = 'payout' and p.id = o.item_id
    where d.kind = 'late_at_bank' and e.state = 'approved'
      and (o.bank_code, o.currency) = (d.bank_code, d.currency) and o.amount_kobo = -d.amount_kobo
      and (o.item_kind = 'credit' and o.item_id in (
             select k.credit_id from credit_identifiers k
              where k.bank_code = d.bank_code
                and k.value in (l.session_id, l.bank_reference, l.end_to_end_id))
           or p.bank_reference in (l.session_id, l.bank_reference, l.end_to_end_id)
           or position(p.reference in
                       concat_ws(' ', l.end_to_end_id, l.bank_reference, l.narration)) > 0)
    order by e.id desc limit 1) as replaced_by`

const SELECT_DIFFERENCE = `
  select d.id, d.bank_code, d.currency, d.day::text as day, d.kind, d.amount_kobo, d.line_id,
         l.kind as line_kind, d.item_kind, d.item_id, d.suggested_kind, d.suggested_id,
         d.suggested_id is not null as has_suggestion, d.state, d.action, d.reason, d.asked_by,
         d.asked_by_user, d.maker_people, d.asked_at, d.decided_by, d.decided_at, d.owner_id,
         ${OPEN_ENTRY}, ${REPLACED_BY}, ${PAYOUT_COLUMNS}, ${REVERSED_COLUMNS}
    from differences d
    left join statement_lines l on l.id = d.line_id ${JOIN_PAYOUT} ${JOIN_REVERSED}
   where d.id = $1`

// Reads a difference without a lock. Throws if it does not exist.
export async function getDifference(db: Queryable, id: DifferenceId): Promise<Difference> {
  const { rows } = await db.query<Difference>({
    name: 'read-difference',
    text: SELECT_DIFFERENCE,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('difference_not_found')
  return rows[0]
}

// Locks the bank's account first, as matching does, then the difference. So the matching of this bank waits
// until the transaction ends.
export async function lockDifference(tx: Transaction, id: DifferenceId): Promise<Difference> {
  await lockBank(tx, await getDifference(tx, id))
  const { rows } = await tx.query<Difference>({
    name: 'lock-difference',
    text: `${SELECT_DIFFERENCE} for no key update of d`,
    values: [id],
  })
  return rows[0] as Difference
}

// Whether a user decided to book the credit, and the books do not have it yet.
export function isBeingBooked({ state, action }: Pick<Difference, 'state' | 'action'>): boolean {
  return state === 'open' && action !== null
}

// Reads a statement line. Lines are never deleted, so a missing one is a bug.
export async function readLine(db: Queryable, id: StatementLineId): Promise<StatementRow> {
  const { rows } = await db.query<StatementRow>({
    name: 'read-statement-line',
    text: `select id, bank_code, currency, booked_on::text as booked_on, amount_kobo, kind,
                  session_id, bank_reference, end_to_end_id, account_number, counterparty_name,
                  counterparty_sealed, counterparty_bank, narration, hash
             from statement_lines where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`statement line ${id} is gone`)
  return rows[0]
}
