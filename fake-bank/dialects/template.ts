// A dialect to copy for a new bank (docs/adding-a-bank.md): "Example Bank", the bank's side of the
// connector template. It signs the raw body, and reads the field `received` as the acknowledgement. Write
// yours from the bank's documentation, not from the connector, because shared code would share its
// mistakes.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { formatKobo, parseKobo } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  keepQuiet,
  type Party,
  type Query,
  readJson,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const MINUTE_MS = 60_000

export const templateDialect: Dialect = {
  connector: 'template',
  // The credentials, by their names in the banks file. Those with an environment variable are secrets.
  credentials: {
    signingKey: { value: 'fake-bank-signing-key', variable: 'FAKE_BANK_SIGNING_KEY' },
    apiKey: { value: 'fake-bank-api-key', variable: 'FAKE_BANK_API_KEY' },
  },
  // How often the bank sends a notification that is not acknowledged, and the delay between the tries.
  tries: 5,
  retryAfterMs: MINUTE_MS,
  batchMax: 1,
  hasApi: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ credentials: { signingKey = '', apiKey } }: Party): Speaker {
  // Returns a message with the bank's signature of its body.
  const sign = (path: string, body: string) => ({
    path,
    headers: {
      'content-type': 'application/json',
      'x-template-signature': createHmac('sha256', signingKey).update(body).digest('hex'),
    },
    body,
  })
  return {
    notify: ([transfer]) => sign('/credits', JSON.stringify(transferOf(transfer as Transfer))),
    // After `rejected` the bank gives up; after `retry` it sends the notification again.
    readAcknowledgement: ({ httpStatus, body }) => {
      if (httpStatus !== 200) return ['retry']
      return [recordOf(readJson(body)).received === true ? 'acknowledged' : 'rejected']
    },
    enquireName: (accountNumber) => sign('/name-enquiry', JSON.stringify({ accountNumber })),
    serve: (app, { bank }) => {
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization === `Bearer ${apiKey}`) return
        return reply.code(401).send(refusal('Unknown key'))
      })
      serveTransfers(app, bank)
      serveAccounts(app, bank)
      servePayouts(app, bank)
    },
  }
}

// Returns a transfer in the shape that notifications and answers share.
function transferOf(transfer: Transfer) {
  const { payer, amountKobo, settledKobo, feeKobo, vatKobo } = transfer
  return {
    reference: transfer.bankReference,
    sessionId: transfer.sessionId,
    direction: 'credit',
    account: transfer.accountNumber,
    amount: formatKobo(amountKobo),
    settled: formatKobo(settledKobo),
    fee: formatKobo(feeKobo),
    vat: formatKobo(vatKobo),
    currency: 'NGN',
    payer: {
      account: payer.accountNumber,
      name: payer.accountName.toUpperCase(),
      bank: findBank(payer.bankCode)?.nipCode ?? payer.bankCode,
    },
    narration: transfer.narration,
    time: transfer.at.toISOString(),
  }
}

// Serves the queries about transfers: by session id, and as a list.
function serveTransfers(app: FastifyInstance, bank: Bank): void {
  app.get<{ Params: { sessionId: string } }>('/transfers/:sessionId', async (request, reply) => {
    const { sessionId } = request.params
    const transfer = bank.findTransfer(sessionId)
    // findTransfer() takes any identifier; this path takes only a session id.
    if (transfer?.sessionId !== sessionId) return reply.code(404).send(refusal('No such transfer'))
    return { state: 'booked', transfer: transferOf(transfer) }
  })
  app.get<Query>('/transfers', async ({ query }) => {
    const { transfers, next } = bank.listTransfers({
      accountNumber: query.account,
      from: new Date(query.from ?? 0),
      to: new Date(query.to ?? 8.64e15), // The latest possible date.
      after: Number(query.page ?? 0), // The number of transfers to skip.
    })
    return { transfers: transfers.map(transferOf), nextPage: next }
  })
}

// Serves reserved accounts. A reference that was used before returns its account.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post('/accounts', async ({ body }, reply) => {
    const { reference, name } = recordOf(body)
    if (!textOf(reference) || !textOf(name)) {
      return reply.code(400).send(refusal('Reference and name are required'))
    }
    const account = { reference: textOf(reference), accountName: textOf(name) }
    return { account: bank.accounts.reserve(account).accountNumber }
  })
}

const STATES = {
  confirmed: 'paid',
  reversed: 'paid',
  failed: 'failed',
  pending: 'pending',
} as const

export function refusal(message: string) {
  return { state: 'refused', message }
}

// Serves name enquiries, payout orders and queries about payouts.
export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/names', async ({ query }, reply) => {
    const name = bank.accounts.findName(query.account ?? '')
    return name ? { name } : reply.code(404).send(refusal('No such account'))
  })
  app.post('/payouts', async ({ body }, reply) => {
    const order = recordOf(body)
    const [reference, amountKobo] = [textOf(order.reference), parseKobo(textOf(order.amount))]
    if (!reference || !amountKobo) return reply.code(400).send(refusal('The order is incomplete'))
    const to = {
      bankCode: textOf(order.bank),
      accountNumber: textOf(order.account),
      accountName: textOf(order.name),
    }
    // `payout` is the answer to a new or repeated order, `conflict` that to another order with the same
    // reference. `silent` and `dropped` send no answer.
    const narration = textOf(order.narration)
    const result = bank.payouts.placeOrder({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') return reply.code(409).send(refusal('Duplicate reference'))
    return result.answer === 'payout' ? stateOf(result.payout) : keepQuiet(reply, result.answer)
  })
  app.get<{ Params: { reference: string } }>('/payouts/:reference', async (request, reply) => {
    const payout = bank.payouts.find(request.params.reference)
    if (payout === 'silent') return keepQuiet(reply, payout) // A test has made the bank silent.
    return payout ? stateOf(payout) : reply.code(404).send(refusal('No such payout'))
  })
}

// Returns a payout as the API shows it.
function stateOf({ reference, bankReference, status, reason }: Payout) {
  return {
    reference,
    state: STATES[status],
    bankReference: status === 'confirmed' ? bankReference : null,
    message: reason ?? STATES[status],
  }
}
