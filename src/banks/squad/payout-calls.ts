// Name enquiry and transfers at Squad. Banks are named by their NIP code, amounts are in kobo, and a
// reference has to start with our merchant id.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { findBank } from '#banks/directory.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'

const REVERSED = 412
const FAILED = ['failed', 'reversed']

export function payoutCalls(ask: Ask, merchantId: string | undefined): BankCalls {
  return { ...nameCalls(ask), ...(merchantId ? transferCalls(ask, merchantId) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const body = { bank_code: nipCode(bankCode), account_number: accountNumber }
      const answer = await ask({ method: 'POST', path: '/payout/account/lookup', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.success === true && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.success === false, field: 'message' })
    },
  }
}

function transferCalls(ask: Ask, merchantId: string): BankCalls {
  const ours = (reference: string) => `${merchantId}_${reference}`
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const body = {
        transaction_reference: ours(reference),
        amount: amountKobo.toString(),
        bank_code: nipCode(to.bankCode),
        account_number: to.accountNumber,
        account_name: to.accountName,
        currency_id: currency,
        remark: narration,
      }
      const answer = await ask(
        { method: 'POST', path: '/payout/transfer', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const body = { transaction_reference: ours(reference) }
      const answer = await ask({ method: 'POST', path: '/payout/requery', body }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.success === false)
      return readPayout(answer)
    },
  }
}

// 424 is a timeout; other refusals may be of a reference that was sent before. Both are asked for.
function readPayout(answer: JsonAnswer): PayoutAnswer {
  const { httpStatus, body } = answer
  const { transaction_status: status, nip_transaction_reference: bankReference } = objectIn(
    body.data,
  )
  const state = typeof status === 'string' ? status.toLowerCase() : 'success'
  if (httpStatus === REVERSED || FAILED.includes(state)) {
    return { status: 'failed', reason: messageOf(answer, 'message') }
  }
  const isTaken = httpStatus === 200 && body.success === true
  if (isTaken && state === 'success' && typeof bankReference === 'string') {
    return { status: 'confirmed', bankReference }
  }
  const reason = messageOf(answer, 'message')
  return { status: 'unknown', reason, ...(isTaken && { isAccepted: true }) }
}

// A bank that we do not know is named as the caller named it.
function nipCode(bankCode: string): string {
  return findBank(bankCode)?.nipCode ?? bankCode
}
