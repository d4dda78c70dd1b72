// The routes of statements, as CSV and as a page to print: of a collection account, of all available accounts
// of a client, of a subaccount, and of a ledger account.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuseRestricted, type Scope } from '#access/permissions.ts'
import { getStatementAccount } from '#accounts/statement.ts'
import { ACCOUNTS } from '#accounts/views.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import { timestamp, watTime } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import { withSnapshot } from '#db/replica.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import { type Columns, type CsvExports, FileQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { parseWindow, WindowQuery } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { publicId } from '#ids.ts'
import { CURRENCY, formatKobo, groupThousands, type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { getSubaccountLedger } from './balances.ts'
import { findAvailableAccounts, getLedgerAccount, kindName, reasonName } from './ledger.ts'
import { LEDGER, ledgerViewer, requireAccountId } from './ledger-routes.ts'
import {
  openStatement,
  readStatement,
  type StatementRow,
  type StatementSubject,
} from './statements.ts'

type StatementPage = {
  title: string // Contains the owner and the account.
  holder: string
  currency: string
  from: Date | undefined
  to: Date
  openingKobo: Kobo
  rows: readonly StatementRow[]
}

// Renders a statement as a page to print: title, period, sums and a table of the movements.
function renderStatement(page: StatementPage): string {
  const { title, holder, currency, openingKobo, rows } = page
  const closingKobo = rows.at(-1)?.balanceKobo ?? openingKobo
  // Adds up the movements in one direction: `isCounted` selects money in or money out.
  const sumChanges = (isCounted: (change: bigint) => boolean) => {
    const counted = rows.filter(({ changeKobo }) => isCounted(changeKobo))
    return kobo(counted.reduce((sum, { changeKobo }) => sum + changeKobo, 0n))
  }
  const sums: [string, Kobo][] = [
    ['Opening balance', openingKobo],
    ['In', sumChanges((change) => change > 0n)],
    ['Out', kobo(-sumChanges((change) => change < 0n))],
    ['Closing balance', closingKobo],
  ]
  const body = `<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(holder)} · ${formatPeriod(page)} · ${escapeHtml(currency)}</p>
<dl>${sums.map(([name, sum]) => `<div><dt>${name}</dt><dd>${formatAmount(sum)}</dd></div>`).join('')}</dl>
</header>
<main>${rows.length > 0 ? renderTable(rows) : '<p>No movements in this period.</p>'}</main>`
  return printablePage({ title, body })
}

function formatPeriod({ from, to }: StatementPage): string {
  return `${from ? `${formatTime(from)} to ` : 'Until '}${formatTime(to)} (West Africa Time)`
}

function renderTable(rows: readonly StatementRow[]): string {
  return `
<table>
<thead><tr><th scope="col">Posted</th><th scope="col">Movement</th>
<th scope="col" class="amount">In</th><th scope="col" class="amount">Out</th>
<th scope="col" class="amount">Balance</th></tr></thead>
<tbody>${rows.map(renderRow).join('')}</tbody>
</table>`
}

// Renders a movement as a table row. `data-name` labels the amounts on narrow screens.
function renderRow(row: StatementRow): string {
  const { changeKobo } = row
  const cell = (name: string, text: string) => `<td class="amount" data-name="${name}">${text}</td>`
  return `
<tr><td>${formatTime(row.postedAt)}</td>
<td>${escapeHtml(reasonName(row.reason))}${listDetails(row).map(renderSmall).join('')}</td>${[
    cell('In', changeKobo > 0n ? formatAmount(changeKobo) : ''),
    cell('Out', changeKobo < 0n ? formatAmount(kobo(-changeKobo)) : ''),
    cell('Balance', formatAmount(row.balanceKobo)),
  ].join('')}</tr>`
}

// Lists the small print below the reason of a movement: accounts, payer, narration and references.
function listDetails(row: StatementRow): string[] {
  const preposition = row.changeKobo > 0n ? 'From' : 'To'
  const { sessionId, payoutReference, settlementReference, holdReference } = row
  const references = [sessionId, payoutReference, settlementReference, holdReference]
  return [
    ...(row.accountNumber ? [`Account ${row.accountNumber}`] : []),
    `${preposition} ${row.otherAccountNumber ?? kindName(row.otherKind)}`,
    [row.sourceAccountName, row.narration].filter(Boolean).join(', '),
    ...references.map((reference) => reference ?? ''),
  ].filter(Boolean)
}

const renderSmall = (text: string) => `<small>${escapeHtml(text)}</small>`
const formatTime = (at: Date) => watTime(at).slice(0, 19).replace('T', ' ')
const formatAmount = (sum: Kobo) => groupThousands(formatKobo(sum))

export const PAGE_ROWS_MAX = 2_000

type NamedSubject = StatementSubject & { title: string; name: string } // `name` is the file name.
type Params = Readonly<Record<string, string>>
// A kind of statement: its routes, and how its accounts are found.
type StatementKind = {
  path: string
  operation: string
  tag: string
  of: string
  scope: Scope
  errors: Record<'csv' | 'html', readonly RefusalCode[]>
  find: (deps: Deps, request: FastifyRequest, params: Params) => Promise<NamedSubject>
}

const STATEMENT_KINDS: readonly StatementKind[] = [
  {
    path: `${ACCOUNTS}/:accountNumber/statement`,
    operation: 'AccountStatement',
    tag: 'Collection accounts',
    of: 'a collection account',
    scope: 'accounts:read',
    errors: { csv: ['account_not_found'], html: ['account_not_found', 'statement_too_long'] },
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
    errors: { csv: [], html: ['statement_too_long'] },
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
    errors: { csv: ['subaccount_not_found'], html: ['subaccount_not_found'] },
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
    errors: { csv: ['ledger_account_not_found'], html: ['ledger_account_not_found'] },
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

export const statementColumns = (sealer: Sealer, currency: string): Columns<Line> => [
  ['transferId', ({ id }) => id && publicId(sealer, 'transfer', id)],
  ['postedAt', ({ at }) => at && timestamp(at), 'time'],
  ['reason', ({ reason }) => reason],
  ['in', amountIn, 'amount'],
  ['out', amountOut, 'amount'],
  ['balance', ({ balanceKobo }) => formatKobo(balanceKobo), 'amount'],
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
  ['holdReference', ({ holdReference }) => holdReference],
]

type StatementDeps = Deps & { exports: CsvExports }

export const statementExports: FastifyPluginAsyncTypebox<StatementDeps> = async (app, deps) => {
  for (const kind of STATEMENT_KINDS) {
    const routes = { csv: sendCsv, html: sendPage }
    for (const [format, send] of Object.entries(routes)) {
      app.get(
        `${kind.path}.${format}`,
        { exposeHeadRoute: false, ...routeOptions(deps, kind, format as 'csv' | 'html') },
        async (request, reply) => {
          const query = request.query as { from?: string; to?: string; currency?: string }
          const params = { ...(request.params as Params), ...query }
          const window = parseWindow(query)
          return send(deps, await kind.find(deps, request, params), { request, reply, window })
        },
      )
    }
  }
}

const FORMATS = {
  csv: { name: 'CSV', prefix: 'export', type: 'text/csv' },
  html: { name: 'a page to print', prefix: 'print', type: 'text/html' },
} as const

// The options of a statement's route, with its schema for the API reference.
function routeOptions({ authentication }: Deps, kind: StatementKind, format: 'csv' | 'html') {
  const { name, prefix, type } = FORMATS[format]
  const limit = format === 'html' ? ` Up to ${PAGE_ROWS_MAX} movements.` : ''
  const hasCurrency = kind.path.startsWith('/api/v1/balances')
  return {
    onRequest: authentication.requires(kind.scope),
    config: { errors: kind.errors[format] },
    schema: {
      operationId: `${prefix}${kind.operation}`,
      tags: [kind.tag],
      summary: `Retrieve a statement of ${kind.of} as ${name}`,
      description:
        'Opening balance, every movement in the order of posting with the balance after it, and ' +
        `closing balance. Columns: docs/exports.md.${limit}`,
      security: BEARER,
      querystring: strictObject({
        ...WindowQuery,
        ...(hasCurrency ? CurrencyQuery : {}),
        ...(format === 'csv' ? FileQuery : {}),
      }),
      response: {
        200: { content: { [type]: { schema: Type.String() } } },
      },
    },
  }
}

type Output = { request: FastifyRequest; reply: FastifyReply; window: Window }

// Sends the statement as CSV, between a line with the opening balance and one with the closing balance. Reads
// batch by batch, because a statement may have any length.
async function sendCsv(
  deps: StatementDeps,
  subject: NamedSubject,
  { request, reply, window: range }: Output,
) {
  const { db, sealer, clock, exports } = deps
  const viewer = ledgerViewer(request)
  const period = await openStatement(db, subject, range)
  const { window, openingKobo } = period
  const statement = readStatement(db, { viewer, subject, ...period })
  // Yields the lines of the CSV: the opening balance, the movements batch by batch, the closing balance.
  async function* lines(): AsyncGenerator<Line[], void> {
    let balanceKobo = openingKobo
    yield [{ reason: 'opening_balance', at: window.from, balanceKobo }]
    for await (const rows of statement) {
      balanceKobo = rows.at(-1)?.balanceKobo ?? balanceKobo
      yield rows.map((row) => ({ ...row, at: row.postedAt }))
    }
    yield [{ reason: 'closing_balance', at: window.to ?? clock(), balanceKobo }]
  }
  const columns = statementColumns(sealer, subject.currency)
  return exports.send(reply, viewer.id, { name: subject.name, columns, batches: lines() })
}

// Sends the statement as a page to print. Reads it in a repeatable-read transaction, so that its sums match
// its rows.
async function sendPage(
  deps: StatementDeps,
  subject: NamedSubject,
  { request, reply, window }: Output,
) {
  const viewer = ledgerViewer(request)
  const { to = deps.clock() } = window
  // Reads the opening balance and all movements, and refuses a statement that is too long for one page.
  const page = await withSnapshot(deps.db, async (tx) => {
    const period = await openStatement(tx, subject, window)
    const rows: StatementRow[] = []
    for await (const batch of readStatement(tx, { viewer, subject, ...period })) {
      rows.push(...batch)
      if (rows.length > PAGE_ROWS_MAX) throw new Refusal('statement_too_long')
    }
    return { openingKobo: period.openingKobo, from: period.window.from, rows }
  })
  const { title, currency } = subject
  const body = renderStatement({ ...page, title, currency, holder: viewer.name, to })
  return reply.headers(PRINTABLE_HEADERS).send(body)
}
