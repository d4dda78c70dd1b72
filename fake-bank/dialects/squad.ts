// The bank's side of the Squad connector, version 1 of its webhooks: the raw body signed in upper-case hex,
// the day without the time, and no session id. Only the list of transactions has the session id.

import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { timestamp, watDay } from '#clock.ts'
import { formatKobo, kobo } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  keepQuiet,
  type Outcome,
  type Party,
  type Query,
  readJson,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const PAGE_MAX = 100
const OUTCOMES: Record<number, Outcome> = { 200: 'acknowledged', 400: 'rejected' }

export const squadDialect: Dialect = {
  connector: 'squad',
  credentials: {
    secretKey: { value: 'sandbox_sk_fake-bank', variable: 'FAKE_BANK_SECRET_KEY' },
    merchantId: { value: 'FAKEBANK' },
  },
  settings: { mobileNumber: '08012345678', beneficiaryAccount: '8000000001' },
  tries: 5,
  retryAfterMs: 60_000,
  batchMax: 1,
  hasApi: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ credentials: { secretKey = '', merchantId = '' } }: Party): Speaker {
  // Returns a message with the bank's signature.
  const sign = (path: string, body: string) => {
    const signature = createHmac('sha512', secretKey).update(body).digest('hex').toUpperCase()
    return {
      path,
      headers: { 'content-type': 'application/json', 'x-squad-encrypted-body': signature },
      body,
    }
  }
  return {
    notify: ([transfer]) => sign('/credits', JSON.stringify(notificationOf(transfer as Transfer))),
    readAcknowledgement: ({ body }, [transfer]) => {
      const { response_code: code, transaction_reference: reference } = recordOf(readJson(body))
      const isForThisTransfer = reference === transfer?.bankReference
      return [(isForThisTransfer && OUTCOMES[Number(code)]) || 'retry']
    },
    enquireName: (accountNumber) => sign('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: (app, { bank }) => {
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization !== `Bearer ${secretKey}`) {
          return reply.code(401).send(failure(401, 'Unauthorized'))
        }
      })
      serveTransactions(app, bank)
      serveAccounts(app, bank)
      servePayouts(app, { bank, merchantId })
    },
  }
}

// Returns a transfer in the shape of a notification.
function notificationOf(transfer: Transfer) {
  const { accountNumber, feeKobo, vatKobo } = transfer
  return {
    transaction_reference: transfer.bankReference,
    virtual_account_number: accountNumber,
    principal_amount: formatKobo(transfer.amountKobo),
    settled_amount: formatKobo(transfer.settledKobo),
    fee_charged: formatKobo(kobo(feeKobo + vatKobo)),
    transaction_date: `${watDay(transfer.at)}T00:00:00.000Z`,
    customer_identifier: accountNumber,
    transaction_indicator: 'C',
    remarks: transfer.narration,
    currency: 'NGN',
    channel: 'virtual-account',
    sender_name: transfer.payer.accountName,
    meta: { freeze_transaction_ref: null, reason_for_frozen_transaction: null },
  }
}

// Returns a transfer as a row of the list of transactions. Rows have no `channel` and no `meta`, which only a
// notification has.
function rowOf(transfer: Transfer) {
  const { customer_identifier, channel, meta, ...row } = notificationOf(transfer)
  return {
    ...row,
    transaction_date: timestamp(transfer.at),
    session_id: transfer.sessionId,
    frozen_transaction: null,
    customer: { customer_identifier },
  }
}

// Serves the list of transfers, with the filters of the query.
function serveTransactions(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/virtual-account/merchant/transactions/all', async ({ query }) => {
    const { session_id: sessionId, transactionReference, virtualAccount } = query
    const [from, to] = [isoDay(query.startDate), isoDay(query.endDate)]
    const transfers = bank
      .allTransfers()
      .filter((transfer) => !sessionId || transfer.sessionId === sessionId)
      .filter(
        (transfer) => !transactionReference || transfer.bankReference === transactionReference,
      )
      .filter((transfer) => !virtualAccount || transfer.accountNumber === virtualAccount)
      .filter(({ at }) => (!from || watDay(at) >= from) && (!to || watDay(at) <= to))
    const perPage = Math.min(Number(query.perPage ?? PAGE_MAX), PAGE_MAX)
    const start = (Number(query.page ?? 1) - 1) * perPage
    const rows = transfers.slice(start, start + perPage).map(rowOf)
    return success({ count: transfers.length, rows })
  })
}

// Serves the call that reserves an account number for a customer.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post('/virtual-account/business', async ({ body }, reply) => {
    const { customer_identifier: identifier, business_name: name, bvn } = recordOf(body)
    const [reference, accountName] = [textOf(identifier), textOf(name)]
    if (!reference || !accountName || !textOf(bvn)) {
      return reply.code(400).send(failure(400, 'customer_identifier and bvn are required'))
    }
    const { accountNumber } = bank.accounts.reserve({ accountName, reference })
    return success({ virtual_account_number: accountNumber, customer_identifier: reference })
  })
}

// Converts MM-DD-YYYY to yyyy-MM-dd.
function isoDay(text: string | undefined): string | undefined {
  const [month, day, year] = (text ?? '').split('-')
  return year ? `${year}-${month}-${day}` : undefined
}

const REVERSED = 412
const TIMEOUT = 424
const BANK_CODE = /^[0-9]{6}$/

export function success(data: object, message = 'Success') {
  return { status: 200, success: true, message, data }
}

export function failure(status: number, message: string) {
  return { status, success: false, message, data: {} }
}

// Serves name enquiries, payout orders and queries about payouts.
export function servePayouts(
  app: FastifyInstance,
  { bank, merchantId }: { bank: Bank; merchantId: string },
): void {
  app.post('/payout/account/lookup', async ({ body }, reply) => {
    const accountNumber = textOf(recordOf(body).account_number)
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(400).send(failure(400, 'Unable to locate account'))
    return success({ account_name: accountName, account_number: accountNumber })
  })
  app.post('/payout/transfer', async ({ body }, reply) => {
    const order = recordOf(body)
    const reference = textOf(order.transaction_reference)
    const amount = textOf(order.amount)
    const isOurs = reference.startsWith(`${merchantId}_`)
    if (!isOurs || !/^[1-9]\d{0,15}$/.test(amount) || !BANK_CODE.test(textOf(order.bank_code))) {
      return reply.code(400).send(failure(400, 'Validation failure'))
    }
    const result = bank.payouts.placeOrder({
      reference,
      amountKobo: kobo(BigInt(amount)),
      to: {
        bankCode: textOf(order.bank_code),
        accountNumber: textOf(order.account_number),
        accountName: textOf(order.account_name),
      },
      narration: textOf(order.remark),
    })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure(400, 'Duplicate reference'))
    }
    return result.answer === 'payout'
      ? sendPayout(reply, result.payout)
      : keepQuiet(reply, result.answer) // Sends no answer.
  })
  app.post('/payout/requery', async ({ body }, reply) => {
    const payout = bank.payouts.find(textOf(recordOf(body).transaction_reference))
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    return payout ? success(stateOf(payout)) : reply.code(404).send(failure(404, 'Not found'))
  })
}

// Answers an order with the HTTP status that Squad documents for the payout's state.
function sendPayout(reply: FastifyReply, payout: Payout): FastifyReply {
  const { status, reason } = payout
  if (isMoneyBack(status)) return reply.code(REVERSED).send(failure(REVERSED, reason ?? 'Reversed'))
  if (status === 'pending') return reply.code(TIMEOUT).send(failure(TIMEOUT, 'Timeout'))
  return reply.send(success(stateOf(payout)))
}

// Returns a payout as the answer to a requery. That of a paid payout has the session id and no state. Squad
// does not publish its answer for any other payout; here the description says the state.
function stateOf({ reference, bankReference, status, reason, amountKobo, to }: Payout) {
  const isPaid = status === 'confirmed'
  return {
    transaction_reference: reference,
    response_description: isPaid ? 'Transaction Success' : (reason ?? 'Transaction Pending'),
    currency_id: 'NGN',
    amount: amountKobo.toString(),
    nip_transaction_reference: isPaid ? bankReference : null,
    account_number: to.accountNumber,
    account_name: to.accountName,
    ...(isMoneyBack(status) && { transaction_status: 'reversed' }),
  }
}

const isMoneyBack = (status: Payout['status']) => status === 'failed' || status === 'reversed'
