// A new collection account gets a number at each of the requested banks, or the request is refused plainly.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  dataOf,
  readAccount,
} from '../support/fixtures.ts'
import {
  poolStates,
  refillPools,
  startReservingBank,
  startWithReserving,
} from '../support/reserving-bank.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

test('an account is created with its numbers at once, or not at all', async () => {
  const range = (from: number, to = from + 9) => ({ from, to })
  await using small = await startWithBanks([
    { code: '035', static: range(100), dynamic: range(200) },
    { code: '058', static: range(300, 300) },
    { code: '101', dynamic: range(400) },
  ])
  const create = (banks: unknown, headers = {}) =>
    small.call({ url: ACCOUNTS, body: accountBody({ banks }), headers })

  const made = dataOf(await create(['058', '035', '058']))
  const refused = await create(['058'])
  const unknown = await create(['999'])
  const notIssuing = await create(['101'])
  const wrong = await create(['58'])

  assert.deepEqual(
    made.accounts.map(({ bankCode }: Record<string, string>) => bankCode),
    ['035', '058'],
  )
  assert.deepEqual(await readAccount(small, made.accounts[1].accountNumber), made)
  assertRefused(refused, { status: 503, code: 'numbers_exhausted' })
  assertRefused(unknown, { code: 'bank_not_supported' })
  assertRefused(notIssuing, { code: 'bank_not_supported' })
  assertRefused(wrong, { code: 'invalid_request' })
  const { rows } = await small.db.query('select count(*)::int as count from collection_accounts')
  assert.deepEqual(rows, [{ count: 1 }])
  const alerts = await small.db.query('select kind, subject from alerts')
  assert.deepEqual(alerts.rows, [{ kind: 'numbers_exhausted', subject: '058 static' }])
  await assertCleanBooks(small)
})

test('the banks are part of a request with an Idempotency-Key', async () => {
  const create = (banks: string[]) =>
    bench.call({
      url: ACCOUNTS,
      body: accountBody({ banks }),
      headers: { 'idempotency-key': 'several-banks' },
    })

  const first = await create(['101', '058'])
  const again = await create(['058', '101'])
  const other = await create(['058'])

  assert.deepEqual(again.json(), first.json())
  assertRefused(other, { status: 400, code: 'idempotency_key_reused' })
})

test('a bank without numbers left, or unknown, adds none, and an operator is told', async () => {
  await using small = await startWithBanks([
    { code: '035', static: { from: 1, to: 9 }, dynamic: { from: 10, to: 19 } },
    { code: '058', static: { from: 20, to: 20 } },
  ])
  const first = await createAccount(small)
  const second = await createAccount(small)
  const add = (accountNumber: string, bankCode: string) =>
    small.call({ url: `${ACCOUNTS}/${accountNumber}/numbers`, body: { bankCode } })
  await add(first.accountNumber, '058')

  const exhausted = await add(second.accountNumber, '058')
  const unknown = await add(second.accountNumber, '999')

  assertRefused(exhausted, { status: 503, code: 'numbers_exhausted' })
  assertRefused(unknown, { code: 'bank_not_supported' })
  const { rows } = await small.db.query('select kind, subject from alerts')
  assert.deepEqual(rows, [{ kind: 'numbers_exhausted', subject: '058 static' }])
  assert.deepEqual(await readAccount(small, second.accountNumber), second)
})

test('a reserved number that a refused account would have had goes back to the pool', async () => {
  await using bank = await startReservingBank()
  await using small = await startWithReserving(bank, { static: 2, dynamic: 0 }, [
    { code: '058', dynamic: { from: 10, to: 19 }, static: { from: 20, to: 20 } },
  ])
  await refillPools(small)
  const create = () => small.call({ url: ACCOUNTS, body: accountBody({ banks: ['058'] }) })

  const made = await create()
  const refused = await create()

  assert.equal(made.statusCode, 200)
  assertRefused(refused, { status: 503, code: 'numbers_exhausted' })
  assert.deepEqual(await poolStates(small), { 'static available': 1, 'static used': 1 })
  await assertCleanBooks(small)
})
