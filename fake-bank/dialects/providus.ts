// The bank's side of the Providus connector: a constant signature, one notification at a time with
// amounts as text, four tries, and the PiP calls.

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import { formatKobo, toNaira } from '#money.ts'
import type { Bank, Transfer } from '../bank.ts'
import {
  type Dialect,
  outcomeOf,
  type Party,
  type Query,
  readJson,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'

const CHANGES = { done: '00', unknown: '01' } as const
const NOT_FOUND = {
  sessionId: '',
  accountNumber: '',
  tranRemarks: 'Transaction not found!!!',
  transactionAmount: 0,
  settledAmount: 0,
  feeAmount: 0,
  vatAmount: 0,
  currency: '',
  settlementId: '',
  sourceAccountNumber: '',
  sourceAccountName: '',
  sourceBankName: '',
  tranDateTime: '',
}

export const providusDialect: Dialect = {
  connector: 'providus',
  credentials: {
    clientId: { value: 'fake-bank' },
    clientSecret: { value: 'fake-bank-client-secret', variable: 'FAKE_BANK_CLIENT_SECRET' },
  },
  tries: 4,
  retryAfterMs: 5 * 60_000,
  batchMax: 1,
  hasApi: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ credentials: { clientId, clientSecret } }: Party): Speaker {
  const signature = createHash('sha512').update(`${clientId}:${clientSecret}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'client-id': clientId ?? '',
    'x-auth-signature': signature,
  }
  return {
    notify: ([transfer]) => ({
      path: '/credits',
      headers,
      body: JSON.stringify(notificationOf(transfer as Transfer)),
    }),
    readAcknowledgement: ({ body }, [transfer]) => {
      const { requestSuccessful, sessionId, responseCode } = recordOf(readJson(body))
      const isForThisTransfer = requestSuccessful === true && sessionId === transfer?.sessionId
      return [isForThisTransfer ? outcomeOf(responseCode) : 'retry']
    },
    enquireName: (accountNumber) => ({
      path: '/name-enquiry',
      headers,
      body: JSON.stringify({ accountNumber }),
    }),
    serve: (app, { bank }) => {
      app.addHook('onRequest', async (request, reply) => {
        const { 'client-id': id, 'x-auth-signature': presented } = request.headers
        if (id !== clientId || String(presented).toLowerCase() !== signature) {
          const responseMessage = 'Invalid credentials'
          const responseCode = '03'
          return reply.code(401).send({ requestSuccessful: false, responseMessage, responseCode })
        }
      })
      serveTransfers(app, bank)
      serveAccounts(app, bank)
    },
  }
}

// Returns a transfer in the shape of a notification, with amounts as text.
function notificationOf(transfer: Transfer) {
  return {
    sessionId: transfer.sessionId,
    accountNumber: transfer.accountNumber,
    tranRemarks: transfer.narration,
    transactionAmount: formatKobo(transfer.amountKobo),
    settledAmount: formatKobo(transfer.settledKobo),
    feeAmount: formatKobo(transfer.feeKobo),
    vatAmount: formatKobo(transfer.vatKobo),
    currency: 'NGN',
    initiationTranRef: '',
    settlementId: transfer.settlementId,
    sourceAccountNumber: transfer.payer.accountNumber,
    sourceAccountName: transfer.payer.accountName,
    sourceBankName: findBank(transfer.payer.bankCode)?.name.toUpperCase() ?? '',
    channelId: '1',
    // In the form 2026-11-15 09:00:00, in Nigerian time (WAT).
    tranDateTime: timestamp(transfer.at).slice(0, 19).replace('T', ' '),
  }
}

// Serves the queries about one transfer, by session id or settlement id.
function serveTransfers(app: FastifyInstance, bank: Bank): void {
  type Identifier = { kind: 'sessionId' | 'settlementId'; value?: string | undefined }
  // Answers with the transfer that has this identifier, or with Providus's answer for an unknown one.
  // findTransfer() takes any identifier; each path takes only one kind.
  const sendTransfer = (reply: FastifyReply, { kind, value = '' }: Identifier) => {
    const transfer = bank.findTransfer(value)
    return transfer?.[kind] === value
      ? reply.send(verificationOf(transfer))
      : reply.code(400).send(NOT_FOUND)
  }
  app.get<Query>('/PiPverifyTransaction_sessionid', async ({ query }, reply) =>
    sendTransfer(reply, { kind: 'sessionId', value: query.session_id }),
  )
  app.get<Query>('/PiPverifyTransaction_settlementid', async ({ query }, reply) =>
    sendTransfer(reply, { kind: 'settlementId', value: query.settlement_id }),
  )
}

// Returns a transfer as a verification shows it: like a notification, but with amounts as numbers.
function verificationOf(transfer: Transfer) {
  return {
    ...notificationOf(transfer),
    transactionAmount: toNaira(transfer.amountKobo),
    settledAmount: toNaira(transfer.settledKobo),
    feeAmount: toNaira(transfer.feeKobo),
    vatAmount: toNaira(transfer.vatKobo),
    sourceBankCode: findBank(transfer.payer.bankCode)?.nipCode ?? transfer.payer.bankCode,
  }
}

// Serves the calls that reserve and rename accounts.
function serveAccounts(app: FastifyInstance, bank: Bank): void {
  app.post('/PiPCreateReservedAccountNumber', async ({ body }) => {
    const accountName = textOf(recordOf(body).account_name)
    if (!accountName) return answer('03', 'account_name is required')
    const account = bank.accounts.reserve({ accountName, reference: null })
    return {
      account_number: account.accountNumber,
      account_name: account.accountName,
      bvn: textOf(recordOf(body).bvn),
      ...answer('00', 'Reserved Account Generated Successfully'),
    }
  })
  app.post('/PiPUpdateAccountName', async ({ body }) => {
    const { account_number: accountNumber, account_name: accountName } = recordOf(body)
    const account = bank.accounts.find(textOf(accountNumber))
    if (account && textOf(accountName)) account.accountName = textOf(accountName)
    return changeAnswer(account)
  })
}

// Answers a request to change an account. Without an account, the number is not the bank's.
function changeAnswer(account: object | undefined) {
  return account
    ? answer(CHANGES.done, 'Operation Successful')
    : answer(CHANGES.unknown, 'Account does not exist')
}

function answer(responseCode: string, responseMessage: string) {
  return { requestSuccessful: responseCode === '00', responseMessage, responseCode }
}
