// /api/v1/credits: trace credits by any known reference.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { archivedBefore } from '#db/archived-period.ts'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import {
  type CreditFilters,
  type CreditTrace,
  getCredit,
  listCredits,
  OUTCOMES,
  type Outcome,
} from '#domain/credits/credit-list.ts'
import { endOfScan, summarizeCredits } from '#domain/credits/credit-scan.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { readHistory } from '#domain/reports/credit-histories.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  OrderQuery,
  PageQuery,
  parseLimit,
  parseWindow,
  query,
  scannedPage,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, accountNumber, BEARER, nullable, reference, text } from '#http/schemas.ts'
import {
  AmountQuery,
  parseAmounts,
  presentSummary,
  presentTotal,
  SUMMARISED,
  SummaryBody,
} from '#http/summaries.ts'
import { parseReference } from '#ids.ts'
import { CreditDetailBody, presentCreditDetail } from './credit-detail-presenters.ts'
import { CreditBody, optionalTime, parseCreditKey, presentCredit } from './credit-presenters.ts'

// What the list and its export can be narrowed by.
export const CreditFilterFields = {
  sessionId: Type.Optional(text(64, 'Session ID, settlement ID or bank reference.')),
  accountNumber: Type.Optional(accountNumber('Credited account number.')),
  paymentReference: Type.Optional(reference('Credits paid or assigned to this payment.')),
  adviceReference: Type.Optional(reference('Credits paid or assigned to this advice.')),
  merchantRef: Type.Optional(text(100, 'Credits of the advice with this merchantRef.')),
  outcome: Type.Optional(
    Type.Unsafe<Outcome>({
      type: 'string',
      enum: [...OUTCOMES],
      description: 'Only credits with this outcome.',
      'x-says': `Must be one of ${OUTCOMES.join(', ')}.`,
    }),
  ),
  payer: Type.Optional(text(100, 'Part of the payer’s name, case-insensitive.')),
  ...AmountQuery,
  ...WindowQuery,
}

const LISTED =
  'Filters can be combined; from and to apply to receivedAt. Operators also find unidentified ' +
  'credits, by sessionId or accountNumber. A page filtered by amount or payer may hold fewer items ' +
  'than `limit`, or none, while hasMore is true: continue with nextCursor. Archived credits are listed ' +
  'only when filtered by sessionId.'

const ArchivedBefore = {
  archivedBefore: nullable('string', {
    description:
      'Credits to collection accounts received before this time may be archived, and are then listed ' +
      'only when filtered by sessionId. Null if nothing is archived.',
  }),
}

const CreditsQuery = query({ ...CreditFilterFields, ...OrderQuery, ...PageQuery })

const summing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps

  app.get(
    '/api/v1/credits/summary',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'summarizeCredits',
        tags: ['Credits'],
        summary: 'Count and add up credits',
        description: `${SUMMARISED} Archived credits count only when filtered by sessionId.`,
        security: BEARER,
        querystring: query(CreditFilterFields),
        response: { 200: ApiEnvelope(SummaryBody) },
      },
    },
    async ({ client, query: asked }) => {
      const how = { viewer: client, filters: parseCreditFilters(asked) }
      const summary = await withSnapshot(db, (tx) => summarizeCredits(tx, how))
      return accepted('Credits added up successfully', presentSummary(summary, presentTotal))
    },
  )
}

export const creditRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(summing, deps)
  await app.register(listing, deps)
  await app.register(reading, deps)
}

const listing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/credits',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'listCredits',
        tags: ['Credits'],
        summary: 'List credits, newest first',
        description: LISTED,
        security: BEARER,
        querystring: CreditsQuery,
        response: { 200: ListEnvelope(CreditBody, ArchivedBefore) },
      },
    },
    async ({ client, query: asked }) => {
      const { limit: _, cursor, order, ...filters } = asked
      const list = { name: 'credits', clientId: client.id, order, filters } as List
      const limit = parseLimit(asked)
      const after = readCursor(sealer, list, cursor)?.[0]
      const query = {
        viewer: client,
        filters: parseCreditFilters(asked),
        order,
        after: after === undefined ? undefined : BigInt(after),
      }
      const until = await endOfScan(db, query)
      const rows = await listCredits(db, { ...query, sealer, until, limit: limit + 1 })
      const scan = { rows, scannedTo: until?.toString() ?? null }
      const page = scannedPage(scan, {
        limit,
        idOf: ({ id }) => id.toString(),
        cursorAfter: (id) => writeCursor(sealer, list, [id]),
      })
      const archived = await archivedBefore(db) // After the list: what it lacks is told.
      const present = (row: CreditTrace) => presentCredit(row, { sealer, nameBank })
      return {
        ...listResponse('Credits retrieved successfully', page, present),
        archivedBefore: optionalTime(archived ?? null),
      }
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, banks } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/credits/:id',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getCredit',
        tags: ['Credits'],
        summary: 'Retrieve a credit',
        description:
          'By ID, or any of its identifiers. Shows where its money is now; of an archived credit, ' +
          'without its payer, narration and transfers (archivedIn).',
        security: BEARER,
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(CreditDetailBody) },
      },
    },
    async ({ client, params: { id } }) => {
      const by = parseCreditKey(sealer, id)
      const data = await withSnapshot(db, async (tx) => {
        const credit = await getCredit(tx, { sealer, viewer: client, by })
        return presentCreditDetail(credit, await readHistory(tx, client.id, credit), {
          sealer,
          nameBank,
        })
      })
      return accepted('Credit retrieved successfully', data)
    },
  )
}

type FilterQuery = Omit<Static<typeof CreditsQuery>, 'limit' | 'cursor' | 'order'>

export function parseCreditFilters(asked: FilterQuery): CreditFilters {
  const { sessionId, accountNumber, merchantRef, outcome, payer } = asked
  const id = (text: string | undefined) => (text === undefined ? text : parseReference(text))
  return {
    sessionId,
    accountNumber,
    paymentReference: id(asked.paymentReference),
    adviceReference: id(asked.adviceReference),
    merchantRef,
    outcome,
    payer,
    ...parseAmounts(asked),
    ...parseWindow(asked),
  }
}
