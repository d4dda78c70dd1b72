// Name enquiry and payouts at Example Bank, in naira, and how it words a refusal.

import type { FastifyInstance } from 'fastify'
import { parseKobo } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const STATES = {
  confirmed: 'paid',
  reversed: 'paid',
  failed: 'failed',
  pending: 'pending',
} as const

export function refusal(message: string) {
  return { state: 'refused', message }
}

export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.get<Query>('/names', async ({ query }, reply) => {
    const name = bank.accounts.findName(query.account ?? '')
    return name ? { name } : reply.code(404).send(refusal('No such account'))
  })
  app.post('/payouts', async ({ body }, reply) => {
    const order = recordOf(body)
    const [reference, amountKobo] = [textOf(order.reference), parseKobo(textOf(order.amount))]
    if (!reference || !amountKobo) return reply.code(400).send(refusal('The order is incomplete'))
    const to = {
      bankCode: textOf(order.bank),
      accountNumber: textOf(order.account),
      accountName: textOf(order.name),
    }
    // Known: a payout. Other terms under its reference: a conflict. Silent and dropped: no answer.
    const narration = textOf(order.narration)
    const result = bank.payouts.take({ reference, amountKobo, to, narration })
    if (result.answer === 'conflict') return reply.code(409).send(refusal('Duplicate reference'))
    return result.answer === 'payout' ? stateOf(result.payout) : keepQuiet(reply, result.answer)
  })
  app.get<{ Params: { reference: string } }>('/payouts/:reference', async (request, reply) => {
    const payout = bank.payouts.find(request.params.reference)
    if (payout === 'silent') return keepQuiet(reply, payout)
    return payout ? stateOf(payout) : reply.code(404).send(refusal('No such payout'))
  })
}

function stateOf({ reference, bankReference, status, reason }: Payout) {
  return {
    reference,
    state: STATES[status],
    bankReference: status === 'confirmed' ? bankReference : null,
    message: reason ?? STATES[status],
  }
}
