// Cancelling a settlement makes its money available again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setLimits } from '../support/account-calls.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, removeBankAccount } from '../support/settlements.ts'

test('money that a cancelled settlement puts back does not count against the limit per day', async () => {
  await using bench = await startTestService()
  await removeBankAccount(bench)
  const { accountNumber } = await createAccount(bench)
  const { accountNumber: unlimited } = await createAccount(bench)
  await setLimits(bench, accountNumber, { perDay: 100 })
  await credit(bench, accountNumber, '60')
  await credit(bench, unlimited, '60')
  const { reference } = await closeSettlement(bench)
  assert.equal((await decideOn(bench, reference, 'cancel')).statusCode, 200)

  assert.equal((await credit(bench, accountNumber, '40')).says, '00 booked')
  assert.equal((await credit(bench, accountNumber, '0.01')).says, '00 suspended over_daily_limit')
  await setLimits(bench, unlimited, { perDay: 100 })
  assert.equal((await credit(bench, unlimited, '40')).says, '00 booked')
  assert.equal((await credit(bench, unlimited, '0.01')).says, '00 suspended over_daily_limit')
})
