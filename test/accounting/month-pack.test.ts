// I121: the files of a month's pack can be checked against one another. So one changed kobo is found in
// each of them, even if somebody who has the key signs the pack again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { closeDay, OPERATOR, pass, REASON } from '../support/accounting.ts'
import { parseCsv } from '../support/csv.ts'
import { RECONCILIATION } from '../support/differences.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { type Edit, PYTHON, unpack, verifyEdits, verifyPack } from '../support/proving.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported } from '../support/statement-files.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { credit } from '../support/tracing.ts'

const MONTH = '2026-12'
const ADJUSTMENTS = `${OPERATOR}/adjustments`

// Advances the clock to this time in Lagos.
const advanceTo = (bench: Bench, time: string) =>
  bench.advance(Date.parse(`${time}+01:00`) - bench.clock().getTime())

// Fills two months, closes both, and returns the pack of December. November has fees with withholding tax,
// suspense and a payment at bank 058. In December the tax is withheld, and bank 058 sends its statement: a
// line dated the day after its credit, a duty that is booked, a debit that is noted, two open debits, and a
// credit of the last day that the books do not have.
async function packOfTwoMonths(): Promise<Buffer> {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  dataOf(await createFeeRule(bench))
  await addWithholdingRate(bench)
  advanceTo(bench, '2026-11-29T10:00:00')
  const charges = { fee: '9.30', vat: '0.70', settled: '19990.00' }
  await credit(bench, accountNumber, '20000.00', { charges })
  await credit(bench, NOBODYS_NUMBER, '200.00')
  const { bankAccount } = await startPayment(bench, { amount: 1000 }, '058')
  const pay = (sessionId: string, amount: string) =>
    postRail(bench, '058/credits', { sessionId, accountNumber: bankAccount, amount })
  await pay(newSessionId(), '7.00')
  pass(bench, '2026-11-30')
  for (const day of ['2026-11-29', '2026-11-30']) await closeDay(bench, day)
  advanceTo(bench, '2026-12-02T10:00:00')
  dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices`, body: { month: '2026-11' } }))
  await withholdTax(bench)
  dataOf(await bench.call({ url: `${OPERATOR}/months/2026-11/close`, body: REASON }))
  await credit(bench, accountNumber, '5000.00')

  advanceTo(bench, '2026-12-10T23:30:00')
  const sessionId = newSessionId()
  await pay(sessionId, '12.00')
  const lines = [
    { day: '2026-12-05', kobo: -5_000n, reference: 'FT1', narration: 'STAMP DUTY' },
    { day: '2026-12-06', kobo: -1_075n, reference: 'FT2', narration: 'SMS CHARGE' },
    { day: '2026-12-11', kobo: 1_200n, reference: 'FT3', narration: `NIP ${sessionId} FROM ADA` },
    { day: '2026-12-12', kobo: -700n, reference: 'FT4', narration: 'CASH' },
    { day: '2026-12-13', kobo: -900n, reference: 'FT5', narration: 'CASH AGAIN' },
  ]
  const lateLine = {
    day: '2026-12-31',
    kobo: 4_400n,
    reference: 'FT6',
    narration: 'FROM A STRANGER',
  }
  advanceTo(bench, '2026-12-20T10:00:00')
  await imported(bench, gtbankCsv({ openingKobo: 700n, lines }))
  await matchStatementsOf058(bench)
  await resolveDifference(bench, 'FT1', 'book')
  await resolveDifference(bench, 'FT4', 'note')
  advanceTo(bench, '2026-12-31T20:00:00')
  await imported(bench, gtbankCsv({ openingKobo: -5_775n, lines: [lateLine] }))
  pass(bench, '2026-12-31')
  for (const day of ['2026-12-02', '2026-12-10', '2026-12-20', '2026-12-31']) {
    await closeDay(bench, day)
  }
  dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices`, body: { month: MONTH } }))
  await matchStatementsOf058(bench)
  const url = `${OPERATOR}/months/${MONTH}`
  dataOf(await bench.call({ url: `${url}/close`, body: REASON }))
  const pack = (await bench.call({ url: `${url}/pack` })).rawPayload
  return pack
}

// Matches the statements of bank 058 with the books, as the worker does.
const matchStatementsOf058 = ({ service, clock }: Bench) =>
  withTransaction(service.db, (tx) =>
    matchStatements(tx, { bankCode: '058', currency: 'NGN', now: clock() }),
  )

async function addWithholdingRate(bench: Bench) {
  const rate = { tax: 'withholding', clientId: 'MAN0000001', percent: 5, source: 'Agreed' }
  const body = { ...rate, effectiveFrom: '2026-11-20' }
  dataOf(await bench.call({ url: `${OPERATOR}/tax-rates`, body }))
}

// Books that the client withheld tax, and the credit note for it; a second user approves each.
async function withholdTax(bench: Bench) {
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const tax = { of: 'withholding', clientId: 'MAN0000001', reason: 'Deducted' }
  for (const body of [
    { ...tax, kind: 'withholding', document: 'INV000001', amount: '10' },
    { ...tax, kind: 'wht_credit_note', document: 'FIRS/77', amount: '4' },
  ]) {
    const { reference } = dataOf(await maker.call({ url: ADJUSTMENTS, body }))
    const url = `${ADJUSTMENTS}/${reference}/approve`
    dataOf(await checker.call({ url, body: {} }))
  }
}

// Resolves the difference of the statement line with this bank reference.
async function resolveDifference(bench: Bench, reference: string, action: string) {
  const { rows } = await bench.db.query<{ id: number }>(
    `select d.id::int from differences d join statement_lines l on l.id = d.line_id
      where l.bank_reference = $1`,
    [reference],
  )
  const url = `${RECONCILIATION}/${rows[0]?.id}/resolve`
  dataOf(await bench.call({ url, body: { action, reason: 'Agreed' } }))
}

// The amount columns of each file, in which a change by one kobo must be found. The duty column that
// follows from rates is left out: it depends on the amounts of transfers, which are not in the pack.
const AMOUNTS: Readonly<Record<string, readonly string[]>> = {
  'opening-trial-balance.csv': ['debit', 'credit'],
  'trial-balance.csv': ['debit', 'credit'],
  'journal.csv': ['debit', 'credit'],
  'bank-balances.csv': ['opening', 'closing'],
  'reconciliation.csv': [
    ...['statement', 'ledger', 'timing', 'waiting', 'crossDay', 'noted', 'difference'],
  ],
  'timing-items.csv': ['amount'],
  'reconciling-items.csv': ['amount'],
  'suspense-ageing.csv': ['amount'],
  'vat.csv': ['base', 'charged', 'givenBack', 'vat'],
  'vat-invoices.csv': ['fees', 'vat', 'total', 'withholdingTax'],
  'withholding-tax.csv': ['invoiced', 'withheld', 'creditNotes', 'receivable'],
  'stamp-duty.csv': ['charged', 'givenBack', 'duty'],
}

const pack = await packOfTwoMonths()

const cellsOf = (line: string) => line.match(/("[^"]*"|[^,]*)(,|$)/g)?.slice(0, -1) ?? []

// Adds one kobo to the last amount in the column, as a forger would.
function addKobo(text: string, column: string): string {
  const [header = '', ...lines] = text.replace('\ufeff', '').split('\r\n')
  const index = header.split(',').indexOf(column)
  const isAmount = (cell = '') => /^-?[0-9]+\.[0-9]{2},?$/.test(cell)
  const at = lines.findLastIndex((line) => isAmount(cellsOf(line)[index]))
  assert(at >= 0, `${column} has an amount`)
  const cells = cellsOf(lines[at] as string)
  const kobo = BigInt((cells[index] as string).replace(/[.,]/g, '')) + 1n
  const digits = `${kobo < 0n ? -kobo : kobo}`.padStart(3, '0')
  const amount = `${kobo < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
  cells[index] = (cells[index] as string).endsWith(',') ? `${amount},` : amount
  lines[at] = cells.join('')
  return [`\ufeff${header}`, ...lines].join('\r\n')
}

const edits: Edit[] = Object.entries(AMOUNTS).flatMap(([name, columns]) =>
  columns.map((column) => ({ name, change: (text) => addKobo(text, column) })),
)

test('the reconciliation of a pack lists each item, and its equation holds on every day', async () => {
  if (PYTHON) {
    const { status, output } = verifyPack(pack)
    assert.equal(status, 0, output)
    assert.match(
      output,
      /bank 058 NGN: statement -13\.75, ledger -31\.00, timing 44\.00, noted -7\.00, difference -19\.75/,
    )
  }
  using folder = createTempFolder()
  const files = unpack(pack, folder.path)
  const rowsOf = (name: string) => parseCsv(files.get(name) as string)

  const timing = rowsOf('timing-items.csv').map(({ fromDay, untilDay, kind, amount }) =>
    [fromDay, untilDay, kind, amount].join(' '),
  )
  assert.deepEqual(timing, [
    '2026-12-31  waiting 44.00',
    '2026-12-05 2026-12-20 crossDay -50.00',
    '2026-12-10 2026-12-11 crossDay -12.00',
  ])
  const reconciling = rowsOf('reconciling-items.csv')
    .filter(({ bankCode }) => bankCode === '058')
    .map(({ day, state, kind, amount }) => [day, state, kind, amount].join(' '))
  assert.deepEqual(reconciling, [
    '2026-12-06 open unexplained_debit -10.75',
    '2026-12-12 noted unexplained_debit -7.00',
    '2026-12-13 open unexplained_debit -9.00',
  ])
})

test('one changed kobo in any file is found by name, even in a pack that is signed again', async () => {
  if (!PYTHON) return

  for (const isSigned of [false, true]) {
    const verdicts = verifyEdits(pack, edits, { isSigned })
    for (const [index, { status, output }] of verdicts.entries()) {
      const { name } = edits[index] as Edit
      const found = isSigned ? name : `FAULT ${name}: was changed since it was signed`
      assert.equal(status, 1, `${name} ${output}`)
      assert(output.includes(found), `${name}: ${output}`)
      if (isSigned) assert.doesNotMatch(output, /was changed since it was signed|signature: WRONG/)
    }
  }
})

test('a pack that is signed again lacks no row, repeats none and has none of another month', async () => {
  if (!PYTHON) return
  // These forgeries remove the rows that match a pattern, or repeat the first row below the header.
  const withoutLines = (pattern: RegExp) => (text: string) => text.replace(pattern, '')
  const withLineTwice = (text: string) => text.replace(/\r\n([^\r]+)\r\n/, '\r\n$1\r\n$1\r\n')
  const changes: [Edit, string][] = [
    [
      { name: 'reconciliation.csv', change: withoutLines(/058,NGN,2026-12-12[^\r]+\r\n/) },
      'is missing',
    ],
    [{ name: 'reconciliation.csv', change: withLineTwice }, 'repeats reconciliation.csv line 2'],
    [{ name: 'bank-balances.csv', change: withLineTwice }, 'repeats bank-balances.csv line 2'],
    [{ name: 'vat-invoices.csv', change: withLineTwice }, 'repeats vat-invoices.csv line 2'],
    [{ name: 'vat-invoices.csv', change: withoutLines(/INV[^\r]+\r\n/) }, 'fees of each invoice'],
    [
      { name: 'timing-items.csv', change: withoutLines(/058[^\r]+\r\n/) },
      'must be timing-items.csv',
    ],
    [
      { name: 'reconciling-items.csv', change: withoutLines(/058[^\r]+\r\n/) },
      'openDifferences must be',
    ],
    [
      { name: 'reconciling-items.csv', change: (text) => text.replace(',noted,', ',open,') },
      'noted must be reconciling-items.csv',
    ],
    [
      { name: 'reconciliation.csv', change: (text) => text.replace(',differences,', ',balanced,') },
      'status: expected differences, found balanced',
    ],
    [
      { name: 'journal.csv', change: (text) => text.replace('2026-12-02', '2026-11-02') },
      'is of another month',
    ],
    [{ name: 'vat.csv', change: (text) => text.replace('side,', 'page,') }, 'has other columns'],
  ]

  const verdicts = verifyEdits(
    pack,
    changes.map(([edit]) => edit),
    { isSigned: true },
  )

  for (const [index, { status, output }] of verdicts.entries()) {
    const [{ name }, found] = changes[index] as [Edit, string]
    assert.equal(status, 1, `${name} ${output}`)
    assert(output.includes(found), `${name}: ${output}`)
  }
})

test('a month does not close while the proofs lack a part of the ledger', async () => {
  await using bench = await startTestService()
  const { bankAccount: accountNumber } = await startPayment(bench, { amount: 1000 }, '058')
  const lines = [{ day: '2026-11-30', kobo: -700n, reference: 'FT1', narration: 'CASH' }]
  advanceTo(bench, '2026-11-30T20:00:00')
  await imported(bench, gtbankCsv({ lines }))
  await matchStatementsOf058(bench)
  await postRail(bench, '058/credits', { sessionId: newSessionId(), accountNumber, amount: '10' })
  pass(bench, '2026-11-30')
  await closeDay(bench, '2026-11-30')
  const close = () => bench.call({ url: `${OPERATOR}/months/2026-11/close`, body: REASON })

  const early = await close()
  await matchStatementsOf058(bench)
  const closed = await close()

  assertRefused(early, { status: 409, code: 'month_not_ready' })
  assert.match(early.body, /Bank 058, 2026-11-30: the ledger is not matched yet/)
  dataOf(closed)
})
