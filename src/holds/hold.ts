// A hold stops money of one client: a credit, the money of an account or of a merchantCode, or all of the
// client's money; up to an amount or without limit (I130).
//
//   Available, Collection accounts, Subaccounts → Held     at once, and whenever more arrives
//   Reserve → Held                                         instead of its release, if all is to be held
//   Held → the accounts that it came from                  released, by two people (end.ts)
//   Held → Forfeited                                       forfeited, by two people (end.ts)
//
// Every second, a worker fills holds that lack money. A transaction that draws on the client's money
// (payouts/available.ts, settlement/cover.ts) first locks the accounts that it draws on, and then fills the
// holds, so no payout or settlement is ever faster than a hold. A bank's reversal does not fill holds: it
// takes the money from the account where the credit was booked, and the client owes the rest
// (credits/reverse.ts).
//
// While all money of a client is held, its closed settlements and its payouts, refunds and returns that no
// bank has received yet wait (isAllHeld).
//
// Locks: the case, the suspense items of a held credit, the holds of the client, then ledger accounts. A
// drawer locks its ledger accounts before the holds, so that no money arrives in between. If the two orders
// deadlock, PostgreSQL ends one transaction, and withTransaction() runs it again.

import { timestamp } from '#clock.ts'
import { idBounds, type Window } from '#db/bounds.ts'
import { type Conditions, fits, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText, numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type AccountId, type ClientId, type CreditId, type HoldId, newReference } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { awaitSenders } from '#records/call-rates.ts'
import type { EventType } from '#records/event-types.ts'
import { appendEvents } from '#records/events.ts'
import type { HoldState } from './states.ts'

export const TARGETS = ['credit', 'account', 'merchant', 'client'] as const

export type Hold = {
  id: HoldId
  reference: string
  clientId: ClientId
  clientName: string // The client's login name.
  target: (typeof TARGETS)[number]
  creditId: CreditId | null
  sessionId: string | null // The session id of the held credit.
  accountId: AccountId | null
  accountNumber: string | null
  merchantCode: string | null
  currency: string
  amountKobo: Kobo | null // Null means without a limit.
  heldKobo: Kobo
  forfeitedKobo: Kobo
  reason: string
  caseReference: string | null
  deadlineAt: Date | null
  state: HoldState
  placedBy: string
  placedAt: Date
  endedAt: Date | null
}

const SELECT = `
  select h.id, h.reference, h.client_id, k.client_id as client_name, h.target, h.credit_id,
         c.session_id, h.account_id, a.account_number, h.merchant_code, h.currency, h.amount_kobo,
         h.held_kobo, h.forfeited_kobo, h.reason, h.case_reference, h.deadline_at, h.state, h.placed_by,
         h.placed_at, h.ended_at
    from holds h join clients k on k.id = h.client_id
    left join credits c on c.id = h.credit_id
    left join collection_accounts a on a.id = h.account_id`

export function isHoldReference(text: string): boolean {
  return /^HLD[0-9]{15}$/.test(text)
}

type Page = { where: Conditions; beforeId: bigint | null; limit: number }

export async function listHolds(db: Queryable, { where, beforeId, limit }: Page): Promise<Hold[]> {
  const list = { select: SELECT, where, id: 'h.id', after: beforeId, limit }
  const { rows } = await db.query<Hold>(listQuery(list))
  return rows
}

export async function getHold(db: Queryable, reference: string): Promise<Hold> {
  const { rows } = await db.query<Hold>({
    name: 'get-hold',
    text: `${SELECT} where h.reference = $1`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('hold_not_found')
  return rows[0]
}

export type Target =
  | { of: 'credit'; creditId: CreditId }
  | { of: 'account'; accountId: AccountId }
  | { of: 'merchant'; merchantCode: string }
  | { of: 'client' }

type NewHold = Pick<Hold, 'clientId' | 'clientName' | 'reason' | 'caseReference' | 'deadlineAt'> & {
  target: Target
  amountKobo: Kobo | null
}
type By = { clientId: ClientId; actor: string; now: Date; sharedAccounts: SharedAccounts }

// Holds the money that is available now. One person may place a hold: stopping money is urgent and can be
// undone.
export async function placeHold(tx: Transaction, by: By, hold: NewHold): Promise<Hold> {
  const { target, clientId, amountKobo, reason, caseReference, deadlineAt } = hold
  const { sharedAccounts, actor, now } = by
  if (caseReference !== null) await lockCase(tx, caseReference)
  const wantedKobo =
    target.of === 'credit' ? await lockCredit(tx, target.creditId, amountKobo) : amountKobo
  const held = { kind: 'held', owner: clientOwner(clientId), currency: CURRENCY } as const
  await sharedAccounts.open([held])
  const reference = newReference('HLD')
  await tx.query({
    name: 'insert-hold',
    text: `insert into holds
             (reference, client_id, target, credit_id, account_id, merchant_code, currency,
              amount_kobo, held_account_id, reason, case_reference, deadline_at, placed_by, placed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    values: [
      reference,
      clientId,
      target.of,
      target.of === 'credit' ? target.creditId : null,
      'accountId' in target ? target.accountId : null,
      target.of === 'merchant' ? target.merchantCode : null,
      CURRENCY,
      wantedKobo,
      sharedAccounts.id(held),
      reason,
      caseReference,
      deadlineAt,
      actor,
      now,
    ],
  })
  await fillHolds(tx, now, clientId)
  // Waits for running claims of payouts. Every later claim sees the hold.
  if (target.of === 'client' && wantedKobo === null) await awaitSenders(tx)
  const placed = await getHold(tx, reference)
  const amount = wantedKobo === null ? 'all' : formatKobo(wantedKobo)
  const detail = {
    reference,
    target: target.of,
    amount,
    held: formatKobo(placed.heldKobo),
    note: reason,
  }
  const subject = `client/${hold.clientName}`
  const action = 'hold.place'
  await writeAuditLog(tx, now, { clientId: by.clientId, actor, action, subject, detail })
  await appendHoldEvent(tx, now, { type: 'hold.placed', hold: placed })
  return placed
}

type HoldEventType = Extract<EventType, `hold.${string}`>

// Appends an event to the client that owns the money. It must be the last statement of its transaction that
// takes a lock.
export async function appendHoldEvent(
  tx: Transaction,
  now: Date,
  { type, hold }: { type: HoldEventType; hold: Hold },
): Promise<void> {
  const { clientId, creditId, accountId, amountKobo, heldKobo, forfeitedKobo, endedAt } = hold
  const { reference, target, sessionId, accountNumber, merchantCode, currency, state } = hold
  const facts = {
    reference,
    target,
    sessionId,
    accountNumber,
    merchantCode,
    currency,
    ...(amountKobo === null ? {} : { amountKobo }),
    heldKobo,
    forfeitedKobo,
    state,
    placedAt: timestamp(hold.placedAt),
    endedAt: endedAt && timestamp(endedAt),
  }
  const subject = {
    ...(creditId === null ? {} : { creditId }),
    ...(accountId === null ? {} : { collectionAccountId: accountId }),
  }
  await appendEvents(tx, now, [{ clientId, type, facts, ...subject }])
}

// A reference in our format must name an open case; the lock keeps the case open (I133). Any other reference
// belongs to another institution and is not checked.
async function lockCase(tx: Transaction, reference: string): Promise<void> {
  if (!/^CAS[0-9]{15}$/.test(reference)) return
  const { rows } = await tx.query<{ state: string }>({
    name: 'lock-case-of-hold',
    text: 'select state from cases where reference = $1 for share',
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('case_not_found')
  if (rows[0].state === 'closed') throw new Refusal('case_closed')
}

// Returns the amount to hold: by default the whole credit, less the amount that the bank has taken back.
// Assigning and returning suspended money lock the same items, so they either commit before the hold or see
// it.
async function lockCredit(
  tx: Transaction,
  creditId: CreditId,
  amountKobo: Kobo | null,
): Promise<Kobo> {
  await tx.query({
    name: 'lock-held-items',
    text: 'select from suspense_items where credit_id = $1 order by id for no key update',
    values: [creditId],
  })
  const { rows } = await tx.query<{ kobo: Kobo }>({
    name: 'lock-held-credit',
    text: 'select amount_kobo - reversed_kobo as kobo from credits where id = $1 for no key update',
    values: [creditId],
  })
  const leftKobo = (rows[0] as { kobo: Kobo }).kobo
  if (leftKobo < (amountKobo ?? 1n)) throw new Refusal('hold_too_large')
  return amountKobo ?? leftKobo
}

// The caller has locked the credit's suspense items.
export async function refuseHeldCredit(tx: Transaction, creditId: CreditId): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'is-credit-held',
    text: `select from holds where credit_id = $1 and state = 'active'`,
    values: [creditId],
  })
  if (rowCount) throw new Refusal('credit_held')
}

// SQL condition: all money of the client is held, without a limit.
export const isAllHeld = (clientId: string) => `
  exists (select from holds a
           where a.client_id = ${clientId} and a.state = 'active' and a.target = 'client'
             and a.amount_kobo is null)`

// Refuses if all money of the client is held. For operations that pay out money that no hold can take,
// because it has left the available accounts. A payout that such an operation queues at the same time as a
// hold is placed is not sent (payouts/holds.ts).
export async function refuseHeldClient(tx: Transaction, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query<{ isHeld: boolean }>({
    name: 'is-client-held',
    text: `select ${isAllHeld('$1')} as is_held`,
    values: [clientId],
  })
  if (rows[0]?.isHeld) throw new Refusal('client_held')
}

type Lacking = { id: HoldId; heldAccountId: AccountId; lackingKobo: Kobo }

// SQL scalar: the amount that the hold `h` still lacks. For a held credit, it excludes the part in suspense
// and the part that the bank took back.
const LACKING = `
  case when h.target = 'credit'
       then least(h.amount_kobo,
                  (select amount_kobo - suspended_kobo - reversed_kobo from credits
                    where id = h.credit_id)
                  + (select coalesce(sum(amount_kobo), 0)::bigint from suspense_items
                      where credit_id = h.credit_id and state = 'assigned'))
       else coalesce(h.amount_kobo, ${2n ** 62n}) end - h.held_kobo - h.forfeited_kobo`

// Moves money to Held for the client's holds that lack money, the oldest first. Returns whether any money
// moved.
export async function fillHolds(tx: Transaction, now: Date, clientId: ClientId): Promise<boolean> {
  let hasMoved = false
  for (const hold of await lockLacking(tx, clientId)) {
    hasMoved = (await fill(tx, now, hold)) || hasMoved
  }
  return hasMoved
}

async function lockLacking(
  tx: Transaction,
  clientId: ClientId,
  target?: Hold['target'],
): Promise<Lacking[]> {
  const { sql, values } = fits([
    ['h.client_id = $', clientId],
    `h.state = 'active' and (${LACKING}) > 0`,
    ['h.target = $', target],
  ])
  const text = `select h.id, h.held_account_id, (${LACKING})::bigint as lacking_kobo from holds h
                 where ${sql} order by h.id for no key update`
  const { rows } = await tx.query<Lacking>(namedByText(text, values))
  return rows
}

// Returns the amount that holds of all the client's money lack.
export async function sumLacking(db: Queryable, clientId: ClientId): Promise<bigint> {
  const { rows } = await db.query<{ kobo: string }>({
    name: 'sum-lacking-of-client',
    text: `select coalesce(sum(${LACKING}), 0)::text as kobo from holds h
            where h.client_id = $1 and h.state = 'active' and h.target = 'client'`,
    values: [clientId],
  })
  return BigInt(rows[0]?.kobo ?? 0)
}

type Releasing = { clientId: ClientId; reserveId: AccountId; amountKobo: Kobo }

// Moves a due reserve to the holds of all the client's money that lack money, the oldest first. Only the rest
// may be released. The caller has filled the holds and locked the reserve account.
export async function holdReserve(
  tx: Transaction,
  now: Date,
  { clientId, reserveId: debitAccountId, amountKobo: dueKobo }: Releasing,
): Promise<{ heldKobo: Kobo; isLacking: boolean }> {
  const holds = await lockLacking(tx, clientId, 'client')
  let leftKobo: bigint = dueKobo
  for (const { id, heldAccountId: creditAccountId, lackingKobo } of holds) {
    const amountKobo = kobo(lackingKobo < leftKobo ? lackingKobo : leftKobo)
    if (amountKobo === 0n) break
    await take(tx, now, { id, transfers: [{ debitAccountId, creditAccountId, amountKobo }] })
    leftKobo -= amountKobo
  }
  const lackedKobo = holds.reduce((sum, { lackingKobo }) => sum + lackingKobo, 0n)
  const heldKobo = kobo(dueKobo - leftKobo)
  return { heldKobo, isLacking: lackedKobo > heldKobo }
}

// SQL `from` and `where`: the accounts `l` with money that the hold `h` may take.
const placesOf = (holds: string) => `
  from holds h
  join settlement_accounts s on s.client_id = h.client_id and s.currency = h.currency
  join ledger_accounts l on l.id = s.account_id and l.credits_kobo > l.debits_kobo
  left join collection_accounts a on a.id = l.id
 where ${holds}
   and case h.target when 'client' then true
                     when 'merchant' then a.merchant_code = h.merchant_code
                     when 'account' then l.id = h.account_id
                     else l.id in (select collection_account_id from credits where id = h.credit_id
                                   union all
                                   select assigned_account_id from suspense_items
                                    where credit_id = h.credit_id and state = 'assigned')
                          or s.subaccount_id in (select p.subaccount_id from credit_splits p
                                                  where p.credit_id = h.credit_id)
                          or l.kind = 'available'
                             and exists (select from credits
                                          where id = h.credit_id and payment_id is not null
                                         union all
                                         select from suspense_items
                                          where credit_id = h.credit_id
                                            and assigned_payment_id is not null) end`

async function fill(
  tx: Transaction,
  now: Date,
  { id, heldAccountId: creditAccountId, lackingKobo }: Lacking,
): Promise<boolean> {
  const places = await tx.query<{ id: AccountId }>({
    name: 'places-of-hold',
    text: `select l.id ${placesOf('h.id = $1')}`,
    values: [id],
  })
  if (!places.rows[0]) return false
  const { rows } = await tx.query<{ id: AccountId; kobo: Kobo }>({
    name: 'lock-places-of-hold',
    text: `select id, credits_kobo - debits_kobo as kobo from ledger_accounts
            where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(places.rows.map((place) => place.id))],
  })
  const transfers: Taking[] = []
  let leftKobo: bigint = lackingKobo
  for (const { id: debitAccountId, kobo: balance } of rows) {
    const amountKobo = kobo(balance < leftKobo ? balance : leftKobo)
    if (amountKobo <= 0n) continue
    transfers.push({ debitAccountId, creditAccountId, amountKobo })
    leftKobo -= amountKobo
  }
  if (transfers.length === 0) return false
  await take(tx, now, { id, transfers })
  return true
}

type Taking = Pick<Transfer, 'debitAccountId' | 'creditAccountId' | 'amountKobo'>

async function take(
  tx: Transaction,
  now: Date,
  { id: holdId, transfers }: { id: HoldId; transfers: readonly Taking[] },
): Promise<void> {
  const ofHold = transfers.map((each) => ({ ...each, holdId, reason: 'hold' as const }))
  await postTransfers(tx, now, ofHold)
  await tx.query({
    name: 'count-held',
    text: 'update holds set held_kobo = held_kobo + $2 where id = $1',
    values: [holdId, kobo(transfers.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))],
  })
}

// SQL condition: an active hold lacks money. The missing money may not have arrived yet.
export const HAS_LACKING_HOLDS = `exists (
  select from holds h where h.state = 'active' and (${LACKING}) > 0)`

// Returns a client with a hold that lacks money, and with money to fill it, or null if there is none.
export async function findFillable(db: Queryable): Promise<ClientId | null> {
  const { rows } = await db.query<{ clientId: ClientId }>({
    name: 'find-fillable-holds',
    text: `select h.client_id ${placesOf("h.state = 'active'")} and (${LACKING}) > 0
            order by h.id limit 1`,
  })
  return rows[0]?.clientId ?? null
}

// A step of a hold, for the timelines of credits and collection accounts. It contains no reason and no
// operator's name, because clients read it.
export type HoldStep = {
  reference: string
  step: 'placed' | 'hold' | 'hold_release' | 'forfeiture' | 'released' | 'forfeited'
  amountKobo: Kobo | null // Null for a hold without a limit, and for the end of a hold.
  currency: string
  at: Date
}

const STEPS_MAX = 200 // The most steps in a timeline, or in a page of it.

// SQL subquery: when the holds `h` were placed and ended.
const stepsOf = (holds: string) => `
  select reference, 'placed' as step, amount_kobo, currency, placed_at as at from holds h where ${holds}
  union all
  select reference, state, null, currency, ended_at from holds h where ${holds} and ended_at is not null`

// SQL subquery: the money that the transfers `t` of holds moved.
const movesOf = (transfers: string) => `
  select h.reference, t.reason, sum(t.amount_kobo)::bigint, h.currency, t.posted_at
    from transfers t join holds h on h.id = t.hold_id where ${transfers}
   group by h.reference, t.reason, h.currency, t.posted_at`

export async function readHoldSteps(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<HoldStep[]> {
  if (creditIds.length === 0) return []
  const ofCredits = 'h.credit_id = any($1::bigint[])'
  const { rows } = await db.query<HoldStep>({
    name: 'hold-steps-of-credits',
    text: `select * from (${stepsOf(ofCredits)} union all ${movesOf(ofCredits)}) as steps
            order by at desc limit ${STEPS_MAX}`,
    values: [numberArray(creditIds)],
  })
  return rows
}

// Reads the steps of holds of this account, and the movements on this account by holds of its merchantCode or
// client. The steps of a held credit are on the page of that credit.
export async function readHoldStepsOfAccount(
  db: Queryable,
  { id }: { id: AccountId },
  { from, to }: Window,
): Promise<HoldStep[]> {
  const { firstId, pastId } = await idBounds(db, 'transfers', { from, to })
  const { rows } = await db.query<HoldStep>({
    name: 'hold-steps-of-account',
    text: `select * from (
             ${stepsOf('h.account_id = $1')}
             union all
             ${movesOf(`t.id in (
               select id from transfers where debit_account_id = $1 and reason = 'hold'
                  and id >= $2 and id < $3
               union
               select id from transfers where credit_account_id = $1 and reason = 'hold_release'
                  and id >= $2 and id < $3
               union
               select f.id from transfers f join holds o on o.id = f.hold_id
                where o.account_id = $1 and f.reason = 'forfeiture') and h.credit_id is null`)}) as steps
            where at >= $4 and at < $5 order by at desc limit ${STEPS_MAX}`,
    values: [id, firstId, pastId, from ?? '-infinity', to ?? 'infinity'],
  })
  return rows
}
