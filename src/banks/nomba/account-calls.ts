// Virtual accounts at Nomba. An account lives for minutes unless it is given an expiry date. Its name
// may have letters, digits and spaces only.

import type { BankRequest } from '#banks/bank-http.ts'
import type { BankCalls, CallOptions, ChangeAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, messageOf, nameNotFound } from '#banks/json-calls.ts'

const NEVER = '2099-12-31 23:59:59'
const NAME_MAX = 64

export function accountCalls(ask: Ask): BankCalls {
  return {
    async reserveAccount({ reference, accountName, bvn }, options) {
      const body = {
        accountRef: reference,
        accountName: plainName(accountName),
        currency: 'NGN',
        expiryDate: NEVER,
        ...(bvn === null ? {} : { bvn }),
      }
      const answer = await ask({ method: 'POST', path: '/v1/accounts/virtual', body }, options)
      if (answer.status === 'no_answer') return answer
      const { bankAccountNumber, bankAccountName } = objectIn(answer.body.data)
      if (answer.body.code !== '00' || typeof bankAccountNumber !== 'string') {
        return { status: 'refused', reason: messageOf(answer, 'description') }
      }
      return {
        status: 'reserved',
        accountNumber: bankAccountNumber,
        accountName: typeof bankAccountName === 'string' ? bankAccountName : accountName,
      }
    },
    renameAccount({ accountNumber, accountName }, options) {
      const body = { accountName: plainName(accountName) }
      const path = `/v1/accounts/virtual/${accountNumber}`
      return change(ask, { method: 'PUT', path, body }, options)
    },
    // By the account's own id. Its holder's id is the whole business, and is never suspended.
    async blockAccount({ accountNumber }, options) {
      const path = `/v1/accounts/virtual/${accountNumber}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      const { accountId } = objectIn(answer.body.data)
      if (typeof accountId !== 'string') {
        return { status: 'refused', reason: messageOf(answer, 'description') }
      }
      const suspension = `/v1/accounts/suspend/${encodeURIComponent(accountId)}`
      return await change(ask, { method: 'PUT', path: suspension }, options)
    },
    async enquireName({ accountNumber, bankCode }, options) {
      const body = { accountNumber, bankCode }
      const answer = await ask({ method: 'POST', path: '/v1/transfers/bank/lookup', body }, options)
      if (answer.status === 'no_answer') return answer
      const { accountName } = objectIn(answer.body.data)
      const { code, description } = answer.body
      if (code === '00' && typeof accountName === 'string') return { status: 'found', accountName }
      const isFromBank = typeof code === 'string' && typeof description === 'string'
      return nameNotFound(answer, { isFromBank, field: 'description' })
    },
  }
}

async function change(ask: Ask, request: BankRequest, options: CallOptions): Promise<ChangeAnswer> {
  const answer = await ask(request, options)
  if (answer.status === 'no_answer') return answer
  if (answer.body.code === '00') return { status: 'done' }
  return { status: 'refused', reason: messageOf(answer, 'description') }
}

function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
}
