// The bank's side of the Monnify connector: events signed over the raw body, twelve tries five minutes
// apart, and an API behind a login. Its answers about a transaction name the reserved account by
// reference and have no session id.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { parseBankTime, timestamp } from '#clock.ts'
import { formatKobo, type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type ApiContext,
  type Dialect,
  keepQuiet,
  outcomeOfStatus,
  type Party,
  type Query,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout, PayoutNews } from '../payouts.ts'

const LOGIN = '/api/v1/auth/login'
const TOKEN = 'fake-bank-access-token'
const RESERVED_ACCOUNTS = '/api/v2/bank-transfer/reserved-accounts'

export const monnifyDialect: Dialect = {
  connector: 'monnify',
  credentials: {
    clientSecret: { value: 'fake-bank-client-secret', variable: 'FAKE_BANK_CLIENT_SECRET' },
    apiKey: { value: 'MK_FAKE_BANK' },
  },
  settings: {
    contractCode: '1000000001',
    emailDomain: 'customers.example.com',
    walletAccountNumber: '8000000001',
  },
  tries: 12,
  retryAfterMs: 5 * 60_000,
  batchMax: 1,
  hasApi: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ bankCode, credentials: { apiKey, clientSecret } }: Party): Speaker {
  // Returns a message with the bank's signature.
  const sign = (path: string, body: string) => ({
    path,
    headers: {
      'content-type': 'application/json',
      'monnify-signature': createHmac('sha512', clientSecret ?? '')
        .update(body)
        .digest('hex'),
    },
    body,
  })
  const basic = Buffer.from(`${apiKey}:${clientSecret}`).toString('base64')
  let bank: Bank | undefined // Set by `serve`, which runs before the first notification.
  return {
    notify: ([transfer]) => sign('/credits', eventOf(transfer as Transfer, { bankCode, bank })),
    notifyPayout: (news) => sign('/credits', payoutEventOf(news)),
    readAcknowledgement: ({ httpStatus }) => [outcomeOfStatus(httpStatus)],
    enquireName: (accountNumber) => sign('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: (app, api) => {
      bank = api.bank
      app.addHook('onRequest', async ({ url, headers }, reply) => {
        const expected = url === LOGIN ? `Basic ${basic}` : `Bearer ${TOKEN}`
        if (headers.authorization !== expected) return reply.code(401).send(failure('Unauthorized'))
      })
      app.post(LOGIN, async () => success({ accessToken: TOKEN, expiresIn: 3_600 }))
      serveTransactions(app, api)
      serveAccounts(app, api.bank)
      servePayouts(app, api.bank)
    },
  }
}

// Returns the body of the event that reports a credit.
function eventOf(
  transfer: Transfer,
  { bankCode, bank }: { bankCode: string; bank: Bank | undefined },
): string {
  const { payer, accountNumber, amountKobo, sessionId } = transfer
  const source = {
    bankCode: payer.bankCode,
    amountPaid: toNaira(amountKobo),
    accountName: payer.accountName,
    sessionId,
    accountNumber: payer.accountNumber,
  }
  const bankName = findBank(bankCode)?.name ?? ''
  const eventData = {
    ...transactionOf(transfer, bank),
    metaData: {},
    paymentSourceInformation: [source],
    destinationAccountInformation: { bankCode, bankName, accountNumber },
    amountPaid: toNaira(amountKobo),
    totalPayable: toNaira(amountKobo),
  }
  return JSON.stringify({ eventType: 'SUCCESSFUL_TRANSACTION', eventData })
}

// Returns the fields of a transfer that the event and the answers of the API share.
function transactionOf(transfer: Transfer, bank: Bank | undefined) {
  const { accountNumber, bankReference, at } = transfer
  const reference = bank?.accounts.referenceOf(accountNumber) ?? accountNumber
  return {
    product: { reference, type: 'RESERVED_ACCOUNT' },
    transactionReference: bankReference,
    paymentReference: bankReference,
    paidOn: timestamp(at).slice(0, 23).replace('T', ' '),
    paymentDescription: transfer.narration,
    paymentMethod: 'ACCOUNT_TRANSFER',
    currency: 'NGN',
    settlementAmount: formatKobo(transfer.settledKobo),
    paymentStatus: 'PAID',
    customer: { name: transfer.accountName, email: `${reference}@customers.example.com` },
  }
}

// Returns a transfer in the shape of the API's answers, in which amounts are texts.
function answerOf(transfer: Transfer, bank: Bank) {
  const amount = (amountKobo: Kobo) => formatKobo(kobo(amountKobo))
  const { accountName, accountNumber, bankCode } = transfer.payer
  const payment = { accountName, accountNumber, bankCode, amountPaid: amount(transfer.amountKobo) }
  return {
    ...transactionOf(transfer, bank),
    amountPaid: amount(transfer.amountKobo),
    totalPayable: amount(transfer.amountKobo),
    accountDetails: payment,
    accountPayments: [payment],
  }
}

// Serves the queries about transfers, and the call that asks to resend failed notifications.
function serveTransactions(app: FastifyInstance, { bank, resend }: ApiContext): void {
  app.get<Query>('/api/v1/transactions/search', async ({ query }) => {
    const [page, size] = [Number(query.page ?? 0), Number(query.size ?? 10)]
    const { transfers, total } = bank.listTransfers({
      from: new Date(Number(query.from ?? 0)),
      to: new Date(Number(query.to ?? 8.64e15)), // The latest possible date.
      after: page * size, // The number of transfers to skip. Monnify's first page is 0.
      limit: size,
    })
    const content = transfers.map((transfer) => answerOf(transfer, bank))
    return success({ content, totalElements: total, number: page, size })
  })
  app.get<{ Params: { reference: string } }>(
    '/api/v2/transactions/:reference',
    async ({ params: { reference } }, reply) => {
      const transfer = bank.findTransfer(reference)
      // findTransfer() takes any identifier; this path takes only the bank's reference.
      if (transfer?.bankReference === reference) return success(answerOf(transfer, bank))
      return reply.code(404).send(failure('There is no transaction with this reference'))
    },
  )
  app.post(
    '/api/v1/transaction-notification/resend-failed-notifications',
    async (request, reply) => {
      const { startDate, endDate } = recordOf(request.body)
      const [from, to] = [startDate, endDate].map((time) => parseBankTime(textOf(time)))
      if (!from || !to) return reply.code(400).send(failure('startDate and endDate are required'))
      resend(from, to)
      return success({})
    },
  )
}

// Serves the calls that reserve and show accounts.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post(RESERVED_ACCOUNTS, async ({ body }, reply) => {
    const { accountReference, accountName, bvn, nin } = recordOf(body)
    const [reference, name] = [textOf(accountReference), textOf(accountName)]
    if (!reference || !name) return reply.code(400).send(failure('accountReference is required'))
    if (!textOf(bvn) && !textOf(nin)) return reply.code(422).send(failure('bvn or nin is required'))
    if (bank.accounts.isReserved(reference)) {
      return reply.code(422).send(failure('You can not reserve two accounts with one reference'))
    }
    const { accountNumber } = bank.accounts.reserve({ accountName: name, reference })
    return success(accountOf(bank, reference, accountNumber))
  })
  app.get<{ Params: { reference: string } }>(
    `${RESERVED_ACCOUNTS}/:reference`,
    async ({ params: { reference } }, reply) => {
      const accountNumber = bank.accounts.findNumber(reference)
      if (accountNumber === undefined) return reply.code(404).send(failure('No such account'))
      return success(accountOf(bank, reference, accountNumber))
    },
  )
}

// Returns a reserved account as the API shows it.
function accountOf(bank: Bank, accountReference: string, accountNumber: string) {
  const accountName = bank.accounts.find(accountNumber)?.accountName ?? ''
  const bankName = findBank(bank.bankCode)?.name ?? ''
  const account = { bankCode: bank.bankCode, bankName, accountNumber, accountName }
  return { accountReference, accountName, currencyCode: 'NGN', accounts: [account] }
}

const STATUSES = {
  confirmed: 'SUCCESS',
  failed: 'FAILED',
  reversed: 'REVERSED',
  pending: 'PENDING',
} as const
const EVENTS = {
  confirmed: 'SUCCESSFUL_DISBURSEMENT',
  failed: 'FAILED_DISBURSEMENT',
  reversed: 'REVERSED_DISBURSEMENT',
}

export function success(responseBody: object) {
  return { requestSuccessful: true, responseMessage: 'success', responseCode: '0', responseBody }
}

export function failure(responseMessage: string) {
  return { requestSuccessful: false, responseMessage, responseCode: '99' }
}

// Serves name enquiries, payout orders and queries about payouts.
export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/api/v1/disbursements/account/validate', async ({ query }, reply) => {
    const { accountNumber = '', bankCode } = query
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(404).send(failure('Invalid account details'))
    return success({ accountNumber, accountName, bankCode })
  })
  app.post('/api/v2/disbursements/single', async ({ body }, reply) => {
    const order = recordOf(body)
    const amountKobo = koboOf(order.amount)
    const reference = textOf(order.reference)
    const accountName = textOf(order.destinationAccountName)
    if (!reference || !amountKobo || !accountName)
      return reply.code(400).send(failure('Invalid request'))
    const result = bank.payouts.placeOrder({
      reference,
      amountKobo,
      to: {
        bankCode: textOf(order.destinationBankCode),
        accountNumber: textOf(order.destinationAccountNumber),
        accountName,
      },
      narration: textOf(order.narration),
    })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('A transfer with this reference exists'))
    }
    return result.answer === 'payout'
      ? sentAnswer(result.payout, order.async === true)
      : keepQuiet(reply, result.answer) // Sends no answer.
  })
  app.get<Query>('/api/v2/disbursements/single/summary', async ({ query }, reply) => {
    const payout = bank.payouts.find(query.reference ?? '')
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    return payout ? statusAnswer(payout) : reply.code(404).send(failure('No such transfer'))
  })
}

// Returns the answer to an order. The answer to an asynchronous order says only that Monnify accepted it. No
// answer to an order has Monnify's own reference.
function sentAnswer(payout: Payout, isAsync: boolean) {
  const { reference, amountKobo, status, reason, to, at } = payout
  return success({
    amount: toNaira(amountKobo),
    reference,
    status: isAsync ? 'PENDING' : STATUSES[status],
    dateCreated: at.toISOString(),
    totalFee: 0,
    destinationAccountName: to.accountName,
    destinationAccountNumber: to.accountNumber,
    destinationBankCode: to.bankCode,
    ...(reason !== null && !isAsync && { comment: reason }),
  })
}

// Returns the answer to a query of a payout. The envelope says "success" even if the payout failed.
function statusAnswer(payout: Payout) {
  const { reference, bankReference, amountKobo, status, reason, narration, to, at } = payout
  return success({
    amount: toNaira(amountKobo),
    reference,
    narration,
    currency: 'NGN',
    fee: 0,
    twoFaEnabled: false,
    status: STATUSES[status],
    transactionDescription: reason ?? 'Approved or completed successfully',
    transactionReference: bankReference,
    createdOn: at.toISOString(),
    destinationAccountName: to.accountName,
    destinationAccountNumber: to.accountNumber,
    destinationBankCode: to.bankCode,
  })
}

// Returns the body of the event that reports the result of a payout.
export function payoutEventOf({ payout, newStatus }: PayoutNews): string {
  const { reference, bankReference, amountKobo, reason, narration, to, at } = payout
  const eventData = {
    amount: toNaira(amountKobo),
    transactionReference: bankReference,
    fee: 0,
    transactionDescription: reason ?? 'Approved or completed successfully',
    destinationAccountNumber: to.accountNumber,
    createdOn: at.toISOString(),
    destinationAccountName: to.accountName,
    reference,
    destinationBankCode: to.bankCode,
    completedOn: at.toISOString(),
    narration,
    currency: 'NGN',
    status: STATUSES[newStatus],
  }
  return JSON.stringify({ eventType: EVENTS[newStatus], eventData })
}
