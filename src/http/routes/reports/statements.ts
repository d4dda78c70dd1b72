// Statements as CSV and as a page to print: of a collection account, of all that is available to a
// client, of a subaccount, and of a ledger account.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAccountNumber } from '#banks/nuban.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Window } from '#db/time-bounds.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { getStatementAccount } from '#domain/accounts/account-statement.ts'
import { getLedgerAccount } from '#domain/reports/chart-of-accounts.ts'
import { findAvailableAccounts } from '#domain/reports/client-ledger.ts'
import { kindName } from '#domain/reports/ledger-names.ts'
import {
  openStatement,
  readStatement,
  type StatementRow,
  type StatementSubject,
} from '#domain/reports/statements.ts'
import { getSubaccountLedger } from '#domain/reports/subaccount-balances.ts'
import { Refusal } from '#errors.ts'
import { type Columns, type CsvExports, SpreadsheetQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { parseWindow, query, WindowQuery } from '#http/lists.ts'
import { PRINTABLE_HEADERS } from '#http/printable-page.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { BEARER } from '#http/schemas.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { LEDGER, ledgerViewer, requireAccountId } from './ledger.ts'
import { renderStatement } from './statement-page.ts'

export const PAGE_ROWS_MAX = 2_000

type Named = StatementSubject & { title: string; name: string } // The file's name.
type Params = Readonly<Record<string, string>>
type Sort = {
  path: string
  operation: string
  tag: string
  of: string
  scope: Scope
  find: (deps: Deps, request: FastifyRequest, params: Params) => Promise<Named>
}

const SORTS: readonly Sort[] = [
  {
    path: `${ACCOUNTS}/:accountNumber/statement`,
    operation: 'AccountStatement',
    tag: 'Collection accounts',
    of: 'a collection account',
    scope: 'accounts:read',
    find: async ({ db }, { client }, { accountNumber = '' }) => {
      if (!isAccountNumber(accountNumber)) throw new Refusal('account_not_found')
      const { id, currency } = await getStatementAccount(db, client.id, accountNumber)
      const title = `Statement of account ${accountNumber}`
      const name = `statement-${accountNumber}`
      return { accountIds: [id], kind: 'collection', currency, title, name }
    },
  },
  {
    path: '/api/v1/balances/statement',
    operation: 'BalanceStatement',
    tag: 'Balances',
    of: 'what is available to you',
    scope: 'accounts:read',
    find: async ({ db }, { client }, { currency = CURRENCY }) => {
      refuseRestricted(client)
      const accountIds = await findAvailableAccounts(db, client.id, currency)
      const title = 'Statement of available funds'
      return { accountIds, kind: 'available', currency, title, name: `statement-${currency}` }
    },
  },
  {
    path: '/api/v1/subaccounts/:code/statement',
    operation: 'SubaccountStatement',
    tag: 'Balances',
    of: 'a subaccount',
    scope: 'payouts:read',
    find: async ({ db }, { client }, { code = '' }) => {
      refuseRestricted(client)
      const { name, accountIds } = await getSubaccountLedger(db, client.id, code)
      const title = `Statement of subaccount ${name} (${code})`
      const file = `statement-${code}`
      return { accountIds, kind: 'subaccount', currency: CURRENCY, title, name: file }
    },
  },
  {
    path: `${LEDGER}/accounts/:id/statement`,
    operation: 'LedgerStatement',
    tag: 'Ledger',
    of: 'a ledger account',
    scope: 'credits:read',
    find: async ({ db, sealer }, request, params) => {
      refuseRestricted(request.client)
      const id = requireAccountId(params.id ?? '', { sealer })
      const account = await getLedgerAccount(db, ledgerViewer(request), id)
      const { kind, currency, owner, accountNumber } = account
      const bank = owner.startsWith('bank:') ? ` (${owner.slice('bank:'.length)})` : ''
      const title = `Statement of ${accountNumber ?? kindName(kind)}${bank}`
      return { accountIds: [id], kind, currency, title, name: `statement-${params.id}` }
    },
  },
]

const CurrencyQuery = {
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Z]{3}$', description: `Default ${CURRENCY}.` }),
  ),
}

type Line = Partial<StatementRow> & { reason: string; at: Date | undefined; balanceKobo: Kobo }

const amountIn = ({ changeKobo = kobo(0n) }: Line) =>
  changeKobo > 0n ? formatKobo(changeKobo) : ''
const amountOut = ({ changeKobo = kobo(0n) }: Line) =>
  changeKobo < 0n ? formatKobo(kobo(-changeKobo)) : ''

const columnsOf = (sealer: Sealer, currency: string): Columns<Line> => [
  ['transferId', ({ id }) => id && publicId(sealer, 'transfer', id)],
  ['postedAt', ({ at }) => at && timestamp(at)],
  ['reason', ({ reason }) => reason],
  ['in', amountIn],
  ['out', amountOut],
  ['balance', ({ balanceKobo }) => formatKobo(balanceKobo)],
  ['currency', () => currency],
  ['accountNumber', ({ accountNumber }) => accountNumber],
  ['otherKind', ({ otherKind }) => otherKind],
  ['otherAccountNumber', ({ otherAccountNumber }) => otherAccountNumber],
  ['creditId', ({ creditId }) => creditId && publicId(sealer, 'credit', creditId)],
  ['sessionId', ({ sessionId }) => sessionId],
  ['payoutReference', ({ payoutReference }) => payoutReference],
  ['settlementReference', ({ settlementReference }) => settlementReference],
  [
    'adjustmentId',
    ({ adjustmentId }) => adjustmentId && publicId(sealer, 'adjustment', adjustmentId),
  ],
  ['sourceAccountName', ({ sourceAccountName }) => sourceAccountName],
  ['narration', ({ narration }) => narration],
  [
    'differenceId',
    ({ differenceId }) => differenceId && publicId(sealer, 'difference', differenceId),
  ],
]

type StatementDeps = Deps & { exports: CsvExports }
type Query = { from?: string; to?: string; currency?: string }

export const statementExports: FastifyPluginAsyncTypebox<StatementDeps> = async (app, deps) => {
  for (const sort of SORTS) {
    const routes = { csv: sendCsv, html: sendPage }
    for (const [format, send] of Object.entries(routes)) {
      app.get(
        `${sort.path}.${format}`,
        { exposeHeadRoute: false, ...routeOf(deps, sort, format as 'csv' | 'html') },
        async (request, reply) => {
          const asked = request.query as Query
          const params = { ...(request.params as Params), ...asked }
          const window = parseWindow(asked)
          return send(deps, await sort.find(deps, request, params), { request, reply, window })
        },
      )
    }
  }
}

const FORMATS = {
  csv: { name: 'CSV', prefix: 'export', type: 'text/csv' },
  html: { name: 'a page to print', prefix: 'print', type: 'text/html' },
} as const

function routeOf({ authentication }: Deps, sort: Sort, format: 'csv' | 'html') {
  const { name, prefix, type } = FORMATS[format]
  const limit = format === 'html' ? ` Up to ${PAGE_ROWS_MAX} movements.` : ''
  const hasCurrency = sort.path.startsWith('/api/v1/balances')
  return {
    onRequest: authentication.requires(sort.scope),
    schema: {
      operationId: `${prefix}${sort.operation}`,
      tags: [sort.tag],
      summary: `Retrieve a statement of ${sort.of} as ${name}`,
      description:
        'Opening balance, every movement in the order of posting with the balance after it, and ' +
        `closing balance. Columns: docs/exports.md.${limit}`,
      security: BEARER,
      querystring: query({
        ...WindowQuery,
        ...(hasCurrency ? CurrencyQuery : {}),
        ...(format === 'csv' ? SpreadsheetQuery : {}),
      }),
      response: {
        200: { content: { [type]: { schema: Type.String() } } },
      },
    },
  }
}

type Asked = { request: FastifyRequest; reply: FastifyReply; window: Window }

async function sendCsv(deps: StatementDeps, of: Named, { request, reply, ...asked }: Asked) {
  const { db, sealer, clock, exports } = deps
  const viewer = ledgerViewer(request)
  const period = await openStatement(db, of, asked.window)
  const { window, openingKobo } = period
  const statement = readStatement(db, { viewer, subject: of, ...period })
  async function* lines(): AsyncGenerator<Line[], void> {
    let balanceKobo = openingKobo
    yield [{ reason: 'opening_balance', at: window.from, balanceKobo }]
    for await (const rows of statement) {
      balanceKobo = rows.at(-1)?.balanceKobo ?? balanceKobo
      yield rows.map((row) => ({ ...row, at: row.postedAt }))
    }
    yield [{ reason: 'closing_balance', at: window.to ?? clock(), balanceKobo }]
  }
  const columns = columnsOf(sealer, of.currency)
  return exports.send(reply, viewer.id, { name: of.name, columns, batches: lines() })
}

// In one snapshot: what it adds up is what it shows.
async function sendPage(deps: StatementDeps, of: Named, { request, reply, window }: Asked) {
  const viewer = ledgerViewer(request)
  const { to = deps.clock() } = window
  const page = await withSnapshot(deps.db, async (tx) => {
    const period = await openStatement(tx, of, window)
    const rows: StatementRow[] = []
    for await (const batch of readStatement(tx, { viewer, subject: of, ...period })) {
      rows.push(...batch)
      if (rows.length > PAGE_ROWS_MAX) throw new Refusal('statement_too_long')
    }
    return { openingKobo: period.openingKobo, from: period.window.from, rows }
  })
  const { title, currency } = of
  const body = renderStatement({ ...page, title, currency, holder: viewer.name, to })
  return reply.headers(PRINTABLE_HEADERS).send(body)
}
