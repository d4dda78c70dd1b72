// Books statement lines that the books do not have: bank charges, payouts, reversals and credits.

import { cleanText, plainBankCode, withoutFutureTime } from '#banks/credit-fields.ts'
import type { GivenIdentifier } from '#banks/notifications.ts'
import { isAccountNumber, isNipSessionId, isSessionId } from '#banks/nuban.ts'
import type { CreditResult } from '#credits/decide.ts'
import { findOriginal } from '#credits/identifiers.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import { lockBalances, lockOriginal } from '#credits/reversal.ts'
import { type ReversalAnswer, takeReversal } from '#credits/reverse.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { BatchResult } from '#hot-path/batcher.ts'
import type { ClientId, CreditId, DifferenceId, PayoutId, StatementLineId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { returnedEvent } from '#payouts/payout.ts'
import { givenBackTo } from '#payouts/postings.ts'
import { type LockedPayout, lockPayout } from '#payouts/settle.ts'
import { recordPayoutChanges } from '#payouts/states.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import {
  bookingOf,
  type Difference,
  getDifference,
  isBeingBooked,
  lockDifference,
  readLine,
  type StatementRow,
} from './difference.ts'
import {
  type Booked,
  type BookingDeps,
  insertPair,
  postBooking,
  readItem,
  writeChange,
} from './resolutions.ts'
import { transition } from './states.ts'

// An account number that no bank issues. A credit to it is suspended as unidentified.
const NO_NUMBER = '0000000000'
const HASH_DIGITS = 40
const SOURCE_ACCOUNT_MAX = 34
const SOURCE_BANK_MAX = 35
// Words that banks write instead of a missing reference.
const NO_REFERENCE = /^(?:NONREF|NOTPROVIDED|NOT ?PROVIDED|NONE|N\/?A|NIL|[-.0*]*)$/i

// Converts a line of a statement to the credit that it shows. Pure. The credit gets all ids of the line, so
// that it is recognised when the bank reports it too. A line without ids is identified by its hash, so that
// it cannot be booked twice (I67).
function statementCredit(
  line: StatementRow,
  { sealer, now }: { sealer: Sealer; now: Date },
): IncomingCredit {
  const [first, ...otherIdentifiers] = identifiersOf(line) as [
    GivenIdentifier,
    ...GivenIdentifier[],
  ]
  const { bankCode, currency, amountKobo, accountNumber } = line
  const credit = {
    sessionId: first.value,
    identifiedBy: first.kind,
    ...(first.isWeak ? { isWeak: true } : {}),
    otherIdentifiers,
    accountNumber: accountNumber && isAccountNumber(accountNumber) ? accountNumber : NO_NUMBER,
    amountKobo,
    currency,
    ...payerOf(line, sealer),
    narration: line.narration && cleanText(line.narration),
    transactionTime: null,
    transactionDate: line.bookedOn,
  }
  return { ...withoutFutureTime(credit, now), bankCode, source: 'statement' }
}

// On a statement, a bank may use the settlement id or even the session id of its notifications as the
// reference. So the credit gets the reference as an identifier of each type. An identifier too many only
// causes a refusal; an identifier too few books the money twice. A session id from the end-to-end id is weak
// (`isWeak`): another transfer may have the same one.
function identifiersOf(line: StatementRow): GivenIdentifier[] {
  const { sessionId, bankReference, endToEndId } = line
  const usableSessionId = usableIdentifier(sessionId)
  const usableReference = usableIdentifier(bankReference)
  const sessionIdInEndToEndId =
    endToEndId && isNipSessionId(endToEndId) && !usableSessionId ? endToEndId : undefined
  const ids: GivenIdentifier[] = [
    ...(usableSessionId ? [{ kind: 'session_id' as const, value: usableSessionId }] : []),
    ...(usableReference
      ? (['bank_reference', 'settlement_id'] as const).map((kind) => ({
          kind,
          value: usableReference,
        }))
      : []),
    ...(usableReference && !usableSessionId
      ? [{ kind: 'session_id' as const, value: usableReference }]
      : []),
    ...(sessionIdInEndToEndId
      ? [{ kind: 'session_id' as const, value: sessionIdInEndToEndId, isWeak: true }]
      : []),
  ]
  return ids.length > 0 ? ids : [{ kind: 'bank_reference', value: lineReference(line) }]
}

// Derives an identifier from the hash of a line, for lines without a usable identifier.
function lineReference({ hash }: Pick<StatementRow, 'hash'>): string {
  return `LINE-${hash.toString('hex').slice(0, HASH_DIGITS)}`
}

// Returns the identifier if it can identify a credit: well-formed, and not a word for "no reference".
function usableIdentifier(name: string | null): string | undefined {
  return name !== null && isSessionId(name) && !NO_REFERENCE.test(name) ? name : undefined
}

// Returns the payer's fields of the credit. Drops an account number or bank that is too long, because a cut
// account number would name another account. Cuts a name that is too long.
function payerOf(line: StatementRow, sealer: Sealer) {
  const { counterpartySealed, counterpartyName, counterpartyBank } = line
  const account = counterpartySealed === null ? null : sealer.open(counterpartySealed)
  const dropIfTooLong = (text: string | null, lengthMax: number) =>
    text !== null && text.length <= lengthMax ? cleanText(text, lengthMax) : null
  const bank = dropIfTooLong(counterpartyBank, SOURCE_BANK_MAX)
  return {
    sourceAccountNumber: dropIfTooLong(account, SOURCE_ACCOUNT_MAX),
    sourceAccountName: counterpartyName && cleanText(counterpartyName),
    sourceBankCode: bank && plainBankCode(bank),
  }
}

// Books a bank charge from a statement, or the refund of a charge (debit → credit):
//
//   fee               Bank cost → Bank
//   stamp duty        Stamp duty → Bank
//   VAT               Input VAT → Bank
//   refund            Bank → the same cost account, up to the cost already booked; the remainder of the
//                     line stays a difference
//
// Returns the transfer and the amount that was not booked.
// Locks: the difference (already locked by the caller); ledger accounts.
export async function bookCharge(
  tx: Transaction,
  deps: BookingDeps,
  difference: Difference,
): Promise<Booked> {
  const { bankCode, currency, amountKobo } = difference
  const cost: SharedAccount = { kind: costKind(difference), owner: bankOwner(bankCode), currency }
  const movedKobo =
    amountKobo > 0n
      ? await findRefundableCost(tx, deps.sharedAccounts, { cost, amountKobo })
      : kobo(-amountKobo)
  const posting = { difference, counterAccount: cost, movedKobo, reason: 'bank_charge' } as const
  return postBooking(tx, deps, posting)
}

// Returns the ledger account that a charge belongs to, by the kind of the line.
function costKind({ lineKind }: Difference): 'bank_cost' | 'stamp_duty' | 'input_vat' {
  if (lineKind === 'vat') return 'input_vat'
  return lineKind === 'stamp_duty' ? 'stamp_duty' : 'bank_cost'
}

// Returns how much of a refunded charge can be booked: at most the cost booked so far, so that a cost
// account never goes below zero.
async function findRefundableCost(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { cost, amountKobo }: { cost: SharedAccount; amountKobo: Kobo },
): Promise<Kobo> {
  await sharedAccounts.open([cost])
  const costId = sharedAccounts.id(cost)
  const balances = await lockBalances(tx, [costId])
  const bookedKobo = kobo(-(balances.get(costId) ?? 0n)) // A cost grows by debits.
  if (bookedKobo <= 0n) throw new Refusal('cost_not_booked')
  return bookedKobo < amountKobo ? bookedKobo : amountKobo
}

type BookedLine = Booked & { difference: Difference }

// Books a line that contradicts the books about a payout (PAYOUT_COLUMNS in difference.ts):
//
//   paid      Receivable of the client → Bank: the bank paid money that was credited back to the client
//   returned  Bank → the payout's source, as for a failed payout; the fee stays charged
//   undone    Shortfall → Bank and back, for this line and its twin of the opposite amount: in total the
//             bank took nothing
//
// Books at most the amount of the payout, except for an undone one. The rest of the line stays a difference:
// a charge of the bank. Returns the booking of this line and, for an undone payout, also the booking of the
// twin line.
// Locks: the difference and the matching of its bank (already locked by the caller); the payout, so that no
// other transaction settles it concurrently; ledger accounts; the client's event counter.
export async function bookPayout(
  tx: Transaction,
  deps: BookingDeps,
  { id, payoutId, payoutBooking }: Difference,
): Promise<BookedLine[]> {
  const payout = await lockPayout(tx, payoutId as PayoutId)
  const difference = await getDifference(tx, id)
  // Another transaction has changed the payout since the user decided.
  if (difference.payoutBooking !== payoutBooking) throw new Refusal('try_again')
  const lines = [difference]
  if (payoutBooking === 'undone') {
    const twinLine = await lockDifference(tx, difference.twinId as DifferenceId)
    lines.push(twinLine)
    lines.sort(debitFirst) // The shortfall must be booked before it is reversed.
  }
  const booked: BookedLine[] = []
  for (const line of lines) {
    booked.push({
      ...(await bookLine(tx, deps, { line, payout, payoutBooking })),
      difference: line,
    })
  }
  return booked
}

// Sorts the debit, with which the bank took the money, before the credit, with which it gave the money back.
const debitFirst = (one: Difference, other: Difference) => Number(one.amountKobo - other.amountKobo)

type LineBooking = {
  line: Difference
  payout: LockedPayout
  payoutBooking: Difference['payoutBooking']
}

// Books one line about a payout, and records the booking in the payout's history. If the money of the payout
// came back, also sends an event to the client.
async function bookLine(
  tx: Transaction,
  deps: BookingDeps,
  lineBooking: LineBooking,
): Promise<Booked> {
  const { line, payout, payoutBooking } = lineBooking
  const isPaid = line.amountKobo < 0n // A debit: the bank took the money of the payout.
  const lineKobo = kobo(isPaid ? -line.amountKobo : line.amountKobo)
  const movedKobo = least(lineKobo, bookingLimit(lineBooking))
  const reason = payout.purpose === 'refund' ? 'refunded' : 'paid'
  const posting = {
    difference: line,
    counterAccount: counterAccountOf(lineBooking),
    movedKobo,
    reason,
  } as const
  const booked = await postBooking(tx, deps, posting)
  await recordPayoutChanges(tx, deps.now, {
    payoutIds: [payout.id],
    change: isPaid ? 'paid_at_bank' : 'returned_by_bank',
    changedBy: deps.actor,
    detail: `${formatKobo(movedKobo)} ${line.currency}`,
  })
  if (payoutBooking === 'returned') {
    const returned = { id: payout.id, returnedKobo: movedKobo }
    await appendEvents(tx, deps.now, await returnedEvent(tx, deps.now, returned))
  }
  return booked
}

// Returns the most that a line may book, or undefined if there is no limit. The two lines of an undone payout
// have no limit, because they cancel out, whatever the amount of the payout.
function bookingLimit({ line, payout, payoutBooking }: LineBooking): Kobo | undefined {
  if (payoutBooking === 'undone') return undefined
  return payoutBooking === 'paid' ? payout.amountKobo : (line.paidKobo as Kobo)
}

// Returns the smaller amount; undefined means no limit.
const least = (one: Kobo, other: Kobo | undefined) =>
  other === undefined || one < other ? one : other

// Returns the ledger account that the bank's account is booked against when a line about a payout is booked.
function counterAccountOf({ line, payout, payoutBooking }: LineBooking): SharedAccount {
  const { bankCode, currency } = line
  if (payoutBooking === 'undone') return { kind: 'shortfall', owner: bankOwner(bankCode), currency }
  if (payoutBooking === 'returned') return givenBackTo(payout)
  return { kind: 'receivable', owner: clientOwner(payout.clientId as ClientId), currency }
}

type Deps = { sharedAccounts: SharedAccounts; now: Date; actor: string }

// Books a debit that takes a credit back, as if the bank had reported the reversal (credits/reverse.ts). One
// identifier of the line names the credit; another names the reversal.
//
// If the books already have a reversal of that credit and amount without a line, the bank itself has
// reported the reversal in the meantime. Then the line is matched to that reversal, and nothing is booked.
// Returns the id of the reversal.
// Locks: the difference (already locked by the caller); then the locks of every reversal.
export async function bookReversal(
  tx: Transaction,
  { sharedAccounts, now, actor }: Deps,
  difference: Difference,
): Promise<bigint> {
  const line = await readLine(tx, difference.lineId as StatementLineId)
  const { bankCode } = line
  const originalSessionId = await findReversedSessionId(tx, difference, line)
  const amountKobo = kobo(-difference.amountKobo)
  const sessionId = await nameReversal(tx, line)
  const reversal = { bankCode, sessionId, originalSessionId, amountKobo }
  const locked = await lockOriginal(tx, reversal)
  const unmatched = locked && (await findUnmatchedReversal(tx, locked.credit.id, amountKobo))
  const reversalId = unmatched ?? (await recordReversal(tx, { sharedAccounts, now }, reversal))
  await insertPair(tx, now, {
    lineId: line.id,
    item: { kind: 'reversal', id: reversalId },
    amountKobo: kobo(-amountKobo),
    rule: 'booked',
    matchedBy: actor,
  })
  return reversalId
}

// The refusal that a user sees, by the reason why credits/reverse.ts did not reverse the credit.
const REFUSALS: Record<Exclude<ReversalAnswer, 'reversed'>, RefusalCode> = {
  duplicate: 'line_known_otherwise', // Matched to another line.
  session_reused: 'line_known_otherwise',
  original_not_found: 'reversal_not_possible',
  amount_exceeds_original: 'reversal_not_possible',
}

// Records the reversal as if the bank had reported it, and returns its id. Refuses if the line cannot be
// booked as a reversal.
async function recordReversal(
  tx: Transaction,
  deps: { sharedAccounts: SharedAccounts; now: Date },
  reversal: Parameters<typeof takeReversal>[2],
): Promise<bigint> {
  const answer = await takeReversal(tx, deps, { ...reversal, isFromStatement: true })
  if (answer !== 'reversed') throw new Refusal(REFUSALS[answer])
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'reversal-by-session',
    text: 'select id from reversals where session_id = $1 and bank_code = $2',
    values: [reversal.sessionId, reversal.bankCode],
  })
  return (rows[0] as { id: bigint }).id
}

// Returns the identifiers that the bank gave the line.
const bankIdentifiersOf = ({ sessionId, bankReference, endToEndId }: StatementRow) =>
  [sessionId, bankReference, endToEndId].filter((name) => name !== null)

// Returns the session id of the credit that the line takes back: found by the identifiers of the line, or
// else the credit that matching suggested.
async function findReversedSessionId(
  tx: Transaction,
  { suggestedKind, suggestedId }: Difference,
  line: StatementRow,
): Promise<string> {
  const { bankCode, currency } = line
  const original = await findOriginal(tx, bankCode, {
    originals: bankIdentifiersOf(line),
    currency,
  })
  if (original !== undefined) return original
  const suggested = suggestedKind === 'credit' ? suggestedId : null
  const { rows } = await tx.query<{ sessionId: string }>({
    name: 'suggested-credit',
    text: `select session_id from credits
            where id = $1 and bank_code = $2 and currency = $3`,
    values: [suggested, bankCode, currency],
  })
  if (!rows[0]) throw new Refusal('reversal_not_possible')
  return rows[0].sessionId
}

// Returns an identifier for the reversal, which must differ from the identifiers of all credits. The same
// line always gets the same identifier, so that it is not booked twice.
async function nameReversal(tx: Transaction, line: StatementRow): Promise<string> {
  const names = bankIdentifiersOf(line).filter(isSessionId)
  const { rows } = await tx.query<{ value: string }>({
    name: 'names-of-credits',
    text: `select value from credit_identifiers
            where value = any($1::text[]) and bank_code = $2`,
    values: [names, line.bankCode],
  })
  const creditIdentifiers = new Set(rows.map(({ value }) => value))
  return names.find((name) => !creditIdentifiers.has(name)) ?? lineReference(line)
}

// Returns a reversal of this credit and amount that no line explains yet, if the bank has reported one.
async function findUnmatchedReversal(
  tx: Transaction,
  creditId: CreditId,
  amountKobo: Kobo,
): Promise<bigint | undefined> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'unmatched-reversal',
    text: `select r.id from reversals r
            where r.credit_id = $1 and r.amount_kobo = $2
              and not exists (select from statement_matches m
                               where m.item_kind = 'reversal' and m.item_id = r.id)
            order by r.id limit 1`,
    values: [creditId, amountKobo],
  })
  return rows[0]?.id
}

export type FinishDeps = {
  batchPool: Pool
  sealer: Sealer
  submitCredits: (credits: readonly IncomingCredit[]) => Promise<BatchResult<CreditResult>[]>
  now: Date
}

// Books the credit of a line that a user decided to book, by the path of every credit, and matches the line
// to the credit. Safe to repeat, and after a crash at any point:
//
//   decided (committed) ─▶ credit taken (a separate batch) ─▶ matched, and the difference cleared
//
// If the same credit has arrived by another route in the meantime, this one is a duplicate (I12), and the
// line is matched to the booked credit. If the booked credit has other terms, nothing is booked and the
// difference opens again.
//
// Does nothing if the difference is not being booked. Throws if the books refused the credit, now or in an
// earlier attempt.
export async function finishBooking(deps: FinishDeps, id: DifferenceId): Promise<void> {
  const { batchPool, now } = deps
  const difference = await getDifference(batchPool, id)
  if (!isBeingBooked(difference)) return throwEarlierRefusal(batchPool, difference)
  const result = await bookCredit(deps, difference)
  const refusal = await withTransaction(batchPool, (tx) =>
    matchBookedCredit(tx, now, { id, result }),
  )
  if (refusal) throw new Refusal(refusal)
}

// First step of finishBooking(): submits the credit of the line, like a credit that the bank reports. If a
// later statement changed the difference, so that it is no longer a missing credit, books nothing and returns
// `session_reused`. Then matchBookedCredit() undoes the decision to book.
async function bookCredit(
  { batchPool, sealer, submitCredits, now }: FinishDeps,
  difference: Difference,
): Promise<CreditResult> {
  if (bookingOf(difference) !== 'credit') return { status: 'session_reused' }
  const line = await readLine(batchPool, difference.lineId as StatementLineId)
  const [result] = await submitCredits([statementCredit(line, { sealer, now })])
  if (!result?.ok) throw result?.error
  return result.value
}

type TakenCredit = { id: DifferenceId; result: CreditResult }

// Second step of finishBooking(): matches the line to the booked credit and clears the difference. Returns a
// refusal if the credit has other terms than the line.
async function matchBookedCredit(
  tx: Transaction,
  now: Date,
  { id, result }: TakenCredit,
): Promise<RefusalCode | undefined> {
  const difference = await lockDifference(tx, id)
  if (!isBeingBooked(difference)) return undefined // Another process finished it, or a rule matched it.
  if (result.status === 'session_reused') return undoDecision(tx, now, difference)
  const item = { kind: 'credit', id: result.creditId }
  const creditItem = await readItem(tx, difference, item)
  if (creditItem?.leftKobo !== difference.amountKobo) return undoDecision(tx, now, difference)
  await insertPair(tx, now, {
    lineId: difference.lineId as StatementLineId,
    item,
    amountKobo: creditItem.leftKobo,
    rule: 'booked',
    matchedBy: difference.decidedBy as string,
  })
  const { state: from } = difference
  await transition(tx, { name: 'clear-booked-difference', id, from, to: 'cleared' })
  const detail = { item: `credit/${result.creditId}`, status: result.status }
  await writeChange(tx, now, { id, change: 'cleared', actor: null, detail })
  return undefined
}

// Undoes the decision to book, so that a user can decide again. The history keeps the decision. Returns the
// refusal, which the caller throws after the commit.
async function undoDecision(tx: Transaction, now: Date, { id }: Difference): Promise<RefusalCode> {
  await tx.query({
    name: 'fail-booking',
    text: `update differences
              set action = null, reason = null, asked_by = null, asked_by_user = null,
                  asked_at = null, decided_by = null, decided_by_user = null, decided_at = null
            where id = $1`,
    values: [id],
  })
  const code: RefusalCode = 'line_known_otherwise'
  await writeChange(tx, now, { id, change: 'failed', actor: null, detail: { code } })
  return code
}

// Throws the refusal of an earlier attempt, so that a retried request gets the same error as the first one.
// Does nothing if the booking did not fail. Ignores assignments to an owner, which a user may make after the
// failure.
async function throwEarlierRefusal(db: Pool, { id, state }: Difference): Promise<void> {
  if (state !== 'open') return
  const { rows } = await db.query<{ change: string }>({
    name: 'last-difference-change',
    text: `select change from difference_changes
            where difference_id = $1 and change <> 'assigned' order by id desc limit 1`,
    values: [id],
  })
  if (rows[0]?.change === 'failed') throw new Refusal('line_known_otherwise')
}

const WAIT_MS = 30_000 // After this time, the process that should finish a booking is presumed dead.
const ROUND_MAX = 100

// SQL condition: whether the booking of a credit was interrupted. The worker that finishes bookings runs only
// if it holds.
export const HAS_UNFINISHED_BOOKINGS = `exists (
  select from differences where state = 'open' and action is not null
     and decided_at < clock.now - interval '${WAIT_MS} ms')`

// Returns the differences whose booking a user decided more than WAIT_MS ago and which is still unfinished.
// Returns ROUND_MAX of them per round, the oldest first.
export async function findUnfinished(db: Pool, now: Date): Promise<DifferenceId[]> {
  const { rows } = await db.query<{ id: DifferenceId }>({
    name: 'unfinished-bookings',
    text: `select id from differences
            where state = 'open' and action is not null and decided_at < $1
            order by decided_at limit $2`,
    values: [new Date(now.getTime() - WAIT_MS), ROUND_MAX],
  })
  return rows.map(({ id }) => id)
}
