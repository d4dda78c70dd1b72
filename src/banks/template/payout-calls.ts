// Name enquiry and payouts at Example Bank. A refusal by the bank has the state `refused`; one by a gateway
// has no state.

import {
  type Ask,
  type BankCalls,
  formatKobo,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  type PayoutAnswer,
  payoutNotFound,
  payoutUnanswered,
  providerCode,
} from '#banks/kit.ts'

export function payoutCalls(ask: Ask): BankCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      // The numbering that the bank uses: 'cbn' has three or five digits, 'nip' six.
      const query = { bank: providerCode(bankCode, 'nip'), account: accountNumber }
      const answer = await ask({ method: 'GET', path: '/names', query }, options)
      if (answer.status === 'no_answer') return answer
      const { name } = answer.body
      return answer.httpStatus === 200 && typeof name === 'string'
        ? { status: 'found', accountName: name }
        : nameNotFound(answer, { isFromBank: isRefusal(answer), field: 'message' })
    },
    // isOrder: the request is never repeated. An outcome that nobody knows is `unknown`, and the service
    // queries it.
    async sendMoney({ reference, amountKobo, to, narration }, options) {
      const body = {
        reference,
        amount: formatKobo(amountKobo),
        bank: providerCode(to.bankCode, 'nip'),
        account: to.accountNumber,
        name: to.accountName,
        narration,
      }
      const answer = await ask({ method: 'POST', path: '/payouts', body, isOrder: true }, options)
      return answer.status === 'no_answer' ? payoutUnanswered(answer, true) : readPayout(answer)
    },
    async findPayout(reference, options) {
      const path = `/payouts/${encodeURIComponent(reference)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, isRefusal(answer))
      return readPayout(answer)
    },
  }
}

// Only the bank's word that it will not pay is `failed`. A refused order may repeat an earlier one.
function readPayout(answer: JsonAnswer): PayoutAnswer {
  const { state, bankReference } = answer.body
  const reason = messageOf(answer, 'message')
  if (answer.httpStatus !== 200) return { status: 'unknown', reason }
  if (state === 'paid' && typeof bankReference === 'string') {
    return { status: 'confirmed', bankReference }
  }
  if (state === 'failed') return { status: 'failed', reason }
  return { status: 'unknown', reason, ...(state === 'pending' && { isAccepted: true }) }
}

function isRefusal({ body }: JsonAnswer): boolean {
  return body.state === 'refused'
}
