// Held money is never drawn, even if payouts, refunds, settlements, reversals and credits run at the same
// time (I130).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillHoldsRound } from '#holds/workers.ts'
import { assertCleanBooks, tally } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { tryPayOut } from '../support/money-out.ts'
import { reverse } from '../support/movements.ts'
import { newBrowser } from '../support/people.ts'
import { askRefund, pay } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { requestClosing, setBankAccount } from '../support/settlements.ts'

const HOLDS = '/api/v1/operator/holds'
const ROUNDS = 12

// Starts a service with two accounts and an operator. `place` places a hold of `amount`, or of all money.
async function setup(amount?: string) {
  const bench = await startTestService()
  const accounts = [await createAccount(bench), await createAccount(bench)]
  const numbers = accounts.map(({ accountNumber }) => accountNumber as string)
  await setBankAccount(bench)
  const operator = await newBrowser(bench, 'operator')
  // Places a hold on the client's money: on all of it if there is no `amount`.
  const place = async () => {
    const body = { target: 'client', clientId: 'MAN0000001', reason: 'Reported', amount }
    return dataOf(await operator.call({ url: HOLDS, body }))
  }
  return Object.assign(bench, { numbers, place })
}

async function balanceOf(bench: Bench) {
  return (await bench.call({ url: '/api/v1/balances' })).json().data.totals[0]
}

// Runs the worker’s round that moves money into holds that are not full yet.
const runFillRound = (bench: Bench) => fillHoldsRound(bench)(AbortSignal.timeout(60_000))

// Runs one of each operation that moves the client's money, all at once. Returns the answers to the payout
// and the refund.
async function runAllMovements(
  bench: Bench & { numbers: string[] },
  sessionId: string,
): Promise<string[]> {
  const [paidOut, refunded] = await Promise.all([
    tryPayOut(bench, 5),
    askRefund(bench, sessionId, { amount: '5' }).then((answer) => answer.json().code ?? 'refunded'),
    requestClosing(bench),
    runFillRound(bench),
    ...bench.numbers.map((number) => pay(bench, number, '10')),
  ])
  return [paidOut, refunded]
}

test('once a client is held, nothing leaves, whatever arrives meanwhile', async () => {
  await using bench = await setup()
  const { sessionId } = await pay(bench, bench.numbers[0] as string, '100')
  await bench.place()
  const answers: string[] = []
  for (let round = 0; round < ROUNDS; round++)
    answers.push(...(await runAllMovements(bench, sessionId)))

  await runFillRound(bench)
  assert.deepEqual(tally(answers), { insufficient_balance: 2 * ROUNDS })
  const { available, held, inTransit } = await balanceOf(bench)
  const received = 100 + 2 * ROUNDS * 10
  assert.deepEqual({ available, held, inTransit }, { available: 0, held: received, inTransit: 0 })
  await assertCleanBooks(bench)
})

test('a hold of an amount gets exactly that, and the rest can be drawn', async () => {
  await using bench = await setup('170')
  const { sessionId } = await pay(bench, bench.numbers[0] as string, '100')
  const placing = bench.place()
  const answers: string[] = []
  for (let round = 0; round < ROUNDS; round++)
    answers.push(...(await runAllMovements(bench, sessionId)))
  const { reference } = await placing
  await reverse(bench, sessionId, '100')
  await runFillRound(bench)

  const { held, net } = await balanceOf(bench)
  assert.equal(held, 170)
  assert.equal(net, 2 * ROUNDS * 10)
  assert(reference)
  assert(answers.includes('queued'), 'nothing was drawn beside the hold')
  await assertCleanBooks(bench)
})

// Places a hold on all money and requests its end. Two other users may approve the request. `approvals` sends
// the approvals of both.
async function setupEnding(verb: 'release' | 'forfeit') {
  const bench = await setup()
  await pay(bench, bench.numbers[0] as string, '100')
  const { reference } = await bench.place()
  const url = `${HOLDS}/${reference}`
  const maker = await newBrowser(bench, 'operator')
  const body = { reason: 'Decided' }
  const { revision } = dataOf(await maker.call({ url: `${url}/${verb}`, body }))
  const checkers = [await newBrowser(bench, 'operator'), await newBrowser(bench, 'operator')]
  const approvals = () =>
    checkers.map((checker) => checker.call({ url: `${url}/approve`, body: { revision } }))
  return Object.assign(bench, { approvals })
}

const countCodes = async (answers: Awaited<ReturnType<Bench['call']>>[]) =>
  tally(answers.map((answer) => answer.json().code ?? answer.json().data.state))

test('while a hold is released, twice at once, payouts draw what it held once', async () => {
  await using bench = await setupEnding('release')
  const [paidOut, approved] = await Promise.all([
    Promise.all(Array.from({ length: 8 }, () => tryPayOut(bench, 30))),
    Promise.all(bench.approvals()),
  ])
  assert.deepEqual(await countCodes(approved), { approved: 1, request_decided: 1 })
  const later = await Promise.all(Array.from({ length: 8 }, () => tryPayOut(bench, 30)))
  const queued = [...paidOut, ...later].filter((answer) => answer === 'queued')
  assert.equal(queued.length, 3)
  const { available, held, inTransit } = await balanceOf(bench)
  assert.deepEqual([available, held, inTransit], [10, 0, 90])
  await assertCleanBooks(bench)
})

test('two people who approve a forfeiture at once forfeit the money once', async () => {
  await using bench = await setupEnding('forfeit')
  const approved = await Promise.all(bench.approvals())
  assert.deepEqual(await countCodes(approved), { approved: 1, request_decided: 1 })
  const { available, held, forfeited } = await balanceOf(bench)
  assert.deepEqual([available, held, forfeited], [0, 0, 100])
  await assertCleanBooks(bench)
})
