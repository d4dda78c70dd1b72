// /api/v1/operator/reconciliation/lines and /items: the two sides of a bank's day.

import { type Static, type TObject, Type } from '@fastify/type-provider-typebox'
import { LINE_KINDS } from '#banks/statements/statement.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { type BankItem, listItems, readItems, refKey } from '#domain/reconciliation/bank-items.ts'
import {
  listDayLines,
  readItemsOf,
  readLines,
  readLinesOf,
} from '#domain/reconciliation/day-lines.ts'
import { ITEM_KINDS, type ItemKind } from '#domain/reconciliation/item-sources.ts'
import { readSearch } from '#domain/reconciliation/search-movements.ts'
import type { ListedLine } from '#domain/reconciliation/statements.ts'
import type { Deps } from '#http/deps.ts'
import { choice, parseFlag } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { AccountQuery, Day, RECONCILIATION, requireAccount, requireDay } from './days.ts'
import { BankItemView } from './differences.ts'
import { StatementLineView } from './statements.ts'

const SEARCH_MAX = 100

type Opening = Pick<Deps, 'sealer'>
type LineRow = ListedLine & { items: BankItem[] }
type ItemRow = BankItem & { lines: ListedLine[] }

const LineView = view('ReconciledLine', (f: Fields<LineRow, Opening>) => ({
  ...StatementLineView.fields,
  items: f.list(BankItemView, 'items', 'Of the books that it is for, at most 20.'),
}))

const ItemView = view('ReconciledItem', (f: Fields<ItemRow, Opening>) => ({
  ...BankItemView.fields,
  lines: f.list(StatementLineView, 'lines', 'Of statements for it, at most 20.'),
}))

const filtersOf = <T extends string>(kinds: readonly T[]) => ({
  ...AccountQuery,
  day: Day('Day.'),
  isMatched: choice(['true', 'false'], 'false: stands in a difference.'),
  kind: choice(kinds, 'Filter by kind.'),
  search: Type.Optional(
    text(
      SEARCH_MAX,
      'Part of a reference, account number, name or narration, or an amount in full.',
    ),
  ),
})

type SideQuery = Static<TObject<ReturnType<typeof filtersOf<string>>>>

function readSide({ query, ...call }: Deps & { query: SideQuery }) {
  return {
    account: requireAccount(call, query),
    filter: {
      day: requireDay('day', query.day),
      isMatched: parseFlag(query.isMatched),
      search: query.search === undefined ? undefined : readSearch(query.search),
    },
  }
}

export const daySides = resource(RECONCILIATION, {
  tag: 'Operator',
  noun: 'line',
  view: LineView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
})
  .list('listReconciledLines', {
    path: '/lines',
    name: 'reconciled-lines',
    summary: 'List a bank’s statement lines of a day, with their items',
    description:
      'The bank’s side of a day: each line with what it is matched to, and by which rule.',
    filters: filtersOf(LINE_KINDS),
    rows: (db, { after, limit, ...call }) => {
      const { account, filter } = readSide(call)
      const page = { ...filter, kind: call.query.kind, afterId: after, limit }
      return withSnapshot(db, async (tx) => {
        const lines = await listDayLines(tx, account, page)
        const ids = lines.map(({ id }) => id)
        const refs = await readItemsOf(tx, ids)
        const items = await readItems(tx, account, [...refs.values()].flat())
        return lines.map((line) => {
          const own = (refs.get(line.id) ?? []).flatMap((ref) => items.get(refKey(ref)) ?? [])
          return { ...line, items: own }
        })
      })
    },
  })
  .list('listReconciledItems', {
    path: '/items',
    name: 'day-items',
    summary: 'List what moved a bank’s account on a day in the books, with statement lines',
    description:
      'The books’ side of a day: each credit, charge, payout, return or reversal with its ' +
      'lines.',
    view: ItemView,
    filters: filtersOf(ITEM_KINDS),
    message: 'Items retrieved successfully',
    hasTextIds: true,
    position: refKey,
    rows: (db, { after, limit, ...call }) => {
      const { account, filter } = readSide(call)
      const page = { ...filter, kind: call.query.kind, after: toRef(after), limit }
      return withSnapshot(db, async (tx) => {
        const items = await listItems(tx, account, page)
        const lineIds = await readLinesOf(tx, items)
        const lines = await readLines(tx, [...new Set([...lineIds.values()].flat())])
        return items.map((item) => {
          const own = lineIds.get(refKey(item)) ?? []
          return { ...item, lines: own.flatMap((id) => lines.get(id) ?? []) }
        })
      })
    },
  })

// Undoes refKey.
function toRef(position: string | null) {
  if (position === null) return undefined
  const [kind, id] = position.split(' ') as [ItemKind, string]
  return { kind, id: BigInt(id) }
}
