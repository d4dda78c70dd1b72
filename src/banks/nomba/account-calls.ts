// Virtual accounts at Nomba, known there by our own reference (accountRef, 16 to 64 characters). An
// account lives for minutes unless it is given an expiry date. Its name has 8 to 64 characters; we send
// letters, digits and spaces only, because Nomba does not publish what else it takes.

import type { BankRequest } from '#banks/bank-http.ts'
import type { BankCalls, CallOptions, ChangeAnswer, ReservationAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, type JsonAnswer, messageOf, nameNotFound } from '#banks/json-calls.ts'

const ACCOUNTS = '/v1/accounts/virtual'
const NEVER = '2099-12-31 23:59:59'
const NAME_MIN = 8
const NAME_MAX = 64
const NAME_SUFFIX = 'Account' // Makes every name long enough.

export function accountCalls(ask: Ask, subAccountId: string | undefined): BankCalls {
  const newAccounts = subAccountId ? `${ACCOUNTS}/${encodeURIComponent(subAccountId)}` : ACCOUNTS
  return {
    async reserveAccount({ reference, accountName, customer }, options) {
      const body = {
        accountRef: reference,
        accountName: plainName(accountName),
        currency: 'NGN',
        expiryDate: NEVER,
        ...(customer?.bvn ? { bvn: customer.bvn } : {}),
      }
      const answer = await ask({ method: 'POST', path: newAccounts, body }, options)
      if (answer.status === 'no_answer') return answer
      const reserved = readReserved(answer, accountName)
      if (reserved) return reserved
      // Nomba refused, perhaps because an earlier request with this reference got through.
      const known = await ask({ method: 'GET', path: accountPath(reference) }, options)
      if (known.status === 'no_answer') return known
      const reason = messageOf(answer, 'description')
      return readReserved(known, accountName) ?? { status: 'refused', reason }
    },
    renameAccount({ reference, accountName }, options) {
      const body = { accountName: plainName(accountName) }
      return change(ask, { method: 'PUT', path: accountPath(reference), body }, options)
    },
    // Deletes the account instead of suspending it: a suspension needs an account id, which Nomba's answers
    // about a virtual account do not have. The only id in them is the holder's, which is the whole business.
    blockAccount({ reference }, options) {
      return change(ask, { method: 'DELETE', path: accountPath(reference) }, options)
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

function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer | undefined {
  const { bankAccountNumber, bankAccountName } = objectIn(answer.body.data)
  if (answer.body.code !== '00' || typeof bankAccountNumber !== 'string') return undefined
  return {
    status: 'reserved',
    accountNumber: bankAccountNumber,
    accountName: typeof bankAccountName === 'string' ? bankAccountName : accountName,
  }
}

async function change(ask: Ask, request: BankRequest, options: CallOptions): Promise<ChangeAnswer> {
  const answer = await ask(request, options)
  if (answer.status === 'no_answer') return answer
  if (answer.body.code === '00') return { status: 'done' }
  return { status: 'refused', reason: messageOf(answer, 'description') }
}

function accountPath(reference: string): string {
  return `${ACCOUNTS}/${encodeURIComponent(reference)}`
}

function plainName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
    .trimEnd()
  return plain.length >= NAME_MIN ? plain : `${plain || 'Virtual'} ${NAME_SUFFIX}`
}
