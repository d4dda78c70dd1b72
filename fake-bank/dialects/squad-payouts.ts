// Name enquiry and transfers at Squad, in kobo and with the merchant's id before every reference, and
// the envelope of all its answers.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { kobo } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const REVERSED = 412
const STATUSES = { confirmed: 'success', failed: 'failed', pending: 'pending' } as const

export function success(data: object, message = 'Success') {
  return { status: 200, success: true, message, data }
}

export function failure(status: number, message: string) {
  return { status, success: false, message, data: {} }
}

export function servePayouts(
  app: FastifyInstance,
  { bank, merchantId }: { bank: Bank; merchantId: string },
): void {
  app.post('/payout/account/lookup', async ({ body }, reply) => {
    const accountNumber = textOf(recordOf(body).account_number)
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(400).send(failure(400, 'Unable to locate account'))
    return success({ account_name: accountName, account_number: accountNumber })
  })
  app.post('/payout/transfer', async ({ body }, reply) => {
    const order = recordOf(body)
    const reference = textOf(order.transaction_reference)
    const amount = textOf(order.amount)
    const isOurs = reference.startsWith(`${merchantId}_`)
    if (!isOurs || !/^[1-9]\d{0,15}$/.test(amount)) {
      return reply.code(400).send(failure(400, 'Validation failure'))
    }
    const result = bank.payouts.take({
      reference,
      amountKobo: kobo(BigInt(amount)),
      to: {
        bankCode: textOf(order.bank_code),
        accountNumber: textOf(order.account_number),
        accountName: textOf(order.account_name),
      },
      narration: textOf(order.remark),
    })
    if (result.answer === 'conflict') {
      return reply.code(400).send(failure(400, 'Duplicate reference'))
    }
    return result.answer === 'payout' ? send(reply, result.payout) : keepQuiet(reply, result.answer)
  })
  app.post('/payout/requery', async ({ body }, reply) => {
    const payout = bank.payouts.find(textOf(recordOf(body).transaction_reference))
    if (payout === 'silent') return keepQuiet(reply, payout)
    return payout ? send(reply, payout) : reply.code(404).send(failure(404, 'Not found'))
  })
}

function send(reply: FastifyReply, payout: Payout): FastifyReply {
  const { reference, bankReference, status, reason } = payout
  if (status === 'failed') return reply.code(REVERSED).send(failure(REVERSED, reason ?? 'Reversed'))
  return reply.send(
    success({
      transaction_reference: reference,
      transaction_status: STATUSES[status],
      nip_transaction_reference: bankReference,
    }),
  )
}
