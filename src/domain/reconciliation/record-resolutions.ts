// Writes the resolution of a difference: its state, its history, and the pairs that explain it.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { type Action, writeAuditLog } from '#domain/records/audit-log.ts'
import type { DifferenceId, StatementLineId, UserId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import type { DifferenceAction, DifferenceKind } from './allowed-actions.ts'
import { forgetErasedPair } from './forget-erased.ts'
import type { Difference, DifferenceState } from './locked-differences.ts'

// The actor: a user, or a client by its credentials.
export type Acting = { client: Client; actor: string; userId: UserId | null; now: Date }

type Change = 'opened' | 'asked' | 'withdrawn' | 'rejected' | 'resolved' | 'failed' | 'cleared'

type NewChange = { id: DifferenceId; change: Change; actor: string | null; detail: object }

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

type Entry = {
  difference: Pick<Difference, 'id' | 'bankCode' | 'day' | 'kind' | 'amountKobo' | 'currency'>
  verb: string
  detail: object
}

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
  // open: its credit is yet to be taken. cleared: pairs explain it.
  state: Exclude<DifferenceState, 'asked'>
  detail?: object
}

export async function writeDecision(
  tx: Transaction,
  { actor, userId, now }: Acting,
  { difference: { id }, action, reason, state, detail = {} }: Decision,
): Promise<void> {
  await tx.query({
    name: 'decide-difference',
    text: `update differences
              set state = $2, action = $3, reason = $4, decided_by = $5, decided_by_user = $6,
                  decided_at = $7
            where id = $1`,
    values: [id, state, action, reason, actor, userId, now],
  })
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

// Also clears the item's own difference, if it has one.
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
  await forgetErasedPair(tx, { lineId, item })
  const { rows } = await tx.query<{ id: DifferenceId }>({
    name: 'clear-difference-of-item',
    text: `update differences set state = 'cleared'
            where item_kind = $1 and item_id = $2 and state <> 'cleared'
            returning id`,
    values: [item.kind, item.id],
  })
  for (const { id } of rows) {
    const detail = { lineId: lineId.toString(), rule }
    await writeChange(tx, now, { id, change: 'cleared', actor: null, detail })
  }
}

export type Item = { amountKobo: Kobo; leftKobo: Kobo }

// `leftKobo`: the part of the item without a line. Undefined: this bank has no such item.
export async function readItem(
  tx: Transaction,
  { bankCode, currency }: Pick<Difference, 'bankCode' | 'currency'>,
  item: { kind: string; id: bigint },
): Promise<Item | undefined> {
  const { rows } = await tx.query<Item>({
    name: 'read-bank-item',
    text: `select i.amount_kobo as "amountKobo",
                  (i.amount_kobo - (select coalesce(sum(m.amount_kobo), 0)
                                      from statement_matches m
                                     where m.item_kind = $1 and m.item_id = $2))::bigint
                    as "leftKobo"
             from bank_items i
            where i.kind = $1 and i.id = $2 and i.bank_code = $3 and i.currency = $4`,
    values: [item.kind, item.id, bankCode, currency],
  })
  return rows[0]
}

// The part of a line that its pairs do not explain becomes a difference of its own, with the same owner.
export async function openRest(
  tx: Transaction,
  now: Date,
  { of, kind, amountKobo }: { of: Difference; kind: DifferenceKind; amountKobo: Kobo },
): Promise<void> {
  if (amountKobo === 0n) return
  const { rows } = await tx.query<{ id: DifferenceId }>({
    name: 'open-rest-of-difference',
    text: `insert into differences (bank_code, currency, day, kind, amount_kobo, line_id, opened_at,
                                    owner_id, owned_at)
           values ($1, $2, $3::date, $4, $5, $6, $7, $8, $9) returning id`,
    values: [
      of.bankCode,
      of.currency,
      of.day,
      kind,
      amountKobo,
      of.lineId,
      now,
      of.ownerId,
      of.ownerId && now,
    ],
  })
  const { id } = rows[0] as { id: DifferenceId }
  const detail = { kind, amount: formatKobo(amountKobo), restOf: of.id.toString() }
  await writeChange(tx, now, { id, change: 'opened', actor: null, detail })
}
