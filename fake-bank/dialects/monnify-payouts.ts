// Name enquiry and disbursements at Monnify, and the envelope of all its answers.

import type { FastifyInstance } from 'fastify'
import { koboOf, toNaira } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout, PayoutNews } from '../payouts.ts'

const STATUSES = {
  confirmed: 'SUCCESS',
  failed: 'FAILED',
  reversed: 'REVERSED',
  pending: 'PENDING',
} as const
const EVENTS = {
  confirmed: 'SUCCESSFUL_DISBURSEMENT',
  failed: 'FAILED_DISBURSEMENT',
  reversed: 'REVERSED_DISBURSEMENT',
}

export function success(responseBody: object) {
  return { requestSuccessful: true, responseMessage: 'success', responseCode: '0', responseBody }
}

export function failure(responseMessage: string) {
  return { requestSuccessful: false, responseMessage, responseCode: '99' }
}

export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/api/v1/disbursements/account/validate', async ({ query }, reply) => {
    const { accountNumber = '', bankCode } = query
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(404).send(failure('Invalid account details'))
    return success({ accountNumber, accountName, bankCode })
  })
  app.post('/api/v2/disbursements/single', async ({ body }, reply) => {
    const order = recordOf(body)
    const amountKobo = koboOf(order.amount)
    const reference = textOf(order.reference)
    const accountName = textOf(order.destinationAccountName)
    if (!reference || !amountKobo || !accountName)
      return reply.code(400).send(failure('Invalid request'))
    const result = bank.payouts.take({
      reference,
      amountKobo,
      to: {
        bankCode: textOf(order.destinationBankCode),
        accountNumber: textOf(order.destinationAccountNumber),
        accountName,
      },
      narration: textOf(order.narration),
    })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('A transfer with this reference exists'))
    }
    return result.answer === 'payout'
      ? sentAnswer(result.payout, order.async === true)
      : keepQuiet(reply, result.answer)
  })
  app.get<Query>('/api/v2/disbursements/single/summary', async ({ query }, reply) => {
    const payout = bank.payouts.find(query.reference ?? '')
    if (payout === 'silent') return keepQuiet(reply, payout)
    return payout ? statusAnswer(payout) : reply.code(404).send(failure('No such transfer'))
  })
}

// The answer to an asynchronous order says only that Monnify accepted it, and lacks Monnify's own
// reference.
function sentAnswer(payout: Payout, isAsync: boolean) {
  const { reference, amountKobo, status, reason, to, at } = payout
  return success({
    amount: toNaira(amountKobo),
    reference,
    status: isAsync ? 'PENDING' : STATUSES[status],
    dateCreated: at.toISOString(),
    totalFee: 0,
    destinationAccountName: to.accountName,
    destinationAccountNumber: to.accountNumber,
    destinationBankCode: to.bankCode,
    ...(reason !== null && !isAsync && { comment: reason }),
  })
}

// The envelope says "success" even if the payout failed.
function statusAnswer(payout: Payout) {
  const { reference, bankReference, amountKobo, status, reason, narration, to, at } = payout
  return success({
    amount: toNaira(amountKobo),
    reference,
    narration,
    currency: 'NGN',
    fee: 0,
    twoFaEnabled: false,
    status: STATUSES[status],
    transactionDescription: reason ?? 'Approved or completed successfully',
    transactionReference: bankReference,
    createdOn: at.toISOString(),
    destinationAccountName: to.accountName,
    destinationAccountNumber: to.accountNumber,
    destinationBankCode: to.bankCode,
  })
}

export function payoutEventOf({ payout, says }: PayoutNews): string {
  const { reference, bankReference, amountKobo, reason, narration, to, at } = payout
  const eventData = {
    amount: toNaira(amountKobo),
    transactionReference: bankReference,
    fee: 0,
    transactionDescription: reason ?? 'Approved or completed successfully',
    destinationAccountNumber: to.accountNumber,
    createdOn: at.toISOString(),
    destinationAccountName: to.accountName,
    reference,
    destinationBankCode: to.bankCode,
    completedOn: at.toISOString(),
    narration,
    currency: 'NGN',
    status: STATUSES[says],
  }
  return JSON.stringify({ eventType: EVENTS[says], eventData })
}
