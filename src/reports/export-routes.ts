// CSV exports of credits, collection accounts and payments, with the filters of the lists. Also registers the
// exports of suspense and statements.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { listAccounts } from '#accounts/queries.ts'
import { AccountFilterFields, parseAccountFilters } from '#accounts/routes.ts'
import { ACCOUNTS, OwnAccountView, withLimits } from '#accounts/views.ts'
import { bankNames, type NameBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import { CreditFilterFields, parseCreditFilters } from '#credits/routes.ts'
import { presentCredit } from '#credits/views.ts'
import { withSnapshot } from '#db/replica.ts'
import { type Columns, CsvExports, decimal, FileQuery, readBatches } from '#http/csv.ts'
import type { Deps } from '#http/deps.ts'
import { OrderQuery } from '#http/lists.ts'
import { BEARER, strictObject } from '#http/schemas.ts'
import { publicId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { type PaidBy, readPaidBy } from '#payments/payment.ts'
import { listPayments } from '#payments/queries.ts'
import { PAYMENT_STATUSES } from '#payments/states.ts'
import { filterFields, PaymentView, parsePaymentFilters } from '#payments/views.ts'
import { computeNet } from '#records/money-totals.ts'
import { suspenseExport } from '#suspense/routes.ts'
import { type CreditMovement, listMovements } from './hourly-totals.ts'
import { statementExports } from './statement-routes.ts'

// Reading a batch of credits with their locations takes some 20 ms.
const BATCH_ROWS = 500

const CSV = {
  200: { content: { 'text/csv': { schema: Type.String() } } },
}
const DESCRIPTION =
  'Streamed as UTF-8, newest first by default. Amounts have two decimals. Cells that a ' +
  'spreadsheet would read as a formula are prefixed with an apostrophe. A truncated file ends ' +
  'with a connection error. At most 3 concurrent exports.'

export const exportRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const exports = new CsvExports()
  await creditExport(app, { ...deps, exports })
  await accountExport(app, { ...deps, exports })
  await paymentExport(app, { ...deps, exports })
  await suspenseExport(app, { ...deps, exports })
  await statementExports(app, { ...deps, exports })
}

type ExportDeps = Deps & { exports: CsvExports }

type MovementRow = {
  id: number
  movement: CreditMovement
  credit: ReturnType<typeof presentCredit>
}
// Makes a CSV column of an amount of the movement.
const amountColumn = (read: (movement: CreditMovement) => Kobo) => (row: MovementRow) =>
  formatKobo(read(row.movement))

const NO_VAT = 0n as Kobo

// Contains immutable columns only, so that an export of past days never changes.
export const MOVEMENT_COLUMNS: Columns<MovementRow> = [
  ['movementId', ({ id }) => id],
  ['postedAt', ({ movement }) => timestamp(movement.postedAt), 'time'],
  ['movement', ({ movement }) => movement.reason],
  ['gross', amountColumn(({ grossKobo }) => grossKobo), 'amount'],
  ['reversed', amountColumn(({ reversedKobo }) => reversedKobo), 'amount'],
  ['returned', amountColumn(({ returnedKobo }) => returnedKobo), 'amount'],
  ['suspended', amountColumn(({ suspendedKobo }) => suspendedKobo), 'amount'],
  ['net', amountColumn(computeNet), 'amount'],
  ['currency', ({ credit }) => credit.currency],
  ['assignedTo', ({ movement }) => movement.assignedTo],
  ['creditId', ({ credit }) => credit.id],
  ['sessionId', ({ credit }) => credit.sessionId],
  ['receivedAt', ({ credit }) => credit.receivedAt, 'time'],
  ['transactionTime', ({ credit }) => credit.transactionTime, 'time'],
  ['creditAmount', ({ credit }) => decimal(credit.amount), 'amount'],
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
  ['fees', amountColumn(({ feesKobo }) => feesKobo), 'amount'],
  ['refunded', amountColumn(({ refundedKobo }) => refundedKobo), 'amount'],
  [
    'vat',
    amountColumn(({ reason, feesKobo }) => (reason === 'fee_vat' ? feesKobo : NO_VAT)),
    'amount',
  ],
  ['split', amountColumn(({ splitKobo }) => splitKobo), 'amount'],
  ['subaccountCode', ({ movement }) => movement.subaccountCode],
]

const creditExport: FastifyPluginAsyncTypebox<ExportDeps> = async (app, deps) => {
  const { db, sealer, authentication, banks, exports } = deps
  const nameBank = bankNames(banks)

  app.get(
    '/api/v1/credits.csv',
    {
      exposeHeadRoute: false, // A HEAD request would read the whole list.
      onRequest: authentication.requires('credits:read'),
      schema: {
        operationId: 'exportCredits',
        tags: ['Credits'],
        summary: 'Export credit movements as CSV',
        description:
          'One row per movement of money; from and to apply to postedAt. A later reversal is a ' +
          'further row on the day of the reversal, so past days never change. Gross, reversed, ' +
          'returned, refunded, suspended, fees and net add up to the overview and the balances. ' +
          `Columns: docs/exports.md. ${DESCRIPTION}`,
        security: BEARER,
        querystring: strictObject({ ...CreditFilterFields, ...OrderQuery, ...FileQuery }),
        response: CSV,
      },
    },
    async ({ client, query }, reply) => {
      const filters = parseCreditFilters(query)
      // Reads the CSV rows in batches. A batch has all movements of its credits, and `next` is its last
      // credit.
      const batches = readBatches<MovementRow, bigint>(async (after) => {
        const page = { order: query.order, after, limit: BATCH_ROWS }
        const { rows, next } = await listMovements(db, { sealer, viewer: client, filters, ...page })
        const present = (movement: CreditMovement): MovementRow => ({
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

type Account = ReturnType<typeof OwnAccountView.present>
export const ACCOUNT_COLUMNS = OwnAccountView.columns(
  'accountNumber',
  'accountName',
  'bankCode',
  'accountBalance',
  'currencyCode',
  'email',
  'phoneNumber',
  'merchantId',
  'merchantCode',
  'isDefault',
  'isActive',
  'bvnMasked',
  'channel',
  'createdAt',
  'updatedAt',
  'ninMasked',
  'kycTier',
  'verifiedName',
)

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
        querystring: strictObject({ ...AccountFilterFields, ...OrderQuery, ...FileQuery }),
        response: CSV,
      },
    },
    async ({ client, isPerson, query }, reply) => {
      const filters = parseAccountFilters(query, isPerson)
      // Reads the CSV rows in batches. A batch that is not full may have stopped scanning early, at
      // `scannedTo`; the next batch continues there.
      const batches = readBatches<Account, bigint>(async (after) => {
        const page = { order: query.order, after, limit: BATCH_ROWS }
        const { rows, scannedTo } = await listAccounts(db, { sealer, client, filters, ...page })
        const next = rows.length === BATCH_ROWS ? (rows.at(-1)?.id ?? null) : scannedTo
        const accounts = await withLimits(db, rows)
        return { rows: accounts.map((account) => OwnAccountView.present(account, deps)), next }
      })
      const columns = ACCOUNT_COLUMNS
      return exports.send(reply, client.id, { name: 'collection-accounts', columns, batches })
    },
  )
}

type Payment = ReturnType<typeof PaymentView.present> & ReturnType<typeof presentPaidBy>
export const PAYMENT_COLUMNS: Columns<Payment> = [
  ['paymentReference', ({ paymentReference }) => paymentReference],
  ['adviceReference', ({ adviceReference }) => adviceReference],
  ['merchantRef', ({ merchantRef }) => merchantRef],
  ['status', ({ status }) => status],
  ['amount', ({ amount }) => decimal(amount), 'amount'],
  ['amountPaid', ({ amountPaid }) => decimal(amountPaid), 'amount'],
  ['amountRemaining', ({ amountRemaining }) => decimal(amountRemaining), 'amount'],
  ['currency', ({ currency }) => currency],
  ['amountPolicy', ({ amountPolicy }) => amountPolicy],
  ['customerName', ({ customerName }) => customerName],
  ['narration', ({ narration }) => narration],
  ['accountNumbers', ({ numbers }) => numbers.map(({ accountNumber }) => accountNumber).join(' ')],
  ['createdAt', ({ createdAt }) => createdAt, 'time'],
  ['expiresAt', ({ expiresAt }) => expiresAt, 'time'],
  ['updatedAt', ({ updatedAt }) => updatedAt, 'time'],
  ['refundedAmount', ({ refundedAmount }) => decimal(refundedAmount), 'amount'],
  ['paidAt', ({ paidAt }) => paidAt, 'time'],
  ['bankCode', ({ bankCode }) => bankCode],
  ['bankName', ({ bankName }) => bankName],
  ['sessionIds', ({ sessionIds }) => sessionIds],
  ['merchantFee', ({ merchantFee }) => decimal(merchantFee), 'amount'],
  ['merchantFeeVat', ({ merchantFeeVat }) => decimal(merchantFeeVat), 'amount'],
  ['netToMerchant', ({ netToMerchant }) => decimal(netToMerchant), 'amount'],
  ['splits', ({ splits }) => splits.map(formatShare).join(' ')],
]

const formatShare = ({ subaccountCode, amount }: Payment['splits'][number]) =>
  `${subaccountCode}:${decimal(amount)}`

// The columns about the credits that paid the payment: null while nothing is paid.
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
        querystring: strictObject({
          ...filterFields(PAYMENT_STATUSES),
          ...OrderQuery,
          ...FileQuery,
        }),
        response: CSV,
      },
    },
    async ({ client, query }, reply) => {
      const [filters, now] = [parsePaymentFilters(query), clock()]
      // Reads the CSV rows in batches, each from one snapshot, so that the columns about credits match the
      // payment's status. A batch that is not full continues where its scan stopped (`scannedTo`).
      const batches = readBatches<Payment, string>(async (after) => {
        const page = { order: query.order, after, limit: BATCH_ROWS, now }
        const { rows, scannedTo, paidBy } = await withSnapshot(db, async (tx) => {
          const scan = await listPayments(tx, client.id, { filters, ...page })
          return { ...scan, paidBy: await readPaidBy(tx, scan.rows) }
        })
        const next = rows.length === BATCH_ROWS ? (rows.at(-1)?.id ?? null) : scannedTo
        const present = (row: (typeof rows)[number]): Payment => ({
          ...PaymentView.present(row, { now, nameBank }),
          ...presentPaidBy(paidBy.get(row.id), nameBank),
        })
        return { rows: rows.map(present), next }
      })
      return exports.send(reply, client.id, { name: 'payments', columns: PAYMENT_COLUMNS, batches })
    },
  )
}
