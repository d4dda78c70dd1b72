// Balances: a client's money by currency and by merchant, which always equals the ledger.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertBooksBalance,
  assertRefused,
  createAccount,
  dataOf,
  startPayment,
} from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  BALANCES,
  credit,
  MERCHANTS,
  openDesk,
  type Row,
  readList,
  reverse,
  walk,
} from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const NOTHING = {
  gross: 0,
  net: 0,
  suspended: 0,
  collected: 0,
  pending: 0,
  inSuspense: 0,
  returning: 0,
  returned: 0,
  reversed: 0,
  fees: 0,
  available: 0,
  subaccounts: 0,
  reserved: 0,
  held: 0,
  forfeited: 0,
  inTransit: 0,
  paidOut: 0,
  refunded: 0,
  payoutFees: 0,
  receivable: 0,
  writtenOff: 0,
  withheldTax: 0,
}

async function balances(target: Bench, token?: string) {
  const answer = await target.call({ url: BALANCES, ...(token === undefined ? {} : { token }) })
  return dataOf(answer)
}

test('a client that has nothing has a balance of nothing', async () => {
  const token = await bench.newClient('EMPTY00001')

  assert.deepEqual(await balances(bench, token), {
    totals: [{ currency: 'NGN', ...NOTHING }],
    merchants: [],
    merchantsNextCursor: null,
    subaccounts: [],
    subaccountsNextCursor: null,
  })
  assert.deepEqual(await readList(bench, MERCHANTS, token), {
    data: [],
    hasMore: false,
    nextCursor: null,
  })
})

test('the balances follow every operation and equal the ledger', async () => {
  await using own = await startTestService()
  const desk = await openDesk(own)
  const other = await own.newClient('OTHER00001')
  const account = await createAccount(own)
  const foreign = await createAccount(own, {}, { token: other })
  const paid = await startPayment(own)
  const open = await startPayment(own)
  const sessions: Record<string, string> = {}
  // Reports a credit, and remembers its session id under this name.
  const receive = async (name: string, accountNumber: string, amount: string, more = {}) => {
    sessions[name] = await credit(own, accountNumber, amount, more)
  }
  await receive('collected', account.accountNumber, '1000.00')
  await receive('paid', paid.bankAccount, '6000.00')
  await receive('part', open.bankAccount, '2500.50')
  for (const [name, amount] of Object.entries({ a: '11', b: '22', c: '33', d: '44', e: '55' })) {
    await receive(name, paid.bankAccount, amount)
  }
  await receive('dollars', account.accountNumber, '9.00', { currency: 'USD' })
  await receive('foreign', foreign.accountNumber, '777.00')
  await receive('nobody', '0123456789', '888.00')
  const ngn = async () => (await balances(own)).totals.find((row: Row) => row.currency === 'NGN')
  const start = await ngn()

  await desk.assign(sessions.a as string, { accountNumber: account.accountNumber })
  await desk.giveBack(sessions.b as string)
  await desk.giveBack(sessions.c as string)
  await desk.confirm(sessions.c as string, 'B-1')
  await desk.giveBack(sessions.d as string)
  await desk.fail(sessions.d as string)
  await reverse(own, sessions.e as string, '55')
  await reverse(own, sessions.collected as string, '100')
  await reverse(own, sessions.part as string, '500.50')
  await reverse(own, sessions.c as string, '33') // Already returned, so the bank's own shortfall.

  assert.deepEqual(start, {
    currency: 'NGN',
    ...NOTHING,
    gross: 9665.5,
    net: 9500.5,
    suspended: 165,
    collected: 7000,
    pending: 2500.5,
    inSuspense: 165,
    available: 7000,
  })
  assert.deepEqual((await balances(own)).totals, [
    {
      currency: 'NGN',
      ...NOTHING,
      gross: 9665.5, // Unchanged: nothing new came.
      net: 8911,
      suspended: 66,
      collected: 6911,
      pending: 2000,
      inSuspense: 44,
      returning: 22,
      returned: 33,
      reversed: 655.5,
      available: 6911,
    },
    { currency: 'USD', ...NOTHING, gross: 9, suspended: 9, inSuspense: 9 },
  ])
  assert.deepEqual((await balances(own, other)).totals, [
    { currency: 'NGN', ...NOTHING, gross: 777, net: 777, collected: 777, available: 777 },
  ])
  await assertEqualsLedger(own, [undefined, other])
  await assertBooksBalance(own)
})

test('balances at each moment of a return are what they were', async () => {
  await using own = await startTestService()
  const desk = await openDesk(own)
  const { bankAccount } = await startPayment(own, { amount: 100 })
  const moments: { at: Date; data: Row }[] = []
  // Runs a step, and records the balances a minute after it.
  const then = async (step: () => Promise<unknown>) => {
    await step()
    own.advance(60_000)
    moments.push({ at: own.clock(), data: await balances(own) })
    own.advance(60_000)
  }
  const sessions = ['150', '20', '30'].map((amount) => ({ amount, id: '' }))
  for (const each of sessions) {
    await then(async () => {
      each.id = await credit(own, bankAccount, each.amount)
    })
  }
  const [excess, second, third] = sessions.map(({ id }) => id) as [string, string, string]
  await then(() => desk.giveBack(second))
  await then(() => desk.giveBack(third))
  await then(() => reverse(own, third, '10'))
  await then(() => desk.confirm(second, 'B-1'))
  await then(() => desk.fail(third))
  await then(() => reverse(own, excess, '60'))

  for (const { at, data } of moments) {
    const answer = await own.call({ url: `${BALANCES}?at=${encodeURIComponent(at.toISOString())}` })
    assert.deepEqual(dataOf(answer), data, at.toISOString())
  }
})

test('a moment in the future, or none at all, is refused', async () => {
  const later = new Date(bench.clock().getTime() + 1).toISOString()

  for (const list of [BALANCES, MERCHANTS, `${BALANCES}/subaccounts`]) {
    for (const at of [later, 'yesterday', '', '2026-02-30', '2026-11-15T25:00']) {
      const answer = await bench.call({ url: `${list}?at=${encodeURIComponent(at)}` })
      assertRefused(answer, { status: 400, code: 'invalid_request' })
    }
    const now = await bench.call({ url: `${list}?at=${bench.clock().toISOString()}` })
    assert.equal(now.statusCode, 200)
  }
})

test('a merchant has what came to its own accounts, in the order of the labels', async () => {
  await using own = await startTestService()
  const desk = await openDesk(own)
  const labels = (merchantId: string, merchantCode: string) => ({ merchantId, merchantCode })
  const a1 = await createAccount(own, labels('A', 'x'))
  const a2 = await createAccount(own, labels('A', 'x'))
  const other = await createAccount(own, labels('A', 'y'))
  await createAccount(own, labels('B', 'x'))
  await credit(own, a1.accountNumber, '10.00')
  await credit(own, a2.accountNumber, '20.50')
  await credit(own, other.accountNumber, '5.00')
  await own.db.query(`update collection_accounts set is_active = false where account_number = $1`, [
    a2.accountNumber,
  ])
  await credit(own, a2.accountNumber, '3.00')
  const returned = await credit(own, a2.accountNumber, '4.00')
  await desk.giveBack(returned)
  await desk.confirm(returned, 'B-1')

  const { merchants, totals } = await balances(own)

  const row = { currency: 'NGN', inSuspense: 0, returned: 0 }
  const has = (amount: number) => ({ collected: amount, available: amount })
  assert.deepEqual(merchants, [
    { ...row, ...labels('A', 'x'), accounts: 2, ...has(30.5), inSuspense: 3, returned: 4 },
    { ...row, ...labels('A', 'y'), accounts: 1, ...has(5) },
    { ...row, ...labels('B', 'x'), accounts: 1, ...has(0) },
  ])
  assert.equal(totals[0].collected, 35.5)
  assert.deepEqual((await readList(own, MERCHANTS)).data, merchants)
})

test('merchants are listed to the end, page by page, whatever their labels hold', async () => {
  await using own = await startTestService()
  const odd = ['', 'é', 'É', 'e', 'E', '"\\', "'", '%', '🏦', '١', 'zz', '10', '9'].map(
    (end) => `m${end}`,
  )
  const expected = new Set<string>()
  for (const merchantId of odd) {
    for (const merchantCode of ['1', '2']) {
      await createAccount(own, { merchantId, merchantCode })
      expected.add(`${merchantId}/${merchantCode}`)
    }
  }
  const name = (row: Row) => `${row.merchantId}/${row.merchantCode}`
  const whole = (await readList(own, `${MERCHANTS}?limit=100`)).data.map(name)
  assert.deepEqual(new Set(whole), expected)
  assert.equal(whole.length, expected.size)

  for (const limit of [1, 7, 26]) {
    const pages = await walk(own, MERCHANTS, { limit })
    assert.deepEqual(pages.flat().map(name), whole, `by ${limit}`)
  }
  const { merchants, merchantsNextCursor } = await balances(own)
  const rest = await readList(own, `${MERCHANTS}?cursor=${merchantsNextCursor}`)
  assert.deepEqual([...merchants, ...rest.data].map(name), whole)
})

// Asserts that the balances of all clients together equal the ledger accounts and the transfers out of them.
async function assertEqualsLedger(own: Bench, tokens: (string | undefined)[]) {
  const totals: Record<string, number> = {}
  for (const token of tokens) {
    for (const total of (await balances(own, token)).totals) {
      // Drops the totals that are sums of other totals. Each remaining part is the balance of ledger accounts
      // or the sum of transfers.
      const { currency, gross: _, net: __, suspended: ___, available: ____, ...parts } = total
      for (const [part, amount] of Object.entries(parts)) {
        const key = `${currency} ${part}`
        totals[key] = (totals[key] ?? 0) + Math.round((amount as number) * 100)
      }
    }
  }
  const { rows } = await own.db.query(
    `select currency, part, sum(kobo)::int as kobo from (
       select currency, case when kind = 'pending' then kind else 'collected' end as part,
              credits_kobo - debits_kobo as kobo
         from ledger_accounts where kind in ('pending', 'available', 'collection')
       union all
       select currency, 'inSuspense', credits_kobo - debits_kobo
         from ledger_accounts where kind = 'suspense' and owner like 'client:%'
       union all
       select currency, 'returning', credits_kobo - debits_kobo
         from ledger_accounts where kind = 'returning'
       union all
       select a.currency, 'returned', t.amount_kobo
         from transfers t join ledger_accounts a on a.id = t.debit_account_id
        where t.reason = 'returned'
       union all
       select a.currency, 'reversed', t.amount_kobo
         from transfers t join ledger_accounts a on a.id = t.debit_account_id
        where t.reason = 'reversal' and a.kind <> 'shortfall'
     ) as parts group by currency, part having sum(kobo) <> 0`,
  )
  const ledger = Object.fromEntries(rows.map((row) => [`${row.currency} ${row.part}`, row.kobo]))
  const nonZero = Object.fromEntries(Object.entries(totals).filter(([, kobo]) => kobo !== 0))
  assert.deepEqual(nonZero, ledger)
}
