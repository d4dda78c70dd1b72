// The journal can be exported in the layouts that accounting programs import, with their columns, in one
// currency, and with sums that balance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_DAY, liveADay, textOf } from '../support/accounting.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseLines } from '../support/csv.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
await liveADay(bench)

// Reads a layout's file as rows of cells. These files have no byte order mark, because some programs would
// read it as part of the first name. Our parser expects one, so it is added here.
async function readLayout(layout: string, more = ''): Promise<string[][]> {
  const text = await textOf(bench, `journal.csv?day=${FIRST_DAY}&layout=${layout}${more}`)
  return parseLines(`\ufeff${text}`)
}

const cellsOf = (row: readonly string[] | undefined) => row?.join('|')
const koboOf = (cell: string | undefined) => BigInt((cell || '0.00').replace('.', ''))
// Sums an amount over all rows but the header.
const sumOf = (rows: string[][], read: (row: string[]) => bigint) =>
  rows.slice(1).reduce((total, row) => total + read(row), 0n)

test('Xero: manual journals, with signed amounts', async () => {
  const rows = await readLayout('xero')
  const dollars = await readLayout('xero', '&currency=USD')

  assert.deepEqual(rows.slice(0, 3).map(cellsOf), [
    '*Narration|*Date|Description|*AccountCode|*TaxRate|*Amount|TrackingName1|TrackingOption1|' +
      'TrackingName2|TrackingOption2',
    'MANILLA-2026-11-15-NGN|15/11/2026|bank charge, bank 035|1000|Tax Exempt|-20.75||||',
    'MANILLA-2026-11-15-NGN|15/11/2026|credit, bank 035|1000|Tax Exempt|1200.00||||',
  ])
  assert.equal(
    sumOf(rows, (row) => koboOf(row[5])),
    0n,
  )
  assert.equal(
    sumOf(rows, (row) => (koboOf(row[5]) > 0n ? koboOf(row[5]) : 0n)),
    148_204n,
  )
  assert.deepEqual(
    dollars.slice(1).map((row) => row[5]),
    ['5.00', '-5.00'],
  )
})

test('QuickBooks Online: journal entries, with accounts by name', async () => {
  const rows = await readLayout('quickbooks')

  assert.deepEqual(rows.slice(0, 2).map(cellsOf), [
    '*JournalNo|*JournalDate|*AccountName|*Debits|*Credits|Description|Name|Currency|Location|Class',
    'MANILLA-2026-11-15-NGN|11/15/2026|Banks||20.75|bank charge, bank 035||NGN||',
  ])
  assert.equal(
    sumOf(rows, (row) => koboOf(row[3])),
    148_204n,
  )
  assert.equal(
    sumOf(rows, (row) => koboOf(row[4])),
    148_204n,
  )
})

test('Sage 50: transactions of types JD and JC', async () => {
  const rows = await readLayout('sage')
  const single = await readLayout('sage', '&detail=transfer')

  assert.deepEqual(rows.slice(0, 2).map(cellsOf), [
    'Type|Account Reference|Nominal A/C Ref|Department Code|Date|Reference|Details|Net Amount|' +
      'Tax Code|Tax Amount',
    'JC||1000|0|15/11/2026|MANILLA-2026-11-15-NGN|bank charge, bank 035|20.75|T9|0.00',
  ])
  for (const each of [rows, single]) {
    assert.equal(
      sumOf(each, (row) => (row[0] === 'JD' ? koboOf(row[7]) : 0n)),
      148_204n,
    )
    assert.equal(
      sumOf(each, (row) => (row[0] === 'JC' ? koboOf(row[7]) : 0n)),
      148_204n,
    )
  }
  assert.equal(single.length, 1 + 26)
  assert(single.slice(1).every((row) => (row[5] as string).length <= 30))
})
