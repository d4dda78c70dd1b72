// /api/v1/operator/reconciliation/lines and /items: the two sides of a bank's day.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
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
import type { Deps } from '#http/deps.ts'
import { ListEnvelope, listResponse, PageQuery, parseLimit, query } from '#http/lists.ts'
import { choice } from '#http/routes/refunds/adjustment-presenters.ts'
import { ApiFailure, BEARER, named } from '#http/schemas.ts'
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

const BOOLEANS = ['true', 'false'] as const
const about = { tags: ['Operator'], security: BEARER }
const sideQuery = <T extends string>(kinds: readonly T[]) =>
  query({
    ...AccountQuery,
    day: Day('Day.'),
    isMatched: Type.Optional(choice(BOOLEANS, 'false: stands in a difference.')),
    kind: Type.Optional(choice(kinds, 'Filter by kind.')),
    ...PageQuery,
  })

type Asked = {
  bankCode: string
  currency?: string | undefined
  day: string
  isMatched?: 'true' | 'false' | undefined
  kind?: string | undefined
}

const filtersOf = ({ bankCode, currency, day, isMatched, kind }: Asked) => {
  return { bankCode, currency, day, isMatched, kind }
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
      onRequest: authentication.requires('operator'),
      schema: {
        ...about,
        operationId: 'listReconciledLines',
        summary: 'List a bank’s statement lines of a day, with their items',
        description:
          'The bank’s side of a day: each line with what it is matched to, and by which rule.',
        querystring: sideQuery(LINE_KINDS),
        response: { 200: ListEnvelope(ReconciledLine), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const account = requireAccount(deps, asked)
      const day = requireDay('day', asked.day)
      const filters = filtersOf(asked)
      const list: List = { name: 'reconciled-lines', clientId: client.id, filters }
      const position = readCursor(sealer, list, asked.cursor)
      const limit = parseLimit(asked)
      return withSnapshot(db, async (tx) => {
        const rows = await listDayLines(tx, account, {
          day,
          isMatched: asked.isMatched && asked.isMatched === 'true',
          kind: asked.kind,
          afterId: position ? BigInt(position[0] as string) : null,
          limit: limit + 1,
        })
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
      onRequest: authentication.requires('operator'),
      schema: {
        ...about,
        operationId: 'listReconciledItems',
        summary: 'List what moved a bank’s account on a day in the books, with statement lines',
        description:
          'The books’ side of a day: each credit, charge, payout, return or reversal with its ' +
          'lines.',
        querystring: sideQuery(ITEM_KINDS),
        response: { 200: ListEnvelope(ReconciledItem), '4xx': ApiFailure },
      },
    },
    async ({ client, query: asked }) => {
      const account = requireAccount(deps, asked)
      const day = requireDay('day', asked.day)
      const filters = filtersOf(asked)
      const list: List = { name: 'reconciled-items', clientId: client.id, filters }
      const limit = parseLimit(asked)
      const after = toRef(readCursor(sealer, list, asked.cursor))
      return withSnapshot(db, async (tx) => {
        const isMatched = asked.isMatched && asked.isMatched === 'true'
        const filter = { day, isMatched, kind: asked.kind, after, limit: limit + 1 }
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
