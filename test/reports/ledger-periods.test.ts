// A ledger account over a period: its totals (opening, debits, credits, closing) equal those of its
// statement, and the list of its transfers shows each on its side.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, type Row, readList, reverse } from '../support/tracing.ts'

const ACCOUNTS = '/api/v1/ledger/accounts'
const DAY_MS = 86_400_000
const bench = closeAfterTests(await startTestService())

// Three days: 15, 16 and 17 November.
const { accountNumber } = await createAccount(bench)
const first = await credit(bench, accountNumber, '1000.00')
bench.advance(DAY_MS)
await credit(bench, accountNumber, '250.50')
await reverse(bench, first, '100.00')
bench.advance(DAY_MS)
await credit(bench, accountNumber, '7.00')

const chart: Row[] = (await readList(bench, ACCOUNTS)).data
const collection = chart.find(({ kind }) => kind === 'collection') as Row
const bank = chart.find(({ kind, balance }) => kind === 'bank' && balance > 0) as Row

const totalsOf = async ({ id }: Row, query = ''): Promise<Row> =>
  dataOf(await bench.call({ url: `${ACCOUNTS}/${id}/totals${query}` }))

const PERIODS = [
  '',
  '?from=2026-11-16&to=2026-11-17',
  '?from=2026-11-16',
  '?to=2026-11-16',
  '?from=2026-12-01',
  '?to=2020-01-01',
]

test('opening, both sides and closing are those of the statement, of any period', async () => {
  for (const account of [collection, bank]) {
    for (const period of PERIODS) {
      const totals = await totalsOf(account, period)
      const url = `${ACCOUNTS}/${account.id}/statement.csv${period}`
      const rows = parseCsv((await bench.call({ url })).body)
      const moves = rows.slice(1, -1)
      const sum = (name: string) => moves.reduce((kobo, row) => kobo + koboOf(row[name]), 0)
      const [came, went] = account === bank ? ['debits', 'credits'] : ['credits', 'debits']
      const about = `${account.kind} ${period}`
      assert.equal(totals.transfers, moves.length, about)
      assert.equal(koboOf(totals[came as string]), sum('in'), about)
      assert.equal(koboOf(totals[went as string]), sum('out'), about)
      assert.equal(koboOf(totals.opening), koboOf(rows[0]?.balance), about)
      assert.equal(koboOf(totals.closing), koboOf(rows.at(-1)?.balance), about)
    }
  }
})

test('a day of an account is as it was', async () => {
  assert.deepEqual(await totalsOf(collection, '?from=2026-11-16&to=2026-11-17'), {
    currency: 'NGN',
    opening: 1000,
    debits: 100,
    credits: 250.5,
    closing: 1150.5,
    transfers: 2,
  })
})

test('transfers of a period, page by page, each with its side and its bank', async () => {
  for (const account of [collection, bank]) {
    for (const period of PERIODS) {
      const rows: Row[] = []
      let cursor = ''
      do {
        const page = `${period === '' ? '?' : `${period}&`}limit=1${cursor && `&cursor=${cursor}`}`
        const answer = await bench.call({ url: `${ACCOUNTS}/${account.id}/transfers${page}` })
        assert.equal(answer.statusCode, 200, answer.body)
        rows.push(...answer.json().data)
        cursor = answer.json().nextCursor ?? ''
      } while (cursor !== '' && rows.length < 50)
      const totals = await totalsOf(account, period)
      for (const side of ['debit', 'credit']) {
        const own = rows.filter((row) => row.side === side)
        const sum = own.reduce((kobo, { amount }) => kobo + koboOf(amount), 0)
        assert.equal(sum, koboOf(totals[`${side}s`]), `${account.kind} ${period} ${side}`)
      }
      assert.equal(rows.length, totals.transfers, `${account.kind} ${period}`)
      const isOfBank = account === collection
      for (const { otherBankCode } of rows) {
        assert.equal(otherBankCode, isOfBank ? bank.bankCode : null)
      }
    }
  }
})

test('a bad period and another client’s account are refused', async () => {
  const url = `${ACCOUNTS}/${collection.id}`
  const token = await bench.newClient('PERIODS001')
  for (const path of ['totals', 'transfers']) {
    for (const period of ['from=never', 'from=2026-11-16&to=2026-11-16', 'since=2026-11-16']) {
      assertRefused(await bench.call({ url: `${url}/${path}?${period}` }))
    }
    const foreign = await bench.call({ url: `${url}/${path}`, token })
    assertRefused(foreign, { status: 404, code: 'ledger_account_not_found' })
  }
})

function koboOf(amount: string | number | undefined): number {
  return Math.round(Number(amount) * 100)
}
