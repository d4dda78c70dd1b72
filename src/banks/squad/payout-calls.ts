// Name enquiry and transfers at Squad. Banks are named by their six-digit NIP code, amounts are in kobo,
// and a reference has to start with our merchant id.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
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
import { isNipSessionId } from '#banks/numbers.ts'

const REVERSED = 412
const FAILED = ['failed', 'reversed']
const NIP_CODE = /^[0-9]{6}$/
// The published answers have no word for the state, only these descriptions.
const PAID_WORDS = ['approved or completed successfully', 'transaction success']

export function payoutCalls(ask: Ask, merchantId: string | undefined): BankCalls {
  return { ...nameCalls(ask), ...(merchantId ? payoutTransferCalls(ask, merchantId) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const code = nipCode(bankCode)
      if (!code) return { status: 'no_answer', reason: noNipCode(bankCode), isUp: true }
      const body = { bank_code: code, account_number: accountNumber }
      const answer = await ask({ method: 'POST', path: '/payout/account/lookup', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.success === true && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.success === false, field: 'message' })
    },
  }
}

function payoutTransferCalls(ask: Ask, merchantId: string): BankCalls {
  const ours = (reference: string) => `${merchantId}_${reference}`
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const code = nipCode(to.bankCode)
      if (!code) return { status: 'failed', reason: noNipCode(to.bankCode) }
      const body = {
        transaction_reference: ours(reference),
        amount: amountKobo.toString(),
        bank_code: code,
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

// 424 is a timeout; another refusal may concern a reference that was sent before. Both are queried. Squad
// does not publish its answer about a pending transfer, so a transfer counts as paid only with a session id
// and a message that says so.
function readPayout(answer: JsonAnswer): PayoutAnswer {
  const { httpStatus, body } = answer
  const data = objectIn(body.data)
  const { nip_transaction_reference: bankReference } = data
  const state = lowerCase(data.transaction_status)
  if (httpStatus === REVERSED || FAILED.includes(state)) {
    return { status: 'failed', reason: whyFailed(answer, data.response_description) }
  }
  const isAnswered = httpStatus === 200 && body.success === true
  const saysPaid = state === 'success' || PAID_WORDS.includes(lowerCase(data.response_description))
  const isPending = state !== '' && state !== 'success'
  const hasSession = typeof bankReference === 'string' && isNipSessionId(bankReference)
  if (isAnswered && saysPaid && !isPending && hasSession) {
    return { status: 'confirmed', bankReference }
  }
  const reason = messageOf(answer, 'message')
  return { status: 'unknown', reason, ...(isAnswered && { isAccepted: true }) }
}

// The message of an answer with 200 is about the request: "Success" for a transfer that failed.
function whyFailed(answer: JsonAnswer, description: unknown): string {
  if (answer.httpStatus !== 200) return messageOf(answer, 'message')
  return (typeof description === 'string' && cleanText(description)) || 'The transfer failed.'
}

function lowerCase(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : ''
}

// Undefined for any other code, because Squad could take it for another bank.
function nipCode(bankCode: string): string | undefined {
  const bank = findBank(bankCode)
  if (bank) return bank.nipCode
  return NIP_CODE.test(bankCode) ? bankCode : undefined
}

function noNipCode(bankCode: string): string {
  return `Squad names banks by their NIP code, and that of bank ${bankCode} is not known.`
}
