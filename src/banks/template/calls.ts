// Calls to Example Bank. Leave out each call that your bank does not have: the features that need it are then
// off for that bank.

import {
  type Ask,
  asking,
  type BankCalls,
  type ConnectorSettings,
  findBankHttp,
  type Mode,
  messageOf,
  noAnswer,
  objectIn,
} from '#banks/kit.ts'
import { readTransfer } from './notifications.ts'
import { payoutCalls } from './payout-calls.ts'

export function templateCalls(settings: ConnectorSettings, mode: Mode): BankCalls {
  const http = findBankHttp(settings, mode)
  const apiKey = settings.findSecret('apiKey')
  if (!http) return {}
  if (!apiKey) settings.report('secrets.apiKey is missing: settings.baseUrl needs it')
  // Silence, server errors and refused credentials are `no_answer` already. Nothing here throws.
  const ask = asking(http, { authorization: `Bearer ${apiKey}` })
  return { ...transferCalls(ask), ...accountCalls(ask), ...payoutCalls(ask) }
}

// 5. How is the bank asked? Not found and in progress both mean: ask again.
function transferCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind !== 'session_id') return { status: 'not_found' }
      const path = `/transfers/${encodeURIComponent(value)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (answer.httpStatus === 404) return { status: 'not_found' }
      if (answer.body.state === 'pending') return { status: 'in_progress' }
      if (answer.httpStatus !== 200) return noAnswer(answer.httpStatus)
      return { status: 'found', items: [readTransfer(objectIn(answer.body.transfer))] }
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const query = {
        from: from.toISOString(),
        to: to.toISOString(),
        account: accountNumber ?? undefined,
        page: cursor ?? undefined,
      }
      const answer = await ask({ method: 'GET', path: '/transfers', query }, options)
      if (answer.status === 'no_answer') return answer
      const { transfers, nextPage } = answer.body
      if (answer.httpStatus !== 200 || !Array.isArray(transfers)) return noAnswer(answer.httpStatus)
      const items = transfers.map((transfer) => readTransfer(objectIn(transfer)))
      const nextCursor = typeof nextPage === 'number' ? String(nextPage) : null
      return { status: 'listed', items, nextCursor }
    },
  }
}

// 6. Who issues numbers? Leave this out where the bank grants us a range of them.
function accountCalls(ask: Ask): BankCalls {
  return {
    async reserveAccount({ reference, accountName }, options) {
      const body = { reference, name: accountName }
      const answer = await ask({ method: 'POST', path: '/accounts', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account } = answer.body
      return typeof account === 'string'
        ? { status: 'reserved', accountNumber: account, accountName }
        : { status: 'refused', reason: messageOf(answer, 'message') }
    },
  }
}
