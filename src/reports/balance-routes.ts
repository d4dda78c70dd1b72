// /api/v1/balances: shows a client's balances in total, by merchant and by subaccount. Exports the balances
// by merchant and by subaccount as CSV.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { refuseRestricted } from '#access/permissions.ts'
import { LIMIT_DEFAULT, type List, type Page, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/replica.ts'
import { type Columns, CsvExports, FileQuery, readBatches } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { AtQuery, ListEnvelope, listResponse, PageQuery, parseAt, parseLimit } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import {
  type Balance,
  listMerchantBalances,
  listSubaccountBalances,
  type MerchantBalance,
  type MerchantName,
  readBalances,
  type SubaccountBalance,
} from './balances.ts'

const MerchantView = view('MerchantBalance', (f: Fields<MerchantBalance>) => ({
  merchantId: f.text('merchantId'),
  merchantCode: f.text('merchantCode'),
  currency: f.text('currency'),
  accounts: f.integer('accounts', 'Number of collection accounts.'),
  collected: f.naira(
    'collectedKobo',
    'Received on its collection accounts; paying it out changes nothing.',
  ),
  available: f.naira('availableKobo', 'On its collection accounts, to pay out or refund.'),
  inSuspense: f.naira('inSuspenseKobo', 'Sent to its collection accounts and in suspense.'),
  returned: f.naira('returnedKobo', 'Sent to its collection accounts and returned.'),
}))

const SubaccountView = view('SubaccountBalance', (f: Fields<SubaccountBalance>) => ({
  subaccountCode: f.text('subaccountCode'),
  name: f.text('name'),
  currency: f.text('currency'),
  available: f.naira('availableKobo', 'Shares not yet settled.'),
  inTransit: f.naira(
    'inTransitKobo',
    'In settlements and payouts that the banks have not confirmed.',
  ),
  paidOut: f.naira('paidOutKobo', 'Paid out, confirmed by the banks.'),
}))

const tags = ['Balances']

// `at` is the text that the caller sent. A cursor is valid only for the `at` that it was made for.
type BalancePage = { clientId: ClientId; at: string | undefined; limit?: number }

const merchantList = ({ clientId, at }: BalancePage): List => ({
  name: 'merchants',
  clientId,
  filters: { at },
})

const subaccountList = ({ clientId, at }: BalancePage): List => ({
  name: 'subaccount-balances',
  clientId,
  filters: { at },
})

// Makes a page of balances by merchant. If `rows` has one row more than the page holds, another page follows,
// and the response gets a cursor that names the last merchant of this page.
function merchantPage(
  sealer: Sealer,
  page: BalancePage,
  rows: readonly MerchantBalance[],
): Page<MerchantBalance> {
  return toPage(rows, page.limit ?? LIMIT_DEFAULT, ({ merchantId, merchantCode, currency }) =>
    writeCursor(sealer, merchantList(page), [merchantId, merchantCode, currency]),
  )
}

// Makes a page of balances by subaccount. One more row than the page shows means that another page follows.
function subaccountPage(
  sealer: Sealer,
  page: BalancePage,
  rows: readonly SubaccountBalance[],
): Page<SubaccountBalance> {
  return toPage(rows, page.limit ?? LIMIT_DEFAULT, ({ subaccountCode }) =>
    writeCursor(sealer, subaccountList(page), [subaccountCode]),
  )
}

const merchantBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.get(
    '/api/v1/balances/merchants',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listMerchantBalances',
        tags,
        summary: 'List balances by merchant, by merchantId',
        description: 'Grouped by merchantId and merchantCode of the collection accounts.',
        security: BEARER,
        querystring: strictObject({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(MerchantView.schema) },
      },
    },
    async ({ client, query }) => {
      const at = parseAt(query, clock())
      const balancePage = { clientId: client.id, at: query.at, limit: parseLimit(query) }
      const after = parseMerchant(readCursor(sealer, merchantList(balancePage), query.cursor))
      const limit = balancePage.limit + 1
      const rows = await withSnapshot(db, (tx) =>
        listMerchantBalances(tx, client.id, { after, at, limit }),
      )
      const page = merchantPage(sealer, balancePage, rows)
      return listResponse('Balances retrieved successfully', page, (row) =>
        MerchantView.present(row),
      )
    },
  )
}

const subaccountBalanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.get(
    '/api/v1/balances/subaccounts',
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'listSubaccountBalances',
        tags,
        summary: 'List balances by subaccount, by code',
        description: 'Not available to clients restricted to certain merchantCodes.',
        security: BEARER,
        querystring: strictObject({ ...AtQuery, ...PageQuery }),
        response: { 200: ListEnvelope(SubaccountView.schema) },
      },
    },
    async ({ client, query }) => {
      refuseRestricted(client)
      const at = parseAt(query, clock())
      const balancePage = { clientId: client.id, at: query.at, limit: parseLimit(query) }
      const after = readCursor(sealer, subaccountList(balancePage), query.cursor)?.[0]
      const limit = balancePage.limit + 1
      const rows = await listSubaccountBalances(db, client.id, { after, at, limit })
      const page = subaccountPage(sealer, balancePage, rows)
      return listResponse('Balances retrieved successfully', page, (row) =>
        SubaccountView.present(row),
      )
    },
  )
}

const EXPORT_BATCH = 500

type BalanceExport<Row, After> = {
  operationId: string
  by: string
  name: string
  isForWholeClient: boolean
  columns: Columns<never>
  present: (row: Row) => object
  rows: (
    clientId: ClientId,
    page: { after?: After; at: Date | undefined; limit: number },
  ) => Promise<Row[]>
  positionOf: (row: Row) => After
}

// Adds a route that exports all balances of a list as CSV. `never` stands for the type of the rows, which
// differs by list: only the list's own columns read its rows.
function exportBalances<Row, After>(
  app: FastifyInstance,
  deps: Deps,
  list: BalanceExport<Row, After>,
): void {
  const exports = new CsvExports()
  app.get(
    `/api/v1/balances/${list.name}.csv`,
    {
      exposeHeadRoute: false,
      onRequest: deps.authentication.requires('accounts:read'),
      schema: {
        operationId: list.operationId,
        tags,
        summary: `Export balances by ${list.by} as CSV`,
        description: 'Columns: the fields of the list.',
        security: BEARER,
        querystring: strictObject({ ...AtQuery, ...FileQuery }),
        response: { 200: { content: { 'text/csv': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { client, query: fields } = request
      if (list.isForWholeClient) refuseRestricted(client)
      const at = parseAt(fields as { at?: string }, deps.clock())
      // Reads the list in batches, each after the last row of the batch before. A batch that is not full is
      // the last.
      const batches = readBatches<never, After>(async (after) => {
        const page = { ...(after === undefined ? {} : { after }), at, limit: EXPORT_BATCH }
        const rows = await list.rows(client.id, page)
        const next = rows.length === EXPORT_BATCH ? list.positionOf(rows.at(-1) as Row) : null
        return { rows: rows.map(list.present) as never[], next }
      })
      return exports.send(reply, client.id, {
        name: `${list.name}-balances`,
        columns: list.columns,
        batches,
      })
    },
  )
}

// Reads the last merchant of the previous page from a cursor.
function parseMerchant(cursor: readonly string[] | undefined): MerchantName | undefined {
  if (!cursor) return undefined
  const [merchantId, merchantCode, currency] = cursor as [string, string, string]
  return { merchantId, merchantCode, currency }
}

const BalanceView = view('Balance', (f: Fields<Balance>) => ({
  currency: f.text('currency'),
  gross: f.naira(
    'grossKobo',
    'Credits reported for your accounts, plus unidentified money assigned to you. Equals net + ' +
      'reversed + returned + refunded + suspended + fees.',
  ),
  net: f.naira(
    'netKobo',
    'collected + pending − refunded, and also available + pending + subaccounts + reserved + held + ' +
      'inTransit + paidOut + payoutFees + forfeited − receivable − writtenOff − withheldTax.',
  ),
  suspended: f.naira('suspendedKobo', 'inSuspense + returning.'),
  collected: f.naira(
    'collectedKobo',
    'Received on collection accounts and by paid payments; paying out and refunding change nothing.',
  ),
  pending: f.naira('pendingKobo', 'Part payments not yet settled.'),
  inSuspense: f.naira('inSuspenseKobo', 'Held in suspense.'),
  returning: f.naira('returningKobo', 'Being returned to payers.'),
  returned: f.naira('returnedKobo', 'Returned to payers from suspense, confirmed by the banks.'),
  reversed: f.naira('reversedKobo', 'Reversed by the banks.'),
  fees: f.naira('feesKobo', 'Fees and VAT charged on credits, less those given back.'),
  available: f.naira(
    'availableKobo',
    'To pay out or refund: on collection accounts and from paid payments. As much as you owe ' +
      '(receivable) stays.',
  ),
  subaccounts: f.naira('subaccountsKobo', 'Shares of your subaccounts, not yet settled.'),
  reserved: f.naira('reservedKobo', 'Held back from settlements until it is released.'),
  held: f.naira('heldKobo', 'Held by the operator: nothing can be drawn from it.'),
  forfeited: f.naira('forfeitedKobo', 'Held and then taken for good.'),
  inTransit: f.naira(
    'inTransitKobo',
    'In settlements, payouts and refunds that the banks have not confirmed.',
  ),
  paidOut: f.naira('paidOutKobo', 'Paid out, confirmed by the banks.'),
  refunded: f.naira('refundedKobo', 'Refunded to payers, confirmed by the banks.'),
  payoutFees: f.naira('payoutFeesKobo', 'Fees and VAT charged on payouts.'),
  receivable: f.naira('receivableKobo', 'What you owe: reversed after it had left.'),
  writtenOff: f.naira('writtenOffKobo', 'What you owed and no longer do.'),
  withheldTax: f.naira('withheldTaxKobo', 'Tax that you withheld from fees and were given back.'),
}))

type Balances = {
  totals: Balance[]
  merchants: Page<MerchantBalance>
  subaccounts: Page<SubaccountBalance>
}

const BalancesView = view('Balances', (f: Fields<Balances>) => ({
  totals: f.list(BalanceView, 'totals', 'One per currency.'),
  merchants: f.list(MerchantView, ({ merchants }) => merchants.rows, `The first ${LIMIT_DEFAULT}.`),
  merchantsNextCursor: f.textOrNull(
    ({ merchants }) => merchants.nextCursor,
    'Cursor for the rest, at /api/v1/balances/merchants.',
  ),
  subaccounts: f.list(
    SubaccountView,
    ({ subaccounts }) => subaccounts.rows,
    `The first ${LIMIT_DEFAULT}.`,
  ),
  subaccountsNextCursor: f.textOrNull(
    ({ subaccounts }) => subaccounts.nextCursor,
    'Cursor for the rest, at /api/v1/balances/subaccounts.',
  ),
}))

const balances = resource('/api/v1/balances', {
  tag: 'Balances',
  noun: 'balances',
  view: BalancesView,
  scopes: { read: 'accounts:read', write: 'accounts:read' },
  isForWholeClient: true,
}).get('getBalances', {
  path: '',
  summary: 'Retrieve balances',
  description: 'Not available to clients restricted to certain merchantCodes.',
  query: AtQuery,
  run: async (db, { clientId, sealer, now, query }) => {
    const at = parseAt(query, now)
    const firstPage = { at, limit: LIMIT_DEFAULT + 1 } // One row more shows whether another page follows.
    const [totals, merchants, subaccounts] = await withSnapshot(db, async (tx) => [
      await readBalances(tx, clientId, at),
      await listMerchantBalances(tx, clientId, firstPage),
      await listSubaccountBalances(tx, clientId, firstPage),
    ])
    const balancePage = { clientId, at: query.at }
    return {
      totals,
      merchants: merchantPage(sealer, balancePage, merchants),
      subaccounts: subaccountPage(sealer, balancePage, subaccounts),
    }
  },
})

export const balanceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await merchantBalanceRoutes(app, deps)
  await subaccountBalanceRoutes(app, deps)
  exportBalances<MerchantBalance, MerchantName>(app, deps, {
    operationId: 'exportMerchantBalances',
    by: 'merchant',
    name: 'merchants',
    isForWholeClient: false,
    columns: MerchantView.columns(),
    present: (row) => MerchantView.present(row),
    rows: (clientId, page) =>
      withSnapshot(deps.db, (tx) => listMerchantBalances(tx, clientId, page)),
    positionOf: (row) => row,
  })
  exportBalances<SubaccountBalance, string>(app, deps, {
    operationId: 'exportSubaccountBalances',
    by: 'subaccount',
    name: 'subaccounts',
    isForWholeClient: true,
    columns: SubaccountView.columns(),
    present: (row) => SubaccountView.present(row),
    rows: (clientId, page) => listSubaccountBalances(deps.db, clientId, page),
    positionOf: ({ subaccountCode }) => subaccountCode,
  })
  balances.register(app, deps)
}
