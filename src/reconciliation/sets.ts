// The working sets of a matching run, in temporary tables: unmatched lines and unmatched items of the
// books. Each rule removes the lines and items it explains; the rest becomes differences. Also orders the
// statements of a bank (CHAIN).
//
// Sets are read once, whatever their size: a million lines and a million credits take some seconds. A run
// without new lines or items reads only the open differences.

import type { Transaction } from '#db/transaction.ts'
import { type BankAccount, type Run, STATEMENT_ORDER } from './banks.ts'
import { type ItemFilter, itemSources, POSTED_SINCE } from './items.ts'

const WORK_MEM = '128MB'

// `is_decided` means that the line or item is in a difference that a user requested to resolve or resolved.
// Such a line is matched only if it names an item.
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

// Creates the working sets, and loads the lines of open differences. Called at the start of a run, before
// the first rule.
export async function openSets(tx: Transaction, run: Run): Promise<void> {
  await tx.query(`set local work_mem = '${WORK_MEM}'`)
  await tx.query('set local default_statistics_target = 10') // The planner needs the row counts only.
  for (const statement of TABLES.split(';')) await tx.query(statement)
  await loadStandingLines(tx, run)
}

// Loads the lines and items that the first rule did not match.
export async function loadSets(tx: Transaction, run: Run): Promise<void> {
  await byHashing(tx, () => loadNewLines(tx, run))
  await loadPostedItems(tx, run)
  await loadStandingItems(tx, run)
  // Most runs have few charges. Without this index, each line would scan all items for its charges.
  await tx.query(
    'create index on open_items (parent_kind, parent_id) where parent_kind is not null',
  )
  await tx.query('analyze open_lines')
  await tx.query('analyze open_items')
}

const NAMES = TABLES.matchAll(/temporary table ([a-z_]+)/g)
const DROP = `drop table ${[...NAMES].map(([, name]) => name).join(', ')}`

// Drops the tables, because a transaction may match several accounts.
export async function closeSets(tx: Transaction): Promise<void> {
  await tx.query(DROP)
}

// Forces hash joins while `work` runs. New lines are not in the planner's statistics, so it might expect few
// lines where there are a million.
export async function byHashing<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  const otherJoins = ['enable_nestloop', 'enable_mergejoin']
  for (const join of otherJoins) await tx.query(`set local ${join} = off`)
  const result = await work()
  for (const join of otherJoins) await tx.query(`set local ${join} = on`)
  return result
}

const LINE_COLUMNS = `l.id, l.booked_on, l.amount_kobo, l.kind, l.session_id, l.bank_reference,
  l.end_to_end_id, l.account_number, l.counterparty_name, l.narration`

// Loads the lines of the new statements that the first rule did not match. They are in no difference yet
// (null, false).
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

// Loads the lines of open differences, except unmatched remainders, which stay differences.
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

// Loads items posted since `itemsSince` that are neither matched nor in a difference. Most items are matched
// with one line. So matched credits and charges are read as one range, and the other items are looked up one
// by one.
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

// Loads the items of open differences, however old they are. The amount of such a difference is the unmatched
// part of its item, with the opposite sign.
async function loadStandingItems(tx: Transaction, run: Run): Promise<void> {
  // SQL condition: an item of these kinds with this id is in a difference that is not cleared.
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

// Loads the items that lines name, however old they are.
export async function loadNamedItems(tx: Transaction, run: Run): Promise<void> {
  // SQL condition: a line names the item of this kind with this id.
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

// SQL statement: inserts items into open_items. The caller joins `x`: `x.matched` is the amount of the item
// that is already matched, in which case its parts are unknown. The day of an item is its day in West Africa.
// `difference` has the id of the item's difference and whether it is decided (`is_decided` of TABLES); by
// default there is none. `days` is the range of the covered days.
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

// How CHAIN orders a bank's statements. A bank may send them in any order, and they may overlap: a part of a
// month may arrive after the whole month. So each opening balance is compared with the sum of all lines
// booked before the statement's first day. The difference of the two (`ahead`) is the balance before the
// first line of all. If no line is missing, it is the same for all statements.
//
// Two kinds of statements do not open with the balance at the start of their first day. A statement of a part
// of a day opens with the closing balance of another part. A statement with a line that is dated back, which
// means booked on an earlier day, starts on the day of that line, but opens with the closing balance of a
// later day. Both are said to follow the other statement (`follows`).
//
// A statement never follows a statement that ends on a later day or, on the same day, has a higher number. If
// the parts of a day form a circle (0 to 100, 100 to 50, 50 to 0), each opens with the closing balance of
// another. Then one of them is chosen to start the day.

const SEQUENCE_MAX = '9223372036854775807'

// SQL query for the account $1 and $2. The first statement of the chain is the first that follows no other.
// `ahead_after` is how far the closing balance is ahead of the lines up to the last day. Sums are computed
// once, in day order.
//
// A swept account may have the same balance for years, so joining statements by balance alone took half a
// minute for 10,000 parts of days. Instead, the parts of one day are sorted (`parts`), and earlier days are
// joined one by one (`dated_back`), up to the first day that the file names. This takes 0.3 s.
//
// If the parts of a day form a circle, the day starts with the first part that is as far ahead as a statement
// of another day.
const CHAIN = `
  with marks as (
    select id, from_day as day, 0 as moment, 0 as kobo
      from statements where bank_code = $1 and currency = $2
    union all
    select null, day, 1, lines_kobo
      from reconciled_days where bank_code = $1 and currency = $2
    union all
    select id, to_day, 2, 0 from statements where bank_code = $1 and currency = $2
  ), sums as (
    select id, min(kobo) filter (where moment = 0) as before,
           min(kobo) filter (where moment = 2) as after
      from (select id, moment, sum(kobo) over (order by day, moment) as kobo from marks) as m
     where id is not null group by id
  ), opened as materialized (
    select s.id, s.from_day, s.to_day, coalesce(s.covers_from, s.from_day) as covers_from,
           s.sequence, s.has_balances, s.opening_kobo as opening, s.closing_kobo as closing,
           least(s.to_day - 1, s.covers_from) as opens_by,
           s.opening_kobo - m.before as ahead, s.closing_kobo - m.after as ahead_after
      from statements s join sums m using (id)
     where s.bank_code = $1 and s.currency = $2
  ), balances as (
    select id, to_day, closing as balance, ahead, coalesce(sequence, -1) as number, false as opens
      from opened
    union all
    select id, to_day, opening, ahead, coalesce(sequence, ${SEQUENCE_MAX}), true from opened
  ), parts as (
    select id
      from (select id, opens, ahead, min(ahead) filter (where not opens) over w as least,
                   max(ahead) filter (where not opens) over w as most
              from balances window w as (partition by to_day, balance order by number)) as b
     where opens and (least <> ahead or most <> ahead)
  ), dated_back as (
    select distinct o.id
      from (select id, opening, closing, ahead,
                   from_day + generate_series(0, opens_by - from_day) as day from opened) as o
      join (select to_day as day, opening, closing, min(ahead) as least, max(ahead) as most
              from opened group by 1, 2, 3) as g
        on g.day = o.day and g.closing = o.opening and g.opening <> o.closing
       and (g.least <> o.ahead or g.most <> o.ahead)
  ), marked as (
    select o.*, p.id is not null as is_part, b.id is not null as is_dated_back,
           min(o.to_day) over a < max(o.to_day) over a as is_confirmed
      from opened o left join parts p using (id) left join dated_back b using (id)
    window a as (partition by o.ahead)
  ), ordered as (
    select *, bool_and(is_part and not is_dated_back) over (partition by to_day) as goes_round,
           row_number() over (partition by to_day
                              order by not is_confirmed, ${STATEMENT_ORDER}) as place
      from marked
  ), followed as (
    select *, (is_part or is_dated_back) and not (goes_round and place = 1) as follows from ordered
  )
  select id, from_day, to_day, covers_from, sequence, has_balances, opening, closing, ahead,
         ahead_after, follows, row_number() over (order by follows, ${STATEMENT_ORDER}) = 1 as is_first
    from followed`

// Stores how the bank's statements follow one another in the table `chain`, for the checks for gaps. Forces
// hash joins: new statements are not in the planner's statistics, and nested loops took half a minute for ten
// years of days.
export async function loadChain(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await byHashing(tx, () => tx.query(`insert into chain ${CHAIN}`, [bankCode, currency]))
  await tx.query('analyze chain')
}

// Returns the first day that statements cover. The totals of days must already include the new lines
// (addLineTotals).
export async function findFirstDay(
  tx: Transaction,
  { bankCode, currency }: BankAccount,
): Promise<string> {
  const { rows } = await byHashing(tx, () =>
    tx.query<{ day: string }>(
      `select min(covers_from)::text as day from (${CHAIN}) as c where not follows or is_first`,
      [bankCode, currency],
    ),
  )
  return (rows[0] as { day: string }).day
}
