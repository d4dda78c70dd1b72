// The bank's side of the Wema connector, reconstructed from unofficial clients: a bearer token,
// names in lower case, no charges or time, and a query of past transactions by session id or day.

import { findBank } from '#banks/directory.ts'
import { watDay } from '#clock.ts'
import { formatKobo } from '#money.ts'
import type { Transfer } from '../bank.ts'
import {
  type Dialect,
  outcomeOf,
  type Party,
  readJson,
  recordOf,
  type Speaker,
  textOf,
} from '../dialect.ts'

const QUERY_PATH = '/VirtualAccount/api/v1/Trans/TransQuery'

export const wemaDialect: Dialect = {
  connector: 'wema',
  credentials: {
    token: { value: 'fake-bank-token', variable: 'FAKE_BANK_TOKEN' },
    apiKey: { value: 'fake-bank-api-key', variable: 'FAKE_BANK_API_KEY' },
  },
  settings: { authentication: 'bearer', queryPath: QUERY_PATH },
  tries: 5,
  retryAfterMs: 60_000,
  batchMax: 1,
  hasApi: true,
  hidesCharges: true,
  speak,
}

// Returns this bank's speaker, which signs and writes the bank's messages, reads Manilla's answers, and
// serves the bank's API.
function speak({ credentials: { token, apiKey } }: Party): Speaker {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return {
    notify: ([transfer]) => ({
      path: '/credits',
      headers,
      body: JSON.stringify(notificationOf(transfer as Transfer)),
    }),
    readAcknowledgement: ({ body }, [transfer]) => {
      const { transactionreference, status } = recordOf(readJson(body))
      return [transactionreference === transfer?.sessionId ? outcomeOf(status) : 'retry']
    },
    enquireName: (accountnumber) => ({
      path: '/name-enquiry',
      headers,
      body: JSON.stringify({ accountnumber }),
    }),
    serve: (app, { bank }) => {
      app.post(QUERY_PATH, async (request, reply) => {
        if (request.headers['ocp-apim-subscription-key'] !== apiKey) {
          return reply.code(401).send({ statusCode: 401, message: 'Access denied' })
        }
        const { sessionid, craccount, txndate } = recordOf(request.body)
        const transfers = bank
          .allTransfers()
          .filter(({ sessionId }) => !sessionid || sessionId === sessionid)
          .filter(({ accountNumber }) => !craccount || accountNumber === craccount)
          .filter(({ at }) => !txndate || watDay(at) === textOf(txndate))
        if (transfers.length === 0) return { status: '25', status_desc: 'Unable to locate record' }
        return { status: '00', status_desc: 'success', transactions: transfers.map(notificationOf) }
      })
    },
  }
}

// Returns a transfer in the shape that notifications and query results share.
function notificationOf(transfer: Transfer) {
  const { payer } = transfer
  const bank = findBank(payer.bankCode)
  return {
    originatoraccountnumber: payer.accountNumber,
    amount: formatKobo(transfer.amountKobo),
    originatorname: payer.accountName.toUpperCase(),
    narration: transfer.narration,
    craccountname: transfer.accountName,
    paymentreference: transfer.bankReference,
    bankname: bank?.name.toUpperCase() ?? '',
    sessionid: transfer.sessionId,
    craccount: transfer.accountNumber,
    bankcode: bank?.nipCode ?? payer.bankCode,
  }
}
