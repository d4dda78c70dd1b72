// Name enquiry and transfers at Paystack, in kobo. A transfer goes to a recipient, which we create first and
// may create again, because creating it orders nothing. An answer counts only if it repeats our reference.

import type { BankCalls, CallOptions, NoAnswer, PayoutAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import { providerCode } from '#banks/directory.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  inTurn,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import { paystackReference } from './payout-references.ts'

const FAILED = ['failed', 'abandoned', 'blocked', 'rejected']
const REVERSED = 'reversed' // May follow success.
const WAITS_FOR_OTP = 'otp' // Nobody will enter the one-time password.
// Paystack publishes that this message means that no transfer was made.
const BALANCE_TOO_LOW = /^your balance is not enough\b/i

export function payoutCalls(ask: Ask, { paysOut }: { paysOut: boolean }): BankCalls {
  return { ...nameCalls(ask), ...(paysOut ? transferCalls(ask) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const query = { account_number: accountNumber, bank_code: paystackCode(bankCode) }
      const answer = await ask({ method: 'GET', path: '/bank/resolve', query }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.status === true && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.status === false, field: 'message' })
    },
  }
}

function transferCalls(ask: Ask): BankCalls {
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const theirs = paystackReference(reference)
      if (!theirs) return { status: 'failed', reason: 'Paystack cannot take this reference.' }
      const askInTurn = inTurn(ask)
      const recipient = {
        type: 'nuban',
        name: to.accountName,
        account_number: to.accountNumber,
        bank_code: paystackCode(to.bankCode),
        currency,
      }
      const path = '/transferrecipient'
      const made = await askInTurn({ method: 'POST', path, body: recipient }, options)
      if (made.status === 'no_answer') return notOrdered(made, options)
      const { recipient_code: code } = objectIn(made.body.data)
      if (made.body.status !== true || !isText(code)) {
        return { status: 'failed', reason: messageOf(made, 'message') }
      }
      const body = {
        source: 'balance',
        amount: Number(amountKobo),
        recipient: code,
        reference: theirs,
        reason: narration,
        currency,
      }
      const answer = await askInTurn(
        { method: 'POST', path: '/transfer', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      const message = messageOf(answer, 'message')
      if (answer.body.status === false && BALANCE_TOO_LOW.test(message)) {
        return { status: 'failed', reason: message }
      }
      return readPayout(answer, theirs)
    },
    async findPayout(reference, options) {
      const theirs = paystackReference(reference)
      if (!theirs) return { status: 'unknown', reason: 'Paystack cannot know this reference.' }
      const answer = await ask({ method: 'GET', path: `/transfer/verify/${theirs}` }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.status === false)
      return readPayout(answer, theirs)
    },
  }
}

// Nothing was ordered, so the payout may be sent later. If the call is too late, the payout stays unknown,
// because others may already count it as unknown.
function notOrdered(answer: NoAnswer, { isTooLate, signal }: CallOptions): PayoutAnswer {
  const isLate = isTooLate?.() === true || signal?.aborted === true
  return payoutUnanswered(isLate ? answer : { ...answer, isUnsent: true }, true)
}

function readPayout(answer: JsonAnswer, reference: string): PayoutAnswer {
  const { status, transfer_code: code, failures, ...data } = objectIn(answer.body.data)
  const isOurs = answer.body.status === true && data.reference === reference
  if (!isOurs || !isText(status)) return { status: 'unknown', reason: messageOf(answer, 'message') }
  if (status === 'success' && isText(code)) return { status: 'confirmed', bankReference: code }
  const reason = whyFailed(failures) ?? status
  if (FAILED.includes(status)) return { status: 'failed', reason }
  if (status === REVERSED) return { status: 'failed', reason, isReversed: true }
  return status === WAITS_FOR_OTP
    ? { status: 'unknown', reason: status, isAccepted: true, waitsFor: 'authorization' }
    : { status: 'unknown', reason: status, isAccepted: true }
}

// Paystack does not publish the form of `failures`.
function whyFailed(failures: unknown): string | null {
  if (failures === null || failures === undefined) return null
  return cleanText(typeof failures === 'string' ? failures : JSON.stringify(failures))
}

function paystackCode(bankCode: string): string {
  return providerCode(bankCode, 'cbn', 'paystack')
}
