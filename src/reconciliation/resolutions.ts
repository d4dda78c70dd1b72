// Writes the resolution of a difference: the decision, the history, the pairs that explain the difference,
// and its booking in the ledger.

import type { Client } from '#access/permissions.ts'
import { watDay } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import type { DifferenceId, StatementLineId, UserId } from '#ids.ts'
import { bankOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { type Action, writeAuditLog } from '#records/audit-log.ts'
import type { Difference, DifferenceAction, DifferenceKind } from './difference.ts'
import { clearErasedPayer } from './pairs.ts'
import { clearDifferenceOfItem, type DifferenceState, transition } from './states.ts'

// The user who acts on a difference, or a client that acts by its credentials (`userId` is null).
export type Acting = { client: Client; actor: string; userId: UserId | null; now: Date }

type Change = 'opened' | 'asked' | 'withdrawn' | 'rejected' | 'resolved' | 'failed' | 'cleared'

type NewChange = { id: DifferenceId; change: Change; actor: string | null; detail: object }

// Adds an entry to the history of a difference. `actor` is null if the system made the change.
export async function writeChange(
  tx: Transaction,
  now: Date,
  { id, change, actor, detail }: NewChange,
): Promise<void> {
  await tx.query({
    name: 'write-difference-change',
    text: `insert into difference_changes (difference_id, change, actor, detail, changed_at)
           values ($1, $2, $3, $4, $5)`,
    values: [id, change, actor, JSON.stringify(detail), now],
  })
}

// An entry of the audit log: `verb` says what the actor did, such as `resolve` or `assign`.
type Entry = {
  difference: Pick<Difference, 'id' | 'bankCode' | 'day' | 'kind' | 'amountKobo' | 'currency'>
  verb: string
  detail: object
}

// Returns the entry of the audit log for an action on a difference.
export function actionOn({ client, actor }: Acting, { difference, verb, detail }: Entry): Action {
  const { id, bankCode, day, kind, amountKobo, currency } = difference
  return {
    clientId: client.id,
    actor,
    action: `difference.${verb}`,
    subject: `difference/${id}`,
    detail: { bankCode, day, kind, amount: formatKobo(amountKobo), currency, ...detail },
  }
}

// Writes an action on a difference to the audit log.
export async function auditDifference(
  tx: Transaction,
  acting: Acting,
  entry: Entry,
): Promise<void> {
  await writeAuditLog(tx, acting.now, actionOn(acting, entry))
}

export type Decision = {
  difference: Difference
  action: DifferenceAction
  reason: string
  // `open` while the credit is not booked yet, `cleared` if pairs explain the difference, `resolved` if
  // noted.
  state: Exclude<DifferenceState, 'asked'>
  detail?: object
}

// Stores a user's decision on a difference, with its history. A booking that is still in progress leaves the
// difference open, so then the state does not change.
export async function writeDecision(
  tx: Transaction,
  { actor, userId, now }: Acting,
  { difference: { id, state: from }, action, reason, state, detail = {} }: Decision,
): Promise<void> {
  const set = 'action = $2, reason = $3, decided_by = $4, decided_by_user = $5, decided_at = $6'
  const values = [action, reason, actor, userId, now]
  if (state === from) {
    const text = `update differences set ${set} where id = $1`
    await tx.query({ name: 'decide-open-difference', text, values: [id, ...values] })
  } else {
    await transition(tx, { name: 'decide-difference', id, from, to: state, set, values })
  }
  await writeChange(tx, now, {
    id,
    change: 'resolved',
    actor,
    detail: { action, reason, ...detail },
  })
  if (state === 'cleared')
    await writeChange(tx, now, { id, change: 'cleared', actor: null, detail })
}

export type Pair = {
  lineId: StatementLineId
  item: { kind: string; id: bigint }
  amountKobo: Kobo // The part of the item that the line accounts for.
  rule: 'confirmed' | 'booked'
  matchedBy: string
}

// Stores a pair of line and item that a user matched or booked. Removes the payer's details from the line
// if the payer of the item was erased, and clears the difference of the item, if it has one.
export async function insertPair(
  tx: Transaction,
  now: Date,
  { lineId, item, amountKobo, rule, matchedBy }: Pair,
): Promise<void> {
  await tx.query({
    name: 'insert-statement-match',
    text: `insert into statement_matches
             (line_id, item_kind, item_id, amount_kobo, bank_code, currency, line_day, item_day,
              rule, matched_at, matched_by)
           select l.id, i.kind, i.id, $4, l.bank_code, l.currency, l.booked_on,
                  (i.posted_at at time zone 'Africa/Lagos')::date, $5, $6, $7
             from statement_lines l
             join bank_items i on i.kind = $2 and i.id = $3
            where l.id = $1`,
    values: [lineId, item.kind, item.id, amountKobo, rule, now, matchedBy],
  })
  await clearErasedPayer(tx, { lineId, item })
  for (const { id } of await clearDifferenceOfItem(tx, item)) {
    const detail = { lineId: lineId.toString(), rule }
    await writeChange(tx, now, { id, change: 'cleared', actor: null, detail })
  }
}

type Item = { amountKobo: Kobo; leftKobo: Kobo }

// Reads an item. `leftKobo` is the part of the item that no line explains. Returns undefined if this bank
// has no such item.
export async function readItem(
  tx: Transaction,
  { bankCode, currency }: Pick<Difference, 'bankCode' | 'currency'>,
  item: { kind: string; id: bigint },
): Promise<Item | undefined> {
  const { rows } = await tx.query<Item>({
    name: 'read-bank-item',
    text: `select i.amount_kobo,
                  (i.amount_kobo - (select coalesce(sum(m.amount_kobo), 0)
                                      from statement_matches m
                                     where m.item_kind = $1 and m.item_id = $2))::bigint
                    as left_kobo
             from bank_items i
            where i.kind = $1 and i.id = $2 and i.bank_code = $3 and i.currency = $4`,
    values: [item.kind, item.id, bankCode, currency],
  })
  return rows[0]
}

// Opens a new difference for the part of a line that its pairs do not explain. It keeps the owner of
// `difference`, which the pairs have cleared.
export async function openRest(
  tx: Transaction,
  now: Date,
  {
    difference,
    kind,
    amountKobo,
  }: { difference: Difference; kind: DifferenceKind; amountKobo: Kobo },
): Promise<void> {
  if (amountKobo === 0n) return
  const { rows } = await tx.query<{ id: DifferenceId }>({
    name: 'open-rest-of-difference',
    text: `insert into differences (bank_code, currency, day, kind, amount_kobo, line_id, opened_at,
                                    owner_id, owned_at)
           values ($1, $2, $3::date, $4, $5, $6, $7, $8, $9) returning id`,
    values: [
      difference.bankCode,
      difference.currency,
      difference.day,
      kind,
      amountKobo,
      difference.lineId,
      now,
      difference.ownerId,
      difference.ownerId && now,
    ],
  })
  const { id } = rows[0] as { id: DifferenceId }
  const detail = { kind, amount: formatKobo(amountKobo), restOf: difference.id.toString() }
  await writeChange(tx, now, { id, change: 'opened', actor: null, detail })
}

export type BookingDeps = { sharedAccounts: SharedAccounts; now: Date; actor: string }

type Posting = {
  difference: Difference
  counterAccount: SharedAccount
  movedKobo: Kobo // At most the amount of the line.
  reason: Transfer['reason']
}

export type Booked = { transferId: bigint; restKobo: Kobo } // `restKobo` is the unbooked rest of the line.

// Posts a difference into the books, between the bank's account and `counterAccount`, and pairs the
// difference with the posted transfer, so that it is booked only once (I67). The booking has the current
// time, whatever the day of the line: nothing is posted into the past.
// Locks: the difference (already locked by the caller); ledger accounts.
export async function postBooking(
  tx: Transaction,
  { sharedAccounts, now, actor }: BookingDeps,
  { difference, counterAccount, movedKobo, reason }: Posting,
): Promise<Booked> {
  const { id: differenceId, bankCode, currency, amountKobo } = difference
  const bank: SharedAccount = { kind: 'bank', owner: bankOwner(bankCode), currency }
  await sharedAccounts.open([bank, counterAccount])
  const [bankId, counterId] = [sharedAccounts.id(bank), sharedAccounts.id(counterAccount)]
  const isCredit = amountKobo > 0n
  await postTransfers(tx, now, [
    {
      debitAccountId: isCredit ? bankId : counterId,
      creditAccountId: isCredit ? counterId : bankId,
      amountKobo: movedKobo,
      differenceId,
      reason,
    },
  ])
  const transferId = await findTransfer(tx, difference)
  const bookedKobo = kobo(isCredit ? movedKobo : -movedKobo)
  await pairBooking(tx, { now, actor }, { difference, transferId, bookedKobo })
  return { transferId, restKobo: kobo(amountKobo - bookedKobo) }
}

type PostedBooking = { difference: Difference; transferId: bigint; bookedKobo: Kobo }

// Pairs a booking with whatever its difference is about, so that matching no longer reports it:
//
//   a line              the booking and the line are a pair
//   an item             the booking and the item offset each other; both count as in transit from the
//                       item's day until today
//   a statement's gap   the booking explains the gap; it counts as in transit from the gap's day until today
async function pairBooking(
  tx: Transaction,
  { now, actor: matchedBy }: { now: Date; actor: string },
  { difference, transferId, bookedKobo: amountKobo }: PostedBooking,
): Promise<void> {
  const { lineId, itemKind, itemId, day } = difference
  const item = { kind: 'booked', id: transferId }
  if (lineId !== null) {
    return insertPair(tx, now, { lineId, item, amountKobo, rule: 'booked', matchedBy })
  }
  if (itemKind === null || itemId === null) {
    return insertOffset(tx, now, { item, amountKobo, day, matchedBy })
  }
  const today = watDay(now)
  const offset = { kind: itemKind, id: itemId }
  await insertOffset(tx, now, { item, amountKobo, day: today, matchedBy })
  await insertOffset(tx, now, {
    item: offset,
    amountKobo: kobo(-amountKobo),
    day: today,
    matchedBy,
  })
}

type Offset = { item: Pair['item']; amountKobo: Kobo; day: string; matchedBy: string }

// Stores a pair without a line. Every pair has a line id, so 0 stands for no line. `day` takes the place of
// the line's day.
async function insertOffset(
  tx: Transaction,
  now: Date,
  { item, amountKobo, day, matchedBy }: Offset,
): Promise<void> {
  await tx.query({
    name: 'insert-offset-of-item',
    text: `insert into statement_matches
             (line_id, item_kind, item_id, amount_kobo, bank_code, currency, line_day, item_day,
              rule, matched_at, matched_by)
           select 0, i.kind, i.id, $3, i.bank_code, i.currency, $4,
                  (i.posted_at at time zone 'Africa/Lagos')::date, 'adjusted', $5, $6
             from bank_items i where i.kind = $1 and i.id = $2`,
    values: [item.kind, item.id, amountKobo, day, now, matchedBy],
  })
}

// Finds the transfer that was just posted for a difference.
async function findTransfer(tx: Transaction, { id }: Difference): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'transfer-of-difference',
    text: 'select id from transfers where difference_id = $1',
    values: [id],
  })
  return (rows[0] as { id: bigint }).id
}
