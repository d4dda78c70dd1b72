// Balances at an earlier moment are those that the service showed then, and a ledger account's opening
// balance of a day plus the day's movements is its closing balance (I61). Replay a failure with:
//   SEED=<seed> npm test -- test/reports/balances-at.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, ClientId } from '#ids.ts'
import { BALANCE_CHECKS } from '#integrity/balance-checks.ts'
import { type Check, runCheck } from '#ledger/checks.ts'
import { computeNet, PARTS } from '#records/money-totals.ts'
import { type Balance, readBalances } from '#reports/balances.ts'
import { growsByDebits } from '#reports/ledger.ts'
import { readBalanceAt, readStatement } from '#reports/statements.ts'
import { createAccount, dataOf, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { randomMoney } from '../support/random-money.ts'
import { randomPayouts } from '../support/random-payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { openSubaccount } from '../support/subaccount-rows.ts'
import { BALANCES, credit, openDesk, type Row } from '../support/tracing.ts'

const SEED = readSeed()
const STEPS = 160
const RECORD_EVERY = 12
const KINDS = 19
const HOUR_MS = 60 * MINUTE_MS

type History = { bench: Bench; moments: { at: Date; data: Row }[]; startedAt: Date }

// Makes ten days of random money in and out, and records the balances every few steps. The tests then ask for
// the balances at these moments and compare.
async function makeHistory(bench: Bench): Promise<History> {
  const random = seededRandom(SEED)
  const startedAt = bench.clock()
  const { accountNumber } = await createAccount(bench, { merchantCode: 'shop-b' })
  const { id, shareMoneyOf } = await openSubaccount(bench, 'shop')
  const { rows } = await bench.db.query<{ id: AccountId }>(
    'select id from collection_accounts where account_number = $1',
    [accountNumber],
  )
  await shareMoneyOf(rows[0]?.id as AccountId)
  const moneyIn = await randomMoney(bench, SEED)
  const moneyOut = await randomPayouts(bench, SEED, { subaccountId: id })
  const share = () => credit(bench, accountNumber, `${random.integer(1, 500)}.00`)
  const moments: History['moments'] = []
  const { bankAccount } = await startPayment(bench, { amount: 10_000 })
  await credit(bench, bankAccount, '10005.00')
  await credit(bench, (await startPayment(bench, { amount: 100 })).bankAccount, '40.00')
  const desk = await openDesk(bench)
  await desk.giveBack(await credit(bench, bankAccount, '5.00'))
  await moneyOut.tour(share) // Plays each kind of payout once, before the random steps.
  for (let step = 1; step <= STEPS; step++) {
    bench.advance(random.integer(0, 2 * HOUR_MS))
    await random.pick([moneyIn, moneyIn, moneyOut.step, share])()
    if (step % RECORD_EVERY > 0) continue
    bench.advance(1)
    moments.push({ at: bench.clock(), data: await balances(bench) })
  }
  return { bench, moments, startedAt }
}

// The balances now or at a moment, without currencies that have only zeros.
async function balances(bench: Bench, at?: Date): Promise<Row> {
  const url = at ? `${BALANCES}?at=${at.toISOString()}` : BALANCES
  const data = dataOf(await bench.call({ url }))
  // Before its first credit, a currency has only zeros.
  const isUsed = ({ currency, ...parts }: Row) =>
    currency === 'NGN' || Object.values(parts).some((part) => part !== 0)
  return { ...data, totals: data.totals.filter(isUsed) }
}

test(`balances at a moment are what they were, and add up (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const { moments } = await makeHistory(bench)

  for (const { at, data } of moments) {
    assert.deepEqual(await balances(bench, at), data, at.toISOString())
  }

  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const clientId = rows[0]?.id as ClientId
  for (const balance of await readBalances(bench.db, clientId)) {
    assert.deepEqual(await sumOfCredits(bench, clientId, balance.currency), {
      net: balance.netKobo + balance.refundedKobo,
      ...Object.fromEntries(PARTS.map((part) => [part, balance[`${part}Kobo`]])),
    })
    assert.equal(balance.netKobo, computeNet(balance))
    assert.equal(balance.netKobo, whereItIs(balance))
    assert.equal(
      balance.collectedKobo + balance.pendingKobo,
      balance.netKobo + balance.refundedKobo,
    )
  }
  const { merchants, totals } = (await balances(bench)) as Row
  const kobo = (naira: number) => Math.round(naira * 100)
  const sum = (name: string) =>
    merchants.reduce((total: number, row: Row) => total + kobo(row[name]), 0)
  const ofPayments = await collectedByPayments(bench, clientId)
  assert.equal(sum('collected') + ofPayments, kobo(totals[0].collected))
  assert.deepEqual(await runCheck(bench.db, BALANCE_CHECKS[0] as Check), [])
})

// The sum of all places where a client's net can be, which must equal the net.
function whereItIs(balance: Balance): bigint {
  return (
    balance.availableKobo +
    balance.pendingKobo +
    balance.subaccountsKobo +
    balance.reservedKobo +
    balance.inTransitKobo +
    balance.paidOutKobo +
    balance.payoutFeesKobo -
    balance.receivableKobo -
    balance.writtenOffKobo -
    balance.withheldTaxKobo
  )
}

// The totals of a client, computed from the transfers of its credits (view client_movements), without
// refunds.
async function sumOfCredits(bench: Bench, clientId: ClientId, currency: string) {
  const columns = PARTS.map((part) => `coalesce(sum(${part}_kobo), 0)::bigint as ${part}`)
  const { rows } = await bench.db.query<Record<(typeof PARTS)[number], bigint>>(
    `select ${columns.join(', ')} from client_movements where client_id = $1 and currency = $2`,
    [clientId, currency],
  )
  const { gross, reversed, returned, suspended, fees } = rows[0] as (typeof rows)[0]
  return { ...rows[0], net: gross - reversed - returned - suspended - fees }
}

// The money of credits that is on the client's `available` ledger account, less what the client owes on it.
async function collectedByPayments(bench: Bench, clientId: ClientId): Promise<number> {
  const { rows } = await bench.db.query<{ kobo: bigint }>(
    `select (coalesce(sum(case when t.credit_account_id = l.id then t.amount_kobo
                               else -t.amount_kobo end), 0)
             - coalesce((select sum(r.amount_kobo) from receivables r
                           join ledger_accounts a on a.id = r.account_id
                          where a.kind = 'available' and r.client_id = $1), 0))::bigint as kobo
       from ledger_accounts l
       join transfers t on l.id in (t.credit_account_id, t.debit_account_id)
      where l.kind = 'available' and l.owner = 'client:' || $1 and t.credit_id is not null`,
    [clientId],
  )
  return Number(rows[0]?.kobo)
}

test(`opening + movements = closing, for every account and day (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const { startedAt } = await makeHistory(bench)
  const { rows: accounts } = await bench.db.query<{
    id: AccountId
    kind: string
    currency: string
  }>(`select id, kind, currency from ledger_accounts
       where debits_kobo + credits_kobo > 0 order by id`)
  assert.equal(new Set(accounts.map(({ kind }) => kind)).size, KINDS, 'every kind has moved')
  const { rows } = await bench.db.query(`select * from clients where client_id = 'MAN0000001'`)
  const viewer = { id: rows[0].id as ClientId, isOperator: true }
  let moves = 0

  for (const { id, kind, currency } of accounts) {
    const subject = { accountIds: [id], kind, currency }
    for (let day = startedAt; day < bench.clock(); day = new Date(day.getTime() + 24 * HOUR_MS)) {
      const window = { from: day, to: new Date(day.getTime() + 24 * HOUR_MS) }
      const openingKobo = await readBalanceAt(bench.db, subject, window.from)
      let balanceKobo: bigint = openingKobo
      for await (const batch of readStatement(bench.db, { viewer, subject, window, openingKobo })) {
        for (const row of batch) {
          balanceKobo += row.changeKobo
          moves++
          assert.equal(row.balanceKobo, balanceKobo)
          assert(row.postedAt >= window.from && row.postedAt < window.to)
        }
      }
      const closing = await readBalanceAt(bench.db, subject, window.to)
      assert.equal(balanceKobo, closing, `${kind} ${id} on ${day.toISOString()}`)
      assert.equal(closing, await addedUp(bench, { id, kind }, window.to))
    }
  }
  const { rows: all } = await bench.db.query(`select count(*)::int as count from transfers`)
  assert.equal(moves, 2 * all[0].count, 'each transfer, on both sides')
})

// The balance of a ledger account before a moment, computed from its transfers alone.
async function addedUp(bench: Bench, { id, kind }: { id: AccountId; kind: string }, before: Date) {
  const { rows } = await bench.db.query<{ kobo: bigint }>(
    `select coalesce(sum(case when credit_account_id = $1 then amount_kobo else -amount_kobo end),
                     0)::bigint as kobo
       from transfers where $1 in (credit_account_id, debit_account_id) and posted_at < $2`,
    [id, before],
  )
  const kobo = rows[0]?.kobo as bigint
  return growsByDebits(kind) ? -kobo : kobo
}
