// What happened to one credit: the transfers that moved its money, the reversals of it, and the
// events that its client was told.

import type { Queryable } from '#db/pool.ts'
import type { CreditTrace } from './credit-traces.ts'

export type LedgerSide = { kind: string; accountNumber: string | null }

export type CreditTransfer = {
  amountKobo: bigint
  reason: string
  from: LedgerSide
  to: LedgerSide
  postedAt: Date
}

export type CreditReversal = {
  sessionId: string
  amountKobo: bigint
  shortfallKobo: bigint
  receivedAt: Date
}

export type CreditEvent = { id: string; type: string; sequence: bigint; createdAt: Date }

export type CreditHistory = {
  transfers: CreditTransfer[]
  reversals: CreditReversal[]
  events: CreditEvent[]
}

export async function readHistory(
  db: Queryable,
  clientId: bigint,
  credit: CreditTrace,
): Promise<CreditHistory> {
  const transfers = await readTransfers(db, credit.id)
  const reversals = await readReversals(db, credit.id)
  const moments = [
    credit.receivedAt,
    ...transfers.map((transfer) => transfer.postedAt),
    ...reversals.map((reversal) => reversal.receivedAt),
    ...credit.items.flatMap(({ openedAt, closedAt }) => [openedAt, closedAt ?? openedAt]),
  ]
  return { transfers, reversals, events: await readEvents(db, clientId, credit.id, moments) }
}

// Money leaves the account that is debited and goes to the one that is credited; for a bank's
// account, which holds what is ours, that is the side it comes from when it arrives.
async function readTransfers(db: Queryable, creditId: bigint): Promise<CreditTransfer[]> {
  const { rows } = await db.query<CreditTransfer>({
    name: 'transfers-of-credit',
    text: `select t.amount_kobo as "amountKobo", t.reason, t.posted_at as "postedAt",
                  json_build_object('kind', d.kind, 'accountNumber', dn.account_number) as "from",
                  json_build_object('kind', c.kind, 'accountNumber', cn.account_number) as "to"
             from transfers t
             join ledger_accounts d on d.id = t.debit_account_id
             join ledger_accounts c on c.id = t.credit_account_id
             left join collection_accounts dn on dn.id = d.id
             left join collection_accounts cn on cn.id = c.id
            where t.credit_id = $1
            order by t.id`,
    values: [creditId],
  })
  return rows
}

async function readReversals(db: Queryable, creditId: bigint): Promise<CreditReversal[]> {
  const { rows } = await db.query<CreditReversal>({
    name: 'reversals-of-credit',
    text: `select session_id as "sessionId", amount_kobo as "amountKobo",
                  shortfall_kobo as "shortfallKobo", received_at as "receivedAt"
             from reversals where credit_id = $1 order by id`,
    values: [creditId],
  })
  return rows
}

// Events are found by their ids, which begin with their time: whatever happened to a credit left a
// row with the time of the transaction, and the event was written in it. So the outbox needs no
// index by credit, which every event would pay for and only this would read.
async function readEvents(
  db: Queryable,
  clientId: bigint,
  creditId: bigint,
  moments: readonly Date[],
): Promise<CreditEvent[]> {
  const times = [...new Set(moments.map((moment) => moment.getTime()))]
  const { rows } = await db.query<CreditEvent>({
    name: 'events-of-credit',
    text: `select e.id, e.type, e.sequence, e.created_at as "createdAt"
             from unnest($1::uuid[], $2::uuid[]) as m (first, past)
            cross join lateral (
              select id, type, sequence, created_at from events
               where id >= m.first and id < m.past and credit_id = $3 and client_id = $4
            ) as e
            order by e.sequence`,
    values: [times.map(leastIdAt), times.map((ms) => leastIdAt(ms + 1)), creditId, clientId],
  })
  return rows
}

function leastIdAt(ms: number): string {
  return ms.toString(16).padStart(12, '0').padEnd(32, '0')
}
