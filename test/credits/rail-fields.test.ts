// The fields that identify a credit, and the answer to a credit whose fields cannot be read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { newCredit, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

// Returns each answer as words, such as "00 booked".
const answersInWords = (answers: Record<string, string>[]) => answers.map(wordsOf)

test('a session id of any shape up to 64 characters is an identity; anything else is kept', async () => {
  const { accountNumber } = await createAccount(bench)
  // Reports a list of credits with these session ids.
  const post = async (ids: readonly unknown[]) => {
    const list = ids.map((sessionId) => newCredit(accountNumber, { sessionId }))
    return (await postRail(bench, '035/credits', list)).json()
  }
  const unlike = ['09FG240119090404935XTTGA9', '1', 'x'.repeat(64), 'a "b", {c} \\d', 'NULL', 'ọ̀٣']
  const bad = [
    ' 1',
    '1 ',
    '1\n',
    'a\u0000b',
    '\u202e1',
    '',
    null,
    1,
    ['1'],
    undefined,
    'x'.repeat(65),
  ]

  const first = await post(unlike)
  const again = await post(unlike)
  const others = await post(bad)

  assert.deepEqual(tally(answersInWords(first)), { '00 booked': unlike.length })
  assert.deepEqual(
    first.map((answer: Record<string, string>) => answer.sessionId),
    unlike,
  )
  assert.deepEqual(tally(answersInWords(again)), { '01 duplicate': unlike.length })
  assert.deepEqual(tally(answersInWords(others)), { '00 kept invalid_session_id': bad.length })
  const url = '/api/v1/credits/09FG240119090404935XTTGA9'
  assert.equal((await bench.call({ method: 'GET', url })).json().data.amount, 100)
})

test('an unreadable amount is stored for an operator; a zero amount is refused', async () => {
  const { accountNumber } = await createAccount(bench)
  const bad = ['1.001', '0.005', '1.000', '+1', '1e3', '1,000', ' 1', '1.', '.5', '0x10', '٣']
  const worse = ['10000000000000.01', '9'.repeat(400), 'NaN', true, {}, ['1']]
  const numbers = [0.005, 100.001, 1e21, 10_000_000_000_000.01, 1e-7]
  const nothing = ['0', '0.00', '-1', '', null, -1, 0]
  const unread = [...bad, ...worse, ...numbers]
  const list = [...unread, ...nothing].map((amount) => newCredit(accountNumber, { amount }))
  const text = JSON.stringify(newCredit(accountNumber, { amount: 'AMOUNT' }))

  const answers = (await postRail(bench, '035/credits', list)).json()
  const infinite = await postRail(bench, '035/credits', text.replace('"AMOUNT"', '1e400'))

  assert.deepEqual(tally(answersInWords(answers)), {
    '00 kept invalid_amount': unread.length,
    '02 rejected invalid_amount': nothing.length,
  })
  assert.deepEqual(answersInWords([infinite.json()]), ['00 kept invalid_amount'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
