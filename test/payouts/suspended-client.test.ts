// While a client is suspended, none of its money is paid out (I97). Queued payouts wait, payouts that the
// bank has are completed, and incoming money is booked. After the client is resumed, everything that waited
// is paid once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendClient } from '#access/clients.ts'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#payouts/send.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { CLIENTS, clientOf, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import {
  createFile,
  download,
  queuePayouts,
  readFile,
  startFileService,
  statusesOf,
} from '../support/payout-desk.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  makeDefault,
  OPERATOR_PAYOUTS,
  PAYOUTS,
  payoutBody,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { PAYER, pay, refundsOf } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { runSchedule, SETTINGS, SETTLEMENTS } from '../support/settlements.ts'
import { suspend as putInSuspense, SUSPENSE } from '../support/suspense-desk.ts'

const DAY_MS = 86_400_000

const bench = closeAfterTests(await startTestService())
const rounds = closeAfterTests(await payoutRounds(bench))
const { make, act, read } = registerOf(bench)

// Creates a client with money and a confirmed default bank account.
async function newShop(amount = '1000') {
  const { clientId, secret } = await make()
  let token = await bench.login(clientId, secret)
  const call = (request: Parameters<typeof bench.call>[0]) => bench.call({ ...request, token })
  const by = { ...bench, call } as typeof bench
  await fund(by, amount)
  const { reference: bankAccount } = await addBankAccount(by)
  await makeDefault(by, bankAccount)
  return {
    clientId,
    by,
    logIn: async () => {
      token = await bench.login(clientId, secret)
    },
  }
}

const seen = async (reference: string) =>
  dataOf(await bench.call({ url: `${OPERATOR_PAYOUTS}/${reference}` }))
const statusOf = async (reference: string) => (await seen(reference)).status
const settled = async ({ by }: { by: typeof bench }) =>
  (await by.call({ url: `${SETTLEMENTS}?limit=100` })).json().data
const suspend = (clientId: string) => act(clientId, 'suspend', { reason: 'Under investigation' })

test('a queued payout waits while its client is suspended, and is sent once when it is resumed', async () => {
  const shop = await newShop()
  const { reference } = await createPayout(shop.by, { amount: 100 })
  await suspend(shop.clientId)

  await rounds.send()
  await rounds.query()

  const { status, blockedBy } = await seen(reference)
  assert.deepEqual([status, blockedBy], ['queued', 'client_suspended'])
  const alerts = await bench.db.query('select from alerts where subject = $1', [
    `payout/${reference}`,
  ])
  assert.equal(alerts.rows.length, 0, 'an operator did it')

  await act(shop.clientId, 'resume')
  await rounds.send()
  await rounds.send()
  assert.equal(await statusOf(reference), 'confirmed')
  const { rows } = await bench.db.query(
    `select from payout_changes c join payouts p on p.id = c.payout_id
      where p.reference = $1 and c.change = 'sending'`,
    [reference],
  )
  assert.equal(rows.length, 1)
  await assertCleanBooks(bench)
})

test('payouts that the bank has when its client is suspended are queried and finished', async () => {
  const shop = await newShop()
  const { reference: bankAccount } = await addBankAccount(shop.by, {
    prefix: SANDBOX_PREFIXES.losesAnswer,
  })
  const { reference } = await createPayout(shop.by, { amount: 100, bankAccount })
  await rounds.send()
  assert.equal(await statusOf(reference), 'unknown')

  await suspend(shop.clientId)
  bench.advance(3_600_000)
  await rounds.query()

  assert.equal(await statusOf(reference), 'confirmed')
})

test('a schedule closes nothing for a suspended client, and makes up for it once', async () => {
  const shop = await newShop('50')
  dataOf(await shop.by.call({ method: 'PUT', url: SETTINGS, body: { schedule: 'daily@23:00' } }))
  await suspend(shop.clientId)
  bench.advance(4 * DAY_MS)
  await runSchedule(bench)
  const closedWhileSuspended = await bench.db.query(
    'select from settlements s join clients c on c.id = s.client_id where c.client_id = $1',
    [shop.clientId],
  )
  assert.equal(closedWhileSuspended.rows.length, 0)

  await act(shop.clientId, 'resume')
  await runSchedule(bench)
  await rounds.send()
  await runSchedule(bench)
  await shop.logIn()
  assert.deepEqual(
    (await settled(shop)).map(({ net, status }: { net: number; status: string }) => [net, status]),
    [[50, 'paid']],
  )
  await assertCleanBooks(bench)
})

test('money in is booked while a client is suspended', async () => {
  const shop = await newShop()
  const { accountNumber } = await createAccount(shop.by)
  await suspend(shop.clientId)

  await credit(bench, accountNumber, '25')

  await act(shop.clientId, 'resume')
  await shop.logIn()
  const [booked] = (await shop.by.call({ url: '/api/v1/credits?limit=1' })).json().data
  assert.deepEqual([booked.amount, booked.outcome], [25, 'booked'])
})

// Other processes accept the client's token for up to five seconds, so the transaction itself must refuse.
test('a call that was let in before the suspension moves no money', async () => {
  const shop = await newShop()
  const { reference: queued } = await createPayout(shop.by, { amount: 10 })
  const { accountNumber } = await createAccount(shop.by)
  const { sessionId } = await pay(bench, accountNumber, '30')
  await bench.db.query(
    'update collection_accounts set is_active = false where account_number = $1',
    [accountNumber],
  )
  const { id: item } = await putInSuspense(bench, accountNumber, '40', PAYER)
  await shop.by.call({ url: '/api/v1/balances' })
  await bench.db.query('update clients set is_active = false where client_id = $1', [shop.clientId])

  for (const request of [
    { url: PAYOUTS, body: payoutBody({ amount: 10 }) },
    { url: SETTLEMENTS, body: {} },
    { url: `${SUSPENSE}/${item}/return`, body: {} },
    { url: refundsOf(sessionId), body: { amount: 5, reason: 'Wrong size' } },
  ]) {
    const answer = await shop.by.call(request)
    assertRefused(answer, { status: 401, code: 'unauthorized' })
  }
  assert.equal(await statusOf(queued), 'queued')
})

test('a suspension waits for workers that are claiming payouts, and none is claimed after it', async () => {
  const shop = await newShop()
  const { reference } = await createPayout(shop.by, { amount: 100 })
  const claim = { bankCode: '035', limit: 100, by: 'bank:035' }
  const deps = { sealer: rounds.sealer, now: bench.clock() }
  let suspending: Promise<unknown> = Promise.resolve()
  let isSuspended = false
  await withTransaction(rounds.batchPool, async (tx) => {
    const claimed = await claimPayouts(tx, deps, claim)
    assert(claimed.some((each) => each.reference === reference))
    suspending = withTransaction(bench.db as never, (other) =>
      suspendClient(
        other,
        { now: bench.clock(), actor: 'operator' },
        { clientId: shop.clientId, reason: null },
      ),
    ).then(() => {
      isSuspended = true
    })
    const isWaiting = `select from pg_locks where locktype = 'advisory' and not granted`
    for (let polls = 0; (await tx.query(isWaiting)).rowCount === 0; polls++) {
      assert(polls < 10_000 && !isSuspended, 'the suspension did not wait')
    }
  })
  await suspending
  assert.equal(isSuspended, true)
})

test('a payout of a suspended client is not put in a file', async () => {
  await using desk = await startFileService()
  const { clientId, secret } = await registerOf(desk).make()
  const token = await desk.login(clientId, secret)
  const call: typeof desk.call = (request) => desk.call({ ...request, token })
  const suspended = await queuePayouts({ ...desk, call }, { amountsKobo: [10_000n] })
  const other = await queuePayouts(desk, { amountsKobo: [20_000n] })
  await registerOf(desk).act(clientId, 'suspend')

  const file = await createFile(desk)

  assert.deepEqual([file.payouts, file.amount], [1, 200])
  assert.deepEqual(await statusesOf(desk, [...suspended, ...other]), ['queued', 'sending'])
  await registerOf(desk).act(clientId, 'resume')
  assert.equal((await createFile(desk)).payouts, 1)
})

test('a file that was not downloaded yet waits until its client is resumed', async () => {
  await using desk = await startFileService()
  const { clientId, secret } = await registerOf(desk).make()
  const token = await desk.login(clientId, secret)
  const call: typeof desk.call = (request) => desk.call({ ...request, token })
  await queuePayouts({ ...desk, call }, { amountsKobo: [10_000n] })
  await queuePayouts(desk, { amountsKobo: [20_000n] })
  const { id } = await createFile(desk)
  await registerOf(desk).act(clientId, 'suspend')

  assertRefused(await download(desk, id), { status: 409, code: 'client_suspended' })
  assert.equal((await readFile(desk, id)).blockedBy, 'client_suspended')

  await registerOf(desk).act(clientId, 'resume')
  assert.equal((await download(desk, id)).statusCode, 200)
  await registerOf(desk).act(clientId, 'suspend')
  assert.equal((await download(desk, id)).statusCode, 200, 'the bank may have it')
})

test('operators see why a client is suspended, until it is resumed', async () => {
  const { clientId } = await make()
  const suspended = await suspend(clientId)
  assert.equal(suspended.suspensionReason, 'Under investigation')
  assert.notEqual((await read(clientId)).suspendedAt, null)
  const again = await act(clientId, 'suspend', { reason: 'Another' })
  assert.equal(again.suspensionReason, 'Under investigation')
  const { rows } = await bench.db.query<{ detail: object }>(
    `select detail from audit_log where subject = $1 and action = 'client.suspend'`,
    [`client/${clientId}`],
  )
  assert.deepEqual(rows, [{ detail: { note: 'Under investigation' } }])

  const resumed = await act(clientId, 'resume')
  assert.deepEqual([resumed.suspendedAt, resumed.suspensionReason], [null, null])
  const old = clientOf(
    await bench.call({ url: `${CLIENTS}/${clientId}/suspend`, body: { note: 'Old name' } }),
  )
  assert.equal(old.suspensionReason, 'Old name')
})
