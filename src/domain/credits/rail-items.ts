// Rail items: signed reports of a bank that we could not book. Stored before the bank gets its answer, so
// that no reported money is lost (I33); an operator resolves them with the bank. A digest recognises
// repeats.
//
// The body may name a payer, so it is encrypted, and reading it is written to the audit log.

import { bytesArray, plainArray, textArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { awaitClearing } from './kept-reversals.ts'

// Awaited: a reversal that we asked the bank to send again. Taken: the bank did, or a statement named it.
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
  identity: string // Equal for repeats.
  originals?: readonly string[] // A reversal's possible ids of its credit.
}

export type RailItem = Omit<NewRailItem, 'outcome' | 'body' | 'identity' | 'originals'> & {
  id: bigint
  outcome: RailOutcome
  receivedAt: Date
  takenAt: Date | null
}

// Returns for each item, in order, whether it is new. A repeated reversal may get another answer than
// before; the last answer counts and raises an alert.
export async function storeRailItems(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  newItems: readonly NewRailItem[],
): Promise<boolean[]> {
  const hashed = newItems.map((item) => ({ ...item, digest: hashOf(sealer, item) }))
  const byKey = new Map(hashed.map((item) => [keyOf(item), item])) // Each once.
  const items = [...byKey.values()]
  if (items.some(({ reason }) => reason === 'original_not_found')) await awaitClearing(tx)
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
           returning bank_code as "bankCode", item_hash as digest, xmax = 0 as "isNew"`,
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
      textArray(items.map(({ originals }) => (originals ? textArray(originals) : null))),
      now,
    ],
  })
  const news = rows.map((row) => byKey.get(keyOf(row)) as NewRailItem)
  await appendEvents(tx, now, await raiseAlerts(tx, now, news.flatMap(createAlert)))
  const added = new Set(rows.flatMap((row) => (row.isNew ? [keyOf(row)] : [])))
  return hashed.map((item) => added.delete(keyOf(item)))
}

function keyOf({ bankCode, digest }: { bankCode: string; digest: Buffer }): string {
  return `${bankCode} ${digest.toString('hex')}`
}

// The time of the first report. Undefined: there was none.
export async function firstReceivedAt(
  tx: Transaction,
  sealer: Sealer,
  { bankCode, call, identity }: NewRailItem,
): Promise<Date | undefined> {
  const { rows } = await tx.query<{ receivedAt: Date }>({
    name: 'find-first-receipt-of-rail-item',
    text: `select received_at as "receivedAt" from rail_items
            where bank_code = $1 and item_hash = $2`,
    values: [bankCode, hashOf(sealer, { call, identity })],
  })
  return rows[0]?.receivedAt
}

function hashOf(sealer: Sealer, { call, identity }: Pick<NewRailItem, 'call' | 'identity'>) {
  return sealer.hash(`rail item of ${call}`, identity)
}

// One alert per bank and reason; the register has every item. A reused session id has its own alert.
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

const OUTCOME = `
  case when taken_at is not null then 'taken'
       when response_code = '03' then 'awaited' else outcome end`

const SELECT_ITEM = `
  select id, bank_code as "bankCode", call, ${OUTCOME} as outcome, reason,
         response_code as "responseCode", session_id as "sessionId", amount_text as amount,
         received_at as "receivedAt", taken_at as "takenAt"`

// Newest first.
export async function listRailItems(
  db: Queryable,
  { outcome, bankCode, beforeId, limit }: RailFilter,
): Promise<RailItem[]> {
  const { rows } = await db.query<RailItem>({
    name: 'list-rail-items',
    text: `${SELECT_ITEM}
             from rail_items
            where ($1::text is null or ${OUTCOME} = $1)
              and ($2::text is null or bank_code = $2)
              and ($3::bigint is null or id < $3)
            order by id desc
            limit $4`,
    values: [outcome, bankCode, beforeId, limit],
  })
  return rows
}

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
    text: `${SELECT_ITEM}, body_sealed as "bodySealed" from rail_items where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('rail_item_not_found')
  const { bodySealed, ...item } = rows[0]
  const subject = `rail-item/${id}`
  await writeAuditLog(tx, now, { clientId, actor, action: 'rail_item.open', subject, detail: {} })
  return { ...item, body: sealer.open(bodySealed) }
}
