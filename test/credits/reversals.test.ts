// A bank can reverse only its own credits, never more than is left of a credit, and each reversal counts
// once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, startPayment } from '../support/fixtures.ts'
import { resolve } from '../support/movements.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const FIELDS = ['sessionId', 'originalSessionId', 'amount']

type Reversal = { originalSessionId: string; amount: unknown; sessionId?: string }

const sendReversal = (
  taking: Reversal,
  { bank = '035', on = bench }: { bank?: string; on?: Bench } = {},
) => postRail(on, `${bank}/reversals`, { sessionId: newSessionId(), ...taking })

// Sends a reversal, and returns the answer as words, such as "00 reversed". The response code 03 asks the
// bank to try again, with the HTTP status 503.
async function reverse(taking: Reversal, bank = '035'): Promise<string> {
  const answer = await sendReversal(taking, { bank })
  const isRetry = answer.json().responseCode === '03'
  assert.equal(answer.statusCode, isRetry ? 503 : 200, answer.body)
  return wordsOf(answer.json())
}

test('a full reversal leaves no money of the credit, and is answered with 00', async () => {
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(bench, accountNumber, '1500.50')
  const sessionId = newSessionId()

  const answer = await sendReversal({ sessionId, originalSessionId, amount: 1500.5 })

  assert.deepEqual(answer.json(), {
    sessionId,
    responseCode: '00',
    responseMessage: 'Reversed',
    outcome: 'reversed',
  })
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('a credit can be reversed in parts, but never more than is left of it', async () => {
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(bench, accountNumber, '100')
  const reversePart = (amount: string) => reverse({ originalSessionId, amount })

  const answers = [
    await reversePart('100.01'),
    await reversePart('30'),
    await reversePart('70.01'),
    await reversePart('69.99'),
    await reversePart('0.02'),
    await reversePart('0.01'),
    await reversePart('0.01'),
  ]

  const tooMuch = '02 rejected amount_exceeds_original'
  const done = '00 reversed'
  assert.deepEqual(answers, [tooMuch, done, tooMuch, done, tooMuch, done, tooMuch])
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('a repeated reversal is answered 01 and takes nothing; with other terms 02, with an alert', async () => {
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(bench, accountNumber, '100')
  const other = await credit(bench, accountNumber, '100')
  const taking = { sessionId: newSessionId(), originalSessionId, amount: '40' }
  await reverse(taking)

  const again = await reverse({ ...taking, amount: 40 })
  const otherAmount = await reverse({ ...taking, amount: '41' })
  const otherOriginal = await reverse({ ...taking, originalSessionId: other })
  const unknownOriginal = await reverse({ ...taking, originalSessionId: newSessionId() })

  assert.equal(again, '01 duplicate')
  for (const answer of [otherAmount, otherOriginal, unknownOriginal]) {
    assert.equal(answer, '02 rejected session_reused')
  }
  assert.equal(await balanceOf(bench, accountNumber), 160)
  const { rows } = await bench.db.query(
    `select count(*)::int as count from alerts where kind = 'session_reused' and subject like $1`,
    [`${taking.sessionId}%`],
  )
  assert.deepEqual(rows, [{ count: 1 }])
})

test('a credit that was not reported, or by another bank, cannot be reversed', async () => {
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = await credit(bench, accountNumber, '100')

  const unknown = await reverse({ originalSessionId: newSessionId(), amount: '1' })
  const foreign = await reverse({ originalSessionId, amount: '100' }, '033')

  assert.equal(unknown, '03 retry original_not_found')
  assert.equal(foreign, '03 retry original_not_found')
  assert.equal(await balanceOf(bench, accountNumber), 100)
  const { rows } = await bench.db.query(
    `select bank_code, call, reason, amount_text from rail_items
      where reason = 'original_not_found' order by id desc limit 1`,
  )
  const expected = { call: 'reversals', reason: 'original_not_found', amountText: '100' }
  assert.deepEqual(rows, [{ bankCode: '033', ...expected }])
})

test('a reversal that overtakes its credit is to be sent again, and is then taken', async () => {
  const { accountNumber } = await createAccount(bench)
  const [sessionId, originalSessionId] = [newSessionId(), newSessionId()]
  const taking = { sessionId, originalSessionId, amount: '100' }

  const early = await sendReversal(taking)
  await postRail(bench, '035/credits', {
    sessionId: originalSessionId,
    accountNumber,
    amount: '100',
  })
  const answers = [await reverse(taking), await reverse(taking)]

  assert.equal(wordsOf(early.json()), '03 retry original_not_found')
  assert.deepEqual([early.statusCode, early.headers['retry-after']], [503, '60'])
  assert.deepEqual(answers, ['00 reversed', '01 duplicate'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('a reversal without its credit is awaited for half an hour from its first report', async () => {
  await using own = await startTestService()
  const sessionId = newSessionId()
  const taking = { sessionId, originalSessionId: newSessionId(), amount: '100' }
  const words = async () => wordsOf((await sendReversal(taking, { on: own })).json())

  const answers = [await words()]
  own.advance(29 * 60_000)
  answers.push(await words())
  own.advance(60_000)
  answers.push(await words())

  const awaited = '03 retry original_not_found'
  assert.deepEqual(answers, [awaited, awaited, '02 rejected original_not_found'])
  const { rows } = await own.db.query('select reason from rail_items where session_id = $1', [
    sessionId,
  ])
  assert.deepEqual(rows, [{ reason: 'original_not_found' }])
})

test('each of two banks with one session id reverses its own credit', async () => {
  const { accountNumber } = await createAccount(bench)
  const originalSessionId = newSessionId()
  const { bankAccount } = await startPayment(bench, { amount: 20 }, '033')
  for (const [bank, to, amount] of [
    ['035', accountNumber, '10'],
    ['033', bankAccount, '20'],
  ]) {
    const body = { sessionId: originalSessionId, accountNumber: to, amount }
    await postRail(bench, `${bank}/credits`, body)
  }

  assert.equal(
    await reverse({ originalSessionId, amount: '20' }, '035'),
    '02 rejected amount_exceeds_original',
  )
  assert.equal(await reverse({ originalSessionId, amount: '20' }, '033'), '00 reversed')
  assert.equal(await balanceOf(bench, accountNumber), 10)
})

test('every bad field is named, and a hostile body is refused', async () => {
  const good = { sessionId: newSessionId(), originalSessionId: newSessionId(), amount: '1' }
  const bad: [string, unknown[]][] = [
    ['sessionId', ['', null, 5, [good.sessionId], `${good.sessionId}\n`, 'x'.repeat(65)]],
    ['originalSessionId', ['', null, {}, ' 1']],
    [
      'amount',
      ['0', '-1', '1.001', '1e3', 0.005, 1e21, '', null, ['1'], '10000000000000.01', '1,0'],
    ],
  ]
  // Returns the fields because of which the reversal was refused.
  const fieldsOf = (answer: Awaited<ReturnType<typeof sendReversal>>) => {
    assert.deepEqual([answer.statusCode, answer.json().responseCode], [400, '02'], answer.body)
    return answer.json().errors?.map((error: { field: string }) => error.field)
  }

  for (const [field, values] of bad) {
    for (const value of values) {
      const answer = await postRail(bench, '035/reversals', { ...good, [field]: value })
      assert.deepEqual(fieldsOf(answer), [field], `${field} ${JSON.stringify(value)}`)
    }
  }
  for (const body of ['{}', 'null', '[]', '5']) {
    assert.deepEqual(fieldsOf(await postRail(bench, '035/reversals', body)), FIELDS)
  }
  for (const body of ['', '{', Buffer.from([0xff]), '['.repeat(60_000)]) {
    assert.equal(fieldsOf(await postRail(bench, '035/reversals', body)), undefined)
  }
})

test('reversing money that was already returned is answered, and operators are alerted', async () => {
  const account = await createAccount(bench)
  await credit(bench, account.accountNumber, '100')
  await credit(bench, NOBODYS_NUMBER, '100', { bank: '044' })
  const originalSessionId = await credit(bench, NOBODYS_NUMBER, '40', { bank: '044' })
  await resolve(bench, originalSessionId, 'return')

  const answer = await reverse({ originalSessionId, amount: '40' }, '044')

  assert.equal(answer, '00 reversed')
  assert.equal(await balanceOf(bench, account.accountNumber), 100)
  const { rows } = await bench.db.query(
    `select r.shortfall_kobo::int as shortfall from reversals r
       join alerts a on a.kind = 'reversal_shortfall' and a.subject = r.session_id || '@044'`,
  )
  assert.deepEqual(rows, [{ shortfall: 4000 }])
})

test('reversing more than the bank holds for us is answered normally', async () => {
  const originalSessionId = await credit(bench, NOBODYS_NUMBER, '40', { bank: '050' })
  await resolve(bench, originalSessionId, 'return')

  const answer = await reverse({ originalSessionId, amount: '40' }, '050')

  assert.equal(answer, '00 reversed')
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
