// /api/v1/credits: lists, counts and traces credits by any known reference.

import { Type } from '@fastify/type-provider-typebox'
import { withSnapshot } from '#db/replica.ts'
import type { Deps } from '#http/deps.ts'
import {
  AmountQuery,
  choice,
  parseAmounts,
  parseWindow,
  SUMMARISED,
  WindowQuery,
} from '#http/lists.ts'
import { type QueryOf, resource } from '#http/resource.ts'
import { accountNumber, reference, text } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { readHistory } from '#reports/timeline-entries.ts'
import {
  type CreditFilters,
  endOfScan,
  getCredit,
  listCredits,
  OUTCOMES,
  summarizeCredits,
} from './queries.ts'
import { CreditDetailView, CreditView, parseCreditKey } from './views.ts'

export const CreditFilterFields = {
  sessionId: Type.Optional(text(64, 'Session ID, settlement ID or bank reference.')),
  accountNumber: Type.Optional(accountNumber('Credited account number.')),
  paymentReference: Type.Optional(reference('Credits paid or assigned to this payment.')),
  adviceReference: Type.Optional(reference('Credits paid or assigned to this advice.')),
  merchantRef: Type.Optional(text(100, 'Credits of the advice with this merchantRef.')),
  outcome: choice(OUTCOMES, 'Only credits with this outcome.'),
  payer: Type.Optional(text(100, 'Part of the payer’s name, case-insensitive.')),
  ...AmountQuery,
  ...WindowQuery,
}

const LISTED =
  'Filters can be combined; from and to apply to receivedAt. Operators also find unidentified ' +
  'credits, by sessionId or accountNumber. A page filtered by amount or payer may hold fewer items ' +
  'than `limit`, or none, while hasMore is true: continue with nextCursor.'

export const credits = resource('/api/v1/credits', {
  tag: 'Credits',
  noun: 'credit',
  view: CreditView,
  scopes: { read: 'credits:read', write: 'credits:read' },
  params: { id: (text: string, { sealer }: Deps) => parseCreditKey(sealer, text) },
})
  .summary('summarizeCredits', {
    summary: 'Count and add up credits',
    description: SUMMARISED,
    filters: CreditFilterFields,
    run: (db, { client, query }) => {
      const matching = { viewer: client, filters: parseCreditFilters(query) }
      return withSnapshot(db, (tx) => summarizeCredits(tx, matching))
    },
  })
  .list('listCredits', {
    summary: 'List credits, newest first',
    description: LISTED,
    filters: CreditFilterFields,
    isOrdered: true,
    rows: async (db, { client, sealer, query, order, after, limit }) => {
      const filters = parseCreditFilters(query)
      const page = { viewer: client, filters, order, after: after ?? undefined }
      const until = await endOfScan(db, page)
      const rows = await listCredits(db, { ...page, sealer, until, limit })
      return { rows, scannedTo: until ?? null }
    },
  })
  .get('getCredit', {
    summary: 'Retrieve a credit',
    description: 'By ID, or any of its identifiers. Shows where its money is now.',
    errors: ['credit_not_found'],
    view: CreditDetailView,
    run: (db, { client, sealer, params }) =>
      withSnapshot(db, async (tx) => {
        const credit = await getCredit(tx, { sealer, viewer: client, by: params.id })
        return { ...credit, ...(await readHistory(tx, client.id, credit)) }
      }),
  })

// Parses the query of a list, an export or a summary of credits.
export function parseCreditFilters(query: QueryOf<typeof CreditFilterFields>): CreditFilters {
  const { sessionId, accountNumber, merchantRef, outcome, payer } = query
  const parseIfSent = (text: string | undefined) =>
    text === undefined ? text : parseReference(text)
  return {
    sessionId,
    accountNumber,
    paymentReference: parseIfSent(query.paymentReference),
    adviceReference: parseIfSent(query.adviceReference),
    merchantRef,
    outcome,
    payer,
    ...parseAmounts(query),
    ...parseWindow(query),
  }
}
