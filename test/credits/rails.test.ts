// A bank reports one credit or a list. Each credit is answered in its place with 00 taken, 01 duplicate, 02
// rejected or 03 try again, whatever the other credits of the list are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, cpuMs, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, databaseText, startPayment } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { newCredit, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const UNKNOWN_NUMBER = '0123456789'
const LEAKS =
  /postgres|syntax error|relation "|node_modules|\n\s+at |\.[jt]s:\d|undefined|\[object/i

// Returns each answer as words, such as "00 booked".
const answersInWords = (answers: Record<string, string>[]) => answers.map(wordsOf)

test('a single credit is answered with one object, and its money is on the account', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = newCredit(accountNumber, { amount: 1500.5 })

  const answer = await postRail(bench, '035/credits', credit)

  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^application\/json\b/)
  assert.deepEqual(answer.json(), {
    sessionId: credit.sessionId,
    responseCode: '00',
    responseMessage: 'Accepted',
    outcome: 'booked',
  })
  assert.equal(await balanceOf(bench, accountNumber), 1500.5)
})

test('a repeated credit is answered 01 every time, and moves no money', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = newCredit(accountNumber)
  await postRail(bench, '035/credits', credit)

  const again = await postRail(bench, '035/credits', credit)
  const inOtherWords = await postRail(bench, '035/credits', {
    ...credit,
    amount: 100,
    currency: 'ngn',
    narration: 'sent again by another system of the bank',
  })

  assert.deepEqual(answersInWords([again.json(), inOtherWords.json()]), [
    '01 duplicate',
    '01 duplicate',
  ])
  assert.equal(await balanceOf(bench, accountNumber), 100)
})

test('a duplicate gets the first result, whatever happened to the money since', async () => {
  const payment = await startPayment(bench, { amount: 500 })
  const part = newCredit(payment.bankAccount)
  const first = (await postRail(bench, '035/credits', part)).json()
  const cancelled = await bench.call({
    method: 'POST',
    url: `/Payment/advice/${payment.adviceReference}/cancel`,
  })
  assert.equal(cancelled.statusCode, 200, cancelled.body)

  const again = (await postRail(bench, '035/credits', part)).json()

  assert.deepEqual(answersInWords([first]), ['00 booked'])
  assert.deepEqual(answersInWords([again]), ['01 duplicate'])
  assert.match(again.responseMessage, /booked/)
})

test('the same session id on other terms is 02 session_reused, and the operator is alerted', async () => {
  const { accountNumber } = await createAccount(bench)
  const { accountNumber: other } = await createAccount(bench)
  const credit = newCredit(accountNumber)
  await postRail(bench, '035/credits', credit)
  const changes = [{ amount: '100.01' }, { accountNumber: other }, { currency: 'USD' }]

  const answers = []
  for (const change of changes) {
    answers.push((await postRail(bench, '035/credits', { ...credit, ...change })).json())
  }

  assert.deepEqual(tally(answersInWords(answers)), { '02 rejected session_reused': 3 })
  const register = await bench.db.query(
    `select count(*)::int as count from rail_items
      where session_id = $1 and reason = 'session_reused' and response_code = '02'`,
    [credit.sessionId],
  )
  assert.deepEqual(register.rows, [{ count: 3 }])
  assert.equal(await balanceOf(bench, accountNumber), 100)
  const alerts = await bench.db.query(
    `select count(*)::int as count from alerts
      where kind = 'session_reused' and subject like $1 and cleared_at is null`,
    [`${credit.sessionId}%`],
  )
  assert.deepEqual(alerts.rows, [{ count: 1 }])
})

test('a list is answered in its order, and an invalid credit fails alone', async () => {
  const { accountNumber } = await createAccount(bench)
  const first = newCredit(accountNumber)
  const last = newCredit(accountNumber, { amount: '0.01' })
  const nobody = newCredit(UNKNOWN_NUMBER)
  const list = [
    first,
    newCredit(accountNumber, { sessionId: '' }),
    nobody,
    newCredit(accountNumber, { amount: '1.001' }),
    null,
    first,
    { ...first, amount: '101.00' },
    [],
    newCredit('12345'),
    newCredit(accountNumber, { currency: 'NAIRA' }),
    last,
  ]

  const answer = await postRail(bench, '035/credits', list)

  assert.equal(answer.statusCode, 200)
  const answers = answer.json()
  assert.deepEqual(answersInWords(answers), [
    '00 booked',
    '00 kept invalid_session_id',
    '00 suspended unknown_number',
    '00 kept invalid_amount',
    '02 rejected not_a_credit',
    '01 duplicate',
    '02 rejected session_reused',
    '02 rejected not_a_credit',
    '00 kept invalid_account_number',
    '00 kept invalid_currency',
    '00 booked',
  ])
  assert.deepEqual(
    [answers[0], answers[1], answers[2], answers[4], answers[10]].map((each) => each.sessionId),
    [first.sessionId, null, nobody.sessionId, null, last.sessionId],
  )
  assert.equal(await balanceOf(bench, accountNumber), 100.01)
})

test('a list of one is answered by a list; of none or of 1,001 it is refused whole', async () => {
  const { accountNumber } = await createAccount(bench)
  const many = Array.from({ length: 1001 }, () => newCredit(accountNumber))

  const one = await postRail(bench, '035/credits', [newCredit(accountNumber)])
  const none = await postRail(bench, '035/credits', [])
  const tooMany = await postRail(bench, '035/credits', many)

  assert.deepEqual(answersInWords(one.json()), ['00 booked'])
  for (const answer of [none, tooMany]) {
    assert.equal(answer.statusCode, 400)
    assert.deepEqual(answersInWords([answer.json()]), ['02 rejected malformed'])
    assert.match(answer.json().responseMessage, /1000/)
  }
  assert.equal(await balanceOf(bench, accountNumber), 100)
})

test('a list of 1,000 is taken in one go, within seconds', async () => {
  const { accountNumber } = await createAccount(bench)
  const narration = 'x'.repeat(200)
  const many = Array.from({ length: 1000 }, (_, at) =>
    newCredit(at % 2 ? accountNumber : UNKNOWN_NUMBER, { amount: `${at + 1}`, narration }),
  )
  const started = performance.now()

  const answer = await postRail(bench, '035/credits', many)

  const tookMs = performance.now() - started
  assert.deepEqual(tally(answersInWords(answer.json())), {
    '00 booked': 500,
    '00 suspended unknown_number': 500,
  })
  assert.deepEqual(
    answer.json().map((each: Record<string, string>) => each.sessionId),
    many.map((each) => each.sessionId),
  )
  assert.equal(await balanceOf(bench, accountNumber), 250_500)
  assert(tookMs < patience(5_000), `${tookMs} ms`)
})

test('the largest amounts add up to the kobo', async () => {
  const { accountNumber } = await createAccount(bench)
  const largest = ['1000000000', '1000000000.00', 999999999.99, '0.01', 0.1, 0.2]
  const list = largest.map((amount) => newCredit(accountNumber, { amount }))

  const answers = (await postRail(bench, '035/credits', list)).json()

  assert.deepEqual(tally(answersInWords(answers)), { '00 booked': largest.length })
  assert.equal(await balanceOf(bench, accountNumber), 3_000_000_000.3)
})

test('the same session id at two banks is two credits', async () => {
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { amount: 100 }, '033')
  const credit = newCredit(accountNumber)
  const other = { ...credit, accountNumber: bankAccount }

  const atOne = (await postRail(bench, '035/credits', credit)).json()
  const atOther = (await postRail(bench, '033/credits', other)).json()

  assert.deepEqual(answersInWords([atOne, atOther]), ['00 booked', '00 booked'])
  assert.equal(await balanceOf(bench, accountNumber), 100)
})

test('a hostile body is 02 with a sentence, quickly, and writes nothing', async () => {
  const deep = '['.repeat(900_000)
  const bodies: [string | Buffer, number][] = [
    ['null', 400],
    ['5', 400],
    ['"text"', 400],
    ['{', 400],
    ['[{]', 400],
    [deep, 400],
    [`${deep}${']'.repeat(900_000)}`, 400],
    ['\ufeff{}', 400],
    [Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['\u0000', 400],
    ['{}', 200],
    ['{"__proto__":{"sessionId":"x"},"constructor":1}', 200],
    [`{"sessionId":"${'9'.repeat(1_000_000)}"}`, 200],
    ['{"sessionId":"1","sessionId":"2"}', 200],
    [`[${Array(1000).fill('{}').join()}]`, 200],
  ]
  const before = await databaseText(bench)

  for (const [body, status] of bodies) {
    let answer = {} as Awaited<ReturnType<typeof postRail>>
    const tookMs = await cpuMs(async () => {
      answer = await postRail(bench, '035/credits', body)
    })
    const label = `${String(body).slice(0, 40)}: ${answer.statusCode} ${answer.body.slice(0, 200)}`
    assert.equal(answer.statusCode, status, label)
    assert.deepEqual(tally([answer.json()].flat().map((each) => each.responseCode)), {
      '02': [answer.json()].flat().length,
    })
    assert(!LEAKS.test(answer.body), label)
    assert(tookMs < patience(1_000), `${label} took ${tookMs} ms`)
  }
  assert.equal(await databaseText(bench), before)
})

test('a missing or too large body is refused in the format of the rail', async () => {
  const large = `[${JSON.stringify({ narration: 'x'.repeat(2_200_000) })}]`

  const missing = await postRail(bench, '035/credits', '')
  const tooLarge = await postRail(bench, '035/credits', large)

  assert.deepEqual([missing.statusCode, missing.json().responseCode], [400, '02'])
  assert.deepEqual([tooLarge.statusCode, tooLarge.json().responseCode], [413, '02'])
  assert.equal(tooLarge.json().code, 'body_too_large')
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
