// Writes the lines of a settlement in one statement, whatever their number (I51).
//
// A settlement covers the transfers of the client's money that have an id up to `toId` and were posted
// before `cutOff`, except those of settlements and those that the previous settlement covers. No transfer
// with an id up to `toId` can appear later (decided_transfer_id), so the statement sees all of them while
// new ones are posted. A transfer that is posted late, or dated before an earlier cut-off, has a higher
// id and goes into the next settlement.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, SettlementId, SubaccountId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type Cover = { fromId: bigint; toId: bigint; cutOff: Date }
export type Previous = { id: SettlementId; toId: bigint; nextFromId: bigint; cutOff: Date }

export async function decideTransfers(tx: Transaction): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'decided-transfer-id',
    text: 'select decided_transfer_id() as id',
  })
  return (rows[0] as { id: bigint }).id
}

// A transfer that stands for an archive (0074_archives.sql) belongs to no single credit.
const CREDIT = 'case when t.archive_id is null then t.credit_id end as credit_id'
const OF_CREDITS = '(credit_id is not null or archive_id is not null)'

// One row for each side of a transfer that is one of the client's accounts. `kobo` is negative for money
// that left.
const SIDES = `
  accounts as (
    select account_id, subaccount_id from settlement_accounts
     where client_id = $1 and currency = $2
  ), sides as (
    select a.account_id, a.subaccount_id, t.id, t.posted_at, ${CREDIT}, t.archive_id, t.payout_id,
           t.adjustment_id, t.reason, t.amount_kobo as kobo
      from accounts a join transfers t on t.credit_account_id = a.account_id
     where t.id >= $3 and t.id <= $4 and t.settlement_id is null
       and (t.id > $6 or t.posted_at >= $7)
    union all
    select a.account_id, a.subaccount_id, t.id, t.posted_at, ${CREDIT}, t.archive_id, t.payout_id,
           t.adjustment_id, t.reason, -t.amount_kobo
      from accounts a join transfers t on t.debit_account_id = a.account_id
     where t.reason <> 'credit' and t.id >= $3 and t.id <= $4 and t.settlement_id is null
       and (t.id > $6 or t.posted_at >= $7)
  )`

const LINES = `
  select case when ${OF_CREDITS} then 'credit'
              when adjustment_id is not null then 'adjustment'
              when bool_or(reason in ('refund', 'refund_failed', 'refunded')) then 'refund'
              else 'payout' end as kind,
         min(subaccount_id) as subaccount_id, account_id, credit_id, payout_id, adjustment_id,
         min(id) filter (where kobo > 0 and (reason in ('credit', 'settle', 'assign')
                                or reason = 'split' and subaccount_id is not null)) as brought_id,
         min(posted_at) as posted_at,
         coalesce(sum(kobo) filter (where ${OF_CREDITS}
           and reason not in ('fee', 'fee_vat', 'split', 'reversal')), 0) as gross_kobo,
         coalesce(-sum(kobo) filter (where reason = 'fee'), 0) as fee_kobo,
         coalesce(-sum(kobo) filter (where reason = 'fee_vat'), 0) as vat_kobo,
         coalesce(-sum(kobo) filter (where reason = 'split'), 0) as split_kobo,
         coalesce(-sum(kobo) filter (where reason = 'reversal'), 0) as reversed_kobo,
         coalesce(sum(kobo) filter (where not ${OF_CREDITS}
           and reason not in ('fee', 'fee_vat')), 0) as other_kobo
    from sides where posted_at < $5
   group by account_id, credit_id, archive_id, payout_id, adjustment_id
   order by min(id)`

const COLUMNS = `kind, subaccount_id, account_id, credit_id, payout_id, adjustment_id, brought_id,
  posted_at, gross_kobo, fee_kobo, vat_kobo, split_kobo, reversed_kobo, other_kobo`

type Covering = {
  clientId: ClientId
  currency: string
  cover: Cover
  previous?: Previous | undefined
}

function values({ clientId, currency, cover, previous }: Covering): unknown[] {
  const { fromId, toId, cutOff } = cover
  return [
    clientId,
    currency,
    fromId,
    toId,
    cutOff,
    previous?.toId ?? 0n,
    previous?.cutOff ?? cutOff,
  ]
}

// Returns the lowest id that is not covered: the next settlement starts there.
export async function writeLines(
  tx: Transaction,
  settlementId: SettlementId,
  covering: Covering,
): Promise<bigint> {
  // A million lines are grouped and sorted in memory.
  await tx.query(`set local work_mem = '128MB'`)
  const { rows } = await tx.query<{ id: bigint | null }>({
    text: `with ${SIDES}, lines as (
             insert into settlement_lines (settlement_id, ${COLUMNS})
             select $8, ${COLUMNS} from (${LINES}) as l)
           select min(id) as id from sides where posted_at >= $5`,
    values: [...values(covering), settlementId],
  })
  return rows[0]?.id ?? covering.cover.toId + 1n
}

type LineTotals = Record<
  'grossKobo' | 'feesKobo' | 'vatKobo' | 'reversedKobo' | 'refundsKobo' | 'paidOutKobo',
  Kobo
> & { recoveredKobo: Kobo; netKobo: Kobo; lines: bigint }

export type PartyTotals = LineTotals & { subaccountId: SubaccountId | null }

// By party. A share leaves the client and reaches the subaccount, so shares cancel out.
export async function sumLines(
  tx: Transaction,
  settlementId: SettlementId,
): Promise<PartyTotals[]> {
  const { rows } = await tx.query<PartyTotals>({
    name: 'sum-settlement-lines',
    text: `select subaccount_id as "subaccountId", sum(gross_kobo)::bigint as "grossKobo",
                  sum(fee_kobo)::bigint as "feesKobo", sum(vat_kobo)::bigint as "vatKobo",
                  sum(reversed_kobo)::bigint as "reversedKobo",
                  coalesce(-sum(other_kobo) filter (where kind = 'refund'), 0)::bigint
                    as "refundsKobo",
                  coalesce(-sum(other_kobo) filter (where kind = 'payout'), 0)::bigint
                    as "paidOutKobo",
                  coalesce(-sum(other_kobo) filter (where kind = 'adjustment'), 0)::bigint
                    as "recoveredKobo",
                  sum(net_kobo)::bigint as "netKobo", count(*) as lines
             from settlement_lines where settlement_id = $1 group by subaccount_id`,
    values: [settlementId],
  })
  return rows
}

// Writes nothing. `lines` counts credits only.
export async function previewTotals(db: Queryable, covering: Covering): Promise<LineTotals> {
  const { rows } = await db.query<LineTotals>({
    text: `with ${SIDES}
           select coalesce(sum(kobo) filter (where ${OF_CREDITS}
                    and reason not in ('fee', 'fee_vat', 'split', 'reversal')), 0)::bigint
                    as "grossKobo",
                  coalesce(-sum(kobo) filter (where reason = 'fee'), 0)::bigint as "feesKobo",
                  coalesce(-sum(kobo) filter (where reason = 'fee_vat'), 0)::bigint as "vatKobo",
                  coalesce(-sum(kobo) filter (where reason = 'reversal'), 0)::bigint
                    as "reversedKobo",
                  coalesce(-sum(kobo) filter (where reason in ('refund', 'refund_failed',
                    'refunded')), 0)::bigint as "refundsKobo",
                  coalesce(-sum(kobo) filter (where reason in ('payout', 'payout_failed',
                    'paid')), 0)::bigint as "paidOutKobo",
                  coalesce(-sum(kobo) filter (where adjustment_id is not null), 0)::bigint
                    as "recoveredKobo",
                  coalesce(sum(kobo), 0)::bigint as "netKobo",
                  count(*) filter (where kobo > 0 and reason in ('credit', 'settle', 'assign'))
                    as lines
             from sides where posted_at < $5`,
    values: values(covering),
  })
  return rows[0] as LineTotals
}
