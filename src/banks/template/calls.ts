// What Example Bank can be asked. A call that a bank does not have is left out, and the features that
// are built on it are off for that bank.

import { findBankHttp } from '#banks/bank-http.ts'
import type { BankCalls, Mode } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { objectIn } from '#banks/json-body.ts'
import { asking, messageOf, noAnswer } from '#banks/json-calls.ts'
import { readTransfer } from './notifications.ts'

export function templateCalls(settings: ConnectorSettings, mode: Mode): BankCalls {
  const http = findBankHttp(settings, mode)
  const apiKey = settings.findSecret('apiKey')
  if (!http) return {}
  if (!apiKey) settings.report('secrets.apiKey is missing: settings.baseUrl needs it')
  // Silence, server errors and refused credentials are `no_answer` already. Nothing here throws.
  const ask = asking(http, { authorization: `Bearer ${apiKey}` })
  return {
    // 5. How is the bank asked? Not found and in progress both mean: ask again.
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
    // 6. Who issues numbers? Leave this out where the bank grants us a range of them.
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
