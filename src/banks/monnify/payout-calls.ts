// Name enquiry and single disbursements at Monnify. A disbursement has failed only if Monnify calls it
// FAILED, REVERSED or EXPIRED. Monnify may refuse a request because it has seen it before, so we query a
// refused request by reference.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { cleanText } from '#banks/credit-fields.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import { toNaira } from '#money.ts'

type Body = Record<string, unknown>

const PAID = ['SUCCESS', 'COMPLETED']
const FAILED = ['FAILED', 'EXPIRED']
const REVERSED = 'REVERSED' // May follow SUCCESS.
// Monnify waits for a one-time password, which nobody will enter.
const WAITS_FOR_OTP = [
  'PENDING_AUTHORIZATION',
  'PENDING_BATCH_AUTHORIZATION',
  'OTP_EMAIL_DISPATCH_FAILED',
]
const NARRATION_MAX = 100

export function payoutCalls(ask: Ask, walletNumber: string | undefined): BankCalls {
  return { ...nameCalls(ask), ...(walletNumber ? disbursementCalls(ask, walletNumber) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ accountNumber, bankCode }, options) {
      const query = { accountNumber, bankCode }
      const path = '/api/v1/disbursements/account/validate'
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { accountName } = objectIn(answer.body.responseBody)
      if (typeof accountName === 'string') return { status: 'found', accountName }
      const isFromBank = answer.body.requestSuccessful === false
      return nameNotFound(answer, { isFromBank, field: 'responseMessage' })
    },
  }
}

function disbursementCalls(ask: Ask, sourceAccountNumber: string): BankCalls {
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const body = {
        amount: toNaira(amountKobo),
        reference,
        narration: narration.slice(0, NARRATION_MAX),
        destinationBankCode: to.bankCode,
        destinationAccountNumber: to.accountNumber,
        destinationAccountName: to.accountName,
        currency,
        sourceAccountNumber,
        async: true,
      }
      const path = '/api/v2/disbursements/single'
      const answer = await ask({ method: 'POST', path, body, isOrder: true }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const path = '/api/v2/disbursements/single/summary'
      const answer = await ask({ method: 'GET', path, query: { reference } }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) {
        return payoutNotFound(answer, answer.body.requestSuccessful === false)
      }
      return readPayout(answer)
    },
  }
}

function readPayout(answer: JsonAnswer): PayoutAnswer {
  const body = objectIn(answer.body.responseBody)
  const { status, transactionReference } = body
  if (typeof status !== 'string') {
    return { status: 'unknown', reason: messageOf(answer, 'responseMessage') }
  }
  if (PAID.includes(status) && typeof transactionReference === 'string') {
    return { status: 'confirmed', bankReference: transactionReference }
  }
  if (FAILED.includes(status)) return { status: 'failed', reason: whyFailed(body, status) }
  if (status === REVERSED) {
    return { status: 'failed', reason: whyFailed(body, status), isReversed: true }
  }
  return WAITS_FOR_OTP.includes(status)
    ? { status: 'unknown', reason: status, isAccepted: true, waitsFor: 'authorization' }
    : { status: 'unknown', reason: status, isAccepted: true }
}

// Ignores the message of the envelope, which is about the request: "success" for a payout that failed.
function whyFailed({ comment, transactionDescription }: Body, status: string): string {
  const words = [comment, transactionDescription].find(isText)
  return (words && cleanText(words)) ?? status
}
