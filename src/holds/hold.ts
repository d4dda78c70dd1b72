// A hold stops money of one client: a credit, the money of an account or of a merchantCode, or all of the
// client's money; up to an amount or without limit (I130). A hold on a person places holds on that person's
// accounts of all clients, and has no money of its own (person.ts).
//
//   Available, Collection accounts, Subaccounts → Held     at once, and whenever more arrives
//   Reserve → Held                                         when it is due, if all money is to be held
//   Held → the accounts that it came from                  released, by two people (end.ts)
//   Held → Forfeited                                       forfeited, by two people (end.ts)
//
// A hold lacks money while it has less than its amount. Every second, a worker moves newly arrived money to
// holds that lack money. A payout or settlement that draws on the client's money (payouts/available.ts,
// settlement/cover.ts) first locks the accounts that it draws on and then fills the holds, so it can never
// take money that a hold lacks. A bank's reversal does not fill holds: it takes the money from the account
// where the credit was booked, and the client owes any shortfall (credits/reverse.ts).
//
// While all money of a client is held (isAllHeld), its closed settlements are not paid, and its payouts,
// refunds and returns are not sent to banks.
//
// Order of locks: the case, the suspense items of a held credit, the holds of the client, then ledger
// accounts. Payouts and settlements lock their ledger accounts before the holds, so that no money arrives in
// between. If the two orders deadlock, PostgreSQL ends one transaction, and withTransaction() runs it again.

import { timestamp } from '#clock.ts'
import { idBounds, type Window } from '#db/bounds.ts'
import { type Conditions, joinConditions, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText, numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type AccountId, type ClientId, type CreditId, type HoldId, newReference } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { awaitSenders } from '#records/call-rates.ts'
import { lockOutErasures } from '#records/erasure-bars.ts'
import type { EventType } from '#records/event-types.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { type Filling, holdWaitingAccounts, lockWaitingAccounts } from './person-accounts.ts'
import type { HoldState } from './states.ts'

export const TARGETS = ['credit', 'account', 'merchant', 'client', 'person'] as const

export type Hold = {
  id: HoldId
  reference: string
  clientId: ClientId
  clientName: string | null // The client's login name. Null for a person, who is held at all clients.
  target: (typeof TARGETS)[number]
  creditId: CreditId | null
  sessionId: string | null // The session id of the held credit.
  accountId: AccountId | null
  accountNumber: string | null
  merchantCode: string | null
  bvnMasked: string | null // The person's; the holds of the person's accounts have it too.
  personReference: string | null // The hold on the person that this hold on an account belongs to.
  accounts: number | null // How many accounts of the person are held.
  currency: string
  amountKobo: Kobo | null // Null means without a limit.
  heldKobo: Kobo // For a person, the sum over the accounts.
  forfeitedKobo: Kobo
  reason: string
  caseReference: string | null
  deadlineAt: Date | null
  state: HoldState
  placedBy: string
  placedAt: Date
  endedAt: Date | null
}

// SQL scalar: the login name of the client whose money the hold `h` stops.
export const HELD_CLIENT = `case when h.target <> 'person' then k.client_id end`

const SELECT = `
  select h.id, h.reference, h.client_id, ${HELD_CLIENT} as client_name, h.target, h.credit_id,
         c.session_id, h.account_id, a.account_number, h.merchant_code, b.bvn_masked,
         p.reference as person_reference, w.accounts, h.currency, h.amount_kobo,
         h.held_kobo + coalesce(w.held_kobo, 0) as held_kobo,
         h.forfeited_kobo + coalesce(w.forfeited_kobo, 0) as forfeited_kobo, h.reason,
         h.case_reference, h.deadline_at, h.state, h.placed_by, h.placed_at, h.ended_at
    from holds h join clients k on k.id = h.client_id
    left join credits c on c.id = h.credit_id
    left join collection_accounts a on a.id = h.account_id
    left join held_person_accounts q on q.account_hold_id = h.id
    left join holds p on p.id = q.hold_id
    left join held_people b on b.hold_id = coalesce(p.id, h.id)
    left join lateral (
      select count(*)::int as accounts, coalesce(sum(x.held_kobo), 0)::bigint as held_kobo,
             coalesce(sum(x.forfeited_kobo), 0)::bigint as forfeited_kobo
        from held_person_accounts y join holds x on x.id = y.account_hold_id
       where y.hold_id = h.id
    ) as w on h.target = 'person'`

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
  | { kind: 'credit'; creditId: CreditId }
  | { kind: 'account'; accountId: AccountId }
  | { kind: 'merchant'; merchantCode: string }
  | { kind: 'client' }

type NewHold = Pick<Hold, 'clientId' | 'reason' | 'caseReference' | 'deadlineAt'> & {
  clientName: string
  target: Target
  amountKobo: Kobo | null
}
export type By = { clientId: ClientId; actor: string; now: Date; sharedAccounts: SharedAccounts }

// Places a hold, and moves the money that is available now to it. Needs no second person, because stopping
// money is urgent and can be undone.
export async function placeHold(tx: Transaction, by: By, hold: NewHold): Promise<Hold> {
  const { target, clientId, amountKobo, reason, caseReference, deadlineAt } = hold
  const { sharedAccounts, actor, now } = by
  await lockOutErasures(tx)
  if (caseReference !== null) await lockCase(tx, caseReference)
  const limitKobo =
    target.kind === 'credit' ? await lockHeldCredit(tx, target.creditId, amountKobo) : amountKobo
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
      target.kind,
      target.kind === 'credit' ? target.creditId : null,
      'accountId' in target ? target.accountId : null,
      target.kind === 'merchant' ? target.merchantCode : null,
      CURRENCY,
      limitKobo,
      sharedAccounts.id(held),
      reason,
      caseReference,
      deadlineAt,
      actor,
      now,
    ],
  })
  await fillHolds(tx, by, clientId)
  // Waits until workers that are claiming payouts to send have committed. Every later claim sees the hold.
  if (target.kind === 'client' && limitKobo === null) await awaitSenders(tx)
  const placed = await getHold(tx, reference)
  const amount = limitKobo === null ? 'all' : formatKobo(limitKobo)
  const detail = {
    reference,
    target: target.kind,
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

// Reports a change of a hold to the client that owns the money. Call it last in a transaction, after all
// other statements that take locks.
export async function appendHoldEvent(
  tx: Transaction,
  now: Date,
  { type, hold }: { type: Extract<EventType, `hold.${string}`>; hold: Hold },
): Promise<void> {
  await appendEvents(tx, now, [holdEvent(type, hold)])
}

// Returns the event about a change of a hold. It names no person and no other hold.
export function holdEvent(type: Extract<EventType, `hold.${string}`>, hold: Hold): NewEvent {
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
  return { clientId, type, facts, ...subject } as NewEvent
}

// Refuses a closed case, and keeps an open one from being closed until the hold is placed (I133). A reference
// in another format belongs to another institution and is not checked.
export async function lockCase(tx: Transaction, reference: string): Promise<void> {
  if (!/^CAS[0-9]{15}$/.test(reference)) return
  const { rows } = await tx.query<{ state: string }>({
    name: 'lock-case-of-hold',
    text: 'select state from cases where reference = $1 for share',
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('case_not_found')
  if (rows[0].state === 'closed') throw new Refusal('case_closed')
}

// Locks a credit and its suspense items. Returns the amount to hold: by default the whole credit, less the
// amount that the bank has taken back.
//
// Operations that assign or return suspended money lock the same items, so they either commit before the hold
// is placed or see it.
async function lockHeldCredit(
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
  const remainingKobo = (rows[0] as { kobo: Kobo }).kobo // The caller has found this credit.
  const leastKobo = amountKobo ?? 1n // A credit that the bank took back in full cannot be held.
  if (remainingKobo < leastKobo) throw new Refusal('hold_too_large')
  return amountKobo ?? remainingKobo
}

// Refuses to refund a held credit, and to assign or return its suspended money. The caller has locked the
// credit or its suspense items, so that no hold is placed at the same time.
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

// Refuses if all money of the client is held. For operations that pay out money that a hold cannot take,
// because it is no longer in the available accounts, such as suspended money. If such an operation queues a
// payout while a hold is being placed, the payout is not sent (payouts/holds.ts).
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
// and the part that the bank took back. A hold without an amount always lacks more money than can exist
// (2^62 kobo).
const LACKING = `
  case when h.target = 'person' then 0
       when h.target = 'credit'
       then least(h.amount_kobo,
                  (select amount_kobo - suspended_kobo - reversed_kobo from credits
                    where id = h.credit_id)
                  + (select coalesce(sum(amount_kobo), 0)::bigint from suspense_items
                      where credit_id = h.credit_id and state = 'assigned'))
       else coalesce(h.amount_kobo, ${2n ** 62n}) end - h.held_kobo - h.forfeited_kobo`

// Moves money to Held for the client's holds that lack money, the oldest first. Before, places the holds that
// accounts of held people still wait for. Returns whether any money moved.
export async function fillHolds(
  tx: Transaction,
  filling: Filling,
  clientId: ClientId,
): Promise<boolean> {
  let [waiting, lacking] = await pipeline([
    lockWaitingAccounts(tx, clientId),
    lockHoldsLackingMoney(tx, clientId),
  ])
  if (waiting.length > 0) {
    await holdWaitingAccounts(tx, filling, { clientId, waiting })
    lacking = await lockHoldsLackingMoney(tx, clientId)
  }
  let hasMoved = false
  for (const hold of lacking) {
    hasMoved = (await fillHold(tx, filling.now, hold)) || hasMoved
  }
  return hasMoved
}

// Locks the client's active holds that lack money, of one target or of all, and returns them oldest first.
async function lockHoldsLackingMoney(
  tx: Transaction,
  clientId: ClientId,
  target?: Hold['target'],
): Promise<Lacking[]> {
  const { sql, values } = joinConditions([
    ['h.client_id = $', clientId],
    `h.state = 'active' and (${LACKING}) > 0`,
    ['h.target = $', target],
  ])
  const text = `select h.id, h.held_account_id, (${LACKING})::bigint as lacking_kobo from holds h
                 where ${sql} order by h.id for no key update`
  const { rows } = await tx.query<Lacking>(namedByText(text, values))
  return rows
}

// Returns how much the client's active holds on all its money (target 'client') still lack, for the preview
// of a settlement: these holds take due reserves first. A hold without an amount makes the sum huge.
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

// Moves a due reserve of settlements to the holds on all the client's money (target 'client') that lack
// money, the oldest first. Returns the amount that it moved, and whether the holds still lack money: then the
// settlement may release nothing. The caller has filled the holds from other accounts and locked the reserve
// account.
export async function holdReserve(
  tx: Transaction,
  now: Date,
  { clientId, reserveId: debitAccountId, amountKobo: dueKobo }: Releasing,
): Promise<{ heldKobo: Kobo; isLacking: boolean }> {
  const holds = await lockHoldsLackingMoney(tx, clientId, 'client')
  let releasableKobo: bigint = dueKobo
  for (const { id, heldAccountId: creditAccountId, lackingKobo } of holds) {
    const amountKobo = kobo(lackingKobo < releasableKobo ? lackingKobo : releasableKobo)
    if (amountKobo === 0n) break
    const transfer = { debitAccountId, creditAccountId, amountKobo }
    await postHoldTransfers(tx, now, { id, transfers: [transfer] })
    releasableKobo -= amountKobo
  }
  const lackedKobo = holds.reduce((sum, { lackingKobo }) => sum + lackingKobo, 0n)
  const heldKobo = kobo(dueKobo - releasableKobo)
  return { heldKobo, isLacking: lackedKobo > heldKobo }
}

// SQL `from` and `where`: the accounts `l` with money that the hold `h` may take. For a held credit: the
// account that it was booked or assigned to, the subaccounts that share it, and Available if it belongs to a
// payment.
const sourceAccounts = (holds: string) => `
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

// Moves money to Held from the accounts that the hold applies to, until it has its amount. Reads the balances
// under the locks, which are taken in the order of ids. Returns false if the accounts have no money.
async function fillHold(
  tx: Transaction,
  now: Date,
  { id, heldAccountId: creditAccountId, lackingKobo }: Lacking,
): Promise<boolean> {
  const sources = await tx.query<{ id: AccountId }>({
    name: 'places-of-hold',
    text: `select l.id ${sourceAccounts('h.id = $1')}`,
    values: [id],
  })
  if (!sources.rows[0]) return false
  const { rows } = await tx.query<{ id: AccountId; kobo: Kobo }>({
    name: 'lock-places-of-hold',
    text: `select id, credits_kobo - debits_kobo as kobo from ledger_accounts
            where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(sources.rows.map((source) => source.id))],
  })
  const transfers: HoldTransfer[] = []
  let stillLackingKobo: bigint = lackingKobo
  for (const { id: debitAccountId, kobo: balance } of rows) {
    const amountKobo = kobo(balance < stillLackingKobo ? balance : stillLackingKobo)
    if (amountKobo <= 0n) continue
    transfers.push({ debitAccountId, creditAccountId, amountKobo })
    stillLackingKobo -= amountKobo
  }
  if (transfers.length === 0) return false
  await postHoldTransfers(tx, now, { id, transfers })
  return true
}

type HoldTransfer = Pick<Transfer, 'debitAccountId' | 'creditAccountId' | 'amountKobo'>

// Posts transfers from the client's accounts to Held, and adds their sum to the hold.
async function postHoldTransfers(
  tx: Transaction,
  now: Date,
  { id: holdId, transfers }: { id: HoldId; transfers: readonly HoldTransfer[] },
): Promise<void> {
  const reason = 'hold' as const
  await postTransfers(
    tx,
    now,
    transfers.map((transfer) => ({ ...transfer, holdId, reason })),
  )
  await tx.query({
    name: 'count-held',
    text: 'update holds set held_kobo = held_kobo + $2 where id = $1',
    values: [holdId, kobo(transfers.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))],
  })
}

// SQL condition: some active hold lacks money, whether or not there is money to fill it.
export const HAS_LACKING_HOLDS = `exists (
  select from holds h where h.state = 'active' and (${LACKING}) > 0)`

// Returns the client of the oldest hold that lacks money and can be filled now, or null if no hold can.
export async function findFillable(db: Queryable): Promise<ClientId | null> {
  const { rows } = await db.query<{ clientId: ClientId }>({
    name: 'find-fillable-holds',
    text: `select h.client_id ${sourceAccounts("h.state = 'active'")} and (${LACKING}) > 0
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

// Reads the steps of a collection account's timeline: the holds on this account, and the money that holds on
// its merchantCode or client moved from or to it. Holds on single credits are on the pages of those credits.
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
