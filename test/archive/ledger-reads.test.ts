// What the ledger tells once a month is archived: of now and of whatever came after it the same, byte for
// byte; of a time before, that it is archived.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJournalTransfers } from '#domain/accounting/journal-transfers.ts'
import { summariseBooks } from '#domain/reports/books-summary.ts'
import { openStatement, readStatement } from '#domain/reports/statements.ts'
import { archiveLived, BEGINS, liveAMonth, liveOn } from '../support/archived-month.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { ACCOUNTS, assertRefused, balanceOf } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { SETTLEMENTS } from '../support/settlements.ts'
import { type Row, readList } from '../support/tracing.ts'

const LEDGER = '/api/v1/ledger/accounts'
const OPERATOR = '/api/v1/operator'
const FROM = `from=${BEGINS.toISOString()}`
const AT = `at=${BEGINS.toISOString()}`
const JUST_BEFORE = new Date(BEGINS.getTime() - 1).toISOString()

const bench = closeAfterTests(await startTestService())
const numbers = await liveAMonth(bench)
await liveOn(bench, numbers)
const ledger: Row[] = (await readList(bench, `${LEDGER}?limit=100`)).data
const banks = ledger.filter(({ kind }) => kind === 'bank')

// Of a period, each with what may follow `?`.
const PERIODS = [
  ...numbers.flatMap((number) => [
    `${ACCOUNTS}/${number}/transactions?limit=100`,
    `${ACCOUNTS}/${number}/statement.csv?`,
    `${ACCOUNTS}/${number}/statement.html?`,
  ]),
  '/api/v1/balances/statement.csv?',
  '/api/v1/balances/statement.html?',
  ...ledger.flatMap(({ id }) => [
    `${LEDGER}/${id}/transfers?limit=100`,
    `${LEDGER}/${id}/totals?`,
    `${LEDGER}/${id}/statement.csv?`,
    `${LEDGER}/${id}/statement.html?`,
  ]),
]
// At a moment.
const MOMENTS = [
  '/api/v1/balances?',
  '/api/v1/balances/merchants?',
  '/api/v1/balances/subaccounts?',
  `${OPERATOR}/trial-balance?`,
  `${OPERATOR}/trial-balance.csv?`,
  `${OPERATOR}/balances?`,
  `${OPERATOR}/balances.csv?`,
]
// Now.
const NOW = [
  ...MOMENTS,
  ...numbers.map((number) => `${ACCOUNTS}/${number}`),
  ...ledger.map(({ id }) => `${LEDGER}/${id}`),
  `${LEDGER}?limit=100`,
  `${SETTLEMENTS}/upcoming`,
  SETTLEMENTS,
  '/api/v1/overview',
]

async function read(url: string): Promise<string> {
  const answer = await bench.call({ url })
  assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`)
  return answer.body
}

async function readAll(urls: readonly string[]): Promise<Map<string, string>> {
  const bodies = new Map<string, string>()
  for (const url of urls) bodies.set(url, await read(url))
  return bodies
}

const asked = [...NOW, ...MOMENTS.map((url) => url + AT), ...PERIODS.map((url) => `${url}&${FROM}`)]
const before = await readAll(asked)
const summary = await summariseBooks(bench.db)
assert.equal(await archiveLived(bench), 8n)

test('what the ledger tells of now and since is the same, byte for byte, as before archiving', async () => {
  const after = await readAll(asked)

  for (const [url, body] of after) assert.equal(body, before.get(url), url)
  assert.deepEqual(await summariseBooks(bench.db), summary)
  assert(banks.length > 0)
})

test('without a beginning, a period begins where the ledger does', async () => {
  for (const url of PERIODS) assert.equal(await read(url), before.get(`${url}&${FROM}`), url)
})

test('a statement opens with the balance of then and closes with that of now', async () => {
  for (const number of numbers) {
    const rows = parseCsv(await read(`${ACCOUNTS}/${number}/statement.csv`))
    const [opening, closing] = [rows[0] as Row, rows.at(-1) as Row]

    assert.equal(Date.parse(opening.postedAt), BEGINS.getTime())
    assert(Number(opening.balance) > 3_000, opening.balance)
    assert.equal(Number(closing.balance), await balanceOf(bench, number))
    const moved = rows.reduce((sum, row) => sum + Number(row.in) - Number(row.out), 0)
    assert.equal(Math.round((Number(opening.balance) + moved) * 100), Number(closing.balance) * 100)
  }
})

test('a period or a moment before is refused as archived', async () => {
  for (const url of [
    ...PERIODS.map((each) => `${each}&from=${JUST_BEFORE}`),
    ...PERIODS.map((each) => `${each}&to=${BEGINS.toISOString()}`),
    ...MOMENTS.map((each) => `${each}at=${JUST_BEFORE}`),
    ...['journal', 'journal.csv', 'journal.html'].map(
      (each) => `${OPERATOR}/${each}?day=2026-11-16`,
    ),
    `${OPERATOR}/journal.csv?day=2026-11-16&detail=transfer`,
    ...['vat', 'vat.csv', 'vat.html'].map((each) => `${OPERATOR}/${each}?month=2026-11`),
  ]) {
    const answer = await bench.call({ url })
    assertRefused(answer, 'account', { status: 409, code: 'period_archived' })
    assert.match(answer.body, /2026-11-30T23:00:00\.000Z/, url)
  }
})

test('a day before is not closed any more; the first one after is', async () => {
  const close = (day: string) =>
    bench.call({ url: `${OPERATOR}/days/${day}/close`, body: { reason: 'No statements' } })

  assertRefused(await close('2026-11-30'), 'account', { status: 409, code: 'period_archived' })
  assert.equal((await close('2026-12-01')).statusCode, 200)
  assert.equal(await read(`${OPERATOR}/trial-balance?${AT}`), before.get(MOMENTS[3] + AT))
})

test('what is being sent while its period is archived ends with an error, not short', async () => {
  await using own = await startTestService()
  const paid = await liveAMonth(own)
  await liveOn(own, paid)
  const { rows } = await own.db.query('select id from collection_accounts order by id limit 1')
  const subject = { accountIds: [rows[0].id], kind: 'collection', currency: 'NGN' }
  const viewer = { id: rows[0].id, name: '', isOperator: true }
  const statement = readStatement(own.db, {
    ...(await openStatement(own.db, subject, {})),
    ...{ viewer, subject },
  })
  const journal = readJournalTransfers(own.db, '2026-11-16')
  assert((await journal.next()).value?.length)
  await archiveLived(own)

  for (const batches of [statement, journal]) {
    await assert.rejects(async () => {
      for await (const _ of batches);
    }, /archived/)
  }
})
