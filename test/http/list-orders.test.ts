// A list has the same rows from the newest and from the oldest, each once, even if rows are added between
// two pages. A cursor continues only in its own order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf } from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, type Row, readList, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const ADDED = 7

// Adds one row to every list.
async function addRowToEveryList(): Promise<void> {
  bench.advance(MINUTE_MS)
  const { accountNumber } = await createAccount(bench)
  await startPayment(bench, { amount: 500 })
  await credit(bench, accountNumber, '10.00')
}

for (let count = 0; count < ADDED; count++) await addRowToEveryList()

// Each list with the field that identifies a row, and a filter that every row passes but no index serves.
const LISTS = [
  { url: '/api/v1/payments', key: 'paymentReference', filter: 'minAmount=1' },
  { url: '/api/v1/advices', key: 'adviceReference', filter: 'search=obi' },
  { url: '/api/v1/credits', key: 'id', column: 'creditId', filter: 'outcome=booked' },
  { url: ACCOUNTS, key: 'accountNumber', filter: 'active=true' },
]

for (const { url, key, column = key, filter } of LISTS) {
  const keysOf = (pages: Row[][]) => pages.flat().map((row) => String(row[key]))
  const read = async (query: string) => keysOf([(await readList(bench, `${url}?${query}`)).data])

  test(`${url}: oldest first is newest first the other way round, by pages of any size`, async () => {
    const window = `from=${bench.clock().toISOString().slice(0, 10)}&to=2100-01-01`
    for (const narrowed of ['', `&${filter}`, `&${window}`]) {
      const newest = await read(`limit=100${narrowed}`)
      const oldest = newest.toReversed()
      assert(newest.length >= ADDED)
      assert.deepEqual(await read(`limit=100&order=newest${narrowed}`), newest)
      assert.deepEqual(await read(`limit=100&order=oldest${narrowed}`), oldest)
      for (const limit of [1, 3, newest.length]) {
        const pages = await walk(bench, `${url}?order=oldest${narrowed}`, { limit })
        assert.deepEqual(keysOf(pages), oldest)
      }
    }
  })

  test(`${url}: rows that are added while it is read move none and hide none`, async () => {
    const known = await read('limit=100&order=oldest')
    let turns = 2
    const addBetweenPages = async () => {
      if (turns-- > 0) await addRowToEveryList()
    }

    const upwards = keysOf(
      await walk(bench, `${url}?order=oldest`, { limit: 3, between: addBetweenPages }),
    )
    assert.deepEqual(upwards, await read('limit=100&order=oldest'))
    assert.equal(upwards.length, known.length + 2, 'what was added comes last')
    turns = 2
    const downwards = keysOf(await walk(bench, url, { limit: 3, between: addBetweenPages }))
    assert.deepEqual(downwards, upwards.toReversed())
  })

  test(`${url}: a cursor of another order is refused, newest being the default`, async () => {
    const cursorOf = async (order: string) =>
      (await readList(bench, `${url}?limit=2${order}`)).nextCursor
    const [plain, oldest] = [await cursorOf(''), await cursorOf('&order=oldest')]

    for (const query of [`order=oldest&cursor=${plain}`, `cursor=${oldest}`]) {
      const refused = await bench.call({ url: `${url}?${query}` })
      assertRefused(refused, { code: 'invalid_cursor' })
    }
    const further = await read(`limit=2&cursor=${plain}`)
    assert.deepEqual(await read(`limit=2&order=newest&cursor=${plain}`), further)
  })

  test(`${url}: an order that there is not is refused, and so it is for its file`, async () => {
    const files = url.endsWith('advices') ? [] : [`${url}.csv`]
    for (const path of [url, ...files]) {
      for (const order of ['', 'OLDEST', 'asc', 'oldest%00', 'oldest,newest', 'x&order=oldest']) {
        const refused = await bench.call({ url: `${path}?order=${order}` })
        assertRefused(refused, { code: 'invalid_request' })
        assert.deepEqual(fieldsOf(refused), ['order'])
      }
    }
  })

  if (url.endsWith('advices')) continue
  test(`${url}.csv: the file comes in the order that is asked for`, async () => {
    // Returns the identifiers in the CSV file of the list, in this order. slice(1) drops the byte order mark
    // with which the file begins.
    const columnOf = async (order: string) => {
      const [head = '', ...lines] = (await bench.call({ url: `${url}.csv?order=${order}` })).body
        .slice(1)
        .trim()
        .split('\r\n')
      const at = head.split(',').indexOf(column)
      return lines.map((line) => line.split(',')[at])
    }

    assert.deepEqual(await columnOf('oldest'), await read('limit=100&order=oldest'))
    assert.deepEqual(await columnOf('newest'), await read('limit=100'))
  })
}
