// Name enquiry, recipients and transfers at Paystack, in kobo, and the envelope of all its answers.

import type { FastifyInstance } from 'fastify'
import { kobo } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout, PayoutNews, PayoutOrder } from '../payouts.ts'

const REFERENCE = /^[a-z0-9_-]{16,50}$/
const STATUSES = {
  confirmed: 'success',
  failed: 'failed',
  reversed: 'reversed',
  pending: 'pending',
} as const
const EVENTS = {
  confirmed: 'transfer.success',
  failed: 'transfer.failed',
  reversed: 'transfer.reversed',
}

export function success(message: string, data: object) {
  return { status: true, message, data }
}

export function failure(message: string) {
  return { status: false, message }
}

export function servePayouts(app: FastifyInstance, bank: Bank): void {
  const recipients = new Map<string, PayoutOrder['to']>()
  app.get<Query>('/bank/resolve', async ({ query }, reply) => {
    const { account_number: accountNumber = '' } = query
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(422).send(failure('Could not resolve account name'))
    const account = { account_number: accountNumber, account_name: accountName, bank_id: 9 }
    return success('Account number resolved', account)
  })
  app.post('/transferrecipient', async ({ body }, reply) => {
    const { type, name, account_number: number, bank_code: code } = recordOf(body)
    const to = {
      bankCode: textOf(code),
      accountNumber: textOf(number),
      accountName: textOf(name),
    }
    if (type !== 'nuban' || !to.bankCode || !to.accountNumber || !to.accountName) {
      return reply.code(400).send(failure('Account number is required'))
    }
    const recipient = `RCP_${to.bankCode}${to.accountNumber}`
    recipients.set(recipient, to)
    const data = { recipient_code: recipient, type, active: true }
    return reply.code(201).send(success('Transfer recipient created successfully', data))
  })
  app.post('/transfer', async ({ body }, reply) => {
    const order = recordOf(body)
    const [reference, { amount }] = [textOf(order.reference), order]
    const to = recipients.get(textOf(order.recipient))
    const isWhole = typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0
    if (!REFERENCE.test(reference)) {
      return reply.code(400).send(failure('Your reference contains illegal special characters'))
    }
    if (!to || !isWhole || order.source !== 'balance') {
      return reply.code(400).send(failure('Recipient or amount is invalid'))
    }
    const narration = textOf(order.reason)
    const amountKobo = kobo(BigInt(amount))
    const result = bank.payouts.take({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure('Reference already exists on a transfer'))
    }
    if (result.answer !== 'payout') return keepQuiet(reply, result.answer)
    // The answer to an order says only that Paystack accepted it.
    const queued: Payout = { ...result.payout, status: 'pending', reason: null }
    return success('Transfer has been queued', transferOf(queued))
  })
  app.get<{ Params: { reference: string } }>(
    '/transfer/verify/:reference',
    async ({ params: { reference } }, reply) => {
      const payout = bank.payouts.find(reference)
      if (payout === 'silent') return keepQuiet(reply, payout)
      return payout
        ? success('Transfer retrieved', transferOf(payout))
        : reply.code(404).send(failure('Transfer not found'))
    },
  )
}

function transferOf({ reference, bankReference, amountKobo, narration, ...payout }: Payout) {
  return {
    amount: Number(amountKobo),
    currency: 'NGN',
    reference,
    source: 'balance',
    reason: narration,
    status: STATUSES[payout.status],
    transfer_code: `TRF_${bankReference}`,
    transferred_at: payout.status === 'confirmed' ? payout.at.toISOString() : null,
    failures: payout.reason,
  }
}

export function payoutEventOf({ payout, says }: PayoutNews): string {
  const { amount, currency, reason, reference, transfer_code } = transferOf(payout)
  const { bankReference, to } = payout
  const data = {
    amount,
    currency,
    id: 1,
    reason,
    reference,
    status: STATUSES[says],
    transfer_code,
    recipient: { recipient_code: `RCP_${to.bankCode}${to.accountNumber}` },
    session: { provider: 'nip', id: bankReference },
  }
  return JSON.stringify({ event: EVENTS[says], data })
}
