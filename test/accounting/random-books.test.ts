// Random books over several days: for every account code and day, the movements in the journals are the
// changes of the ledger's balances (I69). The journal of a closed day keeps its bytes even if later
// transfers follow (I68). To repeat a failed run: SEED=<seed> node --test
// test/accounting/random-books.test.ts

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEFAULT_CHART } from '#config/chart-settings.ts'
import {
  closeDay,
  csvOf,
  DAY_MS,
  kobo,
  pass,
  reportOf,
  startBeside,
  sum,
  textOf,
} from '../support/accounting.ts'
import { erase, finishErasures, PERSON } from '../support/erasing.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount } from '../support/fixtures.ts'
import { readSeed } from '../support/random.ts'
import { randomMoney } from '../support/random-money.ts'
import { randomPayouts } from '../support/random-payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { openSubaccount } from '../support/subaccount-rows.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { credit } from '../support/tracing.ts'

const SEED = readSeed()
const DAYS = ['2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18']
const STEPS_A_DAY = 40

type Balances = Map<string, bigint> // Debits less credits, by currency and account code.

// Returns the ledger's balances by currency and account code, debits less credits.
async function balancesNow({ db }: Bench): Promise<Balances> {
  const { rows } = await db.query<{ kind: string; currency: string; kobo: bigint }>(
    `select kind, currency, sum(debits_kobo - credits_kobo)::bigint as kobo
       from ledger_accounts group by 1, 2`,
  )
  const all: Balances = new Map()
  for (const { kind, currency, kobo: net } of rows) addTo(all, `${currency} ${codeOf(kind)}`, net)
  return all
}

const codeOf = (kind: string) => DEFAULT_CHART[kind]?.code as string

// Adds an amount to the balance with this key.
function addTo(all: Balances, key: string, net: bigint): void {
  all.set(key, (all.get(key) ?? 0n) + net)
}

// Returns the balances that are not zero in a fixed order, so that tests can compare them.
function nonzeroSorted(all: Balances): [string, bigint][] {
  return [...all].filter(([, net]) => net !== 0n).sort(([one], [other]) => (one < other ? -1 : 1))
}

// Returns the balances that changed, with the differences.
function balanceChanges(before: Balances, after: Balances): [string, bigint][] {
  const all = new Map(after)
  for (const [key, net] of before) addTo(all, key, -net)
  return nonzeroSorted(all)
}

// Returns the movements in a journal by currency and account code, whose debits must equal its credits.
async function journalChanges(bench: Bench, query: string): Promise<[string, bigint][]> {
  const rows = await csvOf(bench, `journal.csv?${query}`)
  assert.equal(sum(rows, 'debit'), sum(rows, 'credit'))
  const all: Balances = new Map()
  for (const { currency, accountCode, debit, credit: to } of rows) {
    addTo(all, `${currency} ${accountCode}`, kobo(debit as string) - kobo(to as string))
  }
  return nonzeroSorted(all)
}

// Returns the trial balance at a moment, after comparing the ageing of suspense and the balances by client
// with it.
async function reportsAt(bench: Bench, at: string): Promise<[string, bigint][]> {
  const rows = await csvOf(bench, `trial-balance.csv?at=${at}`)
  const all: Balances = new Map()
  for (const { currency, accountCode, debit, credit: to } of rows) {
    addTo(all, `${currency} ${accountCode}`, kobo(debit as string) - kobo(to as string))
  }
  const ageing = await csvOf(bench, `suspense-ageing.csv?at=${at}`)
  const held = await csvOf(bench, `balances.csv?at=${at}`)
  for (const currency of ['NGN', 'USD']) {
    const inCurrency = (list: readonly Record<string, string>[]) =>
      list.filter((row) => row.currency === currency)
    const balanceOfKind = (kind: string) => all.get(`${currency} ${codeOf(kind)}`) ?? 0n
    assert.equal(sum(inCurrency(rows), 'debit'), sum(inCurrency(rows), 'credit'))
    assert.equal(sum(inCurrency(ageing), 'amount'), -balanceOfKind('suspense'), `${at}, suspense`)
    const columns: [string, bigint][] = [
      ['available', -balanceOfKind('collection') - balanceOfKind('available')],
      ['suspended', -balanceOfKind('suspense')],
      [
        'inTransit',
        -balanceOfKind('settling') - balanceOfKind('paying') - balanceOfKind('refunding'),
      ],
      ['subaccounts', -balanceOfKind('subaccount')],
      ['feeIncome', -balanceOfKind('fee_income')],
      ['vatPayable', -balanceOfKind('vat_payable')],
      ['bankBalance', balanceOfKind('bank')],
      ['receivable', balanceOfKind('receivable')],
    ]
    for (const [column, expected] of columns) {
      assert.equal(sum(inCurrency(held), column), expected, `${at}, ${column} ${currency}`)
    }
  }
  return nonzeroSorted(all)
}

test(`journals are how the ledger changed, and stay (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, PERSON)
  await createFeeRule(bench)
  const subaccount = await openSubaccount(bench, 'R')
  const money = await randomMoney(bench, SEED)
  const payouts = await randomPayouts(bench, SEED, { subaccountId: subaccount.id })
  const journals = new Map<string, string[]>()
  const readJournals = (by: Bench, day: string) =>
    Promise.all(
      ['', '&detail=transfer', '&layout=xero', '&layout=sage', '&layout=quickbooks'].map((more) =>
        textOf(by, `journal.csv?day=${day}${more}`),
      ),
    )
  let before = await balancesNow(bench)
  for (const day of DAYS) {
    const end = Date.parse(`${day}T21:00:00Z`)
    for (let step = 0; step < STEPS_A_DAY && bench.clock().getTime() < end; step++) {
      await money()
      await payouts.step()
    }
    await credit(bench, accountNumber, '3.21')
    pass(bench, day)
    const after = await balancesNow(bench)
    const midnight = `${day}T24:00:00`
    const open = await reportsAt(bench, midnight)

    const { transfers, journalHash } = await closeDay(bench, day)

    const note = `seed ${SEED}, ${day}`
    assert(transfers > 0 && journalHash)
    assert.deepEqual(await journalChanges(bench, `day=${day}`), balanceChanges(before, after), note)
    const single = await journalChanges(bench, `day=${day}&detail=transfer`)
    assert.deepEqual(single, balanceChanges(before, after), note)
    assert.deepEqual(open, nonzeroSorted(after), note)
    assert.deepEqual(await reportsAt(bench, midnight), nonzeroSorted(after), note)
    journals.set(day, await readJournals(bench, day))
    before = after
  }

  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
  await finishErasures(bench)
  for (let step = 0; step < STEPS_A_DAY; step++) await money()
  await using folder = createTempFolder()
  const file = join(folder.path, 'chart.json')
  writeFileSync(file, JSON.stringify({ bank: { code: 'B', name: 'All banks' } }))
  await using renamed = await startBeside(bench, { MANILLA_CHART_FILE: file })
  renamed.advance(10 * DAY_MS)
  for (const [day, journal] of journals)
    assert.deepEqual(await readJournals(renamed, day), journal, day)
  const days = await reportOf(renamed, `days?from=${DAYS[0]}&to=${DAYS.at(-1)}`)
  assert(days.every(({ isClosed }: { isClosed: boolean }) => isClosed))
})
