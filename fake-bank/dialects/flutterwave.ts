// The bank's side of the Flutterwave connector: events that carry the secret hash instead of a signature,
// and an API under the secret key. A transaction names the account by the tx_ref of its reservation. Only
// the answer about one transaction has the payer's number, and it is masked.

import type { FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { koboOf, toNaira } from '#money.ts'
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
import type { Payout } from '../payouts.ts'

const PAGE_SIZE = 10
const BVN = /^[0-9]{11}$/
const DAY_MS = 86_400_000

export const flutterwaveDialect: Dialect = {
  connector: 'flutterwave',
  credentials: {
    secretHash: { value: 'fake-bank-secret-hash', variable: 'FAKE_BANK_SECRET_HASH' },
    secretKey: { value: 'FLWSECK_TEST-fake-bank', variable: 'FAKE_BANK_SECRET_KEY' },
    merchantId: { value: '100001' },
  },
  settings: { emailDomain: 'customers.example.com' },
  numbers: 'perCustomer',
  tries: 4,
  retryAfterMs: 30 * 60_000,
  batchMax: 1,
  hasApi: true,
  signsCreditsOnly: true,
  hidesUnknownAccounts: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ credentials: { secretHash = '', secretKey = '' } }: Party): Speaker {
  const headers = { 'content-type': 'application/json', 'verif-hash': secretHash }
  let bank: Bank | undefined // Set by `serve`, which runs before the first notification.
  return {
    notify: ([transfer]) => {
      const data = { ...rowOf(transfer as Transfer, bank), customer: { id: 1 } }
      const event = { event: 'charge.completed', 'event.type': 'BANK_TRANSFER_TRANSACTION', data }
      return { path: '/credits', headers, body: JSON.stringify(event) }
    },
    readAcknowledgement: ({ httpStatus }) => [outcomeOfStatus(httpStatus)],
    enquireName: (accountNumber) => ({
      path: '/name-enquiry',
      headers,
      body: JSON.stringify({ accountNumber }),
    }),
    serve: (app, api) => {
      bank = api.bank
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers.authorization !== `Bearer ${secretKey}`) {
          return reply.code(401).send(failure('Invalid authorization key'))
        }
      })
      serveTransactions(app, api.bank)
      serveAccounts(app, api.bank)
      servePayouts(app, api.bank)
    },
  }
}

function idOf({ bankReference }: Transfer): number {
  return Number(bankReference.replace(/^.*-/, ''))
}

// Returns the fields of a transfer that are the same in a notification and in the API's list of transactions.
function rowOf(transfer: Transfer, bank: Bank | undefined) {
  const { accountNumber, amountKobo, feeKobo, vatKobo, settledKobo, at } = transfer
  return {
    id: idOf(transfer),
    tx_ref: bank?.accounts.referenceOf(accountNumber) ?? accountNumber,
    flw_ref: `FLW-${transfer.sessionId}`,
    amount: toNaira(amountKobo),
    charged_amount: toNaira(amountKobo),
    app_fee: (Number(feeKobo) + Number(vatKobo)) / 100,
    merchant_fee: 0,
    amount_settled: toNaira(settledKobo),
    currency: 'NGN',
    status: 'successful',
    payment_type: 'bank_transfer',
    narration: transfer.narration,
    created_at: at.toISOString(),
  }
}

// Returns the API's answer about one transfer, which has the payer with a masked number.
function transactionOf(transfer: Transfer, bank: Bank) {
  const { accountNumber, accountName, bankCode } = transfer.payer
  const meta = {
    originatoraccountnumber: `${accountNumber.slice(0, 3)}*****${accountNumber.slice(-2)}`,
    originatorname: accountName,
    bankname: findBank(bankCode)?.name ?? 'N/A',
  }
  return { ...rowOf(transfer, bank), meta }
}

// Serves the queries about transfers: by id, and as a list.
function serveTransactions(app: FastifyInstance, bank: Bank): void {
  app.get<{ Params: { id: string } }>(
    '/v3/transactions/:id/verify',
    async ({ params: { id } }, reply) => {
      const transfer = bank.allTransfers().find((each) => String(idOf(each)) === id)
      return transfer
        ? success('Transaction fetched successfully', transactionOf(transfer, bank))
        : reply.code(400).send(failure('No transaction was found for this id'))
    },
  )
  app.get<Query>('/v3/transactions', async ({ query }) => {
    const page = Number(query.page ?? 1)
    const { tx_ref: reference } = query
    const days = { from: query.from ?? '1970-01-01', to: query.to ?? '9999-12-31' }
    const { transfers, total } = bank.listTransfers({
      accountNumber: reference === undefined ? undefined : bank.accounts.findNumber(reference),
      from: new Date(days.from),
      to: new Date(Date.parse(days.to) + DAY_MS - 1), // Includes the whole last day.
      after: (page - 1) * PAGE_SIZE, // The number of transfers to skip.
      limit: PAGE_SIZE,
    })
    const pages = { total, current_page: page, total_pages: Math.ceil(total / PAGE_SIZE) }
    const rows = transfers.map((each) => rowOf(each, bank))
    return { ...success('Transactions fetched', rows), meta: { page_info: pages } }
  })
}

// Serves the call that reserves an account number for a customer.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post('/v3/virtual-account-numbers', async ({ body }, reply) => {
    const { email, is_permanent: isPermanent, bvn, tx_ref, narration } = recordOf(body)
    if (!textOf(email)) return reply.code(400).send(failure('email is required'))
    if (isPermanent !== true || !BVN.test(textOf(bvn))) {
      return reply.code(400).send(failure('BVN is required for static account number'))
    }
    const accountName = textOf(narration)
    const reference = textOf(tx_ref) || null
    const { accountNumber } = bank.accounts.reserve({ accountName, reference })
    return success('Virtual account created', {
      response_code: '02',
      response_message: 'Transaction in progress',
      flw_ref: `FLW-${accountNumber}`,
      order_ref: `URF_${accountNumber}`,
      account_number: accountNumber,
      frequency: 'N/A',
      bank_name: findBank(bank.bankCode)?.name ?? bank.bankCode,
      created_at: '2026-01-01 12:00:00',
      expiry_date: 'N/A',
      note: `Please make a bank transfer to ${accountName}`,
      amount: null,
    })
  })
}

const STATUSES = {
  confirmed: 'SUCCESSFUL',
  reversed: 'SUCCESSFUL',
  failed: 'FAILED',
  pending: 'PENDING',
} as const

export function success(message: string, data: object) {
  return { status: 'success', message, data }
}

export function failure(message: string) {
  return { status: 'error', message, data: null }
}

// Serves name enquiries, payout orders and queries about payouts.
export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.post('/v3/accounts/resolve', async ({ body }, reply) => {
    const { account_number: number, account_bank: code } = recordOf(body)
    const accountName = bank.accounts.findName(textOf(number))
    if (!accountName || !textOf(code)) {
      return reply.code(400).send(failure('Sorry, recipient account could not be validated'))
    }
    const account = { account_number: number, account_name: accountName }
    return success('Account details fetched', account)
  })
  app.post('/v3/transfers', async ({ body }, reply) => {
    const order = recordOf(body)
    const reference = textOf(order.reference)
    const amountKobo = typeof order.amount === 'number' ? koboOf(order.amount) : undefined
    const to = {
      bankCode: textOf(order.account_bank),
      accountNumber: textOf(order.account_number),
      accountName: '',
    }
    const isWhole = reference && amountKobo && to.bankCode && to.accountNumber
    if (!isWhole || order.currency !== 'NGN') {
      return reply.code(400).send(failure('account_bank, account_number and amount are required'))
    }
    const narration = textOf(order.narration)
    const result = bank.payouts.placeOrder({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('Transfer with reference already exists'))
    }
    if (result.answer !== 'payout') return keepQuiet(reply, result.answer) // Sends no answer.
    // The answer to an order says only that it is queued.
    const queued = { ...transferOf(result.payout), status: 'NEW', complete_message: '' }
    return success('Transfer Queued Successfully', queued)
  })
  app.get<Query>('/v3/transfers', async ({ query: { reference = '' } }, reply) => {
    const payout = bank.payouts.find(reference)
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    return success('Transfers fetched', payout ? [transferOf(payout)] : [])
  })
}

// Returns a payout in the shape of the API's answers.
function transferOf({ reference, bankReference, amountKobo, narration, to, ...payout }: Payout) {
  return {
    id: Number(bankReference.slice(-12)),
    account_number: to.accountNumber,
    bank_code: to.bankCode,
    created_at: payout.at.toISOString(),
    currency: 'NGN',
    debit_currency: 'NGN',
    amount: toNaira(amountKobo),
    fee: 0,
    status: STATUSES[payout.status],
    reference,
    narration,
    complete_message: payout.reason ?? '',
    requires_approval: 0,
    is_approved: 1,
  }
}
