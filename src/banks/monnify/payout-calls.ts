// Name enquiry and single disbursements at Monnify. Only what it calls FAILED or REVERSED has failed;
// a request that it refuses may be one that it has seen before, so it is asked for by reference.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { toNaira } from '#money.ts'

const FAILED = ['FAILED', 'REVERSED', 'EXPIRED']

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
        narration,
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
  const { status, transactionReference } = objectIn(answer.body.responseBody)
  if (status === 'SUCCESS' && typeof transactionReference === 'string') {
    return { status: 'confirmed', bankReference: transactionReference }
  }
  if (FAILED.includes(String(status))) {
    return { status: 'failed', reason: messageOf(answer, 'responseMessage') }
  }
  if (typeof status === 'string') return { status: 'unknown', reason: status, isAccepted: true }
  return { status: 'unknown', reason: messageOf(answer, 'responseMessage') }
}
