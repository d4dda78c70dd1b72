// The invariants of the ledger that the database itself enforces, whatever the code does (I1 to I4).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { countDeadlocks } from '../support/bank-calls.ts'
import { createTestDatabase } from '../support/database.ts'

const NOW = new Date('2026-11-15T08:00:00Z')
const RESTRICTED = { code: '23001' }

test('transfers move both balances, and a busy account is added up once', async () => {
  await using bench = await setup()

  // Two of the transfers have the same amount, and both count.
  await bench.post([bench.credit(100n), bench.credit(250n), bench.credit(100n), bench.credit(1n)])

  assert.deepEqual(await bench.balances(), { bank: -451n, collection: 451n, other: 0n })
})

test('an account never goes below zero on its own side', async () => {
  await using bench = await setup()
  await bench.post([bench.credit(100n)])

  const tooMuch = { ...bench.credit(101n), ...bench.back() }
  await assert.rejects(bench.post([tooMuch]), { constraint: 'ledger_accounts_not_overdrawn' })

  assert.deepEqual(await bench.balances(), { bank: -100n, collection: 100n, other: 0n })
})

for (const [what, change] of [
  ['nothing', { amountKobo: 0n }],
  ['less than nothing', { amountKobo: -5n }],
  ['an account and itself', { creditAccountId: 1n }],
  ['an account that does not exist', { creditAccountId: 999n }],
  ['an account that never did', { debitAccountId: 0n, creditAccountId: 2n }],
  ['two that do not exist', { debitAccountId: 998n, creditAccountId: 999n }],
  ['accounts of two currencies', { creditAccountId: 3n }],
] as const) {
  test(`a transfer of ${what} is refused, and its neighbours with it`, async () => {
    await using bench = await setup()

    const bad = { ...bench.credit(10n), debitAccountId: 1n, ...change }
    await assert.rejects(bench.post([bench.credit(10n), bad]))

    assert.deepEqual(await bench.balances(), { bank: 0n, collection: 0n, other: 0n })
  })
}

test('currencies may meet in one batch, as long as each transfer has one', async () => {
  await using bench = await setup()
  await bench.query(
    `insert into ledger_accounts (id, kind, owner, currency) values (4, 'bank', 'bank:058', 'USD')`,
  )
  const dollars = { ...bench.credit(7n), debitAccountId: 4n, creditAccountId: 3n }

  await bench.post([bench.credit(10n), dollars, bench.credit(5n)])

  assert.deepEqual(await bench.balances(), { bank: -15n, collection: 15n, other: 7n })
})

test('an account that is debited and credited by one batch may not be overdrawn in the end', async () => {
  await using bench = await setup()
  const back = (amountKobo: bigint) => ({ ...bench.credit(amountKobo), ...bench.back() })

  await bench.post([back(30n), bench.credit(100n), back(70n)])
  const tooMuch = bench.post([bench.credit(50n), back(51n)])

  await assert.rejects(tooMuch, { constraint: 'ledger_accounts_not_overdrawn' })
  assert.deepEqual(await bench.balances(), { bank: 0n, collection: 0n, other: 0n })
})

test('a transfer can be neither changed nor deleted', async () => {
  await using bench = await setup()
  await bench.post([bench.credit(100n)])

  await assert.rejects(bench.query('update transfers set amount_kobo = 1'), RESTRICTED)
  await assert.rejects(bench.query('delete from transfers'), RESTRICTED)
  await assert.rejects(bench.query('truncate transfers'), RESTRICTED)
})

test('a balance changes only by a transfer', async () => {
  await using bench = await setup()

  const set = 'update ledger_accounts set credits_kobo = 5, debits_kobo = 5'
  await assert.rejects(bench.query(set), RESTRICTED)
  await assert.rejects(bench.query('delete from ledger_accounts'), RESTRICTED)
  const open = `insert into ledger_accounts (id, kind, credits_kobo) values (9, 'collection', 5)`
  await assert.rejects(bench.query(open), RESTRICTED)
})

test('concurrent batches that touch the same accounts in opposite orders all succeed', async () => {
  await using bench = await setup()
  await bench.post([bench.credit(10_000n)])

  const there = [bench.credit(1n), { ...bench.credit(1n), ...bench.back() }]
  const batches = Array.from({ length: 40 }, (_, at) => (at % 2 ? there : there.toReversed()))
  await Promise.all(batches.map((batch) => bench.post(batch)))

  assert.deepEqual(await bench.balances(), { bank: -10_000n, collection: 10_000n, other: 0n })
})

test('accounts are moved in the order of their ids, however they are named: no deadlock is met', async () => {
  await using bench = await setup()
  await bench.query(
    `insert into ledger_accounts (id, kind) select n, 'collection' from generate_series(11, 30) as n`,
  )
  const each = Array.from({ length: 20 }, (_, at) => ({
    ...bench.credit(1n),
    creditAccountId: BigInt(11 + at),
  }))

  const batches = Array.from({ length: 60 }, (_, at) => (at % 2 ? each : each.toReversed()))
  await Promise.all(batches.map((batch) => bench.post(batch)))

  assert.equal((await bench.balances()).bank, -1200n)
  assert.equal(await countDeadlocks({ db: bench.pool }), 0)
})

test('a transfer has exactly one cause', async () => {
  await using bench = await setup()
  const insert = (causes: string, values: string) =>
    bench.query(
      `insert into transfers (debit_account_id, credit_account_id, amount_kobo, reason, posted_at,
                              ${causes})
       values (1, 2, 100, 'credit', now(), ${values})`,
    )

  await insert('payout_id', '1')

  for (const [causes, values] of [
    ['credit_id', 'null'],
    ['credit_id, payout_id', '1, 1'],
    ['settlement_id, adjustment_id', '1, 1'],
  ] as const) {
    await assert.rejects(insert(causes, values), /transfers_have_one_cause/)
  }
})

// A database with three ledger accounts: a bank's (1), a collection account (2), and a suspense account in
// dollars (3).
async function setup() {
  const database = await createTestDatabase()
  const { pool } = database
  await pool.query(
    `insert into ledger_accounts (id, kind, owner, currency)
     values (1, 'bank', 'bank:058', 'NGN'), (2, 'collection', '', 'NGN'),
            (3, 'suspense', 'bank:058', 'USD')`,
  )
  // Transfers written by hand here have plain bigint ids, without the branded types.
  type CreditTransfer = Extract<Transfer, { creditId: unknown }>
  type PlainTransfer = {
    [Field in keyof CreditTransfer]: CreditTransfer[Field] extends bigint
      ? bigint
      : CreditTransfer[Field]
  }
  const credit = (amountKobo: bigint): PlainTransfer => ({
    debitAccountId: 1n,
    creditAccountId: 2n,
    amountKobo,
    creditId: 1n,
    reason: 'credit',
  })
  return {
    credit,
    // The accounts of a transfer in the opposite direction.
    back: () => ({ debitAccountId: 2n, creditAccountId: 1n }),
    pool,
    query: (text: string) => pool.query(text),
    post: (transfers: PlainTransfer[]) =>
      withTransaction(pool, (tx) => postTransfers(tx, NOW, transfers as Transfer[])),
    async balances() {
      const { rows } = await pool.query(
        'select id, credits_kobo - debits_kobo as balance from ledger_accounts order by id',
      )
      const [bank, collection, other] = rows.map((row) => row.balance)
      return { bank, collection, other }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
