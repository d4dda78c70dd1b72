// Integrity checks: prove on live data that the books add up. The checks of the ledger run first
// (src/ledger/checks.ts), then the checks of business invariants. Each check is one SQL statement, which
// returns a row for each violation. This file has the checks of I5, I10, I12, I13, I14, I28 and I37; the
// other files of this folder have the rest.
//
// All checks read one snapshot and take no lock that blocks a writer, so they may run at any time.
//
// The statements full-join both sides of an invariant, to find a row that is missing on either side. They
// aggregate large tables before joining them.

import type { Pool, Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Check, type Finding, LEDGER_CHECKS, runCheck } from '#ledger/checks.ts'
import {
  BALANCE_CHECKS,
  DEDUCTED,
  FEE_CHECKS,
  OWED,
  RECEIVABLE_CHECKS,
  SPLIT_CHECKS,
} from './balance-checks.ts'
import { CREDIT_BLOCK_CHECKS, ISOLATION_CHECKS, NUMBER_CHECKS } from './credit-checks.ts'
import { PAYOUT_CHECKS, SETTLEMENT_CHECKS } from './payout-checks.ts'
import { ACCOUNTING_CHECKS, RECONCILIATION_CHECKS } from './reconciliation-checks.ts'

// SQL subquery: the amount that each payment or each account (`owner`) holds according to credits and
// assigned suspense items. The arguments are the columns that name the owner of a credit and of an item.
const sumHeldBy = (ofCredit: string, ofItem: string) => `
  select owner, sum(kobo) as kobo from (
    select ${ofCredit} as owner, amount_kobo - suspended_kobo - reversed_kobo as kobo
      from credits where ${ofCredit} is not null
    union all
    select ${ofItem}, amount_kobo from suspense_items where state = 'assigned'
  ) as parts where owner is not null group by owner`

// SQL subquery: the amount that left each ledger account in transfers without a credit, such as those of
// payouts and settlements, minus the amount that came back.
const LEFT_WITHOUT_CREDIT = `
  select account_id, sum(kobo) as kobo
    from (select debit_account_id as account_id, amount_kobo as kobo
            from transfers where credit_id is null
          union all
          select credit_account_id, -amount_kobo from transfers where credit_id is null) as sides
   group by account_id`

const MONEY: readonly Check[] = [
  {
    // I14. Each credit arrived in full, and each part of its money is where the credit and its suspense items
    // say: booked, in suspense, or on its way back. Transfers name the credit whose money they move.
    name: 'credits_are_where_their_parts_say',
    sql: `
      with kinds as (
        select id, kind from ledger_accounts
         where kind in ('bank', 'shortfall', 'suspense', 'returning', 'bank_cost', 'stamp_duty',
                        'input_vat')
      ), ways as (
        select t.credit_id, t.amount_kobo as kobo, t.reason,
               coalesce(d.kind, 'booked') as source, coalesce(c.kind, 'booked') as target
          from transfers t
          left join kinds d on d.id = t.debit_account_id
          left join kinds c on c.id = t.credit_account_id
         where t.credit_id is not null
      ), moved as (
        select credit_id, sum(kobo * (reason = 'credit')::int) as brought,
               sum(kobo * ((target = 'booked')::int - (source = 'booked')::int)) as booked,
               sum(kobo * ((target = 'suspense')::int - (source = 'suspense')::int)) as suspense,
               sum(kobo * ((target = 'returning')::int - (source = 'returning')::int)) as returning
          from ways group by credit_id
      ), items as (
        select credit_id,
               coalesce(sum(amount_kobo) filter (where state = 'assigned'), 0) as assigned,
               coalesce(sum(amount_kobo) filter (where state = 'open'), 0) as open,
               coalesce(sum(amount_kobo) filter (where state = 'returning'), 0) as returning
          from suspense_items group by credit_id
      ), parts as (
        select c.id, c.amount_kobo as brought,
               c.amount_kobo - c.suspended_kobo - c.reversed_kobo + coalesce(i.assigned, 0)
                 as booked,
               coalesce(i.open, 0) as suspense, coalesce(i.returning, 0) as returning
          from credits c left join items i on i.credit_id = c.id
      )
      select 'credit ' || coalesce(t.id, m.credit_id) as subject,
             case when t.id is null then 'no such credit'
                  else format('brought %s, booked %s, in suspense %s, on its way back %s',
                              t.brought, t.booked, t.suspense, t.returning) end as expected,
             case when m.credit_id is null then 'no transfers'
                  else format('brought %s, booked %s, in suspense %s, on its way back %s',
                              m.brought, m.booked, m.suspense, m.returning) end as found
        from parts t full join moved m on m.credit_id = t.id
       where (t.brought, t.booked, t.suspense, t.returning)
             is distinct from (m.brought, m.booked, m.suspense, m.returning)
       order by coalesce(t.id, m.credit_id)`,
  },
  {
    // I37, I118. What a bank withheld from a credit is booked in the accounts of bank cost, stamp duty and
    // VAT, and no other transfer of a credit moves these. Stamp duty that was booked before the migration
    // 0030_tax.sql is in bank cost.
    name: 'bank_charges_are_booked',
    sql: `
      with costs as (
        select id, kind from ledger_accounts where kind in ('bank_cost', 'stamp_duty', 'input_vat')
      ), booked as (
        select t.credit_id,
               coalesce(sum(t.amount_kobo) filter (where d.kind = 'bank_cost'), 0) as cost,
               coalesce(sum(t.amount_kobo) filter (where d.kind = 'stamp_duty'), 0) as duty,
               coalesce(sum(t.amount_kobo) filter (where d.kind = 'input_vat'), 0) as vat
          from transfers t left join costs d on d.id = t.debit_account_id
         where t.credit_id is not null
           and (t.reason = 'bank_charge' or d.id is not null)
         group by t.credit_id
      ), withheld as (
        select id, fee_kobo as cost, duty_kobo as duty, vat_kobo as vat
          from credits where fee_kobo + vat_kobo + duty_kobo > 0
      )
      select 'credit ' || coalesce(w.id, b.credit_id) as subject,
             format('cost %s, duty %s, VAT %s', coalesce(w.cost, 0), coalesce(w.duty, 0),
                    coalesce(w.vat, 0)) as expected,
             format('cost %s, duty %s, VAT %s', coalesce(b.cost, 0), coalesce(b.duty, 0),
                    coalesce(b.vat, 0)) as found
        from withheld w full join booked b on b.credit_id = w.id
       where (w.cost, w.duty, w.vat) is distinct from (b.cost, b.duty, b.vat)
         and (w.cost + w.duty, 0, w.vat) is distinct from (b.cost, b.duty, b.vat)
       order by coalesce(w.id, b.credit_id)`,
  },
  {
    // I10. A payment states as paid exactly the money that is booked to it. A payment that closed unpaid has
    // none: its money is in suspense.
    name: 'payments_hold_what_was_paid',
    sql: `
      with held as (${sumHeldBy('payment_id', 'assigned_payment_id')})
      select 'payment ' || coalesce(p.id, h.owner) as subject,
             coalesce(h.kobo, 0)::text as expected,
             coalesce(p.amount_paid_kobo::text, 'no such payment') as found
        from payments p full join held h on h.owner = p.id
       where p.amount_paid_kobo is distinct from coalesce(h.kobo, 0)
       order by coalesce(p.id, h.owner)`,
  },
  {
    // The pending and available accounts of a client hold the money of its payments. The rest of a partly
    // reversed payment stays available. Amounts are before fees, shares and payouts.
    name: 'pending_and_available_are_their_payments',
    sql: `
      with paid as (
        select case when p.status in ('Successful', 'Reversed') then 'available' else 'pending' end
                 as kind,
               'client:' || p.client_id as owner, a.currency, sum(p.amount_paid_kobo) as kobo
          from payments p join advices a on a.id = p.advice_id
         where p.status in ('Processing', 'PartPayment', 'Successful', 'Reversed')
           and p.amount_paid_kobo > 0
         group by 1, 2, 3
      ), accounts as (
        select a.kind, a.owner, a.currency,
               a.credits_kobo - a.debits_kobo + coalesce(f.kobo, 0) + coalesce(o.kobo, 0)
                 - coalesce(r.kobo, 0) as kobo
          from ledger_accounts a left join (${DEDUCTED}) as f on f.account_id = a.id
          left join (${LEFT_WITHOUT_CREDIT}) as o on o.account_id = a.id
          left join (${OWED}) as r on r.account_id = a.id
         where a.kind in ('pending', 'available')
      )
      select concat_ws(' ', kind, owner, currency) as subject,
             coalesce(p.kobo, 0)::text as expected, coalesce(a.kobo, 0)::text as found
        from paid p full join accounts a using (kind, owner, currency)
       where coalesce(p.kobo, 0) <> coalesce(a.kobo, 0)
       order by 1`,
  },
  {
    // A collection account has the money of its credits. Compares the balance before fees, shares and
    // payouts.
    name: 'collection_balances_are_their_credits',
    sql: `
      with held as (${sumHeldBy('collection_account_id', 'assigned_account_id')}),
      accounts as (
        select a.id, a.credits_kobo - a.debits_kobo + coalesce(f.kobo, 0) + coalesce(o.kobo, 0)
                 - coalesce(r.kobo, 0) as kobo
          from ledger_accounts a left join (${DEDUCTED}) as f on f.account_id = a.id
          left join (${LEFT_WITHOUT_CREDIT}) as o on o.account_id = a.id
          left join (${OWED}) as r on r.account_id = a.id
         where a.kind = 'collection'
      )
      select 'collection account ' || coalesce(a.id, h.owner) as subject,
             coalesce(h.kobo, 0)::text as expected,
             coalesce(a.kobo::text, 'no such account') as found
        from accounts a full join held h on h.owner = a.id
       where a.kobo is distinct from coalesce(h.kobo, 0)
       order by coalesce(a.id, h.owner)`,
  },
  {
    // I13. A suspense account has the money of its open items.
    name: 'suspense_is_its_open_items',
    sql: `
      with items as (
        select account_id, sum(amount_kobo) as kobo
          from suspense_items where state = 'open' group by account_id
      ), accounts as (
        select id, owner, credits_kobo - debits_kobo as kobo
          from ledger_accounts where kind = 'suspense'
      )
      select concat_ws(' ', 'suspense account', coalesce(a.id, i.account_id), a.owner) as subject,
             coalesce(i.kobo, 0)::text as expected,
             coalesce(a.kobo::text, 'no such account') as found
        from accounts a full join items i on i.account_id = a.id
       where a.kobo is distinct from coalesce(i.kobo, 0)
       order by coalesce(a.id, i.account_id)`,
  },
  {
    // The account for money that is being sent back has the money of the items that are being returned.
    name: 'money_on_its_way_back_is_in_items',
    sql: `
      with items as (
        select a.currency, sum(i.amount_kobo) as kobo
          from suspense_items i join ledger_accounts a on a.id = i.account_id
         where i.state = 'returning' group by a.currency
      ), accounts as (
        select currency, sum(credits_kobo - debits_kobo) as kobo
          from ledger_accounts where kind = 'returning' group by currency
      )
      select currency as subject, coalesce(i.kobo, 0)::text as expected,
             coalesce(a.kobo, 0)::text as found
        from items i full join accounts a using (currency)
       where coalesce(i.kobo, 0) <> coalesce(a.kobo, 0)
       order by 1`,
  },
  {
    // I28. An item is being returned if and only if it has a pending return of its whole amount.
    name: 'returns_are_with_their_items',
    sql: `
      select 'suspense item ' || coalesce(i.id, r.item_id) as subject,
             case when i.id is null then 'no return that is pending'
                  else format('a pending return of %s', i.amount_kobo) end as expected,
             case when r.item_id is null then 'none'
                  else format('a pending return of %s', r.amount_kobo) end as found
        from (select id, amount_kobo from suspense_items where state = 'returning') as i
        full join (select item_id, amount_kobo from returns where status = 'pending') as r
          on r.item_id = i.id
       where i.amount_kobo is distinct from r.amount_kobo
       order by coalesce(i.id, r.item_id)`,
  },
]

const IDENTITY: readonly Check[] = [
  {
    // I12. Every credit can be found by its identifier, which tells a repeated report from a new credit.
    // Every identifier belongs to an existing credit of the same bank.
    name: 'credits_are_known_by_their_identifiers',
    sql: `
      select 'credit ' || coalesce(c.id, i.credit_id) as subject,
             case when c.id is null then 'no such credit' else
               concat_ws(' ', c.identified_by, c.session_id, 'at', c.bank_code) end as expected,
             case when i.credit_id is null then 'none' else
               concat_ws(' ', i.kind, i.value, 'at', i.bank_code) end as found
        from credits c
        full join (select * from credit_identifiers where is_first) as i on i.credit_id = c.id
       where (c.identified_by, c.session_id, c.bank_code)
             is distinct from (i.kind, i.value, i.bank_code)
      union all
      select 'credit ' || i.credit_id, 'such a credit at ' || i.bank_code,
             coalesce('at ' || c.bank_code, 'none')
        from credit_identifiers i left join credits c on c.id = i.credit_id
       where not i.is_first and c.bank_code is distinct from i.bank_code
       order by 1`,
  },
]

// I5. The events of a client are numbered from 1 without gaps. Old events are dropped by whole partitions,
// and events that were written together may be in different partitions. So the events of a client that is
// older than the first partition may start at any number, and its first hour in that partition is skipped.
// This check runs last, because reading the events delays the creation of partitions (src/workers/loop.ts).
const EVENTS: readonly Check[] = [
  {
    name: 'events_are_numbered_without_gaps',
    sql: `
      with cut as (
        select min(to_date(right(relid::text, 8), 'YYYYMMDD'))::timestamp at time zone 'UTC' as at
          from pg_partition_tree('events') where relid::text ~ '_[0-9]{8}$'
      ), whole as (
        select c.id, k.sequence, coalesce(c.created_at >= cut.at, true) as from_first, cut.at
          from clients c left join event_counters k on k.client_id = c.id, cut
      ), numbered as (
        select e.client_id, count(*) as events, count(distinct e.sequence) as numbers,
               min(e.sequence) as first, max(e.sequence) as last
          from events e left join whole w on w.id = e.client_id
         where w.from_first is not false or e.created_at >= w.at + interval '1 hour'
         group by e.client_id
      )
      select 'client ' || coalesce(w.id, n.client_id) as subject,
             format('%s to %s, each once', case when w.from_first then 1 else n.first end,
                    coalesce(w.sequence::text, 'nothing')) as expected,
             format('%s events, %s numbers from %s to %s', coalesce(n.events, 0),
                    coalesce(n.numbers, 0), n.first, n.last) as found
        from whole w full join numbered n on n.client_id = w.id
       where case when n.client_id is null then w.from_first and w.sequence is distinct from 0
                  else w.id is null or n.last is distinct from w.sequence or n.numbers <> n.events
                       or n.events <> n.last - n.first + 1 or (w.from_first and n.first <> 1) end
       order by coalesce(w.id, n.client_id)`,
  },
]

export const BUSINESS_CHECKS: readonly Check[] = [
  ...MONEY,
  ...BALANCE_CHECKS,
  ...FEE_CHECKS,
  ...RECEIVABLE_CHECKS,
  ...RECONCILIATION_CHECKS,
  ...ACCOUNTING_CHECKS,
  ...SETTLEMENT_CHECKS,
  ...PAYOUT_CHECKS,
  ...SPLIT_CHECKS,
  ...IDENTITY,
  ...NUMBER_CHECKS,
  ...EVENTS,
  ...ISOLATION_CHECKS,
  ...CREDIT_BLOCK_CHECKS,
]

export type { Finding } from '#ledger/checks.ts'

// A check reads whole tables, so it may take longer than the pool's timeout, which is made for requests. With
// this memory, PostgreSQL adds up a million accounts without temporary files.
const SETTINGS = [`set local statement_timeout = '15min'`, `set local work_mem = '64MB'`]

export const INTEGRITY_INTERVAL_MS = 15 * 60_000

const CHECKS = [...LEDGER_CHECKS, ...BUSINESS_CHECKS]

export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name)

export type IntegrityResult = {
  startedAt: Date
  finishedAt: Date
  isOk: boolean
  findings: Finding[]
}

// Returns the result of the last run that was completed.
export async function findLastIntegrityCheck(db: Queryable): Promise<IntegrityResult | undefined> {
  const { rows } = await db.query<IntegrityResult>({
    name: 'find-last-integrity-check',
    text: `select started_at, finished_at, ok as is_ok, findings
             from integrity_checks where finished_at is not null order by id desc limit 1`,
  })
  return rows[0]
}

// Returns the violations. An empty list means that the books balance. Rejects when the signal aborts. All
// checks read the same snapshot, within the limits on time and memory in SETTINGS.
export async function checkIntegrity(db: Pool, signal?: AbortSignal): Promise<Finding[]> {
  return withSnapshot(db, async (tx) => {
    for (const setting of SETTINGS) await tx.query(setting)
    const cancel = await canceller(tx, db)
    signal?.addEventListener('abort', cancel)
    try {
      const findings: Finding[] = []
      for (const check of CHECKS) {
        signal?.throwIfAborted()
        findings.push(...(await runCheck(tx, check)))
      }
      return findings
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  })
}

// Returns a function that cancels the check that is running, because on a large database a check takes longer
// than a process may take to stop.
async function canceller(tx: Transaction, db: Pool): Promise<() => void> {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
  return () => {
    db.query('select pg_cancel_backend($1)', [rows[0]?.pid]).catch(() => {})
  }
}
