// Rail items: signed reports of a bank that we could not book. An item is stored before the bank gets its
// answer, so that no reported money is lost (I33). An operator resolves it with the bank. A digest recognises
// repeated reports.
//
// The body may name a payer, so it is encrypted, and every read is written to the audit log.

import type { BankCharges, ParsedItem } from '#banks/notifications.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { bytesArray, plainArray, textArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, CreditId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { sessionName } from './decide.ts'
import type { Reversal } from './reversal.ts'

// A reversal that comes before its credit is stored as a rail item until it can be taken. If the bank does
// not send that reversal again, its credit stays booked in full, so watchKeptReversals() alerts operators.

// Banks should send the reversal again after a minute. After this time, operators are alerted.
const RESENT_WITHIN_MS = 300_000
const ALERTS_MAX = 100

// SQL condition: the item `i` is a reversal whose credit is not known yet.
const IS_OPEN = `i.call = 'reversals' and i.reason = 'original_not_found' and i.taken_at is null`
// SQL condition: the item `i` is a reversal that may still be taken. Excludes a reversal that was refused
// because another reversal has its session id.
const MAY_BE_TAKEN = `i.call = 'reversals' and i.reason <> 'session_reused' and i.taken_at is null`

// SQL condition: the item `i` is a reversal of this amount and credit. The session id alone does not identify
// the reversal, because a bank may use one id for several partial reversals of a credit. Older items do not
// name their credit.
const isReversalOf = ({ amountKobo, creditId }: { amountKobo: string; creditId: string }) => `
  i.amount_text::numeric * 100 = ${amountKobo}
  and (i.originals is null
       or i.originals && array(
            select n.value from credit_identifiers n
             where n.credit_id = ${creditId} and not n.is_first
            union all select c.session_id from credits c where c.id = ${creditId}))`

// Marks the rail item of a reversal as taken. Finds the item by the reversal's session id. If the reversal
// was booked from a statement, the session id may differ, so the item is also found by credit and amount.
export async function markTaken(
  tx: Transaction,
  now: Date,
  { reversal, creditId }: { reversal: Reversal; creditId: CreditId },
): Promise<void> {
  const { bankCode, sessionId, amountKobo, isFromStatement = false } = reversal
  const { rowCount } = await tx.query({
    name: 'mark-kept-reversal-taken',
    text: `update rail_items i set taken_at = $5
            where i.bank_code = $1 and i.session_id = $4 and ${MAY_BE_TAKEN}
              and ${isReversalOf({ amountKobo: '$2', creditId: '$3' })}`,
    values: [bankCode, amountKobo, creditId, sessionId, now],
  })
  if (!isFromStatement || rowCount !== 0) return
  await tx.query({
    name: 'mark-kept-reversal-booked',
    text: `update rail_items set taken_at = $4
            where id = (select i.id from rail_items i
                         where i.bank_code = $1 and ${IS_OPEN} and i.originals is not null
                           and ${isReversalOf({ amountKobo: '$2', creditId: '$3' })}
                         order by i.id limit 1)`,
    values: [bankCode, amountKobo, creditId, now],
  })
}

// One round of the worker: raises alerts for stored reversals whose credit was booked more than
// RESENT_WITHIN_MS ago, and clears alerts of reversals that were taken.
export async function watchKeptReversals(tx: Transaction, now: Date): Promise<void> {
  await markBookedWithoutMark(tx)
  await clearSettledAlerts(tx, now)
  await appendEvents(tx, now, await raiseAlerts(tx, now, await findOutstanding(tx, now)))
}

// Marks reversals that are in the books although their rail item has no mark: they were taken by a process of
// the previous release, or before the column taken_at existed.
async function markBookedWithoutMark(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'mark-reversals-taken-by-others',
    text: `update rail_items i set taken_at = r.received_at
             from reversals r
            where ${MAY_BE_TAKEN}
              and r.session_id = i.session_id and r.bank_code = i.bank_code
              and ${isReversalOf({ amountKobo: 'r.amount_kobo', creditId: 'r.credit_id' })}`,
  })
}

// The argument of the advisory lock that keeps clearSettledAlerts() and the storing of reversals apart.
const LOCK = `hashtext('kept_reversals')`

// A transaction that stores a reversal of an unknown credit takes this shared lock first. The alert of the
// reversal may already exist because of another reversal. Without the lock, a concurrent round that does not
// yet see the new reversal would clear that alert.
async function lockOutClearing(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-clearing-of-kept-reversals',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

// Clears the alerts of reversals that were taken. Skips the round while another transaction stores a
// reversal: if it waited for the lock, all later transactions would wait too.
async function clearSettledAlerts(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{ isOurs: boolean }>({
    name: 'lock-kept-reversals',
    text: `select pg_try_advisory_xact_lock(${LOCK}) as is_ours`,
  })
  if (!rows[0]?.isOurs) return
  await tx.query({
    name: 'clear-alerts-of-kept-reversals',
    text: `update alerts a set cleared_at = $1
            where a.cleared_at is null
              and (a.kind = 'reversal_outstanding'
                   or (a.kind = 'rail_item_rejected' and a.subject like '%/original_not_found'))
              and not exists (
                select from rail_items i
                 where ${IS_OPEN}
                   and a.subject in (i.bank_code || '/original_not_found',
                                     i.session_id || '@' || i.bank_code))`,
    values: [now],
  })
}

type Outstanding = {
  bankCode: string
  sessionId: string
  amount: string
  creditId: CreditId
}

// Returns an alert for each overdue reversal. Such a reversal came before its credit and was not taken, and
// the bank has not sent it again since the credit arrived. The credit has one of the ids in `originals`, the
// ids that the bank named as those of the reversed credit.
async function findOutstanding(tx: Transaction, now: Date): Promise<NewAlert[]> {
  const { rows } = await tx.query<Outstanding>({
    name: 'find-outstanding-reversals',
    text: `select i.bank_code, i.session_id, i.amount_text as amount, c.id as credit_id
             from rail_items i
            cross join lateral (select n.credit_id from credit_identifiers n
                                 where n.value = any(i.originals) and n.bank_code = i.bank_code
                                 limit 1) as n
             join credits c on c.id = n.credit_id
            where ${IS_OPEN} and c.received_at <= $1
              and not exists (select from alerts a
                               where a.kind = 'reversal_outstanding' and a.cleared_at is null
                                 and a.subject = i.session_id || '@' || i.bank_code)
            order by i.id limit ${ALERTS_MAX}`,
    values: [new Date(now.getTime() - RESENT_WITHIN_MS)],
  })
  return rows.map(({ creditId, amount, ...reversal }) => ({
    kind: 'reversal_outstanding',
    subject: sessionName(reversal),
    detail: { creditId: creditId.toString(), amount },
  }))
}

// `awaited`: we asked the bank to send the reversal again. `taken`: the bank sent it again, or a statement
// reported it.
export const RAIL_OUTCOMES = ['awaited', 'taken', 'rejected', 'unreadable'] as const
export type RailOutcome = (typeof RAIL_OUTCOMES)[number]

export type NewRailItem = {
  bankCode: string
  call: 'credits' | 'reversals'
  outcome: 'rejected' | 'unreadable'
  reason: string
  responseCode: '00' | '02' | '03'
  sessionId: string | null
  amount: string | null // In the bank's own format.
  body: string
  identity: string // The same for repeated reports of an item.
  originals?: readonly string[] // The possible ids of the reversed credit.
}

export type RailItem = Omit<NewRailItem, 'outcome' | 'body' | 'identity' | 'originals'> & {
  id: bigint
  outcome: RailOutcome
  receivedAt: Date
  takenAt: Date | null
}

// Stores rejected or unreadable items and alerts operators. Returns for each item, in order, whether it is
// new. A repeated reversal may get another answer than before: the item then has the last answer, counts as
// not taken (`taken_at`), and raises an alert.
export async function storeRailItems(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  newItems: readonly NewRailItem[],
): Promise<boolean[]> {
  const hashed = newItems.map((item) => ({ ...item, digest: digestOf(sealer, item) }))
  const byKey = new Map(hashed.map((item) => [keyOf(item), item])) // Drops repeats within the report.
  const items = [...byKey.values()]
  if (items.some(({ reason }) => reason === 'original_not_found')) await lockOutClearing(tx)
  // In PostgreSQL, xmax is 0 for a row that this statement inserted, and not for one that it updated.
  const { rows } = await tx.query<{ bankCode: string; digest: Buffer; isNew: boolean }>({
    name: 'keep-rail-items',
    text: `insert into rail_items
             (bank_code, call, outcome, reason, response_code, session_id, amount_text, item_hash,
              body_sealed, originals, received_at)
           select i.bank, i.call, i.outcome, i.reason, i.code, i.session, i.amount, i.hash, i.body,
                  i.originals::text[], $11
             from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                         $7::text[], $8::bytea[], $9::bytea[], $10::text[])
               as i (bank, call, outcome, reason, code, session, amount, hash, body, originals)
           on conflict (bank_code, item_hash) do update
             set reason = excluded.reason, response_code = excluded.response_code,
                 originals = excluded.originals, taken_at = null
             where (rail_items.reason, rail_items.response_code, rail_items.originals)
                   is distinct from (excluded.reason, excluded.response_code, excluded.originals)
           returning bank_code, item_hash as digest, xmax = 0 as is_new`,
    values: [
      plainArray(items.map((item) => item.bankCode)),
      plainArray(items.map((item) => item.call)),
      plainArray(items.map((item) => item.outcome)),
      plainArray(items.map((item) => item.reason)),
      plainArray(items.map((item) => item.responseCode)),
      textArray(items.map((item) => item.sessionId)),
      textArray(items.map((item) => item.amount)),
      bytesArray(items.map((item) => item.digest)),
      bytesArray(items.map((item) => sealer.seal(item.body))),
      // Each list is passed as one text, because unnest() would flatten a two-dimensional array.
      textArray(items.map(({ originals }) => (originals ? textArray(originals) : null))),
      now,
    ],
  })
  const changedItems = rows.map((row) => byKey.get(keyOf(row)) as NewRailItem)
  await appendEvents(tx, now, await raiseAlerts(tx, now, changedItems.flatMap(createAlert)))
  const newKeys = new Set(rows.flatMap((row) => (row.isNew ? [keyOf(row)] : [])))
  // delete() returns true only the first time, so a repeat within the report does not count as new.
  return hashed.map((item) => newKeys.delete(keyOf(item)))
}

function keyOf({ bankCode, digest }: { bankCode: string; digest: Buffer }): string {
  return `${bankCode} ${digest.toString('hex')}`
}

// Returns the time of the first report of the item; undefined if it was never reported.
export async function firstReceivedAt(
  tx: Transaction,
  sealer: Sealer,
  { bankCode, call, identity }: NewRailItem,
): Promise<Date | undefined> {
  const { rows } = await tx.query<{ receivedAt: Date }>({
    name: 'find-first-receipt-of-rail-item',
    text: `select received_at from rail_items
            where bank_code = $1 and item_hash = $2`,
    values: [bankCode, digestOf(sealer, { call, identity })],
  })
  return rows[0]?.receivedAt
}

// Returns the digest that recognises repeated reports of an item. It is keyed, so that it reveals nothing
// about the body.
function digestOf(sealer: Sealer, { call, identity }: Pick<NewRailItem, 'call' | 'identity'>) {
  return sealer.hash(`rail item of ${call}`, identity)
}

// Raises one alert per bank and reason, because the list of rail items shows every item. For a reused session
// id the alert `session_reused` is raised instead.
function createAlert({ bankCode, call, reason, sessionId, amount }: NewRailItem) {
  if (reason === 'session_reused') return []
  const detail = { call, sessionId, amount }
  return [{ kind: 'rail_item_rejected', subject: `${bankCode}/${reason}`, detail } as const]
}

type RailFilter = {
  outcome: RailOutcome | null
  bankCode: string | null
  beforeId: bigint | null
  limit: number
}

// SQL scalar: the outcome as the API shows it. Response code 03 means that the bank was asked to send the
// reversal again.
const OUTCOME = `
  case when taken_at is not null then 'taken'
       when response_code = '03' then 'awaited' else outcome end`

const SELECT_ITEM = `
  select id, bank_code, call, ${OUTCOME} as outcome, reason, response_code, session_id,
         amount_text as amount, received_at, taken_at`

// Lists rail items, newest first.
export async function listRailItems(
  db: Queryable,
  { outcome, bankCode, beforeId, limit }: RailFilter,
): Promise<RailItem[]> {
  const { rows } = await db.query<RailItem>(
    listQuery({
      select: `${SELECT_ITEM} from rail_items`,
      where: [
        [`${OUTCOME} = $`, outcome],
        ['bank_code = $', bankCode],
      ],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Opens one rail item with its decrypted body, and writes the read to the audit log.
export async function readRailItem(
  tx: Transaction,
  {
    sealer,
    now,
    clientId,
    actor,
  }: { sealer: Sealer; now: Date; clientId: ClientId; actor: string },
  id: bigint,
): Promise<RailItem & { body: string }> {
  const { rows } = await tx.query<RailItem & { bodySealed: Buffer }>({
    name: 'open-rail-item',
    text: `${SELECT_ITEM}, body_sealed from rail_items where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('rail_item_not_found')
  const { bodySealed, ...item } = rows[0]
  const subject = `rail-item/${id}`
  await writeAuditLog(tx, now, { clientId, actor, action: 'rail_item.open', subject, detail: {} })
  return { ...item, body: sealer.open(bodySealed) }
}

// Makes a rail item of a reported item that names money but could not be booked. Returns undefined for any
// other item. An item with a session id is identified by its content, and an item without one by
// `identityWithoutSession`.
export function railItemOf({
  bankCode,
  item,
  code = '',
  identityWithoutSession,
}: {
  bankCode: string
  item: ParsedItem
  code: string | undefined // The reason why the item was not booked.
  identityWithoutSession: () => string
}): NewRailItem | undefined {
  const head = { bankCode, call: 'credits', outcome: 'rejected', reason: code } as const
  if (item.ok) {
    // A credit that could be read is always booked or suspended, unless another credit has its session id.
    if (code !== 'session_reused') return undefined
    const { sessionId, amountKobo, charges, ...details } = item.credit
    const amount = formatKobo(amountKobo)
    const body = JSON.stringify({ sessionId, amount, ...details, ...(charges && inNaira(charges)) })
    return { ...head, responseCode: '02', sessionId, amount, body, identity: body }
  }
  if (!item.money) return undefined
  const { sessionId } = item
  const { amount, text: body } = item.money
  const identity = sessionId === null ? identityWithoutSession() : body
  return { ...head, responseCode: '00', sessionId, amount, body, identity }
}

function inNaira({ feeKobo, vatKobo, dutyKobo }: BankCharges) {
  return { fee: formatKobo(feeKobo), vat: formatKobo(vatKobo), duty: formatKobo(dutyKobo) }
}
