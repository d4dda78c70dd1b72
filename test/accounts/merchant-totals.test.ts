// The totals by merchant always equal the ledger (I185), whenever transfers are counted: balances by the
// totals are those that each account gives.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countByMerchant } from '#accounts/merchant-totals.ts'
import { withTransaction } from '#db/transaction.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { listMerchantBalances, readBalances } from '#reports/balances.ts'
import { clientOf, movementsOf } from '../support/account-movements.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { untilDeciding } from '../support/waiting-locks.ts'

const LARGE_PAGE = 100

test('after each movement, balances by the totals are those of the accounts', async () => {
  await using bench = await startTestService()
  const steps = await movementsOf(bench)
  for (const [at, step] of steps.entries()) {
    await step()
    await assertTotalsAreAccounts(bench, `step ${at}, before it is counted`)
    await count(bench, 1 + (at % 3)) // Leaves some transfers uncounted.
    await assertTotalsAreAccounts(bench, `step ${at}, counted in part`)
  }

  assert.deepEqual(await checkIntegrity(bench.db), [])
  while (await count(bench, 5));
  await assertTotalsAreAccounts(bench, 'all counted')
  assert.deepEqual(await checkIntegrity(bench.db), [])
  const { rows } = await bench.db.query('select sum(reversed_kobo) as kobo from merchant_totals')
  assert.equal(rows[0].kobo, '100754', 'something was reversed')
})

test('each transfer is counted once, however many workers count while credits arrive', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  let isOver = false
  const workers = Array.from({ length: 4 }, async () => {
    while (!isOver) await count(bench, 3)
  })
  const readers = Array.from({ length: 2 }, async () => {
    let collectedKobo = 0n
    while (!isOver) {
      const [balance] = await readBalances(bench.db, await clientOf(bench))
      assert(balance && balance.collectedKobo >= collectedKobo, 'balances only grow')
      assert.equal(balance.collectedKobo % 1_000n, 0n, 'no transfer is seen in part')
      collectedKobo = balance.collectedKobo
    }
  })
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 5 }, () => simulate(bench, accountNumber, '10.00')))
  }
  isOver = true
  await Promise.all([...workers, ...readers])
  while (await count(bench, 7));

  const { rows } = await bench.db.query('select balance_kobo from merchant_totals')
  assert.deepEqual(rows, [{ balanceKobo: 100_000n }])
  await assertTotalsAreAccounts(bench, 'at the end')
})

test('a transfer that is still being posted is waited for, although later ones are committed', async () => {
  await using bench = await startTestService()
  const account = await createAccount(bench)
  await simulate(bench, account.accountNumber, '10.00')
  while (await count(bench));
  const slow = await bench.db.connect()
  try {
    await slow.query(`begin; set local session_replication_role = replica;
      insert into transfers
        (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
      select debit_account_id, credit_account_id, 500, credit_id, 'credit', posted_at
        from transfers order by id limit 1`)
    await simulate(bench, account.accountNumber, '20.00')

    const counting = count(bench)
    await untilDeciding(bench.db)
    await slow.query('commit')
    await counting
  } finally {
    slow.release()
  }

  const { rows } = await bench.db.query('select balance_kobo from merchant_totals')
  assert.deepEqual(rows, [{ balanceKobo: 3_500n }])
})

test('a count that is rolled back is done again, with the same totals', async () => {
  await using bench = await startTestService()
  const account = await createAccount(bench)
  await simulate(bench, account.accountNumber, '10.00')
  const failing = withTransaction(bench.db, async (tx) => {
    await countByMerchant(tx)
    throw new Error('the worker dies')
  })
  await assert.rejects(failing, /the worker dies/)
  await assertTotalsAreAccounts(bench, 'after the failure')

  while (await count(bench));

  const { rows } = await bench.db.query('select balance_kobo, collected_kobo from merchant_totals')
  assert.deepEqual(rows, [{ balanceKobo: 1_000n, collectedKobo: 1_000n }])
})

test('with very many uncounted transfers, balances are read from the accounts', async () => {
  await using bench = await startTestService()
  const account = await createAccount(bench)
  await simulate(bench, account.accountNumber, '10.00')
  while (await count(bench));
  await bench.db.query(`select setval('transfers_id_seq', 1000000)`)
  await simulate(bench, account.accountNumber, '20.00')

  const [balance] = await readBalances(bench.db, await clientOf(bench))

  assert.equal(balance?.collectedKobo, 3_000n)
  await assertTotalsAreAccounts(bench, 'many uncounted')
})

// Counts transfers in one transaction, as a worker does. Returns whether some are left.
function count(bench: Bench, limit?: number): Promise<boolean> {
  return withTransaction(bench.db, (tx) => countByMerchant(tx, limit))
}

// Asserts that the current balances, which are read from the totals, are those at a moment that has not come
// yet, which are read from each account.
async function assertTotalsAreAccounts({ db, ...bench }: Bench, when: string): Promise<void> {
  const clientId = await clientOf({ db, ...bench })
  const soon = new Date(bench.clock().getTime() + 1)
  assert.deepEqual(
    await readBalances(db, clientId),
    await readBalances(db, clientId, soon),
    `balances: ${when}`,
  )
  assert.deepEqual(
    await listMerchantBalances(db, clientId, { limit: LARGE_PAGE }),
    await listMerchantBalances(db, clientId, { limit: LARGE_PAGE, at: soon }),
    `merchants: ${when}`,
  )
}
