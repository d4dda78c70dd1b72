// Decides what a settlement covers, writes its lines in one statement, whatever their number (I51), and takes
// the money.
//
// A settlement covers the transfers of the client's money that have an id up to `toId` and were posted before
// `cutOff`. It leaves out the transfers of settlements, and those that the previous settlement covers. No
// transfer with an id up to `toId` can appear later (decided_transfer_id), so the statement sees all of them
// while new transfers are posted. A transfer that is posted late, or dated before an earlier cut-off, has a
// higher id, and the next settlement covers it.

import { HOURS_CURSOR, isFullHour, queryUpcoming } from '#accounts/ledger-hours.ts'
import { TIMES_ARE_IN_ORDER } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { fillHolds } from '#holds/hold.ts'
import type { AccountId, ClientId, SettlementId, SubaccountId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { findPosition } from '#ledger/transfer-counts.ts'
import { takeBalances } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'

// The transfers that a settlement covers: ids from `fromId` to `toId`, posted before `cutOff`.
export type Cover = { fromId: bigint; toId: bigint; cutOff: Date }
// The client's previous settlement. The next one covers the transfers with ids from `nextFromId` on that have
// an id above `toId` or were posted at `cutOff` or later.
export type Previous = { id: SettlementId; toId: bigint; nextFromId: bigint; cutOff: Date }

// SQL subqueries: `sides` has one row for each side of a transfer that is on one of the client's accounts.
// `kobo` is negative for money that left the account.
const SIDES = `
  accounts as (
    select account_id, subaccount_id from settlement_accounts
     where client_id = $1 and currency = $2
  ), sides as (
    select a.account_id, a.subaccount_id, t.id, t.posted_at, t.credit_id, t.payout_id,
           t.adjustment_id, t.reason, t.amount_kobo as kobo
      from accounts a join transfers t on t.credit_account_id = a.account_id
     where t.id >= $3 and t.id <= $4 and t.settlement_id is null
       and (t.id > $6 or t.posted_at >= $7)
    union all
    select a.account_id, a.subaccount_id, t.id, t.posted_at, t.credit_id, t.payout_id,
           t.adjustment_id, t.reason, -t.amount_kobo
      from accounts a join transfers t on t.debit_account_id = a.account_id
     where t.reason <> 'credit' and t.id >= $3 and t.id <= $4 and t.settlement_id is null
       and (t.id > $6 or t.posted_at >= $7)
  )`

// SQL query: one line per account and credit, payout or adjustment, from `sides`. A hold is a carried line,
// because a later settlement evens it out.
const LINES = `
  select case when credit_id is not null then 'credit'
              when adjustment_id is not null then 'adjustment'
              when bool_or(reason in ('refund', 'refund_failed', 'refunded')) then 'refund'
              when bool_or(reason in ('hold', 'hold_release')) then 'carried'
              else 'payout' end as kind,
         min(subaccount_id) as subaccount_id, account_id, credit_id, payout_id, adjustment_id,
         min(id) filter (where kobo > 0 and (reason in ('credit', 'settle', 'assign')
                                or reason = 'split' and subaccount_id is not null)) as brought_id,
         min(posted_at) as posted_at,
         coalesce(sum(kobo) filter (where credit_id is not null
           and reason not in ('fee', 'fee_vat', 'split', 'reversal')), 0) as gross_kobo,
         coalesce(-sum(kobo) filter (where reason = 'fee'), 0) as fee_kobo,
         coalesce(-sum(kobo) filter (where reason = 'fee_vat'), 0) as vat_kobo,
         coalesce(-sum(kobo) filter (where reason = 'split'), 0) as split_kobo,
         coalesce(-sum(kobo) filter (where reason = 'reversal'), 0) as reversed_kobo,
         coalesce(sum(kobo) filter (where credit_id is null
           and reason not in ('fee', 'fee_vat')), 0) as other_kobo
    from sides where posted_at < $5
   group by account_id, credit_id, payout_id, adjustment_id
   order by min(id)`

const COLUMNS = `kind, subaccount_id, account_id, credit_id, payout_id, adjustment_id, brought_id,
  posted_at, gross_kobo, fee_kobo, vat_kobo, split_kobo, reversed_kobo, other_kobo`

type Covering = {
  clientId: ClientId
  currency: string
  cover: Cover
  previous?: Previous | undefined
}

// Returns the values of the parameters $1 to $7 of SIDES and LINES.
function coverValues({ clientId, currency, cover, previous }: Covering): unknown[] {
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

// Writes the lines of the covered transfers. Returns the lowest transfer id that is not covered: the next
// settlement starts there.
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
    values: [...coverValues(covering), settlementId],
  })
  return rows[0]?.id ?? covering.cover.toId + 1n
}

type LineTotals = Record<
  'grossKobo' | 'feesKobo' | 'vatKobo' | 'reversedKobo' | 'refundsKobo' | 'paidOutKobo',
  Kobo
> & { recoveredKobo: Kobo; carriedKobo: Kobo; netKobo: Kobo; lines: bigint }

export type PartyTotals = LineTotals & { subaccountId: SubaccountId | null }

// Sums the lines by party. A share leaves the client and reaches the subaccount, so shares cancel out in the
// total.
export async function sumLines(
  tx: Transaction,
  settlementId: SettlementId,
): Promise<PartyTotals[]> {
  const { rows } = await tx.query<PartyTotals>({
    name: 'sum-settlement-lines',
    text: `select subaccount_id, sum(gross_kobo)::bigint as gross_kobo,
                  sum(fee_kobo)::bigint as fees_kobo, sum(vat_kobo)::bigint as vat_kobo,
                  sum(reversed_kobo)::bigint as reversed_kobo,
                  coalesce(-sum(other_kobo) filter (where kind = 'refund'), 0)::bigint
                    as refunds_kobo,
                  coalesce(-sum(other_kobo) filter (where kind = 'payout'), 0)::bigint
                    as paid_out_kobo,
                  coalesce(-sum(other_kobo) filter (where kind = 'adjustment'), 0)::bigint
                    as recovered_kobo,
                  coalesce(sum(other_kobo) filter (where kind = 'carried'), 0)::bigint
                    as carried_kobo,
                  sum(net_kobo)::bigint as net_kobo, count(*) as lines
             from settlement_lines where settlement_id = $1 group by subaccount_id`,
    values: [settlementId],
  })
  return rows
}

// Sums the money that a settlement would cover, and writes nothing. `lines` counts credits only.
export async function previewTotals(db: Queryable, covering: Covering): Promise<LineTotals> {
  const parts = await queryParts(db, covering)
  const { rows } = await db.query<LineTotals>({
    text: `select coalesce(sum(kobo) filter (where cause = 'credit'
                    and reason not in ('fee', 'fee_vat', 'split', 'reversal')), 0)::bigint
                    as gross_kobo,
                  coalesce(-sum(kobo) filter (where reason = 'fee'), 0)::bigint as fees_kobo,
                  coalesce(-sum(kobo) filter (where reason = 'fee_vat'), 0)::bigint as vat_kobo,
                  coalesce(-sum(kobo) filter (where reason = 'reversal'), 0)::bigint
                    as reversed_kobo,
                  coalesce(-sum(kobo) filter (where reason in ('refund', 'refund_failed',
                    'refunded')), 0)::bigint as refunds_kobo,
                  coalesce(-sum(kobo) filter (where reason in ('payout', 'payout_failed',
                    'paid')), 0)::bigint as paid_out_kobo,
                  coalesce(-sum(kobo) filter (where cause = 'adjustment'), 0)::bigint
                    as recovered_kobo,
                  coalesce(sum(kobo) filter (where reason in ('hold', 'hold_release')), 0)::bigint
                    as carried_kobo,
                  coalesce(sum(kobo), 0)::bigint as net_kobo,
                  coalesce(sum(brought) filter (where reason in ('credit', 'settle', 'assign')), 0)
                    ::bigint as lines
             from (${parts.text}) as parts`,
    values: parts.values,
  })
  return rows[0] as LineTotals
}

// Returns the query of the movements that a settlement would cover: from the sums by hour, or from the
// transfers if the previous cut-off is not on the hour, if too many transfers are not counted yet, or if a
// test clock may have dated counted ones after the cut-off.
async function queryParts(
  db: Queryable,
  covering: Covering,
): Promise<{ text: string; values: unknown[] }> {
  const { clientId, currency, cover, previous } = covering
  const after = await findPosition(db, HOURS_CURSOR)
  const { rows } = await db.query<{ areInOrder: boolean }>({
    name: 'are-times-in-order',
    text: `select ${TIMES_ARE_IN_ORDER} as are_in_order`,
  })
  const beginsOnTheHour = !previous || isFullHour(previous.cutOff)
  if (after !== undefined && beginsOnTheHour && rows[0]?.areInOrder) {
    return queryUpcoming({ clientId, currency, cutOff: cover.cutOff, after, previous })
  }
  const text = `
    with ${SIDES}
    select reason, case when credit_id is not null then 'credit'
                        when adjustment_id is not null then 'adjustment' else 'other' end as cause,
           kobo, (kobo > 0)::int as brought
      from sides where posted_at < $5`
  return { text, values: coverValues(covering) }
}

export type Party = {
  subaccountId: SubaccountId | null // null for the client.
  accountId: AccountId | null // null means all of the client's accounts.
  settlingId: AccountId
}

type Taking = {
  settlementId: SettlementId
  clientId: ClientId
  currency: string
  cover: Cover
  nextFromId: bigint // No transfer after the cut-off has a lower id.
  parties: readonly Party[] // The client comes first.
  alsoLocked: readonly AccountId[]
}

// Moves the money that a settlement covers from the client's accounts to settling. From each account it takes
// the balance as of the cut-off: the balance less the transfers posted after the cut-off. If the client has
// drawn from that money since, only the remainder moves; the difference is carried, and the next settlement
// evens it out. Returns the amount taken for each party.
//
// The accounts are locked only here, shortly before the commit. So arriving credits wait only while these
// transfers are posted.
//
// Locks: the accounts that hold the money and the accounts that receive it, in id order.
export async function takeAvailable(
  tx: Transaction,
  deps: { now: Date; sharedAccounts: SharedAccounts },
  taking: Taking,
): Promise<Map<SubaccountId | null, Kobo>> {
  const { settlementId, cover, nextFromId, parties } = taking
  const holders = await lockAccounts(tx, taking)
  await fillHolds(tx, deps, taking.clientId) // Holds take their money before the settlement does.
  const settlingByAccount = new Map(
    parties.map(({ accountId, settlingId }) => [accountId, settlingId]),
  )
  // Each subaccount has one account of its own. All other accounts are the client's: the party `null`.
  const holdersWithDestination = holders.map((accountId) => ({
    accountId,
    intoId: (settlingByAccount.get(accountId) ?? settlingByAccount.get(null)) as AccountId,
  }))
  const cutOffRange = { toId: cover.toId, before: cover.cutOff, afterFromId: nextFromId }
  await takeBalances(tx, deps.now, { settlementId, from: holdersWithDestination, cut: cutOffRange })
  return sumTaken(tx, settlementId, parties)
}

// Returns the accounts to take money from. Finds the accounts in one statement and locks them by id in
// another: PostgreSQL checks a row again if it was changed concurrently, and would then repeat a subquery
// for each such row.
async function lockAccounts(
  tx: Transaction,
  { clientId, currency, parties, alsoLocked }: Taking,
): Promise<AccountId[]> {
  const destinations = [...parties.map(({ settlingId }) => settlingId), ...alsoLocked]
  const sources = await tx.query<{ id: AccountId }>({
    name: 'list-settled-accounts',
    text: `select account_id as id from settlement_accounts
            where client_id = $1 and currency = $2`,
    values: [clientId, currency],
  })
  const ids = [...sources.rows.map(({ id }) => id), ...destinations]
  const { rows } = await tx.query<{ id: AccountId; isSource: boolean }>({
    name: 'lock-settled-accounts',
    text: `select l.id, not l.id = any($2::bigint[]) as is_source
             from unnest($1::bigint[]) as h (id) join ledger_accounts l on l.id = h.id
            where l.credits_kobo > l.debits_kobo or l.id = any($2::bigint[])
            order by l.id for no key update of l`,
    values: [numberArray(ids), numberArray(destinations)],
  })
  return rows.filter(({ isSource }) => isSource).map(({ id }) => id)
}

// Sums the money that was moved to each party's settling account.
async function sumTaken(
  tx: Transaction,
  settlementId: SettlementId,
  parties: readonly Party[],
): Promise<Map<SubaccountId | null, Kobo>> {
  const { rows } = await tx.query<{ settlingId: AccountId; kobo: Kobo }>({
    name: 'sum-taken',
    text: `select credit_account_id as settling_id, sum(amount_kobo)::bigint as kobo
             from transfers where settlement_id = $1 group by credit_account_id`,
    values: [settlementId],
  })
  const sums = new Map(rows.map(({ settlingId, kobo: sum }) => [settlingId, sum]))
  return new Map(
    parties.map(({ subaccountId, settlingId }) => [subaccountId, sums.get(settlingId) ?? kobo(0n)]),
  )
}
