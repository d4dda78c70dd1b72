// Calls to Nomba, under an access token of the OAuth client credentials. Every answer has a code of its own,
// 00 for success.

import { findBankHttp } from '#banks/bank-http.ts'
import type { BankCalls, Mode, TransferAnswer } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  asking,
  askingWithToken,
  type JsonAnswer,
  messageOf,
  noAnswer,
} from '#banks/json-calls.ts'
import { accountCalls } from './account-calls.ts'
import { readRecord } from './notifications.ts'
import { payoutCalls } from './payout-calls.ts'

const PAGE_SIZE = '100'
const TOKEN_MS = 30 * 60_000 // As Nomba publishes.
const IN_PROGRESS = ['NEW', 'PENDING', 'PENDING_BILLING', 'PENDING_PAYMENT']

export function nombaCalls(settings: ConnectorSettings, mode: Mode): BankCalls {
  const http = findBankHttp(settings, mode)
  const accountId = settings.findText('accountId')
  const clientId = settings.findText('clientId')
  const clientSecret = settings.findSecret('clientSecret')
  const senderName = settings.findText('senderName')
  const subAccountId = settings.findText('subAccountId')
  if (!http) return {}
  for (const [name, value] of Object.entries({ accountId, clientId })) {
    if (!value) settings.report(`settings.${name} is missing: settings.baseUrl needs it`)
  }
  if (!clientSecret) settings.report('secrets.clientSecret is missing: settings.baseUrl needs it')
  const headers = { accountid: accountId ?? '' }
  const body = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }
  const { ask, prepareOrders } = askingWithToken(http, async () => {
    const path = '/v1/auth/token/issue'
    const answer = await asking(http, headers)({ method: 'POST', path, body }, {})
    if (answer.status === 'no_answer') return answer
    const token = objectIn(answer.body.data).access_token
    if (typeof token !== 'string') return asNoAnswer(answer)
    const authorization = `Bearer ${token}`
    return {
      status: 'logged_in',
      headers: { ...headers, authorization },
      lifetimeMs: TOKEN_MS,
    }
  })
  return {
    ...transactionCalls(ask),
    ...accountCalls(ask, subAccountId),
    ...(senderName ? { ...payoutCalls(ask, senderName), prepareOrders } : {}),
  }
}

function transactionCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind !== 'session_id') return { status: 'not_found' }
      const path = `/v1/transactions/requery/${encodeURIComponent(value)}`
      const answer = await ask({ method: 'GET', path }, options)
      return answer.status === 'no_answer' ? answer : readTransfer(answer)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const query = {
        dateFrom: secondsOf(from),
        dateTo: secondsOf(to),
        limit: PAGE_SIZE,
        cursor: cursor ?? undefined,
        virtual_account: accountNumber ?? undefined,
      }
      const path = `/v1/transactions/${accountNumber === null ? 'accounts' : 'virtual'}`
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { results, cursor: next } = objectIn(answer.body.data)
      if (answer.body.code !== '00' || !Array.isArray(results)) return asNoAnswer(answer)
      const items = results
        .filter(isObject)
        .filter(({ type, status }) => type === 'vact_transfer' && status === 'SUCCESS')
        .map(readRecord)
      const nextCursor = typeof next === 'string' && next !== '' ? next : null
      return { status: 'listed', items, nextCursor }
    },
  }
}

// An answer without a record may mean that Nomba has no record yet.
function readTransfer(answer: JsonAnswer): TransferAnswer {
  const { code, data } = answer.body
  const { status } = objectIn(data)
  if (code !== '00') {
    const isAnswer = typeof code === 'string' || answer.httpStatus === 404
    return isAnswer ? { status: 'not_found' } : asNoAnswer(answer)
  }
  if (IN_PROGRESS.includes(String(status))) return { status: 'in_progress' }
  return status === 'SUCCESS'
    ? { status: 'found', items: [readRecord(objectIn(data))] }
    : { status: 'not_found' }
}

// In UTC, without an offset.
function secondsOf(at: Date): string {
  return at.toISOString().slice(0, 19)
}

function asNoAnswer(answer: JsonAnswer) {
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, 'description') }
}
