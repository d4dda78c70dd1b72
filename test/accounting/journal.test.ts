// I69: the journal of a day is its transfers to the kobo, by account code, in every layout.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  brief,
  closeDay,
  csvOf,
  FIRST_DAY,
  liveADay,
  pass,
  reportOf,
  startBeside,
  sum,
  textOf,
} from '../support/accounting.ts'
import { closeAfterTests } from '../support/closing.ts'
import { PAYER } from '../support/erasing.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
await liveADay(bench)

const LINES = [
  '1000 035 bank_charge 0 20.75',
  '1000 035 credit 1200 0',
  '1000 035 paid 0 100',
  '1000 035 reversal 0 50',
  '1200 035 bank_charge 1.45 0',
  '2000 MAN0000001 credit 0 1000',
  '2000 MAN0000001 fee 10 0',
  '2000 MAN0000001 fee 0 0.5',
  '2000 MAN0000001 fee_vat 0.75 0',
  '2000 MAN0000001 fee_vat 0 0.04',
  '2000 MAN0000001 payout 100 0',
  '2000 MAN0000001 reversal 50 0',
  '2060 MAN0000001 paid 100 0',
  '2060 MAN0000001 payout 0 100',
  '2100 035 credit 0 200',
  '2200 MAN0000001 fee_vat 0.04 0',
  '2200 MAN0000001 fee_vat 0 0.75',
  '4000 MAN0000001 fee 0.5 0',
  '4000 MAN0000001 fee 0 10',
  '5000 035 bank_charge 19.3 0',
  '1000 035 credit 5 0 USD',
  '2100 MAN0000001 credit 0 5 USD',
]

test('the journal has the movements of each account code, with owner and reason', async () => {
  const journal = await reportOf(bench, `journal?day=${FIRST_DAY}`)

  assert.deepEqual(journal.lines.map(brief), LINES)
  assert.deepEqual(journal.totals, [
    { currency: 'NGN', debit: 1482.04, credit: 1482.04 },
    { currency: 'USD', debit: 5, credit: 5 },
  ])
  assert.deepEqual([journal.isClosed, journal.journalHash, journal.transfers], [false, null, 14])
  const { rows } = await bench.db.query('select sum(amount_kobo)::bigint as kobo from transfers')
  assert.equal(rows[0].kobo, 148_704n)
})

test('the CSV has the same lines, with codes, references and narrations', async () => {
  const rows = await csvOf(bench, `journal.csv?day=${FIRST_DAY}`)

  assert.deepEqual(
    rows.map((row) =>
      brief({
        ...row,
        debit: Number(row.debit),
        credit: Number(row.credit),
        clientId: row.clientId || null,
      }),
    ),
    LINES,
  )
  assert.deepEqual(rows[5], {
    date: FIRST_DAY,
    accountCode: '2000',
    accountName: 'Collection accounts',
    debit: '',
    credit: '1000.00',
    currency: 'NGN',
    reference: 'MANILLA-2026-11-15-NGN',
    narration: 'credit, client MAN0000001',
    clientId: 'MAN0000001',
    bankCode: '',
    reason: 'credit',
    transferId: '',
    postedAt: '',
  })
  assert.equal(sum(rows, 'debit'), 148_704n)
  assert.equal(sum(rows, 'credit'), 148_704n)
})

test('each transfer is two rows, in the order of posting, and tells nothing of payers', async () => {
  const text = await textOf(bench, `journal.csv?day=${FIRST_DAY}&detail=transfer`)
  const rows = await csvOf(bench, `journal.csv?day=${FIRST_DAY}&detail=transfer`)

  assert.equal(rows.length, 28)
  assert.deepEqual(
    rows
      .slice(0, 2)
      .map(({ accountCode, debit, credit: to, narration }) => [accountCode, debit, to, narration]),
    [
      ['1000', '1000.00', '', 'credit, bank 035'],
      ['2000', '', '1000.00', 'credit, client MAN0000001'],
    ],
  )
  const times = rows.map(({ postedAt }) => postedAt as string)
  assert.deepEqual(times, times.toSorted())
  assert.match(times[0] as string, /^2026-11-15T09:00:00\.000000\+01:00$/)
  const pairs = rows.map(({ transferId }) => transferId as string)
  assert.equal(new Set(pairs).size, 14)
  assert(pairs.every((id, at) => id === pairs[at % 2 === 0 ? at + 1 : at - 1]))
  assert.equal(sum(rows, 'debit'), 148_704n)
  assert.equal(sum(rows, 'credit'), 148_704n)
  const references = [
    ...new Set(rows.map(({ reference }) => reference?.replace(/[0-9A-Z-]+$/, ''))),
  ]
  assert.deepEqual(references, ['credit/', ''])
  assert.match(rows.find(({ reason }) => reason === 'paid')?.reference ?? '', /^PYT/)
  const cells = rows.flatMap((row) => Object.values(row))
  for (const trace of Object.values(PAYER)) {
    assert(
      !cells.some((cell) => (trace.length > 3 ? cell?.includes(trace) : cell === trace)),
      trace,
    )
  }
  assert(!text.includes('=1+1'))
})

test('a page shows the journal with its totals; invalid parameters are refused', async () => {
  const page = await textOf(bench, `journal.html?day=${FIRST_DAY}`)
  // Asserts that the path is refused because of this parameter.
  const assertParameterRefused = async (path: string, field: string) => {
    const answer = await bench.call({ url: `/api/v1/operator/${path}` })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.equal(answer.json().errors[0].field, field)
  }

  assert.match(page, /<h1>Journal of 2026-11-15<\/h1>/)
  assert.match(page, /Open: it may still change/)
  assert.match(page, /<tr class="total"><td>Total<\/td>.*1,482\.04/)
  await assertParameterRefused('journal', 'day')
  await assertParameterRefused('journal?day=2026-11-16', 'day')
  await assertParameterRefused('journal?day=2026-02-30', 'day')
  await assertParameterRefused('journal?day=15.11.2026', 'day')
  await assertParameterRefused(`journal.csv?day=${FIRST_DAY}&layout=datev`, 'layout')
  await assertParameterRefused(`journal.csv?day=${FIRST_DAY}&detail=hour`, 'detail')
  await assertParameterRefused(`journal.csv?day=${FIRST_DAY}&currency=naira`, 'currency')
})

test('a day without transfers has an empty journal', async () => {
  const journal = await reportOf(bench, 'journal?day=2026-11-01')

  assert.deepEqual([journal.lines, journal.totals, journal.transfers], [[], [], 0])
  assert.deepEqual(await csvOf(bench, 'journal.csv?day=2026-11-01'), [])
})

test('a configured chart renames accounts, and leaves closed days as they were', async () => {
  await using own = await startTestService()
  await liveADay(own)
  await using folder = await createTempFolder()
  const file = join(folder.path, 'chart.json')
  const client = { code: '2.9', name: '=Clients' }
  writeFileSync(file, JSON.stringify({ collection: client, paying: client }))
  pass(own, FIRST_DAY)
  await closeDay(own, FIRST_DAY)
  const layouts = ['manilla', 'xero&detail=transfer', 'sage', 'quickbooks']
  const read = (by: Bench) =>
    Promise.all(
      layouts.map((layout) => textOf(by, `journal.csv?day=${FIRST_DAY}&layout=${layout}`)),
    )
  const before = await read(own)
  await credit(own, NOBODYS_NUMBER, '1.00')
  await using renamed = await startBeside(own, { MANILLA_CHART_FILE: file })
  pass(renamed, FIRST_DAY)
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '100.00')

  const after = await read(renamed)
  const next = await csvOf(renamed, 'journal.csv?day=2026-11-16')

  assert.deepEqual(after, before)
  assert.deepEqual(
    next
      .filter(({ clientId, reason }) => clientId && reason === 'credit')
      .map(({ accountCode, accountName }) => [accountCode, accountName]),
    [['2.9', `'=Clients`]],
  )
})
