// The bank's side of the Nomba connector: the signature covers eight fields of an event and the time. The
// API is behind OAuth client credentials, and its answers contain Nomba's own response code.

import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findBank } from '#banks/directory.ts'
import type { Clock } from '#clock.ts'
import { kobo, koboOf, toNaira } from '#money.ts'
import type { Account } from '../accounts.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  keepQuiet,
  type Message,
  outcomeOfStatus,
  type Party,
  type Query,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout, PayoutNews } from '../payouts.ts'

const LOGIN = '/v1/auth/token/issue'
const TOKEN = 'fake-bank-access-token'
const TOKEN_MS = 1_800_000
const MERCHANT = { walletId: 'fake-wallet', walletBalance: 0, userId: 'fake-user' }
const LIMIT_MAX = 100

export const nombaDialect: Dialect = {
  connector: 'nomba',
  credentials: {
    signatureKey: { value: 'fake-bank-signature-key', variable: 'FAKE_BANK_SIGNATURE_KEY' },
    clientSecret: { value: 'fake-bank-client-secret', variable: 'FAKE_BANK_CLIENT_SECRET' },
    clientId: { value: '00000000-0000-4000-8000-000000000001' },
    accountId: { value: '00000000-0000-4000-8000-000000000002' },
  },
  settings: { senderName: 'Manilla' },
  tries: 6,
  retryAfterMs: [120_000, 280_000, 640_000, 1_440_000, 3_200_000],
  batchMax: 1,
  hasApi: true,
  signsCreditsOnly: true,
  speak,
}

type Signing = { path: string; body: string; signed: readonly string[]; time: string }

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ clock, credentials }: Party): Speaker {
  const { signatureKey = '', clientId, clientSecret, accountId } = credentials
  const messageOf = rememberingMessages(clock)
  // Returns a message with the bank's signature.
  const sign = ({ path, body, signed, time }: Signing): Message => {
    const text = [...signed, time].join(':')
    return {
      path,
      headers: {
        'content-type': 'application/json',
        'nomba-signature': createHmac('sha256', signatureKey).update(text).digest('base64'),
        'nomba-timestamp': time,
      },
      body,
    }
  }
  const signEvent = (event: Event, time: string) =>
    sign({ path: '/credits', body: JSON.stringify(event), signed: signedFields(event), time })
  return {
    notify: ([transfer]) => {
      const { requestId, time } = messageOf(transfer as Transfer)
      return signEvent(eventOf(transfer as Transfer, requestId), time)
    },
    notifyPayout: (news) => {
      const { requestId, time } = messageOf(news)
      return signEvent(payoutEventOf(news, requestId), time)
    },
    readAcknowledgement: ({ httpStatus }) => [outcomeOfStatus(httpStatus)],
    // Nomba has no name enquiry. It lacks the fields that are signed, so the service must refuse it.
    enquireName: (accountNumber) =>
      sign({
        path: '/name-enquiry',
        body: JSON.stringify({ accountNumber }),
        signed: Array(8).fill(''),
        time: clock().toISOString(),
      }),
    serve: (app, { bank }) => {
      app.addHook('onRequest', async ({ url, headers }, reply) => {
        const isSigned = url === LOGIN || headers.authorization === `Bearer ${TOKEN}`
        if (!isSigned || headers.accountid !== accountId) {
          return reply.code(401).send(failure('Unauthorized'))
        }
      })
      app.post(LOGIN, async ({ body }, reply) => {
        const { client_id: id, client_secret: secret } = recordOf(body)
        const isRight = id === clientId && secret === clientSecret
        return isRight
          ? success({
              businessId: accountId,
              access_token: TOKEN,
              refresh_token: 'fake-bank-refresh-token',
              expiresAt: new Date(clock().getTime() + TOKEN_MS).toISOString(),
            })
          : reply.code(401).send(failure('Unauthorized'))
      })
      serveTransactions(app, bank)
      serveAccounts(app, bank)
      servePayouts(app, bank)
    },
  }
}

// Returns a function that gives each notification one request id and timestamp. A retry repeats both,
// because Nomba does not publish whether it renews the timestamp.
function rememberingMessages(clock: Clock) {
  const messages = new Map<object, { requestId: string; time: string }>()
  return (notice: object) => {
    const time = clock().toISOString()
    const message = messages.get(notice) ?? { requestId: `request-${messages.size + 1}`, time }
    messages.set(notice, message)
    return message
  }
}

type Event = {
  event_type: string
  requestId: string
  data: {
    transaction: { transactionId: string; type: string; time: string; responseCode: string }
  }
}

// Returns the fields of an event that the signature covers, in Nomba's order.
function signedFields({ event_type: type, requestId, data: { transaction } }: Event): string[] {
  return [
    type,
    requestId,
    MERCHANT.userId,
    MERCHANT.walletId,
    transaction.transactionId,
    transaction.type,
    transaction.time,
    transaction.responseCode,
  ]
}

const PAYOUT_EVENTS = {
  confirmed: 'payout_success',
  failed: 'payout_failed',
  reversed: 'payout_refund',
}

// Returns the event that reports a payout. Nomba publishes only the body of payout_success; the other two
// are assumed to have the same fields.
function payoutEventOf({ payout, newStatus }: PayoutNews, requestId: string) {
  return {
    event_type: PAYOUT_EVENTS[newStatus],
    requestId,
    data: {
      merchant: MERCHANT,
      terminal: {},
      transaction: {
        fee: 0,
        type: 'transfer',
        transactionId: payout.bankReference,
        responseCode: '',
        merchantTxRef: payout.reference,
        transactionAmount: toNaira(payout.amountKobo),
        time: `${payout.at.toISOString().slice(0, 19)}Z`,
      },
    },
  }
}

// Returns the event that reports a credit.
function eventOf(transfer: Transfer, requestId: string) {
  const { payer } = transfer
  return {
    event_type: 'payment_success',
    requestId,
    data: {
      merchant: MERCHANT,
      terminal: {},
      transaction: {
        aliasAccountNumber: transfer.accountNumber,
        fee: feeOf(transfer),
        sessionId: transfer.sessionId,
        type: 'vact_transfer',
        transactionId: transfer.bankReference,
        aliasAccountName: transfer.accountName,
        responseCode: '',
        transactionAmount: toNaira(transfer.amountKobo),
        narration: transfer.narration,
        time: `${transfer.at.toISOString().slice(0, 19)}Z`,
      },
      customer: {
        bankCode: payer.bankCode,
        senderName: payer.accountName,
        bankName: findBank(payer.bankCode)?.name ?? '',
        accountNumber: payer.accountNumber,
      },
    },
  }
}

// Returns a transfer in the shape of the API's answers.
function recordOfTransfer(transfer: Transfer) {
  const { payer } = transfer
  return {
    id: transfer.bankReference,
    type: 'vact_transfer',
    status: 'SUCCESS',
    amount: toNaira(transfer.amountKobo),
    fixedCharge: feeOf(transfer),
    sessionId: transfer.sessionId,
    recipientAccountNumber: transfer.accountNumber,
    accountNumber: payer.accountNumber,
    senderName: payer.accountName,
    bankCode: payer.bankCode,
    narration: transfer.narration,
    timeCreated: transfer.at.toISOString(),
  }
}

// Returns the fee including VAT, which Nomba does not show separately.
function feeOf({ feeKobo, vatKobo }: Transfer): number {
  return toNaira(kobo(feeKobo + vatKobo))
}

// Serves the queries about transfers: by session id, and as two lists with the same rows.
function serveTransactions(app: FastifyInstance, bank: Bank): void {
  app.get<{ Params: { id: string } }>('/v1/transactions/requery/:id', async ({ params }, reply) => {
    const transfer = bank.findTransfer(params.id)
    // findTransfer() takes any identifier; this path takes only a session id.
    if (transfer?.sessionId === params.id) return success(recordOfTransfer(transfer))
    return reply.code(404).send(failure('Transaction not found'))
  })
  for (const kind of ['accounts', 'virtual']) {
    app.get<Query>(`/v1/transactions/${kind}`, async ({ query }) => {
      const { transfers, next } = bank.listTransfers({
        accountNumber: query.virtual_account,
        // The query has times in UTC, without a zone.
        from: new Date(`${query.dateFrom}Z`),
        to: new Date(Date.parse(`${query.dateTo}Z`) + 999), // Includes the whole second.
        after: Number(query.cursor || 0), // The number of transfers to skip.
        limit: Math.min(Number(query.limit ?? LIMIT_MAX), LIMIT_MAX),
      })
      const results = transfers.map(recordOfTransfer)
      return success({ results, cursor: next === null ? '' : String(next) })
    })
  }
}

const STATUSES = {
  confirmed: 'SUCCESS',
  failed: 'REFUND',
  reversed: 'REFUND',
  pending: 'PENDING_BILLING',
} as const
const NAME = /^[A-Za-z0-9 ]{8,64}$/
const REFERENCE = /^.{16,64}$/
const BANK_NAME = 'Nombank MFB'

type Referenced = { Params: { accountRef: string } }

export function success(data: object, description = 'Success') {
  return { code: '00', description, data }
}

export function failure(description: string) {
  return { code: '400', description }
}

// Serves the calls that reserve, show, rename and block accounts, and name enquiries.
export function serveAccounts(app: FastifyInstance, bank: Bank): void {
  const answerWith = (account: Account | undefined, reply: FastifyReply) =>
    account ? success(accountOf(account)) : reply.code(404).send(failure('No such account'))
  app.post('/v1/accounts/virtual', async ({ body }, reply) => {
    const { accountRef, accountName } = recordOf(body)
    const [reference, name] = [textOf(accountRef), textOf(accountName)]
    if (!REFERENCE.test(reference) || !NAME.test(name)) {
      return reply.code(400).send(failure('accountRef or accountName has the wrong length'))
    }
    if (bank.accounts.isReserved(reference)) {
      return reply.code(400).send(failure('accountRef exists'))
    }
    return answerWith(bank.accounts.reserve({ accountName: name, reference }), reply)
  })
  app.get<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params }, reply) =>
    answerWith(bank.accounts.findByReference(params.accountRef), reply),
  )
  app.put<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params, body }, reply) => {
    const account = bank.accounts.findByReference(params.accountRef)
    const accountName = textOf(recordOf(body).accountName)
    if (account && NAME.test(accountName)) account.accountName = accountName
    return account ? success({}) : answerWith(account, reply)
  })
  app.delete<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params }, reply) => {
    const account = bank.accounts.findByReference(params.accountRef)
    if (account) account.isActive = false
    return account ? success({}) : answerWith(account, reply)
  })
  app.post('/v1/transfers/bank/lookup', async ({ body }, reply) => {
    const accountNumber = textOf(recordOf(body).accountNumber)
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(404).send(failure('Account not found'))
    return success({ accountNumber, accountName })
  })
}

// Returns a reserved account as the API shows it.
function accountOf({ accountNumber, accountName, reference, isActive }: Account) {
  return {
    accountHolderId: '00000000-0000-4000-8000-000000000002',
    accountRef: reference ?? '',
    accountName,
    bankName: BANK_NAME,
    bankAccountNumber: accountNumber,
    bankAccountName: accountName,
    currency: 'NGN',
    expired: !isActive,
  }
}

// Serves payout orders and queries about payouts.
export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.post('/v2/transfers/bank', async ({ body }, reply) => {
    const order = recordOf(body)
    const amountKobo = koboOf(order.amount)
    const reference = textOf(order.merchantTxRef)
    if (!reference || !amountKobo) return reply.code(400).send(failure('Invalid request'))
    const result = bank.payouts.placeOrder({
      reference,
      amountKobo,
      to: {
        bankCode: textOf(order.bankCode),
        accountNumber: textOf(order.accountNumber),
        accountName: textOf(order.accountName),
      },
      narration: textOf(order.narration),
    })
    if (result.answer === 'conflict') return reply.code(400).send(failure('Duplicate reference'))
    // The other answers are `silent` and `dropped`, at which the bank sends nothing.
    return result.answer === 'payout' ? sentAnswer(result.payout) : keepQuiet(reply, result.answer)
  })
  // `merchantTxRef` is the caller's reference, `transactionRef` the bank's own.
  app.get<Query>('/v1/transactions/accounts/single', async ({ query }, reply) => {
    const payout = bank.payouts.find(query.merchantTxRef ?? '')
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    return payout ? statusAnswer(payout) : reply.code(404).send(failure('Transaction not found'))
  })
}

// Returns the answer to an order, which has the caller's reference in `meta`. The answer to a query has it
// next to the id.
function sentAnswer(payout: Payout) {
  const data = { ...recordOfPayout(payout), fee: 0, meta: { merchantTxRef: payout.reference } }
  return success(data, payout.reason ?? undefined)
}

// Returns the answer to a query of a payout.
function statusAnswer(payout: Payout) {
  const data = { ...recordOfPayout(payout), fixedCharge: 0, merchantTxRef: payout.reference }
  return success(data, payout.reason ?? undefined)
}

// Returns the fields of a payout that the answers to orders and to queries share.
function recordOfPayout({ bankReference, amountKobo, status, at }: Payout) {
  return {
    id: bankReference,
    type: 'transfer',
    status: STATUSES[status],
    amount: toNaira(amountKobo),
    timeCreated: at.toISOString(),
  }
}
