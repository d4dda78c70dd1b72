// Name enquiry and transfers at Flutterwave, in naira, and the envelope of all its answers.

import type { FastifyInstance } from 'fastify'
import { koboOf, toNaira } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const STATUSES = {
  confirmed: 'SUCCESSFUL',
  reversed: 'SUCCESSFUL',
  failed: 'FAILED',
  pending: 'PENDING',
} as const

export function success(message: string, data: object) {
  return { status: 'success', message, data }
}

export function failure(message: string) {
  return { status: 'error', message, data: null }
}

export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.post('/v3/accounts/resolve', async ({ body }, reply) => {
    const { account_number: number, account_bank: code } = recordOf(body)
    const accountName = bank.accounts.findName(textOf(number))
    if (!accountName || !textOf(code)) {
      return reply.code(400).send(failure('Sorry, recipient account could not be validated'))
    }
    const account = { account_number: number, account_name: accountName }
    return success('Account details fetched', account)
  })
  app.post('/v3/transfers', async ({ body }, reply) => {
    const order = recordOf(body)
    const reference = textOf(order.reference)
    const amountKobo = typeof order.amount === 'number' ? koboOf(order.amount) : undefined
    const to = {
      bankCode: textOf(order.account_bank),
      accountNumber: textOf(order.account_number),
      accountName: '',
    }
    const isWhole = reference && amountKobo && to.bankCode && to.accountNumber
    if (!isWhole || order.currency !== 'NGN') {
      return reply.code(400).send(failure('account_bank, account_number and amount are required'))
    }
    const narration = textOf(order.narration)
    const result = bank.payouts.take({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('Transfer with reference already exists'))
    }
    if (result.answer !== 'payout') return keepQuiet(reply, result.answer)
    // The answer to an order says only that it is queued.
    const queued = { ...transferOf(result.payout), status: 'NEW', complete_message: '' }
    return success('Transfer Queued Successfully', queued)
  })
  app.get<Query>('/v3/transfers', async ({ query: { reference = '' } }, reply) => {
    const payout = bank.payouts.find(reference)
    if (payout === 'silent') return keepQuiet(reply, payout)
    return success('Transfers fetched', payout ? [transferOf(payout)] : [])
  })
}

function transferOf({ reference, bankReference, amountKobo, narration, to, ...payout }: Payout) {
  return {
    id: Number(bankReference.slice(-12)),
    account_number: to.accountNumber,
    bank_code: to.bankCode,
    created_at: payout.at.toISOString(),
    currency: 'NGN',
    debit_currency: 'NGN',
    amount: toNaira(amountKobo),
    fee: 0,
    status: STATUSES[payout.status],
    reference,
    narration,
    complete_message: payout.reason ?? '',
    requires_approval: 0,
    is_approved: 1,
  }
}
