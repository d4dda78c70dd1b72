// The journal in the layouts that accounting programs import: their columns, one currency, and sums that
// balance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_DAY, liveADay, textOf } from '../support/accounting.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseLines } from '../support/csv.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
await liveADay(bench)

// They have no byte order mark: some programs would read it as part of the first name.
async function table(layout: string, more = ''): Promise<string[][]> {
  const text = await textOf(bench, `journal.csv?day=${FIRST_DAY}&layout=${layout}${more}`)
  return parseLines(`\ufeff${text}`)
}

const line = (row: readonly string[] | undefined) => row?.join('|')
const kobo = (cell: string | undefined) => BigInt((cell || '0.00').replace('.', ''))
const add = (rows: string[][], read: (row: string[]) => bigint) =>
  rows.slice(1).reduce((total, row) => total + read(row), 0n)

test('Xero: manual journals, with signed amounts', async () => {
  const rows = await table('xero')
  const dollars = await table('xero', '&currency=USD')

  assert.deepEqual(rows.slice(0, 3).map(line), [
    '*Narration|*Date|Description|*AccountCode|*TaxRate|*Amount|TrackingName1|TrackingOption1|' +
      'TrackingName2|TrackingOption2',
    'MANILLA-2026-11-15-NGN|15/11/2026|bank charge, bank 035|1000|Tax Exempt|-20.75||||',
    'MANILLA-2026-11-15-NGN|15/11/2026|credit, bank 035|1000|Tax Exempt|1200.00||||',
  ])
  assert.equal(
    add(rows, (row) => kobo(row[5])),
    0n,
  )
  assert.equal(
    add(rows, (row) => (kobo(row[5]) > 0n ? kobo(row[5]) : 0n)),
    148_204n,
  )
  assert.deepEqual(
    dollars.slice(1).map((row) => row[5]),
    ['5.00', '-5.00'],
  )
})

test('QuickBooks Online: journal entries, with accounts by name', async () => {
  const rows = await table('quickbooks')

  assert.deepEqual(rows.slice(0, 2).map(line), [
    '*JournalNo|*JournalDate|*AccountName|*Debits|*Credits|Description|Name|Currency|Location|Class',
    'MANILLA-2026-11-15-NGN|11/15/2026|Banks||20.75|bank charge, bank 035||NGN||',
  ])
  assert.equal(
    add(rows, (row) => kobo(row[3])),
    148_204n,
  )
  assert.equal(
    add(rows, (row) => kobo(row[4])),
    148_204n,
  )
})

test('Sage 50: transactions of types JD and JC', async () => {
  const rows = await table('sage')
  const single = await table('sage', '&detail=transfer')

  assert.deepEqual(rows.slice(0, 2).map(line), [
    'Type|Account Reference|Nominal A/C Ref|Department Code|Date|Reference|Details|Net Amount|' +
      'Tax Code|Tax Amount',
    'JC||1000|0|15/11/2026|MANILLA-2026-11-15-NGN|bank charge, bank 035|20.75|T9|0.00',
  ])
  for (const each of [rows, single]) {
    assert.equal(
      add(each, (row) => (row[0] === 'JD' ? kobo(row[7]) : 0n)),
      148_204n,
    )
    assert.equal(
      add(each, (row) => (row[0] === 'JC' ? kobo(row[7]) : 0n)),
      148_204n,
    )
  }
  assert.equal(single.length, 1 + 26)
  assert(single.slice(1).every((row) => (row[5] as string).length <= 30))
})
