// Virtual accounts, name enquiry and transfers at Nomba, and the envelope of all its answers.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { koboOf } from '#money.ts'
import type { Account } from '../accounts.ts'
import type { Bank } from '../bank.ts'
import { keepQuiet, type Query, recordOf, textOf } from '../dialect.ts'
import type { Payout } from '../payouts.ts'

const STATUSES = { confirmed: 'SUCCESS', failed: 'REFUND', pending: 'PENDING_BILLING' } as const
const NAME = /^[A-Za-z0-9 ]{1,64}$/

type Numbered = { Params: { number: string } }

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
    if (!textOf(accountRef) || !NAME.test(textOf(accountName))) {
      return reply.code(400).send(failure('accountRef and a plain accountName are required'))
    }
    const order = { accountName: textOf(accountName), reference: textOf(accountRef) }
    return answer(bank.accounts.reserve(order), reply)
  })
  app.get<Numbered>('/v1/accounts/virtual/:number', async ({ params }, reply) =>
    answer(bank.accounts.find(params.number), reply),
  )
  app.put<Numbered>('/v1/accounts/virtual/:number', async ({ params, body }, reply) => {
    const account = bank.accounts.find(params.number)
    const accountName = textOf(recordOf(body).accountName)
    if (account && accountName) account.accountName = accountName
    return answer(account, reply)
  })
  app.put<{ Params: { id: string } }>('/v1/accounts/suspend/:id', async ({ params }, reply) => {
    const account = bank.accounts.find(params.id.replace('acct-', ''))
    if (account) account.isActive = false
    return answer(account, reply)
  })
  app.post('/v1/transfers/bank/lookup', async ({ body }, reply) => {
    const accountNumber = textOf(recordOf(body).accountNumber)
    const accountName = bank.accounts.findName(accountNumber)
    if (!accountName) return reply.code(404).send(failure('Account not found'))
    return success({ accountNumber, accountName })
  })
}

function accountOf({ accountNumber, accountName, reference }: Account) {
  return {
    accountId: `acct-${accountNumber}`,
    accountRef: reference,
    bankAccountNumber: accountNumber,
    bankAccountName: accountName,
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
    if (result.answer !== 'payout') return keepQuiet(reply, result.answer)
    return answerOf(result.payout, { meta: { merchantTxRef: reference } })
  })
  // `merchantTxRef` is the caller's reference, `transactionRef` the bank's own.
  app.get<Query>('/v1/transactions/accounts/single', async ({ query }, reply) => {
    const payout = bank.payouts.find(query.merchantTxRef ?? '')
    if (payout === 'silent') return keepQuiet(reply, payout)
    if (!payout) return reply.code(404).send(failure('Transaction not found'))
    return answerOf(payout, { merchantTxRef: payout.reference })
  })
}

function answerOf({ bankReference, status, reason }: Payout, reference: object) {
  const data = { id: bankReference, status: STATUSES[status], ...reference }
  return success(data, reason ?? undefined)
}
