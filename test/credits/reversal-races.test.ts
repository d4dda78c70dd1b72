// A bank takes a credit back while others have their hands on the same money: other reversals, the
// suspense desk, a cancelling merchant, the expiry worker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertCleanBooks,
  closeExpired,
  countDeadlocks,
  startTwin,
  tally,
} from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  createAccount,
  ledgerNaira,
  MINUTE_MS,
  readAccount,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const NOBODYS = '0123456789'

async function credit(accountNumber: string, amount: string, bank = '035'): Promise<string> {
  const sessionId = newSessionId()
  const answer = await postRail(bench, `${bank}/credits`, { sessionId, accountNumber, amount })
  assert.equal(answer.json().responseCode, '00', answer.body)
  return sessionId
}

type Taking = { originalSessionId: string; amount: unknown; sessionId?: string }

const send = (taking: Taking, { bank = '035', on = bench }: { bank?: string; on?: Bench } = {}) =>
  postRail(on, `${bank}/reversals`, { sessionId: newSessionId(), ...taking })

const wordsOf = (answer: Awaited<ReturnType<typeof send>>) => {
  const { responseCode, outcome, code } = answer.json()
  return [responseCode, outcome, code].filter(Boolean).join(' ')
}
const balance = async (accountNumber: string) =>
  (await readAccount(bench, accountNumber)).accountBalance
const itemOf = async (sessionId: string): Promise<number> => {
  const { data } = (await bench.call({ url: '/api/v1/suspense?limit=100' })).json()
  return data.find((each: { sessionId: string }) => each.sessionId === sessionId).id
}
const act = (item: number, what: 'assign' | 'return', body: object = {}) =>
  bench.call({ url: `/api/v1/suspense/${item}/${what}`, body })

test('the same reversal twenty times at once takes once, through two processes', async () => {
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(accountNumber, '100')
  const taking = { sessionId: newSessionId(), originalSessionId, amount: '40' }

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => send(taking, { on: at % 2 ? twin : bench })),
  )

  assert.deepEqual(tally(answers.map(wordsOf)), { '00 reversed': 1, '01 duplicate': 19 })
  assert.equal(await balance(accountNumber), 60)
})

test('twenty different reversals at once take no more than there is', async () => {
  await using twin = await startTwin(bench)
  const payment = await startPayment(bench, { amount: 100 })
  const originalSessionId = await credit(payment.bankAccount, '130', '035')

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      send({ originalSessionId, amount: '10' }, { bank: '035', on: at % 2 ? twin : bench }),
    ),
  )

  assert.deepEqual(tally(answers.map(wordsOf)), {
    '00 reversed': 13,
    '02 rejected amount_exceeds_original': 7,
  })
  const { transactionStatus, amountCollected } = await verify(bench, payment.paymentReference)
  assert.deepEqual([transactionStatus, amountCollected], ['Reversed', 0])
})

test('a reversal never meets a fault, whatever happens to the money at that moment', async () => {
  await using twin = await startTwin(bench)
  const account = await createAccount(bench)
  await credit(account.accountNumber, '1000') // What the bank holds besides.
  const rounds = Array.from({ length: 6 }, async (_, at) => {
    const nobodys = await credit(NOBODYS, '50')
    const [item, target] = [await itemOf(nobodys), await startPayment(bench, { amount: 80 })]
    const part = await credit(target.bankAccount, '30', '035')
    const deeds = [
      act(item, 'assign', { paymentReference: target.paymentReference }),
      act(item, 'assign', { accountNumber: account.accountNumber }),
      act(item, 'return'),
      send({ originalSessionId: nobodys, amount: '50' }, { on: at % 2 ? twin : bench }),
      send({ originalSessionId: part, amount: '30' }, { bank: '035', on: twin }),
      bench.call({ method: 'POST', url: `/Payment/advice/${target.adviceReference}/cancel` }),
      postRail(bench, '035/credits', {
        sessionId: newSessionId(),
        accountNumber: target.bankAccount,
        amount: '50',
      }),
    ]
    return Promise.all(deeds)
  })

  const answers = (await Promise.all(rounds)).flat()

  const faults = answers.filter((answer) => answer.statusCode >= 500)
  assert.deepEqual(
    faults.map((answer) => answer.body),
    [],
  )
  await assertCleanBooks(bench)
})

test('a reversal and the desk wait for one another in one order: no deadlock is met', async () => {
  const { accountNumber } = await createAccount(bench)
  await credit(accountNumber, '1000')
  const before = await countDeadlocks(bench)
  const rounds = Array.from({ length: 8 }, async () => {
    const originalSessionId = await credit(NOBODYS, '50')
    const [item, target] = [await itemOf(originalSessionId), await startPayment(bench)]
    return Promise.all([
      act(item, 'assign', { paymentReference: target.paymentReference }),
      act(item, 'return'),
      send({ originalSessionId, amount: '20' }),
      send({ originalSessionId, amount: '30' }),
    ])
  })

  const answers = (await Promise.all(rounds)).flat()

  assert(answers.every((answer) => answer.statusCode < 500))
  assert.equal((await countDeadlocks(bench)) - before, 0)
})

test('a reversal and the expiry of its payment at once lose nothing', async () => {
  const payments = await Promise.all(
    Array.from({ length: 8 }, () => startPayment(bench, { amount: 100, graceSeconds: 0 })),
  )
  const parts = await Promise.all(
    payments.map(({ bankAccount }) => credit(bankAccount, '60', '035')),
  )
  const suspenseBefore = await ledgerNaira(bench, 'suspense')
  bench.advance(30 * MINUTE_MS)

  const [answers] = await Promise.all([
    Promise.all(
      parts.map((originalSessionId) => send({ originalSessionId, amount: '20' }, { bank: '035' })),
    ),
    closeExpired(bench),
  ])
  await closeExpired(bench)

  assert.deepEqual(tally(answers.map(wordsOf)), { '00 reversed': 8 })
  assert.equal((await ledgerNaira(bench, 'suspense')) - suspenseBefore, 8 * 40)
})

test('after all of this the books add up', () => assertCleanBooks(bench))
