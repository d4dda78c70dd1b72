// The statement of a collection account has every transfer and the right balance at every row, whatever the
// page and the period, even if transfers arrive meanwhile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  assertAlike,
  assertRefused,
  balanceOf,
  createAccount,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, openDesk, type Row, readList, reverse, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
await bench.newClient('OTHER00001')
const desk = await openDesk(bench)
const statementUrl = (accountNumber: string) => `${ACCOUNTS}/${accountNumber}/transactions`

test('each row says what moved, which way, and the balance after it', async () => {
  const { accountNumber } = await createAccount(bench)
  const from = { sourceAccountName: 'CHIDI OKEKE', narration: 'Rent' }
  const first = await credit(bench, accountNumber, '100.50', from)
  const second = await credit(bench, accountNumber, '20.00')
  const stray = await credit(bench, '0123456789', '5.25')
  await desk.assign(stray, { accountNumber })
  await reverse(bench, first, '100.50')

  const { data, hasMore } = await readList(bench, statementUrl(accountNumber))

  assert.equal(hasMore, false)
  assert.deepEqual(
    data.map((row: Row) => [row.type, row.direction, row.amount, row.balanceAfter, row.sessionId]),
    [
      ['reversal', 'out', 100.5, 25.25, first],
      ['assign', 'in', 5.25, 125.75, stray],
      ['credit', 'in', 20, 120.5, second],
      ['credit', 'in', 100.5, 100.5, first],
    ],
  )
  const { id, creditId, postedAt, ...last } = data.at(-1)
  assert(Number.isSafeInteger(id) && Number.isSafeInteger(creditId))
  assert.equal(Date.parse(postedAt), bench.clock().getTime())
  assert.deepEqual(last, {
    type: 'credit',
    direction: 'in',
    amount: 100.5,
    balanceAfter: 100.5,
    currency: 'NGN',
    sessionId: first,
    narration: 'Rent',
    sourceAccountName: 'CHIDI OKEKE',
    payoutReference: null,
    settlementReference: null,
    adjustmentId: null,
    differenceId: null,
    holdReference: null,
  })
})

test('the balance is right at every row of every page while money comes and goes', async () => {
  const { accountNumber } = await createAccount(bench)
  const other = await createAccount(bench)
  const url = statementUrl(accountNumber)
  const sessions: string[] = []
  for (let at = 1; at <= 12; at++) {
    sessions.push(await credit(bench, accountNumber, `${at}.10`))
    await credit(bench, other.accountNumber, '999.00')
    if (at % 3 === 0) await reverse(bench, sessions[at - 2] as string, '1.00')
  }

  for (const limit of [1, 3, 5, 100]) {
    const whole = await readList(bench, `${url}?limit=100`)
    assertAddsUp(whole.data, await balanceOf(bench, accountNumber))
    const pages = await walk(bench, url, {
      limit,
      between: async () => {
        if (limit < 5) return
        const sessionId = await credit(bench, accountNumber, '50.00')
        await reverse(bench, sessionId, '20.00')
      },
    })
    assert.deepEqual(pages.flat(), whole.data, `by ${limit}`)
  }
})

test('a window of time shows its own rows, each with the balance of its moment', async () => {
  const { accountNumber } = await createAccount(bench)
  const times: string[] = []
  for (let at = 0; at < 9; at++) {
    bench.advance(at === 4 ? 5 * 60 * MINUTE_MS : MINUTE_MS)
    times.push(bench.clock().toISOString())
    const sessionId = await credit(bench, accountNumber, '10.00')
    if (at % 2 === 1) await reverse(bench, sessionId, '4.00')
  }
  const url = statementUrl(accountNumber)
  const { data: whole } = await readList(bench, `${url}?limit=100`)

  for (const [from, to] of [
    [2, 7],
    [0, 4],
    [4, 5],
    [5, 9],
    [0, 9],
    [8, 9],
  ] as [number, number][]) {
    const window = `from=${times[from]}${times[to] ? `&to=${times[to]}` : ''}`
    // Tells whether a row is posted at `times[from]` or later, and before `times[to]` if there is such a
    // time.
    const isWithin = ({ postedAt }: Row) => {
      const ms = Date.parse(postedAt)
      return ms >= Date.parse(times[from] as string) && ms < Date.parse(times[to] ?? '2999-01-01')
    }
    for (const limit of [2, 100]) {
      const pages = await walk(bench, `${url}?${window}`, { limit })
      assert.deepEqual(pages.flat(), whole.filter(isWithin), `${window} by ${limit}`)
    }
  }
})

test('times that are swapped among transfers of one moment leave every balance right', async () => {
  const { accountNumber } = await createAccount(bench)
  // Simulates two concurrent transactions: the one that took its time first locked the account last.
  const late = bench.clock()
  bench.advance(2_000)
  await credit(bench, accountNumber, '10.00')
  const nowMs = bench.clock().getTime()
  bench.advance(late.getTime() - nowMs)
  await credit(bench, accountNumber, '7.00')
  bench.advance(nowMs - late.getTime())
  await credit(bench, accountNumber, '1.00')
  const url = statementUrl(accountNumber)

  const rows = async (query: string) =>
    (await readList(bench, `${url}?${query}`)).data.map((row) => [row.amount, row.balanceAfter])

  const swap = new Date(late.getTime() + 1_000).toISOString()
  assert.deepEqual(await rows(''), [
    [1, 18],
    [7, 17],
    [10, 10],
  ])
  assert.deepEqual(await rows(`to=${swap}`), [[7, 17]])
  assert.deepEqual(await rows(`from=${swap}`), [
    [1, 18],
    [10, 10],
  ])
})

test('an account without transfers has an empty statement', async () => {
  const { accountNumber } = await createAccount(bench)

  const list = await readList(bench, statementUrl(accountNumber))

  assert.deepEqual(list, { data: [], hasMore: false, nextCursor: null })
})

test('another client gets the same answer for an account as for one that does not exist', async () => {
  const { accountNumber } = await createAccount(bench)
  const payment = await startPayment(bench)
  await credit(bench, accountNumber, '10.00')
  const missing = await bench.call({ url: statementUrl('0123456789') })
  assertRefused(missing, { status: 404, code: 'account_not_found' })

  const token = await bench.login('OTHER00001', 's3cret')
  const foreign = await bench.call({ url: statementUrl(accountNumber), token })
  assertAlike(foreign, missing)
  assertAlike(await bench.call({ url: statementUrl(payment.bankAccount) }), missing)
})

test('a cursor leads on in its own account only', async () => {
  const one = await createAccount(bench)
  const two = await createAccount(bench)
  for (const { accountNumber } of [one, two, one, two]) await credit(bench, accountNumber, '1.00')
  const { nextCursor } = await readList(bench, `${statementUrl(one.accountNumber)}?limit=1`)

  const answer = await bench.call({
    url: `${statementUrl(two.accountNumber)}?limit=1&cursor=${nextCursor}`,
  })

  assertRefused(answer, { code: 'invalid_cursor' })
})

// Asserts that the rows, newest first, add up to the balance: each row's balance is that of the row before
// it less the movement of the row before it.
function assertAddsUp(rows: Row[], balance: number) {
  let kobo = Math.round(balance * 100)
  for (const row of rows) {
    assert.equal(Math.round(row.balanceAfter * 100), kobo)
    kobo -= Math.round(row.amount * 100) * (row.direction === 'in' ? 1 : -1)
  }
  assert.equal(kobo, 0)
}
