// /api/v1/ledger/accounts/{id}: the transfers of a ledger account, and what they add up to.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { getLedgerAccount, type LedgerAccount } from '#domain/reports/chart-of-accounts.ts'
import { type LedgerEntry, listLedgerEntries } from '#domain/reports/ledger-entries.ts'
import { type LedgerPeriod, readLedgerPeriod } from '#domain/reports/ledger-periods.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  parseLimit,
  parseWindow,
  query,
  scannedPage,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { CauseFields, presentCause } from '#http/transfer-causes.ts'
import { toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { LEDGER, ledgerViewer, requireAccountId } from './ledger.ts'

const TransferBody = named('LedgerTransfer', {
  id: Type.Integer(),
  reason: Type.String({ description: 'credit, settle, assign, payout, refund, settlement, …' }),
  side: Type.Unsafe<'debit' | 'credit'>({
    type: 'string',
    enum: ['debit', 'credit'],
    description: 'The side of this account that it is on.',
  }),
  direction: Type.Unsafe<'in' | 'out'>({ type: 'string', enum: ['in', 'out'] }),
  amount: Type.Number({ description: 'Always positive: see direction.' }),
  otherAccountId: nullable('number', { description: 'Null if not visible to you.' }),
  otherKind: Type.String({ description: 'Kind of the other account.' }),
  otherBankCode: nullable('string', {
    description: 'If the other account is a bank’s. Null if not visible to you.',
  }),
  creditId: nullable('number', { description: 'Null if not visible to you, or not of a credit.' }),
  sessionId: nullable('string'),
  ...CauseFields,
  postedAt: Type.String(),
})

const PeriodBody = named('LedgerTotals', {
  currency: Type.String(),
  opening: Type.Number({ description: 'Balance at from.' }),
  debits: Type.Number({ description: 'Sum of the debits of the period.' }),
  credits: Type.Number({ description: 'Sum of the credits of the period.' }),
  closing: Type.Number({ description: 'Balance at to.' }),
  transfers: Type.Integer({ description: 'Number of transfers of the period.' }),
})

const tags = ['Ledger']

export const ledgerTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(transfers, deps)
  await app.register(totals, deps)
}

const transfers: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  app.get(
    `${LEDGER}/accounts/:id/transfers`,
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'listLedgerTransfers',
        tags,
        summary: 'List transfers of a ledger account, newest first',
        description: 'from and to filter by posting time. Pages of a bank account may be short.',
        security: BEARER,
        params: Type.Object({ id: Type.String() }),
        querystring: query({ ...WindowQuery, ...PageQuery }),
        response: { 200: ListEnvelope(TransferBody) },
      },
    },
    async (request) => {
      const { client, params, query: asked } = request
      refuseRestricted(client)
      const viewer = ledgerViewer(request)
      const account = await getLedgerAccount(db, viewer, requireAccountId(sealer, params.id))
      const window = parseWindow(asked)
      const filters = { id: account.id.toString(), from: asked.from, to: asked.to }
      const list: List = { name: 'ledger-transfers', clientId: client.id, filters }
      const after = readCursor(sealer, list, asked.cursor)?.[0]
      const limit = parseLimit(asked)
      const found = await listLedgerEntries(db, viewer, {
        ...{ account, window, after },
        limit: limit + 1,
      })
      const page = scannedPage(found, {
        limit,
        idOf: ({ position }) => position,
        cursorAfter: (position) => writeCursor(sealer, list, [position]),
      })
      return listResponse('Ledger transfers retrieved successfully', page, (row) =>
        presentEntry(row, sealer),
      )
    },
  )
}

const totals: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  app.get(
    `${LEDGER}/accounts/:id/totals`,
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getLedgerTotals',
        tags,
        summary: 'Add up the transfers of a ledger account',
        description:
          'Opening balance, debits, credits and closing balance of the period: what its statement ' +
          'adds up to. Without from it starts at nothing, or where the ledger begins if months before ' +
          'that are archived; without to it ends now.',
        security: BEARER,
        params: Type.Object({ id: Type.String() }),
        querystring: query(WindowQuery),
        response: { 200: ApiEnvelope(PeriodBody) },
      },
    },
    async (request) => {
      const { client, params, query: asked } = request
      refuseRestricted(client)
      const window = parseWindow(asked)
      const id = requireAccountId(sealer, params.id)
      const data = await withSnapshot(db, async (tx) => {
        const account = await getLedgerAccount(tx, ledgerViewer(request), id)
        return presentTotals(account, await readLedgerPeriod(tx, account, window))
      })
      return accepted('Ledger totals retrieved successfully', data)
    },
  )
}

function presentTotals({ currency }: LedgerAccount, period: LedgerPeriod) {
  return {
    currency,
    opening: toNaira(period.openingKobo),
    debits: toNaira(period.debitsKobo),
    credits: toNaira(period.creditsKobo),
    closing: toNaira(period.closingKobo),
    transfers: Number(period.transfers),
  }
}

function presentEntry(entry: LedgerEntry, sealer: Sealer) {
  const { otherId, creditId } = entry
  return {
    id: publicId(sealer, 'transfer', entry.id),
    reason: entry.reason,
    side: entry.side,
    direction: entry.direction,
    amount: toNaira(entry.amountKobo),
    otherAccountId: otherId === null ? null : publicId(sealer, 'account', otherId),
    otherKind: entry.otherKind,
    otherBankCode: entry.otherBankCode,
    creditId: creditId === null ? null : publicId(sealer, 'credit', creditId),
    sessionId: entry.sessionId,
    ...presentCause(entry, sealer),
    postedAt: timestamp(entry.postedAt),
  }
}
