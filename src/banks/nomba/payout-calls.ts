// Transfers from our Nomba account to a bank. REFUND is the one definite failure. A record is taken
// for ours only when it repeats our reference: unofficially, the query has been seen to answer with
// another transfer's.

import type { BankCalls, PayoutAnswer } from '#banks/connector.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, type JsonAnswer, messageOf, payoutNotFound } from '#banks/json-calls.ts'
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
      const answer = await ask({ method: 'POST', path: '/v2/transfers/bank', body }, options)
      if (answer.status === 'no_answer') return { status: 'unknown', reason: answer.reason }
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const query = { merchantTxRef: reference }
      const path = '/v1/transactions/accounts/single'
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return { status: 'unknown', reason: answer.reason }
      if (answer.httpStatus === 404) {
        const { code, description } = answer.body
        const isFromBank = typeof code === 'string' && typeof description === 'string'
        return payoutNotFound(answer, isFromBank)
      }
      const { merchantTxRef } = objectIn(answer.body.data)
      return merchantTxRef === reference
        ? readPayout(answer)
        : { status: 'unknown', reason: messageOf(answer, 'description') }
    },
  }
}

function readPayout(answer: JsonAnswer): PayoutAnswer {
  const { id, status } = objectIn(answer.body.data)
  const isTaken = answer.body.code === '00'
  if (isTaken && status === 'SUCCESS' && typeof id === 'string') {
    return { status: 'confirmed', bankReference: id }
  }
  const reason = messageOf(answer, 'description')
  return isTaken && status === 'REFUND'
    ? { status: 'failed', reason }
    : { status: 'unknown', reason }
}
