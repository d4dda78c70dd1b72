// The bank's side of the Paystack connector: events signed over the raw body, retries as in live
// mode, and an API under the secret key. Only an event, or the answer about one transaction, names
// the paid account number. Nothing has a session id, and the payer's number is masked.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { kobo } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  keepQuiet,
  outcomeOfStatus,
  type Party,
  type Query,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout, PayoutNews, PayoutOrder } from '../payouts.ts'

const MINUTE_MS = 60_000
const FIRST_TRIES = 4 // Three minutes apart; then one an hour, for 72 hours.
const HOURLY_TRIES = 72
const PAGE_SIZE = 50
const CHANNEL = 'dedicated_nuban'

export const paystackDialect: Dialect = {
  connector: 'paystack',
  credentials: {
    secretKey: { value: 'sk_test_fake-bank', variable: 'FAKE_BANK_SECRET_KEY' },
    integration: { value: '100001' },
  },
  settings: { emailDomain: 'customers.example.com', preferredBank: 'test-bank' },
  tries: FIRST_TRIES + HOURLY_TRIES,
  retryAfterMs: [
    ...Array.from({ length: FIRST_TRIES - 1 }, () => 3 * MINUTE_MS),
    ...Array.from({ length: HOURLY_TRIES }, () => 60 * MINUTE_MS),
  ],
  batchMax: 1,
  hasApi: true,
  hidesUnknownAccounts: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ bankCode, credentials: { secretKey = '' } }: Party): Speaker {
  // Returns a message with the bank's signature.
  const sign = (path: string, body: string) => {
    const signature = createHmac('sha512', secretKey).update(body).digest('hex')
    return {
      path,
      headers: { 'content-type': 'application/json', 'x-paystack-signature': signature },
      body,
    }
  }
  return {
    notify: ([transfer]) => {
      const data = transactionOf(transfer as Transfer, bankCode)
      return sign('/credits', JSON.stringify({ event: 'charge.success', data }))
    },
    notifyPayout: (news) => sign('/credits', payoutEventOf(news)),
    readAcknowledgement: ({ httpStatus }) => [outcomeOfStatus(httpStatus)],
    enquireName: (accountNumber) => sign('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: (app, { bank }) => {
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization !== `Bearer ${secretKey}`) {
          return reply.code(401).send(failure('Invalid key'))
        }
      })
      serveTransactions(app, bank)
      serveAccounts(app, bank)
      servePayouts(app, bank)
    },
  }
}

// Returns a transfer as a row of the list of transactions.
function rowOf({ bankReference, amountKobo, settledKobo, at }: Transfer) {
  return {
    id: Number(bankReference.replace(/^.*-/, '')),
    status: 'success',
    reference: bankReference,
    amount: Number(amountKobo),
    paid_at: at.toISOString(),
    channel: CHANNEL,
    currency: 'NGN',
    fees: Number(amountKobo - settledKobo),
  }
}

// Returns a transfer in the shape of a notification, which the API's answer about one transaction shares.
function transactionOf(transfer: Transfer, bankCode: string) {
  const { payer, accountNumber, narration } = transfer
  const authorization = {
    channel: CHANNEL,
    sender_bank: findBank(payer.bankCode)?.name ?? null,
    sender_bank_account_number: `XXXXXX${payer.accountNumber.slice(-4)}`,
    sender_name: payer.accountName,
    narration,
    receiver_bank_account_number: accountNumber,
    receiver_bank: findBank(bankCode)?.name ?? bankCode,
  }
  return { ...rowOf(transfer), authorization, customer: { customer_code: 'CUS_1' } }
}

// Serves the queries about transfers: as a list, and by reference.
function serveTransactions(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/transaction', async ({ query }) => {
    const [page, perPage] = [Number(query.page ?? 1), Number(query.perPage ?? PAGE_SIZE)]
    const { transfers } = bank.listTransfers({
      accountNumber: query.virtual_account_number,
      from: new Date(query.from ?? 0),
      to: new Date(query.to ?? 8.64e15), // The latest possible date.
      after: (page - 1) * perPage, // The number of transfers to skip.
      limit: perPage,
    })
    return success('Transactions retrieved', transfers.map(rowOf))
  })
  app.get<{ Params: { reference: string } }>(
    '/transaction/verify/:reference',
    async ({ params: { reference } }, reply) => {
      const transfer = bank.findTransfer(reference)
      // findTransfer() takes any identifier; this path takes only the bank's reference.
      if (transfer?.bankReference === reference) {
        return success('Verification successful', transactionOf(transfer, bank.bankCode))
      }
      return reply.code(400).send(failure('Transaction reference not found'))
    },
  )
}

// Serves reserved accounts: one account for each customer, and one customer for each email address.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  const names = new Map<string, string>()
  app.post('/customer', async ({ body }, reply) => {
    const { email, first_name: first, last_name: last, phone } = recordOf(body)
    if (![email, first, last, phone].every(textOf)) {
      return reply.code(400).send(failure('Email, names and phone are required'))
    }
    const code = `CUS_${textOf(email)}`
    names.set(code, `${textOf(first)} ${textOf(last)}`)
    return success('Customer created', { customer_code: code, email })
  })
  app.post('/dedicated_account', async ({ body }, reply) => {
    const reference = textOf(recordOf(body).customer)
    const accountName = names.get(reference)
    if (!accountName) return reply.code(400).send(failure('Customer not found'))
    const { accountNumber } = bank.accounts.reserve({ accountName, reference })
    return success('NUBAN successfully created', {
      bank: { name: findBank(bank.bankCode)?.name ?? '', id: 20, slug: 'test-bank' },
      account_name: accountName,
      account_number: accountNumber,
      assigned: true,
      currency: 'NGN',
      active: true,
      id: 1,
      customer: { customer_code: reference },
    })
  })
}

const REFERENCE = /^[a-z0-9_-]{16,50}$/
const STATUSES = {
  confirmed: 'success',
  failed: 'failed',
  reversed: 'reversed',
  pending: 'pending',
} as const
const EVENTS = {
  confirmed: 'transfer.success',
  failed: 'transfer.failed',
  reversed: 'transfer.reversed',
}

export function success(message: string, data: object) {
  return { status: true, message, data }
}

export function failure(message: string) {
  return { status: false, message }
}

// Serves name enquiries, payout orders and queries about payouts. An order names a recipient, which must be
// created before.
export function servePayouts(app: FastifyInstance, bank: Bank): void {
  const recipients = new Map<string, PayoutOrder['to']>()
  app.get<Query>('/bank/resolve', async ({ query }, reply) => {
    const { account_number: accountNumber = '' } = query
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(422).send(failure('Could not resolve account name'))
    const account = { account_number: accountNumber, account_name: accountName, bank_id: 9 }
    return success('Account number resolved', account)
  })
  app.post('/transferrecipient', async ({ body }, reply) => {
    const { type, name, account_number: number, bank_code: code } = recordOf(body)
    const to = {
      bankCode: textOf(code),
      accountNumber: textOf(number),
      accountName: textOf(name),
    }
    if (type !== 'nuban' || !to.bankCode || !to.accountNumber || !to.accountName) {
      return reply.code(400).send(failure('Account number is required'))
    }
    const recipient = `RCP_${to.bankCode}${to.accountNumber}`
    recipients.set(recipient, to)
    const data = { recipient_code: recipient, type, active: true }
    return reply.code(201).send(success('Transfer recipient created successfully', data))
  })
  app.post('/transfer', async ({ body }, reply) => {
    const order = recordOf(body)
    const [reference, { amount }] = [textOf(order.reference), order]
    const to = recipients.get(textOf(order.recipient))
    const isWhole = typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0
    if (!REFERENCE.test(reference)) {
      return reply.code(400).send(failure('Your reference contains illegal special characters'))
    }
    if (!to || !isWhole || order.source !== 'balance') {
      return reply.code(400).send(failure('Recipient or amount is invalid'))
    }
    const narration = textOf(order.reason)
    const amountKobo = kobo(BigInt(amount))
    const result = bank.payouts.placeOrder({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('Reference already exists on a transfer'))
    }
    if (result.answer !== 'payout') return keepQuiet(reply, result.answer) // Sends no answer.
    // The answer to an order says only that Paystack accepted it.
    const queued: Payout = { ...result.payout, status: 'pending', reason: null }
    return success('Transfer has been queued', transferOf(queued))
  })
  app.get<{ Params: { reference: string } }>(
    '/transfer/verify/:reference',
    async ({ params: { reference } }, reply) => {
      const payout = bank.payouts.find(reference)
      if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
      return payout
        ? success('Transfer retrieved', transferOf(payout))
        : reply.code(404).send(failure('Transfer not found'))
    },
  )
}

// Returns a payout in the shape of the API's answers.
function transferOf({ reference, bankReference, amountKobo, narration, ...payout }: Payout) {
  return {
    amount: Number(amountKobo),
    currency: 'NGN',
    reference,
    source: 'balance',
    reason: narration,
    status: STATUSES[payout.status],
    transfer_code: `TRF_${bankReference}`,
    transferred_at: payout.status === 'confirmed' ? payout.at.toISOString() : null,
    failures: payout.reason,
  }
}

// Returns the body of the event that reports the result of a payout.
export function payoutEventOf({ payout, newStatus }: PayoutNews): string {
  const { amount, currency, reason, reference, transfer_code } = transferOf(payout)
  const { bankReference, to } = payout
  const data = {
    amount,
    currency,
    id: 1,
    reason,
    reference,
    status: STATUSES[newStatus],
    transfer_code,
    recipient: { recipient_code: `RCP_${to.bankCode}${to.accountNumber}` },
    session: { provider: 'nip', id: bankReference },
  }
  return JSON.stringify({ event: EVENTS[newStatus], data })
}
