// Rail items: what a bank signed and we could not book. Stored before the bank is answered, so that
// no reported money is lost (I33); an operator resolves it with the bank. Repeats are recognised by
// digest.
//
// The body may name a payer: it is encrypted, and reading it is written to the audit log.

import { bytesArray, plainArray, textArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'

export const RAIL_OUTCOMES = ['rejected', 'unreadable'] as const
export type RailOutcome = (typeof RAIL_OUTCOMES)[number]

export type NewRailItem = {
  bankCode: string
  call: 'credits' | 'reversals'
  outcome: RailOutcome
  reason: string
  responseCode: '00' | '02'
  sessionId: string | null
  amount: string | null // As the bank wrote it.
  body: string
  identity: string // What makes it the same item when it comes again.
}

export type RailItem = Omit<NewRailItem, 'body' | 'identity'> & { id: bigint; receivedAt: Date }

// Answers, for each in order, whether it is new.
export async function storeRailItems(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  items: readonly NewRailItem[],
): Promise<boolean[]> {
  const digests = items.map(({ call, identity }) => sealer.hash(`rail item of ${call}`, identity))
  const { rows } = await tx.query<{ bankCode: string; digest: Buffer }>({
    name: 'keep-rail-items',
    text: `insert into rail_items
             (bank_code, call, outcome, reason, response_code, session_id, amount_text, item_hash,
              body_sealed, received_at)
           select i.*, $10
             from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                         $7::text[], $8::bytea[], $9::bytea[]) as i
           on conflict (bank_code, item_hash) do nothing
           returning bank_code as "bankCode", item_hash as digest`,
    values: [
      plainArray(items.map((item) => item.bankCode)),
      plainArray(items.map((item) => item.call)),
      plainArray(items.map((item) => item.outcome)),
      plainArray(items.map((item) => item.reason)),
      plainArray(items.map((item) => item.responseCode)),
      textArray(items.map((item) => item.sessionId)),
      textArray(items.map((item) => item.amount)),
      bytesArray(digests),
      bytesArray(items.map((item) => sealer.seal(item.body))),
      now,
    ],
  })
  const kept = new Set(rows.map(({ bankCode, digest }) => `${bankCode} ${digest.toString('hex')}`))
  const areNew = items.map(({ bankCode }, at) =>
    kept.delete(`${bankCode} ${(digests[at] as Buffer).toString('hex')}`),
  )
  const fresh = items.filter((_, at) => areNew[at])
  await appendEvents(tx, now, await raiseAlerts(tx, now, fresh.flatMap(createAlert)))
  return areNew
}

// One for a bank and a reason: the register has every item. A reused session id has its own.
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

const SELECT_ITEM = `
  select id, bank_code as "bankCode", call, outcome, reason, response_code as "responseCode",
         session_id as "sessionId", amount_text as amount, received_at as "receivedAt"`

// Newest first.
export async function listRailItems(
  db: Queryable,
  { outcome, bankCode, beforeId, limit }: RailFilter,
): Promise<RailItem[]> {
  const { rows } = await db.query<RailItem>({
    name: 'list-rail-items',
    text: `${SELECT_ITEM}
             from rail_items
            where ($1::text is null or outcome = $1)
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
