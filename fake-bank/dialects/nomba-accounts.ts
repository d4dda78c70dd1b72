// Virtual accounts, name enquiry and transfers at Nomba, and the envelope of all its answers.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { koboOf, toNaira } from '#money.ts'
import type { Account } from '../accounts.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const STATUSES = {
  confirmed: 'SUCCESS',
  failed: 'REFUND',
  reversed: 'REFUND',
  pending: 'PENDING_BILLING',
} as const
const NAME = /^[A-Za-z0-9 ]{8,64}$/
const REFERENCE = /^.{16,64}$/
const BANK_NAME = 'Nombank MFB'

type Referenced = { Params: { accountRef: string } }

export function success(data: object, description = 'Success') {
  return { code: '00', description, data }
}

export function failure(description: string) {
  return { code: '400', description }
}

export function serveAccounts(app: FastifyInstance, bank: Bank): void {
  const answer = (account: Account | undefined, reply: FastifyReply) =>
    account ? success(accountOf(account)) : reply.code(404).send(failure('No such account'))
  app.post('/v1/accounts/virtual', async ({ body }, reply) => {
    const { accountRef, accountName } = recordOf(body)
    const [reference, name] = [textOf(accountRef), textOf(accountName)]
    if (!REFERENCE.test(reference) || !NAME.test(name)) {
      return reply.code(400).send(failure('accountRef or accountName has the wrong length'))
    }
    if (bank.accounts.isReserved(reference)) {
      return reply.code(400).send(failure('accountRef exists'))
    }
    return answer(bank.accounts.reserve({ accountName: name, reference }), reply)
  })
  app.get<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params }, reply) =>
    answer(bank.accounts.findByReference(params.accountRef), reply),
  )
  app.put<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params, body }, reply) => {
    const account = bank.accounts.findByReference(params.accountRef)
    const accountName = textOf(recordOf(body).accountName)
    if (account && NAME.test(accountName)) account.accountName = accountName
    return account ? success({}) : answer(account, reply)
  })
  app.delete<Referenced>('/v1/accounts/virtual/:accountRef', async ({ params }, reply) => {
    const account = bank.accounts.findByReference(params.accountRef)
    if (account) account.isActive = false
    return account ? success({}) : answer(account, reply)
  })
  app.post('/v1/transfers/bank/lookup', async ({ body }, reply) => {
    const accountNumber = textOf(recordOf(body).accountNumber)
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(404).send(failure('Account not found'))
    return success({ accountNumber, accountName })
  })
}

function accountOf({ accountNumber, accountName, reference, isActive }: Account) {
  return {
    accountHolderId: '00000000-0000-4000-8000-000000000002',
    accountRef: reference ?? '',
    accountName,
    bankName: BANK_NAME,
    bankAccountNumber: accountNumber,
    bankAccountName: accountName,
    currency: 'NGN',
    expired: !isActive,
  }
}

export function servePayouts(app: FastifyInstance, bank: Bank): void {
  app.post('/v2/transfers/bank', async ({ body }, reply) => {
    const order = recordOf(body)
    const amountKobo = koboOf(order.amount)
    const reference = textOf(order.merchantTxRef)
    if (!reference || !amountKobo) return reply.code(400).send(failure('Invalid request'))
    const result = bank.payouts.take({
      reference,
      amountKobo,
      to: {
        bankCode: textOf(order.bankCode),
        accountNumber: textOf(order.accountNumber),
        accountName: textOf(order.accountName),
      },
      narration: textOf(order.narration),
    })
    if (result.answer === 'conflict') return reply.code(400).send(failure('Duplicate reference'))
    return result.answer === 'payout' ? sentAnswer(result.payout) : keepQuiet(reply, result.answer)
  })
  // `merchantTxRef` is the caller's reference, `transactionRef` the bank's own.
  app.get<Query>('/v1/transactions/accounts/single', async ({ query }, reply) => {
    const payout = bank.payouts.find(query.merchantTxRef ?? '')
    if (payout === 'silent') return keepQuiet(reply, payout)
    return payout ? statusAnswer(payout) : reply.code(404).send(failure('Transaction not found'))
  })
}

// Our reference is in `meta` here, and beside the id in the answer to a query.
function sentAnswer(payout: Payout) {
  const data = { ...recordOfPayout(payout), fee: 0, meta: { merchantTxRef: payout.reference } }
  return success(data, payout.reason ?? undefined)
}

function statusAnswer(payout: Payout) {
  const data = { ...recordOfPayout(payout), fixedCharge: 0, merchantTxRef: payout.reference }
  return success(data, payout.reason ?? undefined)
}

function recordOfPayout({ bankReference, amountKobo, status, at }: Payout) {
  return {
    id: bankReference,
    type: 'transfer',
    status: STATUSES[status],
    amount: toNaira(amountKobo),
    timeCreated: at.toISOString(),
  }
}
