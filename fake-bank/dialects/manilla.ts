// The bank's side of Manilla's own connector: notifications in Manilla's JSON, signed by Standard Webhooks,
// and the API that src/banks/manilla/connector.ts calls.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { formatKobo, koboOf } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  keepQuiet,
  type Message,
  type Outcome,
  outcomeOf,
  type Party,
  type Response,
  readJson,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout } from '../payouts.ts'
import { signedHeaders } from '../webhook-signature.ts'

export const RAIL_SECRET = `whsec_${Buffer.alloc(32, 'fake-bank').toString('base64')}`

export const manillaDialect: Dialect = {
  connector: 'manilla',
  credentials: {
    railSecret: { value: RAIL_SECRET, variable: 'FAKE_BANK_RAIL_SECRET' },
    apiKey: { value: 'fake-bank-api-key', variable: 'FAKE_BANK_API_KEY' },
  },
  tries: 5,
  retryAfterMs: 60_000,
  batchMax: 1_000,
  hasApi: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak(party: Party): Speaker {
  const sign = signer(party)
  return {
    notify: (transfers) => {
      const credits = transfers.map(creditOf)
      return sign('/credits', JSON.stringify(credits.length === 1 ? credits[0] : credits))
    },
    readAcknowledgement,
    enquireName: (accountNumber) => sign('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: (app, { bank }) => {
      const { apiKey } = party.credentials
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization !== `Bearer ${apiKey}`) return refuse(reply, 401, 'Unauthorized')
      })
      serveTransfers(app, bank)
      serveAccounts(app, bank)
      servePayouts(app, bank)
    },
  }
}

// Returns a function that signs messages. Each message has its own id, even a copy of a notification.
export function signer({ bankCode, clock, credentials }: Party, type = 'application/json') {
  let messages = 0
  return (path: string, body: string): Message => {
    const id = `fb_${bankCode}_${clock().getTime()}_${++messages}`
    const secret = credentials.railSecret ?? ''
    const signature = signedHeaders(secret, { id, at: clock(), body })
    return { path, headers: { 'content-type': type, ...signature }, body }
  }
}

// Returns a transfer in the shape that notifications and the API's answers share.
function creditOf(transfer: Transfer) {
  const { sessionId, accountNumber, amountKobo, settledKobo, feeKobo, vatKobo } = transfer
  const charges = {
    settled: formatKobo(settledKobo),
    fee: formatKobo(feeKobo),
    vat: formatKobo(vatKobo),
  }
  return {
    sessionId,
    accountNumber,
    amount: formatKobo(amountKobo),
    currency: 'NGN',
    ...(settledKobo === amountKobo ? {} : { charges }),
    sourceAccountNumber: transfer.payer.accountNumber,
    sourceAccountName: transfer.payer.accountName,
    sourceBankCode: transfer.payer.bankCode,
    narration: transfer.narration,
    transactionTime: transfer.at.toISOString(),
  }
}

// Reads Manilla's answer: one object for a single credit, or a list in the order of the credits that were
// sent. Credits without an answer of their own are sent again.
export function readAcknowledgement({ body }: Response, transfers: readonly Transfer[]): Outcome[] {
  const value = readJson(body)
  const answers = Array.isArray(value) ? value : [value]
  return transfers.map(({ sessionId }, at) => {
    const answer = recordOf(answers[at])
    return answer.sessionId === sessionId ? outcomeOf(answer.responseCode) : 'retry'
  })
}

// Serves the queries about transfers: by identifier, and as a list.
function serveTransfers(app: FastifyInstance, bank: Bank): void {
  app.get<{ Params: { id: string } }>('/transfers/:id', async ({ params }, reply) => {
    const transfer = bank.findTransfer(params.id)
    return transfer ? creditOf(transfer) : refuse(reply, 404, 'No such transfer')
  })
  app.get<{ Querystring: Record<string, string | undefined> }>('/transfers', async ({ query }) => {
    const { transfers, next } = bank.listTransfers({
      accountNumber: query.accountNumber,
      from: new Date(query.from ?? 0),
      to: new Date(query.to ?? 8.64e15), // The latest possible date.
      after: Number(query.cursor ?? 0), // The number of transfers to skip.
    })
    return { data: transfers.map(creditOf), nextCursor: next === null ? null : String(next) }
  })
}

// Serves name enquiries, and the calls that reserve, rename and block accounts.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post('/name-enquiry', async ({ body }, reply) => {
    const accountName = bank.accounts.findName(textOf(recordOf(body).accountNumber))
    return accountName ? { accountName } : refuse(reply, 404, 'No such account')
  })
  app.post('/accounts', async ({ body }, reply) => {
    const { accountName, reference } = recordOf(body)
    if (!textOf(accountName) || !textOf(reference)) {
      return refuse(reply, 400, 'accountName and reference are required')
    }
    const account = bank.accounts.reserve({
      accountName: textOf(accountName),
      reference: textOf(reference),
    })
    return { accountNumber: account.accountNumber, accountName: account.accountName }
  })
  app.patch<{ Params: { number: string } }>('/accounts/:number', async (request, reply) => {
    const account = bank.accounts.find(request.params.number)
    if (!account) return refuse(reply, 404, 'No such account')
    const { accountName, isActive } = recordOf(request.body)
    if (typeof accountName === 'string') account.accountName = accountName
    if (typeof isActive === 'boolean') account.isActive = isActive
    return { accountNumber: account.accountNumber, accountName: account.accountName }
  })
}

// Serves payout orders and queries about payouts.
function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.post('/payouts', async ({ body }, reply) => {
    const { reference, amount, to, narration } = recordOf(body)
    const amountKobo = koboOf(amount)
    const { bankCode, accountNumber, accountName } = recordOf(to)
    if (!textOf(reference) || !amountKobo || !textOf(accountNumber)) {
      return refuse(reply, 400, 'reference, amount and to.accountNumber are required')
    }
    const result = bank.payouts.placeOrder({
      reference: textOf(reference),
      amountKobo,
      to: {
        bankCode: textOf(bankCode),
        accountNumber: textOf(accountNumber),
        accountName: textOf(accountName),
      },
      narration: textOf(narration),
    })
    if (result.answer === 'conflict') return refuse(reply, 409, 'The reference has other terms')
    if (result.answer === 'payout') return payoutOf(result.payout)
    return keepQuiet(reply, result.answer) // Sends no answer.
  })
  app.get<{ Params: { reference: string } }>('/payouts/:reference', async ({ params }, reply) => {
    const payout = bank.payouts.find(params.reference)
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    if (payout) return payoutOf(payout)
    return reply.code(404).send({ status: 'not_found', message: 'No such payout' })
  })
}

// Returns a payout as the API shows it. The API has no status for a payout that the beneficiary's bank
// sent back, so it stays confirmed.
function payoutOf({ reference, bankReference, reason, ...payout }: Payout) {
  const status = payout.status === 'reversed' ? 'confirmed' : payout.status
  return {
    reference,
    status,
    ...(status === 'confirmed' ? { bankReference } : {}),
    ...(status === 'failed' ? { message: reason } : {}),
  }
}

function refuse(reply: FastifyReply, httpStatus: number, message: string): FastifyReply {
  return reply.code(httpStatus).send({ message })
}
