// /api/v1/operator/reconciliation/lines and /items: the two sides of a bank's day.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { LINE_KINDS } from '#banks/statements/statement.ts'
import { type List, type Position, readCursor, toPage, writeCursor } from '#db/paging.ts'
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
import type { Deps } from '#http/deps.ts'
import { ListEnvelope, listResponse, PageQuery, parseLimit, query } from '#http/lists.ts'
import { choice } from '#http/routes/refunds/adjustment-presenters.ts'
import { BEARER, named, text } from '#http/schemas.ts'
import { RECONCILIATION } from './daily-proofs.ts'
import { AccountQuery, Day, requireAccount, requireDay } from './days.ts'
import { BankItemBody, presentItem } from './difference-presenters.ts'
import { presentLine, StatementLineBody } from './statement-presenters.ts'

const ReconciledLine = named('ReconciledLine', {
  ...StatementLineBody.properties,
  items: Type.Array(BankItemBody, { description: 'Of the books that it is for, at most 20.' }),
})

const ReconciledItem = named('ReconciledItem', {
  ...BankItemBody.properties,
  lines: Type.Array(StatementLineBody, { description: 'Of statements for it, at most 20.' }),
})

const SEARCH_MAX = 100
const BOOLEANS = ['true', 'false'] as const
const about = { tags: ['Operator'], security: BEARER }
const sideQuery = <T extends string>(kinds: readonly T[]) =>
  query({
    ...AccountQuery,
    day: Day('Day.'),
    isMatched: Type.Optional(choice(BOOLEANS, 'false: stands in a difference.')),
    kind: Type.Optional(choice(kinds, 'Filter by kind.')),
    search: Type.Optional(
      text(
        SEARCH_MAX,
        'Part of a reference, account number, name or narration, or an amount in full.',
      ),
    ),
    ...PageQuery,
  })

type Asked<Kind extends string> = {
  bankCode: string
  currency?: string | undefined
  day: string
  isMatched?: 'true' | 'false' | undefined
  kind?: Kind | undefined
  search?: string | undefined
  cursor?: string | undefined
  limit?: string | undefined
}
type SideRequest<Kind extends string> = Pick<FastifyRequest, 'client'> & { query: Asked<Kind> }

// What both sides are asked by.
function readAsked<Kind extends string>(
  deps: Deps,
  name: string,
  { client, query: asked }: SideRequest<Kind>,
) {
  const account = requireAccount(deps, asked)
  const day = requireDay('day', asked.day)
  const { cursor, limit: _, ...filters } = asked
  const list: List = { name, clientId: client.id, filters }
  const filter = {
    day,
    isMatched: asked.isMatched && asked.isMatched === 'true',
    kind: asked.kind,
    search: asked.search === undefined ? undefined : readSearch(asked.search),
  }
  const position = readCursor(deps.sealer, list, cursor)
  return { account, list, filter, position, limit: parseLimit(asked) }
}

export const daySideRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(readingLines, deps)
  await app.register(readingItems, deps)
}

const readingLines: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${RECONCILIATION}/lines`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listReconciledLines',
        summary: 'List a bank’s statement lines of a day, with their items',
        description:
          'The bank’s side of a day: each line with what it is matched to, and by which rule.',
        querystring: sideQuery(LINE_KINDS),
        response: { 200: ListEnvelope(ReconciledLine) },
      },
    },
    async (request) => {
      const side = readAsked(deps, 'reconciled-lines', request)
      const { account, list, position, limit } = side
      return withSnapshot(db, async (tx) => {
        const afterId = position ? BigInt(position[0] as string) : null
        const filter = { ...side.filter, afterId, limit: limit + 1 }
        const rows = await listDayLines(tx, account, filter)
        const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
        const refs = await readItemsOf(
          tx,
          page.rows.map(({ id }) => id),
        )
        const items = await readItems(tx, account, [...refs.values()].flat())
        return listResponse('Lines retrieved successfully', page, (line) => {
          const own = (refs.get(line.id) ?? []).flatMap((ref) => items.get(refKey(ref)) ?? [])
          const shown = own.map((item) => presentItem(sealer, item))
          return { ...presentLine(sealer, line), items: shown }
        })
      })
    },
  )
}

const readingItems: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${RECONCILIATION}/items`,
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        ...about,
        operationId: 'listReconciledItems',
        summary: 'List what moved a bank’s account on a day in the books, with statement lines',
        description:
          'The books’ side of a day: each credit, charge, payout, return or reversal with its ' +
          'lines.',
        querystring: sideQuery(ITEM_KINDS),
        response: { 200: ListEnvelope(ReconciledItem) },
      },
    },
    async (request) => {
      const side = readAsked(deps, 'reconciled-items', request)
      const { account, list, position, limit } = side
      return withSnapshot(db, async (tx) => {
        const filter = { ...side.filter, after: toRef(position), limit: limit + 1 }
        const rows = await listItems(tx, account, filter)
        const page = toPage(rows, limit, ({ kind, id }) =>
          writeCursor(sealer, list, [kind, id.toString()]),
        )
        const lineIds = await readLinesOf(tx, page.rows)
        const lines = await readLines(tx, [...new Set([...lineIds.values()].flat())])
        return listResponse('Items retrieved successfully', page, (item) =>
          presentSide(
            item,
            lineIds.get(refKey(item))?.flatMap((id) => lines.get(id) ?? []),
          ),
        )
      })
    },
  )

  function presentSide(
    item: BankItem,
    lines: readonly Parameters<typeof presentLine>[1][] = [],
  ): Static<typeof ReconciledItem> {
    return { ...presentItem(sealer, item), lines: lines.map((line) => presentLine(sealer, line)) }
  }
}

function toRef(position: Position | undefined) {
  if (!position) return undefined
  const [kind, id] = position as [ItemKind, string]
  return { kind, id: BigInt(id) }
}
