// The other side of the Nomba connector: nine fields of an event signed with the time, and an API
// behind OAuth client credentials, whose answers have a code of their own.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import type { Clock } from '#clock.ts'
import { kobo, toNaira } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  type Message,
  outcomeOfStatus,
  type Party,
  type Query,
  recordOf,
  type Speaker,
} from '../dialect.ts'
import type { PayoutNews } from '../payouts.ts'
import { failure, serveAccounts, servePayouts, success } from './nomba-accounts.ts'

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

function speak({ clock, credentials }: Party): Speaker {
  const { signatureKey = '', clientId, clientSecret, accountId } = credentials
  const messageOf = rememberingMessages(clock)
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
    // It lacks the signed fields, so we refuse it.
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

// A retry repeats the message with its first timestamp: Nomba does not publish whether it renews
// it.
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

// The bodies of the last two are assumed to match the first.
function payoutEventOf({ payout, says }: PayoutNews, requestId: string) {
  return {
    event_type: PAYOUT_EVENTS[says],
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

// Includes VAT, which Nomba does not show separately.
function feeOf({ feeKobo, vatKobo }: Transfer): number {
  return toNaira(kobo(feeKobo + vatKobo))
}

function serveTransactions(app: FastifyInstance, bank: Bank): void {
  app.get<{ Params: { id: string } }>('/v1/transactions/requery/:id', async ({ params }, reply) => {
    const transfer = bank.findTransfer(params.id)
    if (transfer?.sessionId === params.id) return success(recordOfTransfer(transfer))
    return reply.code(404).send(failure('Transaction not found'))
  })
  for (const kind of ['accounts', 'virtual']) {
    app.get<Query>(`/v1/transactions/${kind}`, async ({ query }) => {
      const { transfers, next } = bank.listTransfers({
        accountNumber: query.virtual_account,
        from: new Date(`${query.dateFrom}Z`),
        to: new Date(Date.parse(`${query.dateTo}Z`) + 999), // Includes the whole second.
        after: Number(query.cursor || 0),
        limit: Math.min(Number(query.limit ?? LIMIT_MAX), LIMIT_MAX),
      })
      const results = transfers.map(recordOfTransfer)
      return success({ results, cursor: next === null ? '' : String(next) })
    })
  }
}
