// CSV exports of credits, collection accounts, payments and suspense, with the filters of the lists.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { keptWindow } from '#db/archived-period.ts'
import type { Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { listAccounts } from '#domain/accounts/account-list.ts'
import type { CreditFilters } from '#domain/credits/credit-list.ts'
import { listPayments, PAYMENT_STATUSES } from '#domain/payments/payment-list.ts'
import { type PaidBy, readPaidBy } from '#domain/payments/payments.ts'
import { bankNames, type NameBank } from '#domain/payments/resource-presenters.ts'
import { computeNet } from '#domain/records/movements.ts'
import { type CreditMovement, listMovements } from '#domain/reports/credit-movements.ts'
import { Refusal } from '#errors.ts'
import { type Columns, CsvExports, decimal, readBatches, SpreadsheetQuery } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { OrderQuery, query } from '#http/lists.ts'
import { AccountFilterFields, parseAccountFilters } from '#http/routes/accounts/account-list.ts'
import { ACCOUNTS } from '#http/routes/accounts/account-presenters.ts'
import { type OwnAccount, presentOwnAccounts } from '#http/routes/accounts/own-accounts.ts'
import { presentCredit } from '#http/routes/credits/credit-presenters.ts'
import { CreditFilterFields, parseCreditFilters } from '#http/routes/credits/credits.ts'
import {
  filterFields,
  parsePaymentFilters,
  presentPaymentRecord,
} from '#http/routes/payments/payment-presenters.ts'
import { suspenseExport } from '#http/routes/suspense/suspense-export.ts'
import { BEARER } from '#http/schemas.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { publicId } from '#public-ids.ts'
import { timestamp } from '#wat-time.ts'
import { statementExports } from './statements.ts'

// A batch of credits with their locations takes some 20 ms.
const BATCH = 500

const CSV = {
  200: { content: { 'text/csv': { schema: Type.String() } } },
}
const DESCRIPTION =
  'Streamed as UTF-8, newest first by default. Amounts have two decimals. Cells that a ' +
  'spreadsheet would read as a formula are prefixed with an apostrophe. A truncated file ends ' +
  'with a connection error. At most 3 concurrent exports.'

export const exportRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const exports = new CsvExports()
  await app.register(creditExport, { ...deps, exports })
  await app.register(accountExport, { ...deps, exports })
  await app.register(paymentExport, { ...deps, exports })
  await app.register(suspenseExport, { ...deps, exports })
  await app.register(statementExports, { ...deps, exports })
}

type ExportDeps = Deps & { exports: CsvExports }

type Movement = {
  id: number
  movement: CreditMovement
  credit: ReturnType<typeof presentCredit>
}
const kobo = (read: (movement: CreditMovement) => Kobo) => (row: Movement) =>
  formatKobo(read(row.movement))

// Immutable columns only: an export of past days never changes.
const MOVEMENT_COLUMNS: Columns<Movement> = [
  ['movementId', ({ id }) => id],
  ['postedAt', ({ movement }) => timestamp(movement.postedAt)],
  ['movement', ({ movement }) => movement.reason],
  ['gross', kobo(({ grossKobo }) => grossKobo)],
  ['reversed', kobo(({ reversedKobo }) => reversedKobo)],
  ['returned', kobo(({ returnedKobo }) => returnedKobo)],
  ['suspended', kobo(({ suspendedKobo }) => suspendedKobo)],
  ['net', kobo(computeNet)],
  ['currency', ({ credit }) => credit.currency],
  ['assignedTo', ({ movement }) => movement.assignedTo],
  ['creditId', ({ credit }) => credit.id],
  ['sessionId', ({ credit }) => credit.sessionId],
  ['receivedAt', ({ credit }) => credit.receivedAt],
  ['transactionTime', ({ credit }) => credit.transactionTime],
  ['creditAmount', ({ credit }) => decimal(credit.amount)],
  ['bankCode', ({ credit }) => credit.bankCode],
  ['bankName', ({ credit }) => credit.bankName],
  ['accountNumber', ({ credit }) => credit.accountNumber],
  ['sourceAccountName', ({ credit }) => credit.sourceAccountName],
  ['sourceAccountNumberMasked', ({ credit }) => credit.sourceAccountNumberMasked],
  ['sourceBankCode', ({ credit }) => credit.sourceBankCode],
  ['narration', ({ credit }) => credit.narration],
  ['paymentReference', ({ credit }) => credit.paymentReference],
  ['adviceReference', ({ credit }) => credit.adviceReference],
  ['merchantRef', ({ credit }) => credit.merchantRef],
  ['collectionAccountNumber', ({ credit }) => credit.collectionAccountNumber],
  ['fees', kobo(({ feesKobo }) => feesKobo)],
  ['refunded', kobo(({ refundedKobo }) => refundedKobo)],
]

const creditExport: FastifyPluginAsyncTypebox<ExportDeps> = async (app, deps) => {
  const { db, sealer, authentication, banks, exports } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/credits.csv',
    {
      exposeHeadRoute: false, // It would read the whole list.
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'exportCredits',
        tags: ['Credits'],
        summary: 'Export credit movements as CSV',
        description:
          'One row per movement of money; from and to apply to postedAt. A later reversal is a ' +
          'further row on the day of the reversal, so past days never change. Gross, reversed, ' +
          'returned, refunded, suspended, fees and net add up to the overview and the balances. ' +
          'Archived credits ' +
          'are not exported: without paymentReference, adviceReference or merchantRef, the export ' +
          'begins at archivedBefore of the list, and from must not be earlier. Columns: ' +
          `docs/exports.md. ${DESCRIPTION}`,
        security: BEARER,
        querystring: query({ ...CreditFilterFields, ...OrderQuery, ...SpreadsheetQuery }),
        response: CSV,
      },
    },
    async ({ client, query: asked }, reply) => {
      const filters = await keepArchivedOut(db, parseCreditFilters(asked))
      const batches = readBatches<Movement, bigint>(async (after) => {
        const page = { order: asked.order, after, limit: BATCH }
        const { rows, next } = await listMovements(db, { sealer, viewer: client, filters, ...page })
        if (next === null) await requireWhole(db, filters)
        const present = (movement: CreditMovement): Movement => ({
          id: publicId(sealer, 'transfer', movement.id),
          movement,
          credit: presentCredit(movement.credit, { sealer, nameBank }),
        })
        return { rows: rows.map(present), next }
      })
      return exports.send(reply, client.id, { name: 'credits', columns: MOVEMENT_COLUMNS, batches })
    },
  )
}

// A file cannot say that it lacks archived credits. Those of payments are never archived.
async function keepArchivedOut(db: Queryable, filters: CreditFilters): Promise<CreditFilters> {
  const { paymentReference, adviceReference, merchantRef } = filters
  if (paymentReference || adviceReference || merchantRef) return filters
  return { ...filters, ...(await keptWindow(db, filters)) }
}

// Nor that some were archived while it was read.
async function requireWhole(db: Queryable, filters: CreditFilters): Promise<void> {
  const { from } = await keepArchivedOut(db, filters)
  if (from?.getTime() !== filters.from?.getTime()) throw new Refusal('period_archived')
}

type Account = OwnAccount
const ACCOUNT_COLUMNS: Columns<Account> = [
  ['accountNumber', ({ accountNumber }) => accountNumber],
  ['accountName', ({ accountName }) => accountName],
  ['bankCode', ({ bankCode }) => bankCode],
  ['accountBalance', ({ accountBalance }) => decimal(accountBalance)],
  ['currencyCode', ({ currencyCode }) => currencyCode],
  ['email', ({ email }) => email],
  ['phoneNumber', ({ phoneNumber }) => phoneNumber],
  ['merchantId', ({ merchantId }) => merchantId],
  ['merchantCode', ({ merchantCode }) => merchantCode],
  ['isDefault', ({ isDefault }) => isDefault],
  ['isActive', ({ isActive }) => isActive],
  ['bvnMasked', ({ bvnMasked }) => bvnMasked],
  ['channel', ({ channel }) => channel],
  ['createdAt', ({ createdAt }) => createdAt],
  ['updatedAt', ({ updatedAt }) => updatedAt],
  ['ninMasked', ({ ninMasked }) => ninMasked],
  ['kycTier', ({ kycTier }) => kycTier],
  ['verifiedName', ({ verifiedName }) => verifiedName],
]

const accountExport: FastifyPluginAsyncTypebox<ExportDeps> = async (app, deps) => {
  const { db, sealer, authentication, exports } = deps

  app.get(
    `${ACCOUNTS}.csv`,
    {
      exposeHeadRoute: false,
      onRequest: authentication.requires('accounts:read'),
      schema: {
        operationId: 'exportCollectionAccounts',
        tags: ['Collection accounts'],
        summary: 'Export collection accounts as CSV',
        description: DESCRIPTION,
        security: BEARER,
        querystring: query({ ...AccountFilterFields, ...OrderQuery, ...SpreadsheetQuery }),
        response: CSV,
      },
    },
    async ({ client, isPerson, query: asked }, reply) => {
      const filters = parseAccountFilters(asked, isPerson)
      const batches = readBatches<Account, bigint>(async (after) => {
        const page = { order: asked.order, after, limit: BATCH }
        const { rows, scannedTo } = await listAccounts(db, { sealer, client, filters, ...page })
        const next = rows.length === BATCH ? (rows.at(-1)?.id ?? null) : scannedTo
        return { rows: await presentOwnAccounts(deps, rows), next }
      })
      const columns = ACCOUNT_COLUMNS
      return exports.send(reply, client.id, { name: 'collection-accounts', columns, batches })
    },
  )
}

type Payment = ReturnType<typeof presentPaymentRecord> & ReturnType<typeof presentPaidBy>
const PAYMENT_COLUMNS: Columns<Payment> = [
  ['paymentReference', ({ paymentReference }) => paymentReference],
  ['adviceReference', ({ adviceReference }) => adviceReference],
  ['merchantRef', ({ merchantRef }) => merchantRef],
  ['status', ({ status }) => status],
  ['amount', ({ amount }) => decimal(amount)],
  ['amountPaid', ({ amountPaid }) => decimal(amountPaid)],
  ['amountRemaining', ({ amountRemaining }) => decimal(amountRemaining)],
  ['currency', ({ currency }) => currency],
  ['amountPolicy', ({ amountPolicy }) => amountPolicy],
  ['customerName', ({ customerName }) => customerName],
  ['narration', ({ narration }) => narration],
  ['accountNumbers', ({ numbers }) => numbers.map((each) => each.accountNumber).join(' ')],
  ['createdAt', ({ createdAt }) => createdAt],
  ['expiresAt', ({ expiresAt }) => expiresAt],
  ['updatedAt', ({ updatedAt }) => updatedAt],
  ['refundedAmount', ({ refundedAmount }) => decimal(refundedAmount)],
  ['paidAt', ({ paidAt }) => paidAt],
  ['bankCode', ({ bankCode }) => bankCode],
  ['bankName', ({ bankName }) => bankName],
  ['sessionIds', ({ sessionIds }) => sessionIds],
]

function presentPaidBy(paidBy: PaidBy | undefined, nameBank: NameBank) {
  const { paidAt, bankCode, sessionIds } = paidBy ?? {}
  return {
    paidAt: paidAt ? timestamp(paidAt) : null,
    bankCode: bankCode ?? null,
    bankName: bankCode ? nameBank(bankCode) : null,
    sessionIds: sessionIds ?? null,
  }
}

const paymentExport: FastifyPluginAsyncTypebox<ExportDeps> = async (app, deps) => {
  const { db, authentication, banks, clock, exports } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/payments.csv',
    {
      exposeHeadRoute: false,
      onRequest: authentication.requires('payments:read'),
      schema: {
        operationId: 'exportPayments',
        tags: ['Payments'],
        summary: 'Export payments as CSV',
        description: DESCRIPTION,
        security: BEARER,
        querystring: query({
          ...filterFields(PAYMENT_STATUSES),
          ...OrderQuery,
          ...SpreadsheetQuery,
        }),
        response: CSV,
      },
    },
    async ({ client, query: asked }, reply) => {
      const [filters, now] = [parsePaymentFilters(asked), clock()]
      const batches = readBatches<Payment, string>(async (after) => {
        const page = { order: asked.order, after, limit: BATCH, now }
        const { rows, scannedTo, paidBy } = await withSnapshot(db, async (tx) => {
          const scan = await listPayments(tx, client.id, { filters, ...page })
          return { ...scan, paidBy: await readPaidBy(tx, scan.rows) }
        })
        const next = rows.length === BATCH ? (rows.at(-1)?.id ?? null) : scannedTo
        const present = (row: (typeof rows)[number]): Payment => ({
          ...presentPaymentRecord(row, now, nameBank),
          ...presentPaidBy(paidBy.get(row.id), nameBank),
        })
        return { rows: rows.map(present), next }
      })
      return exports.send(reply, client.id, { name: 'payments', columns: PAYMENT_COLUMNS, batches })
    },
  )
}
