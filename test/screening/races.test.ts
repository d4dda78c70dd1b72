// Screening at the same time as random other work: no payout or settlement takes the money of a held credit,
// each credit that breaks the rule is held once, and the books add up (I130, I146).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { tryPayOut } from '../support/money-out.ts'
import { reverse } from '../support/movements.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { askRefund, pay } from '../support/refunding.ts'
import { activate, CREDIT_RULE, decisions, startScreening } from '../support/screening.ts'
import { requestClosing, setBankAccount } from '../support/settlements.ts'

const desk = closeAfterTests(await startScreening())
const ROUNDS = 15
const random = seededRandom(readSeed())

async function balanceOf() {
  return (await desk.call({ url: '/api/v1/balances' })).json().data.totals[0]
}

test('held credits are drawn by nothing, whatever coincides', async () => {
  const number = (await createAccount(desk)).accountNumber as string
  await setBankAccount(desk)
  const rule = { ...CREDIT_RULE, name: 'Large', kind: 'velocity', amount: '50', minutes: 1 }
  await activate(desk, rule)
  const large: string[] = []
  const answers: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = await Promise.all([pay(desk, number, '60'), pay(desk, number, '20')])
    large.push(first.sessionId)
    const target = random.pick(large)
    const [paidOut, refunded] = await Promise.all([
      tryPayOut(desk, random.integer(1, 30)),
      askRefund(desk, target, { amount: '5' }).then((answer) => answer.json().code ?? 'refunded'),
      desk.screen(),
      desk.screen(),
      random.next() < 0.3 ? requestClosing(desk) : pay(desk, number, '1'),
      random.next() < 0.2 ? reverse(desk, second.sessionId, '20') : desk.screen(),
    ])
    answers.push(paidOut, refunded)
    const held = await heldNow()
    const before = held.total
    await Promise.all([
      tryPayOut(desk, 1_000),
      askRefund(desk, target, { amount: '5' }),
      requestClosing(desk),
    ])
    const after = await heldNow()
    assert(
      after.total >= before,
      `round ${round}: held money fell from ${before} to ${after.total}`,
    )
    assert.equal(after.balance, after.total, 'the ledger holds what the holds say')
  }
  await desk.screen()
  const all = await decisions(desk)
  const of = tally(all.map(({ sessionId }) => String(sessionId)))
  for (const id of large) assert.equal(of[id], 1, `credit ${id} has ${of[id]} decisions`)
  assert(all.every(({ handling }) => handling === 'held' || handling === 'unheld'))
  const { rows } = await desk.db.query(
    `select count(*)::int as n from holds where credit_id is not null group by credit_id having count(*) > 1`,
  )
  assert.deepEqual(rows, [], 'a credit has two holds')
  assert(answers.includes('credit_held') || answers.includes('insufficient_balance'))
  await assertCleanBooks(desk)
})

// The held amount according to the holds, and according to the client's balances.
async function heldNow() {
  const { rows } = await desk.db.query<{ total: number }>(
    'select coalesce(sum(held_kobo), 0)::float8 / 100 as total from holds',
  )
  return { total: rows[0]?.total ?? 0, balance: (await balanceOf()).held }
}
