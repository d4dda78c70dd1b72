// While all money of a client is held, money that has already left its available accounts does not leave
// the service either (I130): no closed settlement, queued payout, refund or return. It is sent once the
// hold ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#payouts/send.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { endHold, fillHolds, HOLDS, placeHold, startHolds } from '../support/holding.ts'
import { createFile, download, queuePayouts, startFileService } from '../support/payout-desk.ts'
import {
  addBankAccount,
  createPayout,
  makeDefault,
  OPERATOR_PAYOUTS,
  payoutRounds,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { PAYER, pay, refund } from '../support/refunding.ts'
import {
  closeSettlement,
  decideOn,
  removeBankAccount,
  settlementOf,
} from '../support/settlements.ts'
import { giveBack, suspend } from '../support/suspense-desk.ts'

const RETURNS = '/api/v1/operator/returns'
const CLIENT = { target: 'client' }

// Starts a service whose client has 1,000.00 and a bank account, with the rounds that send payouts.
async function startWithMoney() {
  const bench = await startHolds()
  const rounds = await payoutRounds(bench)
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '1000')
  const { reference } = await addBankAccount(bench)
  await makeDefault(bench, reference)
  return Object.assign(bench, {
    ...{ rounds, accountNumber, sessionId },
    [Symbol.asyncDispose]: async () => {
      await rounds[Symbol.asyncDispose]()
      await bench.service.close()
      await bench.database[Symbol.asyncDispose]()
    },
  })
}

type BenchWithMoney = Awaited<ReturnType<typeof startWithMoney>>

// Returns the status of a payout and the reason why it waits.
async function payoutOf(bench: BenchWithMoney, reference: string) {
  const { status, blockedBy } = dataOf(
    await bench.call({ url: `${OPERATOR_PAYOUTS}/${reference}` }),
  )
  return [status, blockedBy]
}

// Returns the client's totals in naira that a hold or a payout can change.
async function balanceOf(bench: BenchWithMoney) {
  const { available, held, inTransit } = (await bench.call({ url: '/api/v1/balances' })).json().data
    .totals[0]
  return { available, held, inTransit }
}

test('a payout, a refund and a settlement that were queued before wait until the hold ends', async () => {
  await using bench = await startWithMoney()
  const { reference: payout } = await createPayout(bench, { amount: 100 })
  const { payouts } = await refund(bench, bench.sessionId, '50')
  const settlement = await closeSettlement(bench)
  const queued = [payout, payouts[0].reference, settlement.payouts[0].reference]
  const { reference } = await placeHold(bench, CLIENT)

  await bench.rounds.send()
  for (const each of queued)
    assert.deepEqual(await payoutOf(bench, each), ['queued', 'client_held'])
  const alerts = await bench.db.query(`select from alerts where kind = 'payout_blocked'`)
  assert.equal(alerts.rowCount, 0, 'an operator did it')

  await endHold(bench, reference, 'release')
  await bench.rounds.send()
  await bench.rounds.query()
  for (const each of queued) assert.deepEqual(await payoutOf(bench, each), ['confirmed', null])
  await assertCleanBooks(bench)
})

test('a hold of an amount lets what was queued before leave', async () => {
  await using bench = await startWithMoney()
  const { reference } = await createPayout(bench, { amount: 100 })
  await placeHold(bench, { ...CLIENT, amount: '5000' })

  await bench.rounds.send()
  assert.deepEqual(await payoutOf(bench, reference), ['confirmed', null])
})

test('waiting money can be cancelled, and is held then', async () => {
  await using bench = await startWithMoney()
  const settlement = await closeSettlement(bench)
  await placeHold(bench, CLIENT)
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 0, inTransit: 1000 })

  const url = `/api/v1/payouts/${settlement.payouts[0].reference}/cancel`
  dataOf(await bench.call({ url, body: { reason: 'Held' } }))
  await fillHolds(bench)
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 1000, inTransit: 0 })
  await assertCleanBooks(bench)
})

test('a closed settlement and a payout that await approval are not approved', async () => {
  await using bench = await startWithMoney()
  await removeBankAccount(bench)
  const { reference } = await closeSettlement(bench)
  await makeDefault(bench, (await addBankAccount(bench)).reference)
  const { reference: held } = await placeHold(bench, CLIENT)

  assertRefused(await decideOn(bench, reference, 'approve'), {
    status: 409,
    code: 'client_held',
  })
  assert.equal((await settlementOf(bench, reference)).status, 'closed')

  await endHold(bench, held, 'release')
  assert.equal((await decideOn(bench, reference, 'approve')).statusCode, 200)
  await assertCleanBooks(bench)
})

test('a hold waits for whoever is claiming payouts, and nothing is claimed after it', async () => {
  await using bench = await startWithMoney()
  const { reference } = await createPayout(bench, { amount: 100 })
  const claim = { bankCode: '035', limit: 100, by: 'bank:035' }
  const deps = { sealer: bench.rounds.sealer, now: bench.clock() }
  let placing: Promise<unknown> = Promise.resolve()
  let isPlaced = false
  await withTransaction(bench.rounds.batchPool, async (tx) => {
    const claimed = await claimPayouts(tx, deps, claim)
    assert(claimed.some((each) => each.reference === reference))
    placing = placeHold(bench, CLIENT).then(() => {
      isPlaced = true
    })
    const isWaiting = `select from pg_locks where locktype = 'advisory' and not granted`
    for (let polls = 0; (await tx.query(isWaiting)).rowCount === 0; polls++) {
      assert(polls < 10_000 && !isPlaced, 'the hold did not wait')
    }
  })
  await placing
  assert.equal(isPlaced, true)
})

test('a file that nobody has downloaded waits, and a return neither starts nor shows its payer', async () => {
  await using bench = await startFileService()
  const maker = await newBrowser(bench, 'operator')
  const { accountNumber } = await createAccount(bench)
  await bench.db.query(
    'update collection_accounts set is_active = false where account_number = $1',
    [accountNumber],
  )
  const inDollars = { ...PAYER, currency: 'USD' }
  const first = await suspend(bench, accountNumber, '40', inDollars)
  const later = await suspend(bench, accountNumber, '60', inDollars)
  const { returnReference } = dataOf(await giveBack(bench, first.id))
  const url = `${RETURNS}/${returnReference}`
  assert.equal((await bench.call({ url: `${url}?reveal=true` })).statusCode, 200)
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  const { reference } = await placeHold({ maker }, CLIENT)
  const refused = { status: 409, code: 'client_held' }

  assertRefused(await download(bench, id), refused)
  assertRefused(await bench.call({ url: `${url}?reveal=true` }), refused)
  assert.equal(dataOf(await bench.call({ url })).blockedBy, 'client_held')
  const listed = (await bench.call({ url: `${RETURNS}?reveal=true` })).json().data[0]
  assert.deepEqual([listed.blockedBy, listed.payerAccountNumber], ['client_held', null])
  assertRefused(await giveBack(bench, later.id), refused)

  await endHold(bench, reference, 'release')
  assert.equal((await download(bench, id)).statusCode, 200)
  assert.equal((await bench.call({ url: `${url}?reveal=true` })).statusCode, 200)
  await placeHold({ maker }, CLIENT)
  assert.equal((await download(bench, id)).statusCode, 200, 'the bank may have it')
  assert.equal((await maker.call({ url: HOLDS })).json().data.length, 2)
})
