// A figure of the dashboard has the same value in each view that shows it under the same name.
// docs/glossary.md#figures defines the figures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as copy from '../../web/copy/en.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { parseCsv } from '../support/csv.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { CONFIRMED, FAILED, payOut, sendAll, settleAll } from '../support/money-out.ts'
import { pay, refund } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement, setBankAccount, setSettings } from '../support/settlements.ts'
import { openDesk, type Row, reverse } from '../support/tracing.ts'

type Figures = Record<string, Record<string, number>> // Kobo, by name and view.

test('after payments, refunds, reversals, returns, payouts and a settlement, all views agree', async () => {
  await using bench = await startTestService()
  const settlement = await aMixedBusiness(bench)

  const figures = await readFigures(bench)

  for (const [name, values] of Object.entries(figures)) {
    const [first, ...rest] = Object.values(values)
    assert(rest.length > 0, `${name} is compared`)
    for (const [view, value] of Object.entries(values)) {
      assert.equal(value, first, `${name} in ${view}: ${JSON.stringify(values)}`)
    }
  }
  const { gross, refunded, net, available } = (await totals(bench)) as Row
  assert.deepEqual([gross, refunded], [2_770.02, 130])
  assert(net > 0 && available > 0)
  assert.equal(settlement.refunds, 140, 'a settlement counts refunds when they are drawn')
  await assertCleanBooks(bench)
})

test('names that two views share are of figures that are compared', async () => {
  const compared = new Set(Object.keys(emptyFigures()))
  const { todayStrings: today, accountingStrings: accounting } = copy
  const views = [
    [today.gross, today.netOf, today.suspense, ...Object.values(today.parts)],
    Object.values(copy.balancesStrings.parts),
    Object.values(copy.ledgerStrings.kinds),
    Object.values(copy.settlementsStrings.amounts),
    Object.values(accounting.balanceParts),
    [accounting.fees, accounting.costs],
    [copy.reconciliationStrings.proof.timing],
  ]
  const names = views.flatMap((view) => [...new Set<string>(view)])
  const shared = names.filter((name, at) => names.indexOf(name) !== at)
  assert.deepEqual(
    shared.filter((name) => !compared.has(name)),
    [],
  )
})

// Makes payments, refunds, reversals, returns and payouts, all within one hour so that the day contains them;
// returns the settlement.
async function aMixedBusiness(bench: Bench): Promise<Row> {
  await createFeeRule(bench, { vatBps: 750 })
  await setBankAccount(bench)
  await setSettings(bench, { schedule: 'manual', reservePercent: 10, reserveDays: 7 })
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench)
  const other = await createAccount(bench, { merchantCode: 'OTHER' })
  const paid = await startPayment(bench, { amount: 100 })
  const over = await startPayment(bench, { amount: 200 })
  const part = await startPayment(bench, { amount: 100 })

  const large = await pay(bench, accountNumber, '1500')
  const small = await pay(bench, other.accountNumber, '600')
  await pay(bench, paid.bankAccount, '100')
  await pay(bench, over.bankAccount, '230')
  await pay(bench, part.bankAccount, '40')
  const odd = await pay(bench, over.bankAccount, '300')
  await desk.giveBack(odd.sessionId)
  await settleAll(bench, CONFIRMED)
  await reverse(bench, large.sessionId, '250')

  await refund(bench, paid, '60')
  await refund(bench, small.sessionId, '70')
  await settleAll(bench, CONFIRMED)
  await refund(bench, small.sessionId, '50')
  await settleAll(bench, FAILED)
  await refund(bench, over, '10')
  await payOut(bench, 120)
  await sendAll(bench)
  bench.advance(1_000)
  const settlement = await closeSettlement(bench)
  bench.advance(1_000)
  await pay(bench, accountNumber, '0.01')
  await reverse(bench, (await pay(bench, accountNumber, '0.01')).sessionId, '0.01')
  return settlement
}

async function totals(bench: Bench): Promise<Row> {
  return dataOf(await bench.call({ url: '/api/v1/balances' })).totals[0]
}

const NAMES = {
  reversed: copy.todayStrings.parts.reversed,
  returned: copy.todayStrings.parts.returned,
  refunded: copy.todayStrings.parts.refunded,
  suspended: copy.todayStrings.parts.suspended,
  fees: copy.todayStrings.parts.fees,
  gross: copy.todayStrings.gross,
  net: copy.todayStrings.netOf,
}

const { balanceParts } = copy.accountingStrings
const HELD = ['available', 'pending', 'reserved', 'inTransit', 'subaccounts'] as const

// An empty list of values for each figure that several views show.
function emptyFigures(): Figures {
  const names = [
    ...Object.values(NAMES),
    ...HELD.map((part) => copy.balancesStrings.parts[part]),
    copy.todayStrings.suspense,
    balanceParts.receivable,
    balanceParts.writtenOff,
    balanceParts.feeIncome,
    balanceParts.vatPayable,
    balanceParts.shortfall,
    balanceParts.dueToBank,
  ]
  return Object.fromEntries(names.map((name) => [name, {}]))
}

const LEDGER_KINDS = {
  available: ['collection', 'available'],
  pending: ['pending'],
  reserved: ['reserve'],
  inTransit: ['settling', 'paying', 'refunding'],
  subaccounts: ['subaccount'],
}

// Reads each shared figure from each view that shows it.
async function readFigures(bench: Bench): Promise<Figures> {
  const read = async (url: string): Promise<Row> => dataOf(await bench.call({ url }))
  const list = async (url: string): Promise<Row[]> => (await bench.call({ url })).json().data
  const figures = emptyFigures()
  // Records the value that one view shows for a figure.
  const add = (name: string, view: string, naira: number) => {
    const values = figures[name]
    assert(values, name)
    values[view] = Math.round(naira * 100)
  }
  const sum = (rows: readonly Row[], part: string) =>
    rows.reduce((total, row) => total + Number(row[part]), 0)

  const balance = await totals(bench)
  const overview = await read('/api/v1/overview')
  const breakdown = await read('/api/v1/overview/breakdown')
  const movements = parseCsv((await bench.call({ url: '/api/v1/credits.csv' })).body)
  for (const [part, name] of Object.entries(NAMES)) {
    add(name, 'Today', overview.today[part])
    add(name, 'Today by bank', sum(breakdown.banks, part))
    add(name, 'Today by merchant', sum(breakdown.merchants, part))
    add(name, 'Balances', balance[part])
    add(name, 'CSV of credits', sum(movements, part))
  }
  const { gross, net, refunded } = NAMES
  const { suspense } = copy.todayStrings
  add(gross, 'chart', sum(overview.days, 'gross'))
  add(net, 'chart', sum(overview.hours, 'net'))
  add(refunded, 'list of credits', sum(await list('/api/v1/credits?limit=100'), 'refundedAmount'))
  const use = await read('/api/v1/operator/clients/MAN0000001/use?days=1')
  add(gross, 'Clients', use.days[0].gross)

  const { rows } = await read('/api/v1/operator/balances')
  const own = rows.filter(({ clientId }: Row) => clientId === 'MAN0000001')
  const accounts = await list('/api/v1/ledger/accounts?limit=100')
  const ledger = (...kinds: string[]) =>
    sum(
      accounts.filter(({ kind }) => kinds.includes(kind)),
      'balance',
    )
  for (const part of HELD) {
    const name = copy.balancesStrings.parts[part]
    add(name, 'Today and Ledger', balance[part])
    add(name, 'Accounting', sum(own, part))
    add(name, 'Ledger accounts', ledger(...LEDGER_KINDS[part]))
  }
  for (const [part, kind] of [
    ['receivable', 'receivable'],
    ['writtenOff', 'write_off'],
  ] as const) {
    add(balanceParts[part], 'Balances', balance[part])
    add(balanceParts[part], 'Accounting', sum(own, part))
    add(balanceParts[part], 'Ledger accounts', 0 - ledger(kind))
  }
  for (const [part, kind] of [
    ['feeIncome', 'fee_income'],
    ['vatPayable', 'vat_payable'],
  ] as const) {
    add(balanceParts[part], 'Accounting', sum(rows, part))
    add(balanceParts[part], 'Ledger accounts', ledger(kind))
  }
  add(balanceParts.shortfall, 'Accounting', sum(rows, 'shortfall'))
  add(balanceParts.shortfall, 'Ledger accounts', 0 - ledger('shortfall'))
  add(balanceParts.dueToBank, 'Accounting', sum(rows, 'dueToBank'))
  add(balanceParts.dueToBank, 'Ledger accounts', ledger('due_to_bank'))
  const inSuspense = await read('/api/v1/suspense/summary?state=open')
  add(suspense, 'Today', overview.inSuspense.amount)
  add(suspense, 'Balances', balance.inSuspense)
  add(suspense, 'Accounting', sum(own, 'suspended'))
  add(suspense, 'Suspense', sum(inSuspense.totals, 'amount'))
  return figures
}
