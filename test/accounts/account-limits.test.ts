// A collection account has limits per credit and per day. A credit that exceeds one is suspended as a
// whole, even when many arrive at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#integrity/checks.ts'
import { setLimits } from '../support/account-calls.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, MINUTE_MS } from '../support/fixtures.ts'
import { credit, itemOf, recordMovements, resolve, reverse } from '../support/movements.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const HOUR_MS = 60 * MINUTE_MS

type Limits = { perCredit?: number | null; perDay?: number | null }

// Creates a collection account with limits of its own, or with none if `limits` is empty.
async function createAccountWithLimits(limits: Limits): Promise<string> {
  const { accountNumber } = await createAccount(bench)
  if (Object.keys(limits).length > 0) await setLimits(bench, accountNumber, limits)
  return accountNumber
}

// Reports a credit. Returns the answer to the bank, such as "00 booked" or "00 suspended
// over_credit_limit".
const outcomeOfCredit = async (accountNumber: string, amount: string) =>
  (await credit(bench, accountNumber, amount)).says

test('a credit over its limit is suspended as a whole, and can be assigned later', async () => {
  const accountNumber = await createAccountWithLimits({ perCredit: 100 })
  const movements = await recordMovements(bench)

  const over = await credit(bench, accountNumber, '100.01')

  assert.equal(over.says, '00 suspended over_credit_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '100.00'), '00 booked')
  assert.equal((await itemOf(bench, over.sessionId)).reason, 'over_credit_limit')
  assert.equal(await resolve(bench, over.sessionId, 'assign', { accountNumber }), 'assigned')
  assert.equal(await balanceOf(bench, accountNumber), 200.01)
  assert.deepEqual(await movements.moves(), [
    'credit: bank 035 → suspense 100.01',
    'credit: bank 035 → collection 100.00',
    'assign: suspense → collection 100.01',
  ])
  assert.deepEqual(await movements.events(), [
    'credit.suspended',
    'collection.received',
    'credit.assigned',
    'collection.received',
  ])
})

test('a credit over the daily limit is suspended as a whole; smaller ones are still booked', async () => {
  const accountNumber = await createAccountWithLimits({ perDay: 100 })

  assert.equal(await outcomeOfCredit(accountNumber, '60.00'), '00 booked')
  const over = await credit(bench, accountNumber, '40.01')
  assert.equal(over.says, '00 suspended over_daily_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '40.00'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')

  assert.equal(await balanceOf(bench, accountNumber), 100)
  assert.equal(await resolve(bench, over.sessionId, 'return'), 'returned')
})

test('a day begins at midnight in Lagos', async () => {
  const accountNumber = await createAccountWithLimits({ perDay: 100 })
  const sinceMidnight = (bench.clock().getTime() + HOUR_MS) % (24 * HOUR_MS)
  bench.advance(24 * HOUR_MS - sinceMidnight - 1)
  assert.equal(await outcomeOfCredit(accountNumber, '100.00'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')

  bench.advance(1)

  assert.equal(new Date(bench.clock()).getUTCHours(), 23)
  assert.equal(await outcomeOfCredit(accountNumber, '100.00'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')
  bench.advance(24 * HOUR_MS - 1)
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')
})

test('the credits of one batch are counted one after the other', async () => {
  const [limited, free] = [
    await createAccountWithLimits({ perDay: 100 }),
    await createAccountWithLimits({}),
  ]
  const creditBody = (accountNumber: string, amount: string) => {
    return { sessionId: newSessionId(), accountNumber, amount }
  }
  const first = creditBody(limited, '50.00')

  const answer = await postRail(bench, '035/credits', [
    first,
    creditBody(free, '500.00'),
    creditBody(limited, '50.01'),
    first,
    creditBody(limited, '50.00'),
    creditBody(limited, '0.01'),
  ])

  assert.deepEqual(
    answer.json().map(({ outcome, code }: Record<string, string>) => code ?? outcome),
    ['booked', 'booked', 'over_daily_limit', 'duplicate', 'booked', 'over_daily_limit'],
  )
  assert.equal(await balanceOf(bench, limited), 100)
})

test('credits at the same moment, in several processes, never come to more than the limit', async () => {
  await using twin = await startTwin(bench)
  const accountNumber = await createAccountWithLimits({ perDay: 100 })
  const reportThroughEither = (at: number) =>
    postRail(at % 2 ? twin : bench, '035/credits', {
      sessionId: newSessionId(),
      accountNumber,
      amount: '9.00',
    })

  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => reportThroughEither(at)))

  const outcomes = answers.map((answer) => answer.json().outcome)
  assert.equal(outcomes.filter((outcome) => outcome === 'booked').length, 11)
  assert.equal(outcomes.filter((outcome) => outcome === 'suspended').length, 29)
  assert.equal(await balanceOf(bench, accountNumber), 99)
})

test('assigned money counts towards limits, and a reversal makes no room', async () => {
  const accountNumber = await createAccountWithLimits({ perDay: 100 })
  const over = await credit(bench, accountNumber, '150.00')
  assert.equal(over.says, '00 suspended over_daily_limit')
  const booked = await credit(bench, accountNumber, '30.00')
  await reverse(bench, booked.sessionId, '30.00')
  assert.equal(await outcomeOfCredit(accountNumber, '70.01'), '00 suspended over_daily_limit')

  assert.equal(await resolve(bench, over.sessionId, 'assign', { accountNumber }), 'assigned')
  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')

  assert.equal(await balanceOf(bench, accountNumber), 150)
})

test('money that is assigned before the first credit of a day counts too', async () => {
  const accountNumber = await createAccountWithLimits({ perDay: 100 })
  const over = await credit(bench, accountNumber, '100.01')
  bench.advance(24 * HOUR_MS)

  await resolve(bench, over.sessionId, 'assign', { accountNumber })

  assert.equal(await outcomeOfCredit(accountNumber, '0.01'), '00 suspended over_daily_limit')
})

test('a limit that is set during a day counts that day’s earlier credits, and no others', async () => {
  const accountNumber = await createAccountWithLimits({})
  await credit(bench, accountNumber, '500.00')
  bench.advance(24 * HOUR_MS)
  await credit(bench, accountNumber, '60.00')

  await setLimits(bench, accountNumber, { perDay: 100 })
  assert.equal(await outcomeOfCredit(accountNumber, '40.01'), '00 suspended over_daily_limit')
  await setLimits(bench, accountNumber, { perDay: null })
  assert.equal(await outcomeOfCredit(accountNumber, '30.00'), '00 booked')
  await setLimits(bench, accountNumber, { perDay: 100 })
  assert.equal(await outcomeOfCredit(accountNumber, '10.01'), '00 suspended over_daily_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '10.00'), '00 booked')
  await setLimits(bench, accountNumber, { perDay: 110 })
  assert.equal(await outcomeOfCredit(accountNumber, '10.01'), '00 suspended over_daily_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '10.00'), '00 booked')
})

test('new accounts have the limits of the settings, and may be freed of them', async () => {
  const env = { MANILLA_LIMIT_PER_CREDIT: '50', MANILLA_LIMIT_PER_DAY: '80.50' }
  await using own = await startTestService({ env })
  const { accountNumber } = await createAccount(own)

  assert.equal((await credit(own, accountNumber, '50.01')).says, '00 suspended over_credit_limit')
  assert.equal((await credit(own, accountNumber, '50.00')).says, '00 booked')
  assert.equal((await credit(own, accountNumber, '30.51')).says, '00 suspended over_daily_limit')
  await setLimits(own, accountNumber, null)
  assert.equal((await credit(own, accountNumber, '5000')).says, '00 booked')
})

test('an inactive account and a payer rule are reported before a limit', async () => {
  const payerRules = { maxAmount: 50 }
  const { accountNumber } = await createAccount(bench, { payerRules })
  await setLimits(bench, accountNumber, { perCredit: 10, perDay: 10 })

  assert.equal(await outcomeOfCredit(accountNumber, '50.01'), '00 suspended above_maximum')
  assert.equal(await outcomeOfCredit(accountNumber, '10.01'), '00 suspended over_credit_limit')
})

test('the books agree with all of it', async () => {
  assert.deepEqual(await checkIntegrity(bench.db), [])
})
