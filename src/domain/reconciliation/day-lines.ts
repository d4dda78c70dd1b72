// A day at the bank: its lines with their items, and the lines of items.

import type { Queryable } from '#db/pool.ts'
import type { StatementLineId } from '#ids.ts'
import { type ItemRef, refKey } from './bank-items.ts'
import type { ItemKind } from './item-sources.ts'
import type { BankAccount } from './reconciled-banks.ts'
import { type Search, searchSql, searchValues } from './search-movements.ts'
import { LINE_COLUMNS, type ListedLine } from './statements.ts'

const COLUMNS = `
  select ${LINE_COLUMNS},
         (select m.rule from statement_matches m where m.line_id = l.id limit 1) as rule`

type LineFilter = {
  day: string
  isMatched: boolean | undefined
  kind: string | undefined
  search: Search | undefined
  afterId: bigint | null
  limit: number
}

const SEARCH = searchSql(8, {
  texts: [
    'l.session_id',
    'l.bank_reference',
    'l.end_to_end_id',
    'l.account_number',
    'l.counterparty_name',
    'l.narration',
  ],
  amount: 'l.amount_kobo',
})

// Reads a page from each statement that covers the day, because the index orders lines by statement. A
// line is matched if nothing of it is left, so that it has no difference.
export async function listDayLines(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  { day, isMatched, kind, search, afterId, limit }: LineFilter,
): Promise<ListedLine[]> {
  const hasDifference = `exists (select from differences d
                           where d.line_id = l.id and d.state <> 'cleared')`
  const { rows } = await db.query<ListedLine>({
    name: 'list-day-lines',
    text: `${COLUMNS}
             from statements s
            cross join lateral (
              select l.* from statement_lines l
               where l.statement_id = s.id and l.booked_on = $3 and l.id > $6
                 and ($4::boolean is null or (not ${hasDifference}) = $4)
                 and ($5::text is null or l.kind = $5) and ${SEARCH}
               order by l.id limit $7) as l
            where s.bank_code = $1 and s.currency = $2 and $3::date between s.from_day and s.to_day
            order by l.id limit $7`,
    values: [
      bankCode,
      currency,
      day,
      isMatched ?? null,
      kind ?? null,
      afterId ?? 0n,
      limit,
      ...searchValues(search),
    ],
  })
  return rows
}

export async function readLines(
  db: Queryable,
  ids: readonly StatementLineId[],
): Promise<Map<StatementLineId, ListedLine>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<ListedLine>({
    name: 'read-statement-lines',
    text: `${COLUMNS} from statement_lines l where l.id = any ($1)`,
    values: [ids],
  })
  return new Map(rows.map((line) => [line.id, line]))
}

// A sweep may have a million lines or items; at most this many are shown per match.
const PAIRS_MAX = 20

export async function readItemsOf(
  db: Queryable,
  lineIds: readonly StatementLineId[],
): Promise<Map<StatementLineId, ItemRef[]>> {
  const { rows } = await db.query<{ lineId: StatementLineId; kind: ItemKind; id: bigint }>({
    name: 'read-items-of-lines',
    text: `select l.id as "lineId", m.kind, m.id
             from unnest($1::bigint[]) as l (id)
            cross join lateral (
              select item_kind as kind, item_id as id from statement_matches
               where line_id = l.id order by item_kind, item_id limit ${PAIRS_MAX}) as m`,
    values: [lineIds],
  })
  return grouped(rows, ({ lineId }) => lineId)
}

export async function readLinesOf(
  db: Queryable,
  refs: readonly ItemRef[],
): Promise<Map<string, StatementLineId[]>> {
  const { rows } = await db.query<ItemRef & { lineId: StatementLineId }>({
    name: 'read-lines-of-items',
    text: `select i.kind, i.id, m."lineId"
             from unnest($1::text[], $2::bigint[]) as i (kind, id)
            cross join lateral (
              select line_id as "lineId" from statement_matches
               where item_kind = i.kind and item_id = i.id order by line_id
               limit ${PAIRS_MAX}) as m`,
    values: [refs.map(({ kind }) => kind), refs.map(({ id }) => id)],
  })
  const byItem = grouped(rows, refKey)
  return new Map([...byItem].map(([key, lines]) => [key, lines.map(({ lineId }) => lineId)]))
}

function grouped<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}
