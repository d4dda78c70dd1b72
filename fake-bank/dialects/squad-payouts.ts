// Name enquiry and transfers at Squad, in kobo and with the merchant's id before every reference, and
// the envelope of all its answers.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { kobo } from '#money.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const REVERSED = 412
const TIMEOUT = 424
const BANK_CODE = /^[0-9]{6}$/

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
    if (!isOurs || !/^[1-9]\d{0,15}$/.test(amount) || !BANK_CODE.test(textOf(order.bank_code))) {
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
    return payout ? success(stateOf(payout)) : reply.code(404).send(failure(404, 'Not found'))
  })
}

function send(reply: FastifyReply, payout: Payout): FastifyReply {
  const { status, reason } = payout
  if (isBack(status)) return reply.code(REVERSED).send(failure(REVERSED, reason ?? 'Reversed'))
  if (status === 'pending') return reply.code(TIMEOUT).send(failure(TIMEOUT, 'Timeout'))
  return reply.send(success(stateOf(payout)))
}

// A paid transfer has its session id and no state. Squad does not publish its answer to a requery
// of any other transfer. Here the description gives the state.
function stateOf({ reference, bankReference, status, reason, amountKobo, to }: Payout) {
  const isPaid = status === 'confirmed'
  return {
    transaction_reference: reference,
    response_description: isPaid ? 'Transaction Success' : (reason ?? 'Transaction Pending'),
    currency_id: 'NGN',
    amount: amountKobo.toString(),
    nip_transaction_reference: isPaid ? bankReference : null,
    account_number: to.accountNumber,
    account_name: to.accountName,
    ...(isBack(status) && { transaction_status: 'reversed' }),
  }
}

const isBack = (status: Payout['status']) => status === 'failed' || status === 'reversed'
