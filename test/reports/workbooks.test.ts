// Exports as workbooks (xlsx): cells have a type (text, number or date), so that spreadsheets do not change
// them.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { ACCOUNTS, createAccount, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'
import { exported, readWorkbook } from '../support/workbooks.ts'

const bench = closeAfterTests(await startTestService())
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

// Exports a list as an Excel workbook; returns the rows and the headers of the response.
async function workbook(url: string) {
  const answer = await bench.call({ url })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['content-type'], WORKBOOK)
  return { rows: readWorkbook(answer.rawPayload), headers: answer.headers }
}

test('session ids, account numbers and bank codes are text; amounts numbers, times dates', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = await credit(bench, accountNumber, '1234.50', {
    sourceBankCode: '058',
    sourceAccountName: '=HYPERLINK("http://evil")',
    narration: '0012.50',
  })

  const { rows } = await workbook('/api/v1/credits.xlsx')

  const row = rows.find((each) => each.sessionId?.text === sessionId)
  assert(row)
  const text = { type: 'inlineStr', format: '@' }
  assert.deepEqual(row.sessionId, { ...text, text: sessionId })
  assert.match(sessionId, /^0\d{29}$/)
  assert.deepEqual(row.accountNumber, { ...text, text: accountNumber })
  assert.deepEqual(row.sourceBankCode, { ...text, text: '058' })
  assert.deepEqual(row.sourceAccountName, { ...text, text: '=HYPERLINK("http://evil")' })
  assert.deepEqual(row.narration, { ...text, text: '0012.50' })
  assert.deepEqual(row.gross, { type: 'n', text: '1234.5', format: '#,##0.00' })
  const [listed] = parseCsv((await bench.call({ url: '/api/v1/credits.csv' })).body)
  assert.equal(row.postedAt?.format, 'yyyy-mm-dd hh:mm:ss')
  const days = Number(row.postedAt?.text) - 25_569 // Days from 1900, as workbooks count, to 1970.
  const day = new Date(Math.round(days * 86_400_000)).toISOString().slice(0, 19)
  assert.equal(day, listed?.postedAt?.slice(0, 19))
})

test('digits keep their form in a CSV for spreadsheets, and times are plain', async () => {
  const { body } = await bench.call({ url: '/api/v1/credits.csv?for=spreadsheet' })
  const [row] = parseCsv(body)

  assert.match(row?.sessionId ?? '', /^="\d{30}"$/)
  assert.match(row?.postedAt ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})

test('files are named with their period, whose last day is the one before `to`', async () => {
  const nameOf = async (url: string) =>
    (await bench.call({ url })).headers['content-disposition']?.toString().split('"')[1]

  const days = 'from=2026-11-01&to=2026-12-01'
  assert.equal(
    await nameOf(`/api/v1/payments.xlsx?${days}`),
    'payments-2026-11-01-to-2026-11-30.xlsx',
  )
  assert.equal(await nameOf(`/api/v1/credits.csv?${days}`), 'credits-2026-11-01-to-2026-11-30.csv')
  assert.equal(await nameOf('/api/v1/credits.csv?from=2026-11-01'), 'credits-from-2026-11-01.csv')
  assert.equal(await nameOf('/api/v1/credits.csv?to=2026-11-02'), 'credits-until-2026-11-01.csv')
  const trial = await nameOf('/api/v1/operator/trial-balance.xlsx?at=2026-11-02')
  assert.equal(trial, 'trial-balance-at-2026-11-02.xlsx')
})

// Lists with numbers that have no export, each with the reason.
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  getAccountTimeline: 'a page of what happened; exportAccountStatement has the money',
  listAccountTransactions: 'exportAccountStatement has them',
  listCreditRefunds: 'exportRefunds has them',
  listPaymentRefunds: 'exportRefunds has them',
  listOwnFeeRules: 'terms, not money',
  listFeeRules: 'terms, not money',
  listLimitProfiles: 'terms, not money',
  listPayoutTariffs: 'terms, not money',
  listTaxRates: 'terms, not money',
  listScreeningRules: 'terms, not money',
  listLedgerAccounts: 'exportOperatorBalances and exportTrialBalance have them',
  listBankHealth: 'no money',
  listCases: 'exportCase has each with its evidence',
  listAccountingDays: 'exportJournal has each day',
  listHoldRequests: 'exportHolds has the money',
  listPayoutFiles: 'downloadPayoutFile has each',
  listReconciledItems: 'exportStatementLines and exportDifferences have both sides',
  listReconciledLines: 'exportStatementLines has them',
  listScreeningDecisions: 'exportCredits and exportAllPayouts have the money',
  listSettlementLines: 'exportSettlement has them',
  listStatements: 'exportStatementLines has the money of each',
  search: 'hits of all kinds',
}

type Schema = {
  $ref?: string
  type?: string | string[]
  items?: Schema
  properties?: Record<string, Schema>
}
type Operation = {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
const api = JSON.parse(await readFile('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: Operation }>
  components: { schemas: Record<string, Schema> }
}

const resolved = (schema: Schema): Schema =>
  schema.$ref
    ? resolved(api.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema)
    : schema

// The lists of the API whose rows have a number, which may be an amount of money.
const LISTS = Object.entries(api.paths).flatMap(([path, { get }]) => {
  const body = get?.responses['200']?.content?.['application/json']
  const data = body && resolved(body.schema).properties?.data
  const list = data && resolved(data)
  if (!get || list?.type !== 'array' || !list.items) return []
  const fields = Object.values(resolved(list.items).properties ?? {}).map(resolved)
  return fields.some(({ type }) => [type].flat().includes('number')) ? [{ path, get }] : []
})

test('every list of money is a CSV and a workbook, or says why it is none', () => {
  const missing = LISTS.filter(
    ({ path }) => !(`${path}.csv` in api.paths && `${path}.xlsx` in api.paths),
  )
  assert.deepEqual(
    missing.map(({ get }) => get.operationId).sort(),
    Object.keys(NOT_EXPORTED).sort(),
    'give the list an exportAs, or name it in NOT_EXPORTED with the reason',
  )
  assert(LISTS.length > 40, `${LISTS.length} lists`)
})

test('a workbook has the rows of its CSV, and at least those of the list', async () => {
  await startPayment(bench)
  const simple = LISTS.map(({ path }) => path).filter((path) => !path.includes('{'))
  for (const path of [...simple, '/api/v1/audit-log', ACCOUNTS]) {
    if (!(`${path}.csv` in api.paths)) continue
    const query = path.endsWith('/days') ? '?from=2026-11-01&to=2026-11-15' : ''
    const { data } = (await bench.call({ url: `${path}${query}` })).json()
    const file = await bench.call({ url: `${path}.csv${query}` })
    assert.equal(file.statusCode, 200, `${path}: ${file.body}`)
    const { rows } = await workbook(`${path}.xlsx${query}`)
    assert.equal(rows.length, parseCsv(file.body).length, path)
    if (!path.endsWith('credits')) assert(rows.length >= data.length, path)
  }
})

test('an amount of more digits than a spreadsheet has is text rather than wrong', async () => {
  const file = await exported([['amount', () => '99999999999999.99', 'amount']], 1)

  assert.deepEqual(readWorkbook(file.body)[0]?.amount?.text, '99999999999999.99')
  assert.equal(readWorkbook(file.body)[0]?.amount?.type, 'inlineStr')
})
