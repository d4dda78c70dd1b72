// The working sets of a matching run, in temporary tables: unmatched lines and unmatched items of the
// books. Each rule removes the lines and items it explains; the rest becomes differences.
//
// Sets are read once, whatever their size: a million lines and a million credits take some seconds. A run
// without news reads only the open differences.

import type { Transaction } from '#db/transaction.ts'
import { type ItemFilter, itemSources, POSTED_SINCE } from './item-sources.ts'
import type { Run } from './reconciled-banks.ts'

const WORK_MEM = '128MB'

// A line in a difference with a decision is matched only by names.
const TABLES = `
  create temporary table open_lines (
    id bigint, day date, amount bigint, kind text collate "C", session_id text collate "C",
    bank_reference text collate "C", end_to_end_id text collate "C",
    account_number text collate "C", name text, narration text,
    difference_id bigint, is_decided boolean
  ) on commit drop;
  create temporary table open_items (
    kind text collate "C", id bigint, day date, amount bigint, fee bigint, vat bigint, duty bigint,
    session_id text collate "C", has_session_id boolean, bank_reference text collate "C",
    reference text collate "C", other_reference text collate "C",
    account_number text collate "C", name text, parent_kind text collate "C", parent_id bigint,
    line_id bigint, difference_id bigint, is_decided boolean, is_covered boolean
  ) on commit drop;
  create temporary table new_pairs (
    line_id bigint, item_kind text collate "C", item_id bigint, amount bigint,
    line_day date, item_day date, part text collate "C" default ''
  ) on commit drop;
  create temporary table residues (
    line_id bigint, day date, amount bigint, kind text collate "C"
  ) on commit drop;
  create temporary table line_names (
    line_id bigint, rank int, item_kind text collate "C", item_id bigint,
    bank_code text collate "C", currency text collate "C", has_our_reference boolean
  ) on commit drop;
  create temporary table equal_lines (line_id bigint) on commit drop;
  create temporary table explained (difference_id bigint) on commit drop;
  create temporary table chain (
    id bigint, from_day date, to_day date, covers_from date, sequence bigint, has_balances boolean,
    opening bigint, closing bigint, ahead bigint, ahead_after bigint, follows boolean,
    is_first boolean
  ) on commit drop;
  create temporary table gaps (
    statement_id bigint, kind text collate "C", amount bigint, day date
  ) on commit drop`

export async function openSets(tx: Transaction, run: Run): Promise<void> {
  await tx.query(`set local work_mem = '${WORK_MEM}'`)
  await tx.query('set local default_statistics_target = 10') // Only counts matter.
  for (const statement of TABLES.split(';')) await tx.query(statement)
  await loadStandingLines(tx, run)
}

// Loads what the first rule left.
export async function loadSets(tx: Transaction, run: Run): Promise<void> {
  await byHashing(tx, () => loadNewLines(tx, run))
  await loadPostedItems(tx, run)
  await loadStandingItems(tx, run)
  // There are mostly few charges. Without the index, each line would scan all items for its own.
  await tx.query(
    'create index on open_items (parent_kind, parent_id) where parent_kind is not null',
  )
  await tx.query('analyze open_lines')
  await tx.query('analyze open_items')
}

const NAMES = TABLES.matchAll(/temporary table ([a-z_]+)/g)
const DROP = `drop table ${[...NAMES].map(([, name]) => name).join(', ')}`

// A transaction may match several accounts.
export async function closeSets(tx: Transaction): Promise<void> {
  await tx.query(DROP)
}

// New lines are not in the planner's statistics, so it might take a million of them for few.
export async function byHashing<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  const others = ['enable_nestloop', 'enable_mergejoin']
  for (const join of others) await tx.query(`set local ${join} = off`)
  const result = await work()
  for (const join of others) await tx.query(`set local ${join} = on`)
  return result
}

const LINE_COLUMNS = `l.id, l.booked_on, l.amount_kobo, l.kind, l.session_id, l.bank_reference,
  l.end_to_end_id, l.account_number, l.counterparty_name, l.narration`

async function loadNewLines(tx: Transaction, { newStatements, linesFrom }: Run): Promise<void> {
  if (newStatements.length === 0) return
  await tx.query(
    `insert into open_lines
     select ${LINE_COLUMNS}, null, false from statement_lines l
      where l.statement_id = any ($1)
        and not exists (select from statement_matches m
                         where m.line_id >= $2 and m.line_id = l.id)`,
    [newStatements, linesFrom],
  )
}

// The unmatched remainder of a line stays a difference and is not loaded.
async function loadStandingLines(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `insert into open_lines
     select ${LINE_COLUMNS}, d.id, d.state <> 'open'
       from differences d join statement_lines l on l.id = d.line_id
      where d.bank_code = $1 and d.currency = $2 and d.state <> 'cleared'
        and not exists (select from statement_matches m where m.line_id = d.line_id)`,
    [bankCode, currency],
  )
}

// Items posted since, neither matched nor in a difference. Most have a line of their own: matched credits
// and charges are read as one range, and the others one by one.
async function loadPostedItems(tx: Transaction, run: Run): Promise<void> {
  await tx.query(
    `${insertItems(POSTED_SINCE, { days: '$5::date and $6::date' })}
      cross join lateral (
        select coalesce(sum(n.amount_kobo), 0)::bigint as matched from statement_matches n
         where n.item_kind = i.kind and n.item_id = i.id) as x
      where i.amount_kobo <> x.matched
        and not exists (select from statement_matches m
                         where m.item_kind in ('credit', 'charges') and m.item_id >= $4
                           and m.item_kind = i.kind and m.item_id = i.id
                           and m.amount_kobo = i.amount_kobo)
        and not exists (select from differences d
                         where d.item_kind = i.kind and d.item_id = i.id and d.state <> 'cleared')`,
    [run.bankCode, run.currency, run.itemsSince, run.creditsFrom, run.fromDay, run.toDay],
  )
}

async function loadStandingItems(tx: Transaction, run: Run): Promise<void> {
  const inDifference = (kinds: string, id: string) => `${id} in (
    select item_id from differences
     where bank_code = $1 and currency = $2 and item_kind in (${kinds}) and state <> 'cleared')`
  await tx.query(
    `${insertItems(
      {
        credit: inDifference(`'credit', 'charges'`, 'c.id'),
        payout: inDifference(`'payout', 'payout_cost'`, 'p.id'),
        payoutReturn: inDifference(`'payout_return'`, 'p.id'),
        reversal: inDifference(`'reversal'`, 'r.id'),
        return: inDifference(`'return'`, 'r.id'),
        recovery: inDifference(`'recovery'`, 'a.id'),
        booked: inDifference(`'booked'`, 't.id'),
      },
      { difference: `d.id, d.state <> 'open'` },
    )}
       join differences d on d.item_kind = i.kind and d.item_id = i.id and d.state <> 'cleared'
      cross join lateral (select i.amount_kobo + d.amount_kobo as matched) as x`,
    [run.bankCode, run.currency, run.fromDay, run.toDay],
  )
}

// Items that lines name, from any time.
export async function loadNamedItems(tx: Transaction, run: Run): Promise<void> {
  const isNamed = (kind: string, id: string) => `${id} in (
    select item_id from line_names
     where item_kind = '${kind}' and bank_code = $1 and currency = $2)`
  await tx.query(
    `${insertItems({
      credit: isNamed('credit', 'c.id'),
      payout: isNamed('payout', 'p.id'),
      payoutReturn: isNamed('payout_return', 'p.id'),
      reversal: isNamed('reversal', 'r.id'),
      return: isNamed('return', 'r.id'),
      recovery: isNamed('recovery', 'a.id'),
      booked: 'false',
    })}
      cross join lateral (
        select coalesce(sum(n.amount_kobo), 0)::bigint as matched from statement_matches n
         where n.item_kind = i.kind and n.item_id = i.id) as x
      where i.amount_kobo <> x.matched
        and not exists (select from open_items o where o.kind = i.kind and o.id = i.id)
        and not exists (select from new_pairs o where o.item_kind = i.kind and o.item_id = i.id)
        and not exists (select from differences d
                         where d.item_kind = i.kind and d.item_id = i.id and d.state <> 'cleared')`,
    [run.bankCode, run.currency, run.fromDay, run.toDay],
  )
}

// `x.matched` is the amount of the item that is already matched; its parts are then unknown. An item
// counts for its day in West Africa.
function insertItems(
  filter: ItemFilter,
  { difference = 'null, false', days = '$3::date and $4::date' } = {},
): string {
  const part = (name: string) => `case when x.matched = 0 then i.${name}_kobo else 0 end`
  return `
    insert into open_items
    select i.kind, i.id, w.day, i.amount_kobo - x.matched, ${part('fee')}, ${part('vat')},
           ${part('duty')}, i.session_id, i.has_session_id, i.bank_reference, i.reference,
           i.other_reference, i.account_number, i.name, i.parent_kind, i.parent_id, i.line_id,
           ${difference}, w.day between ${days}
      from (${itemSources(filter)}) as i
     cross join lateral (select (i.posted_at at time zone 'Africa/Lagos')::date as day) as w`
}
