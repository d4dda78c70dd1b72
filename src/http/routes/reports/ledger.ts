// /api/v1/ledger: ledger accounts with balances, and the last integrity check.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { type Client, refuseRestricted } from '#domain/access/clients.ts'
import {
  CHECK_NAMES,
  findLastIntegrityCheck,
  INTEGRITY_INTERVAL_MS,
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
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable, text } from '#http/schemas.ts'
import type { AccountId } from '#ids.ts'
import { toNaira } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

export const LEDGER = '/api/v1/ledger'
const RESTRICTED = 'Not available to clients restricted to certain merchantCodes.'
// In check intervals; an older result says nothing about today.
const OVERDUE_AFTER = 3

const AccountBody = named('LedgerAccount', {
  id: Type.Integer(),
  kind: Type.String({
    description:
      'collection, pending, available, subaccount, settling, reserve, paying, refunding, ' +
      'receivable or suspense; for operators also bank, returning, shortfall, bank_cost, ' +
      'input_vat, fee_income, vat_payable and write_off.',
  }),
  bankCode: nullable('string', { description: 'For bank accounts and unidentified suspense.' }),
  accountNumber: nullable('string', { description: 'For collection accounts.' }),
  accountName: nullable('string'),
  subaccountCode: nullable('string', { description: 'For accounts of a subaccount.' }),
  clientId: nullable('string', {
    description: 'For operators: whose fees, receivable or write-offs.',
  }),
  currency: Type.String(),
  balance: Type.Number(),
  debits: Type.Number({ description: 'Total debits.' }),
  credits: Type.Number({ description: 'Total credits.' }),
  openedAt: Type.String(),
})

const AuditBody = named('IntegrityReport', {
  isOk: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether all checks passed; null before the first run.',
  }),
  startedAt: nullable('string'),
  finishedAt: nullable('string'),
  isOverdue: Type.Boolean({ description: 'Whether the last run is too long ago.' }),
  checks: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Checked condition.' }),
      isOk: Type.Boolean(),
      findings: Type.Integer({ description: 'Number of violations, up to 100.' }),
    }),
  ),
  findings: Type.Union(
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
})

const tags = ['Ledger']

export const ledgerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(chart, deps)
  await app.register(audit, deps)
}

const chart: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('credits:read')

  app.get(
    `${LEDGER}/accounts`,
    {
      onRequest,
      schema: {
        operationId: 'listLedgerAccounts',
        tags,
        summary: 'List ledger accounts with balances',
        description:
          'Your own; operators, and their users with accounting:read, also see bank accounts, ' +
          `unidentified suspense, fees, receivables and write-offs. ${RESTRICTED}`,
        security: BEARER,
        querystring: query({ kind: Type.Optional(text(40, 'Filter by kind.')), ...PageQuery }),
        response: { 200: ListEnvelope(AccountBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      refuseRestricted(client)
      const { kind } = asked
      const list: List = { name: 'ledger-accounts', clientId: client.id, filters: { kind } }
      const after = chartAfter(readCursor(sealer, list, asked.cursor))
      const limit = parseLimit(asked)
      const wanted = { kind, after, limit: limit + 1 }
      const rows = await listLedgerAccounts(db, ledgerViewer(request), wanted)
      const page = toPage(rows, limit, (last) => {
        const { isCollection, id } = toChartPosition(last)
        return writeCursor(sealer, list, [isCollection ? 'collection' : 'shared', id.toString()])
      })
      return listResponse('Ledger accounts retrieved successfully', page, (row) =>
        presentAccount(row, sealer),
      )
    },
  )

  app.get(
    `${LEDGER}/accounts/:id`,
    {
      onRequest,
      schema: {
        operationId: 'getLedgerAccount',
        tags,
        summary: 'Retrieve a ledger account',
        description:
          'Its debits, credits and balance. Operators also see the banks’ accounts and their ' +
          'own.',
        security: BEARER,
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(AccountBody) },
      },
    },
    async (request) => {
      refuseRestricted(request.client)
      const id = requireAccountId(sealer, request.params.id)
      const account = await getLedgerAccount(db, ledgerViewer(request), id)
      return accepted('Ledger account retrieved successfully', presentAccount(account, sealer))
    },
  )
}

const audit: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  app.get(
    `${LEDGER}/audit`,
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'getLedgerAudit',
        tags,
        summary: 'Retrieve the result of the last integrity check',
        description: 'Covers the whole ledger; runs every 15 minutes.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(AuditBody) },
      },
    },
    async ({ client }) => {
      const last = await findLastIntegrityCheck(db)
      const ageMs = last ? clock().getTime() - last.finishedAt.getTime() : 0
      const findingsOf = (name: string) =>
        last?.findings.filter(({ check }) => check === name).length ?? 0
      return accepted('Integrity check retrieved successfully', {
        isOk: last?.isOk ?? null,
        startedAt: last ? timestamp(last.startedAt) : null,
        finishedAt: last ? timestamp(last.finishedAt) : null,
        isOverdue: ageMs > OVERDUE_AFTER * INTEGRITY_INTERVAL_MS,
        checks: CHECK_NAMES.map((name) => {
          const findings = findingsOf(name)
          return { name, isOk: findings === 0, findings }
        }),
        findings: client.isOperator ? (last?.findings ?? []) : null,
      })
    },
  )
}

// Who does the accounting sees the ledger as an operator does.
export function ledgerViewer({ client, scopes }: Pick<Identity, 'client' | 'scopes'>): Client {
  return { ...client, isOperator: client.isOperator || scopes.has('accounting:read') }
}

export function requireAccountId(sealer: Sealer, given: string): AccountId {
  const id = findId(sealer, 'account', given)
  if (id === undefined) throw new Refusal('ledger_account_not_found')
  return id
}

function chartAfter(cursor: readonly string[] | undefined): ChartPosition | undefined {
  if (!cursor) return undefined
  const [sort, id] = cursor as [string, string]
  return { isCollection: sort === 'collection', id: BigInt(id) as AccountId }
}

function presentAccount(account: LedgerAccount, sealer: Sealer) {
  return {
    id: publicId(sealer, 'account', account.id),
    kind: account.kind,
    bankCode: account.owner.startsWith('bank:') ? account.owner.slice('bank:'.length) : null,
    accountNumber: account.accountNumber,
    accountName: account.accountName,
    subaccountCode: account.subaccountCode,
    clientId: account.clientId,
    currency: account.currency,
    balance: toNaira(computeBalance(account)),
    debits: toNaira(account.debitsKobo),
    credits: toNaira(account.creditsKobo),
    openedAt: timestamp(account.openedAt),
  }
}
