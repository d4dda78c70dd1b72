// Transfers from our Nomba account to a bank. REFUND is the one definite failure. An answer counts only if it
// repeats our reference, `merchantTxRef`: Nomba has answered queries with the record of another transfer.
// `transactionRef` is Nomba's own id.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  type JsonAnswer,
  messageOf,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { toNaira } from '#money.ts'

export function payoutCalls(ask: Ask, senderName: string): BankCalls {
  return {
    async sendMoney({ reference, amountKobo, to, narration }, options) {
      const body = {
        amount: toNaira(amountKobo),
        accountNumber: to.accountNumber,
        accountName: to.accountName,
        bankCode: to.bankCode,
        merchantTxRef: reference,
        senderName,
        narration,
      }
      const answer = await ask(
        { method: 'POST', path: '/v2/transfers/bank', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      const { meta } = objectIn(answer.body.data)
      return readPayout(answer, objectIn(meta).merchantTxRef === reference)
    },
    async findPayout(reference, options) {
      const query = { merchantTxRef: reference }
      const path = '/v1/transactions/accounts/single'
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) {
        const { code, description } = answer.body
        const isFromBank = typeof code === 'string' && typeof description === 'string'
        return payoutNotFound(answer, isFromBank)
      }
      const { merchantTxRef } = objectIn(answer.body.data)
      return readPayout(answer, merchantTxRef === reference)
    },
  }
}

function readPayout(answer: JsonAnswer, isOurs: boolean): PayoutAnswer {
  const { id, status } = objectIn(answer.body.data)
  const isTaken = isOurs && answer.body.code === '00'
  if (isTaken && status === 'SUCCESS' && typeof id === 'string') {
    return { status: 'confirmed', bankReference: id }
  }
  const reason = messageOf(answer, 'description')
  if (isTaken && status === 'REFUND') return { status: 'failed', reason }
  return { status: 'unknown', reason, ...(isTaken && { isAccepted: true }) }
}
