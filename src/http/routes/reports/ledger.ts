// /api/v1/ledger: ledger accounts with balances, and the last integrity check.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { type Client, refuseRestricted } from '#domain/access/clients.ts'
import {
  CHECK_NAMES,
  findLastIntegrityCheck,
  INTEGRITY_INTERVAL_MS,
  type IntegrityResult,
} from '#domain/integrity/integrity-checks.ts'
import {
  type ChartPosition,
  computeBalance,
  getLedgerAccount,
  type LedgerAccount,
  listLedgerAccounts,
  toChartPosition,
} from '#domain/reports/chart-of-accounts.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { ListEnvelope, listResponse, PageQuery, parseLimit, query } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { BEARER, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { AccountId } from '#ids.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'

export const LEDGER = '/api/v1/ledger'
const RESTRICTED = 'Not available to clients restricted to certain merchantCodes.'
// In check intervals; an older result says nothing about today.
const OVERDUE_AFTER = 3

const AccountView = view('LedgerAccount', (f: Fields<LedgerAccount, { sealer: Sealer }>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'account', id)),
  kind: f.text(
    'kind',
    'collection, pending, available, subaccount, settling, reserve, paying, refunding, ' +
      'receivable or suspense; for operators also bank, returning, shortfall, bank_cost, ' +
      'input_vat, fee_income, vat_payable and write_off.',
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

type LastCheck = { last: IntegrityResult | undefined }

const CheckView = view(undefined, (f: Fields<{ name: string; findings: number }>) => ({
  name: f.text('name', 'Checked condition.'),
  isOk: f.flag(({ findings }) => findings === 0),
  findings: f.integer('findings', 'Number of violations, up to 100.'),
}))

const AuditView = view(
  'IntegrityReport',
  (f: Fields<LastCheck, { client: Client; now: Date }>) => ({
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
  await app.register(listing, deps)
  account.register(app, deps)
  audit.register(app, deps)
}

// A cursor of it has two parts: the kind of account and the id.
const listing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
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
        querystring: query({ kind: Type.Optional(text(40, 'Filter by kind.')), ...PageQuery }),
        response: { 200: ListEnvelope(AccountView.schema) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      refuseRestricted(client)
      const { kind } = asked
      const list: List = { name: 'ledger-accounts', clientId: client.id, filters: { kind } }
      const after = chartAfter(readCursor(sealer, list, asked.cursor))
      const limit = parseLimit(asked)
      const filter = { kind, after, limit: limit + 1 }
      const rows = await listLedgerAccounts(db, ledgerViewer(request), filter)
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

// Users with accounting:read see the ledger as an operator does.
export function ledgerViewer({ client, scopes }: Pick<Identity, 'client' | 'scopes'>): Client {
  return { ...client, isOperator: client.isOperator || scopes.has('accounting:read') }
}

export function requireAccountId(text: string, { sealer }: { sealer: Sealer }): AccountId {
  const id = findId(sealer, 'account', text)
  if (id === undefined) throw new Refusal('ledger_account_not_found')
  return id
}

function chartAfter(cursor: readonly string[] | undefined): ChartPosition | undefined {
  if (!cursor) return undefined
  const [sort, id] = cursor as [string, string]
  return { isCollection: sort === 'collection', id: BigInt(id) as AccountId }
}
