// /api/v1/ledger: ledger accounts with balances, their transfers and sums, and the last integrity check.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type Client, refuseRestricted } from '#access/permissions.ts'
import { CauseView } from '#accounts/statement-routes.ts'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  parseLimit,
  parseWindow,
  WindowQuery,
} from '#http/lists.ts'
import { publicIdKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { BEARER, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type AccountId, publicId } from '#ids.ts'
import {
  CHECK_NAMES,
  findLastIntegrityCheck,
  INTEGRITY_INTERVAL_MS,
  type IntegrityResult,
} from '#integrity/checks.ts'
import type { Sealer } from '#seal.ts'
import {
  type ChartPosition,
  computeBalance,
  getLedgerAccount,
  type LedgerAccount,
  type LedgerEntry,
  listLedgerAccounts,
  listLedgerEntries,
  toChartPosition,
} from './ledger.ts'
import { type LedgerPeriod, readLedgerPeriod } from './statements.ts'

export const LEDGER = '/api/v1/ledger'
const RESTRICTED = 'Not available to clients restricted to certain merchantCodes.'
const OVERDUE_AFTER = 3 // After this many check intervals without a result, a check is overdue.

const AccountView = view('LedgerAccount', (f: Fields<LedgerAccount, { sealer: Sealer }>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'account', id)),
  kind: f.text(
    'kind',
    'collection, pending, available, subaccount, settling, reserve, paying, refunding, ' +
      'receivable or suspense; for operators also bank, returning, shortfall, bank_cost, ' +
      'input_vat, stamp_duty, fee_income, vat_payable, write_off, wht_receivable, wht_credit, ' +
      'doubtful_debt and provision.',
  ),
  bankCode: f.textOrNull(
    ({ owner }) => (owner.startsWith('bank:') ? owner.slice('bank:'.length) : null),
    'For bank accounts and unidentified suspense.',
  ),
  accountNumber: f.textOrNull('accountNumber', 'For collection accounts.'),
  accountName: f.textOrNull('accountName'),
  subaccountCode: f.textOrNull('subaccountCode', 'For accounts of a subaccount.'),
  clientId: f.textOrNull('clientId', 'For operators: whose fees, receivable or write-offs.'),
  currency: f.text('currency'),
  balance: f.naira(computeBalance),
  debits: f.naira('debitsKobo', 'Total debits.'),
  credits: f.naira('creditsKobo', 'Total credits.'),
  openedAt: f.time('openedAt'),
}))

const CheckView = view(undefined, (f: Fields<{ name: string; findings: number }>) => ({
  name: f.text('name', 'Checked condition.'),
  isOk: f.flag(({ findings }) => findings === 0),
  findings: f.integer('findings', 'Number of violations, up to 100.'),
}))

const AuditView = view(
  'IntegrityReport',
  (f: Fields<{ last: IntegrityResult | undefined }, { client: Client; now: Date }>) => ({
    isOk: f.as(
      Type.Unsafe({
        type: ['boolean', 'null'],
        description: 'Whether all checks passed; null before the first run.',
      }),
      ({ last }) => last?.isOk ?? null,
    ),
    startedAt: f.timeOrNull(({ last }) => last?.startedAt ?? null),
    finishedAt: f.timeOrNull(({ last }) => last?.finishedAt ?? null),
    isOverdue: f.flag(({ last }, { now }) => {
      const ageMs = last ? now.getTime() - last.finishedAt.getTime() : 0
      return ageMs > OVERDUE_AFTER * INTEGRITY_INTERVAL_MS
    }, 'Whether the last run is too long ago.'),
    checks: f.list(CheckView, ({ last }) =>
      CHECK_NAMES.map((name) => {
        const findings = last?.findings.filter(({ check }) => check === name).length ?? 0
        return { name, findings }
      }),
    ),
    findings: f.as(
      Type.Union(
        [
          Type.Array(
            Type.Object({
              check: Type.String(),
              subject: Type.String(),
              expected: Type.String(),
              found: Type.String(),
            }),
          ),
          Type.Null(),
        ],
        { description: 'Details. Operators only; null for others.' },
      ),
      ({ last }, { client }) => (client.isOperator ? (last?.findings ?? []) : null),
    ),
  }),
)

export const ledgerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await accountListRoute(app, deps)
  account.register(app, deps)
  audit.register(app, deps)
}

// GET /api/v1/ledger/accounts. A cursor of this list has two parts: whether the last account is shared or a
// collection account, and its id.
const accountListRoute: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${LEDGER}/accounts`,
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'listLedgerAccounts',
        tags: ['Ledger'],
        summary: 'List ledger accounts with balances',
        description:
          'Your own; operators, and their users with accounting:read, also see bank accounts, ' +
          `unidentified suspense, fees, receivables and write-offs. ${RESTRICTED}`,
        security: BEARER,
        querystring: strictObject({
          kind: Type.Optional(text(40, 'Filter by kind.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(AccountView.schema) },
      },
    },
    async (request) => {
      const { client, query } = request
      refuseRestricted(client)
      const { kind } = query
      const list: List = { name: 'ledger-accounts', clientId: client.id, filters: { kind } }
      const after = parseChartPosition(readCursor(sealer, list, query.cursor))
      const limit = parseLimit(query)
      const filter = { kind, after, limit: limit + 1 }
      const rows = await listLedgerAccounts(db, ledgerViewer(request), filter)
      // The cursor names the last account of the page, and the part of the chart that it is in.
      const page = toPage(rows, limit, (last) => {
        const { isCollection, id } = toChartPosition(last)
        return writeCursor(sealer, list, [isCollection ? 'collection' : 'shared', id.toString()])
      })
      return listResponse('Ledger accounts retrieved successfully', page, (row) =>
        AccountView.present(row, deps),
      )
    },
  )
}

const LEDGER_SCOPES = { read: 'credits:read', write: 'credits:read' } as const

export const requireAccountId = publicIdKey('account', 'ledger_account_not_found')

const account = resource(`${LEDGER}/accounts`, {
  tag: 'Ledger',
  noun: 'ledger account',
  view: AccountView,
  scopes: LEDGER_SCOPES,
  params: { id: requireAccountId },
  isForWholeClient: true,
}).get('getLedgerAccount', {
  summary: 'Retrieve a ledger account',
  description:
    'Its debits, credits and balance. Operators also see the banks’ accounts and their own.',
  errors: ['ledger_account_not_found'],
  run: (db, call) => getLedgerAccount(db, ledgerViewer(call), call.params.id),
})

const audit = resource(`${LEDGER}/audit`, {
  tag: 'Ledger',
  noun: 'integrity check',
  view: AuditView,
  scopes: LEDGER_SCOPES,
}).get('getLedgerAudit', {
  path: '',
  summary: 'Retrieve the result of the last integrity check',
  description: 'Covers the whole ledger; runs every 15 minutes.',
  run: async (db) => ({ last: await findLastIntegrityCheck(db) }),
})

// Returns the client as which a caller sees the ledger. A user with accounting:read sees it as an operator
// does.
export function ledgerViewer({ client, scopes }: Pick<Identity, 'client' | 'scopes'>): Client {
  return { ...client, isOperator: client.isOperator || scopes.has('accounting:read') }
}

// Reads the last account of the previous page from a cursor.
function parseChartPosition(cursor: readonly string[] | undefined): ChartPosition | undefined {
  if (!cursor) return undefined
  const [sort, id] = cursor as [string, string]
  return { isCollection: sort === 'collection', id: BigInt(id) as AccountId }
}

type SealerContext = { sealer: Sealer }

const TransferView = view('LedgerTransfer', (f: Fields<LedgerEntry, SealerContext>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'transfer', id)),
  reason: f.text('reason', 'credit, settle, assign, payout, refund, settlement, …'),
  side: f.oneOf('side', ['debit', 'credit'], 'The side of this account that it is on.'),
  direction: f.as(Type.Unsafe({ type: 'string', enum: ['in', 'out'] }), 'direction'),
  amount: f.naira('amountKobo', 'Always positive: see direction.'),
  otherAccountId: f.integerOrNull(
    ({ otherId }, { sealer }) => (otherId === null ? null : publicId(sealer, 'account', otherId)),
    'Null if not visible to you.',
  ),
  otherKind: f.text('otherKind', 'Kind of the other account.'),
  otherBankCode: f.textOrNull(
    'otherBankCode',
    'If the other account is a bank’s. Null if not visible to you.',
  ),
  creditId: f.integerOrNull(
    ({ creditId }, { sealer }) => (creditId === null ? null : publicId(sealer, 'credit', creditId)),
    'Null if not visible to you, or not of a credit.',
  ),
  sessionId: f.textOrNull('sessionId'),
  ...CauseView.fields,
  postedAt: f.time('postedAt'),
}))

const TotalsView = view('LedgerTotals', (f: Fields<LedgerPeriod & { currency: string }>) => ({
  currency: f.text('currency'),
  opening: f.naira('openingKobo', 'Balance at from.'),
  debits: f.naira('debitsKobo', 'Sum of the debits of the period.'),
  credits: f.naira('creditsKobo', 'Sum of the credits of the period.'),
  closing: f.naira('closingKobo', 'Balance at to.'),
  transfers: f.integer('transfers', 'Number of transfers of the period.'),
}))

export const ledgerTransfers = resource(`${LEDGER}/accounts`, {
  tag: 'Ledger',
  noun: 'ledger transfer',
  view: TransferView,
  scopes: { read: 'credits:read', write: 'credits:read' },
  params: { id: requireAccountId },
  isForWholeClient: true,
})
  .list('listLedgerTransfers', {
    exportAs: 'exportLedgerTransfers',
    path: '/:id/transfers',
    name: 'ledger-transfers',
    summary: 'List transfers of a ledger account, newest first',
    description: 'from and to filter by posting time. Pages of a bank account may be short.',
    filters: WindowQuery,
    errors: ['ledger_account_not_found'],
    hasTextIds: true,
    position: ({ position }) => position,
    rows: async (db, { params, query, after, limit, ...call }) => {
      const viewer = ledgerViewer(call)
      const account = await getLedgerAccount(db, viewer, params.id)
      const page = { account, window: parseWindow(query), after: after ?? undefined, limit }
      return listLedgerEntries(db, viewer, page)
    },
  })
  .get('getLedgerTotals', {
    path: '/:id/totals',
    summary: 'Add up the transfers of a ledger account',
    description:
      'Opening balance, debits, credits and closing balance of the period: what its statement ' +
      'adds up to. Without from it starts at nothing; without to it ends now.',
    query: WindowQuery,
    view: TotalsView,
    message: 'Ledger totals retrieved successfully',
    errors: ['ledger_account_not_found'],
    run: (db, { params, query, ...call }) => {
      const window = parseWindow(query)
      return withSnapshot(db, async (tx) => {
        const account = await getLedgerAccount(tx, ledgerViewer(call), params.id)
        return { currency: account.currency, ...(await readLedgerPeriod(tx, account, window)) }
      })
    },
  })
