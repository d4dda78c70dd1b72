// The history of credits: their transfers, reversals and events.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { unseen } from '#db/statement-names.ts'
import type { CreditTrace } from '#domain/credits/credit-list.ts'
import type { ClientId, CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { type RelatedEvent, readRelatedEvents } from './related-events.ts'

export type LedgerSide = { kind: string; accountNumber: string | null }

export type CreditTransfer = {
  creditId: CreditId
  amountKobo: Kobo
  reason: string
  from: LedgerSide
  to: LedgerSide
  postedAt: Date
}

export type CreditReversal = {
  creditId: CreditId
  sessionId: string
  amountKobo: Kobo
  shortfallKobo: Kobo
  receivableKobo: Kobo
  receivedAt: Date
}

export type CreditHistory = {
  transfers: CreditTransfer[]
  reversals: CreditReversal[]
  events: RelatedEvent[]
}

export async function readHistory(
  db: Queryable,
  clientId: ClientId,
  credit: CreditTrace,
): Promise<CreditHistory> {
  const transfers = await readTransfers(db, [credit.id])
  const reversals = await readReversals(db, [credit.id])
  const moments = historyTimes([credit], transfers, reversals)
  const events = await readRelatedEvents(db, clientId, {
    about: { creditIds: [credit.id] },
    moments,
  })
  return { transfers, reversals, events }
}

// The times at which anything happened to these credits.
export function historyTimes(
  credits: readonly CreditTrace[],
  transfers: readonly CreditTransfer[],
  reversals: readonly CreditReversal[],
): Date[] {
  const items = credits.flatMap((credit) => credit.items)
  return [
    ...credits.map((credit) => credit.receivedAt),
    ...transfers.map((transfer) => transfer.postedAt),
    ...reversals.map((reversal) => reversal.receivedAt),
    ...items.flatMap(({ openedAt, closedAt }) => [openedAt, closedAt ?? openedAt]),
  ]
}

// Leaves out transfers that stand for archived ones: their amounts cover many credits. Money leaves the
// debited account and goes to the credited one. A bank's account holds our money, so arriving money
// debits it.
export async function readTransfers(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<CreditTransfer[]> {
  const { rows } = await db.query<CreditTransfer>({
    name: 'transfers-of-credits',
    text: `select t.credit_id as "creditId", t.amount_kobo as "amountKobo", t.reason,
                  t.posted_at as "postedAt",
                  json_build_object('kind', d.kind, 'accountNumber', dn.account_number) as "from",
                  json_build_object('kind', c.kind, 'accountNumber', cn.account_number) as "to"
             from transfers t
             join ledger_accounts d on d.id = t.debit_account_id
             join ledger_accounts c on c.id = t.credit_account_id
             left join collection_accounts dn on dn.id = d.id
             left join collection_accounts cn on cn.id = c.id
            where t.credit_id = any(${unseen('$1::bigint[]')}::bigint[]) and t.archive_id is null
            order by t.id`,
    values: [numberArray(creditIds)],
  })
  return rows
}

export async function readReversals(
  db: Queryable,
  creditIds: readonly CreditId[],
): Promise<CreditReversal[]> {
  const { rows } = await db.query<CreditReversal>({
    name: 'reversals-of-credits',
    text: `select credit_id as "creditId", session_id as "sessionId", amount_kobo as "amountKobo",
                  shortfall_kobo as "shortfallKobo", receivable_kobo as "receivableKobo",
                  received_at as "receivedAt"
             from reversals where credit_id = any($1::bigint[]) order by id`,
    values: [numberArray(creditIds)],
  })
  return rows
}
