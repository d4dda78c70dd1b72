// Seeding a sandbox client with a history, and resetting it: the books add up, no other client changes, and
// an interrupted run is continued.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findClient } from '#access/permissions.ts'
import { expirePaymentsRound } from '#credits/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { kobo } from '#money.ts'
import { appendEvents } from '#records/events.ts'
import { beginSeed } from '#sandbox/seeds.ts'
import { seedSandboxRound } from '#sandbox/workers.ts'
import { writeNextStep } from '#sandbox/write-seed.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  dataOf,
  MINUTE_MS,
  simulate,
  startPayment,
} from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { addClient, type Bench, type Call, startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'
import { listener, verifies } from '../support/webhook-bench.ts'

const [SEED, RESET] = ['/sandbox/seed', '/sandbox/reset']
const ENDPOINTS = '/api/v1/webhook-endpoints'
const NEVER = new AbortController().signal
const bench = closeAfterTests(await startTestService())

const asClient = (token: string): Bench => ({
  ...bench,
  call: (call: Call) => bench.call({ ...call, token }),
})
const idOf = async (clientId: string) => (await findClient(bench.db, clientId))?.id as ClientId
const seedOf = async (of: Bench) => dataOf(await of.call({ url: SEED }))
const countOf = async (table: string, clientId: ClientId) =>
  Number(
    (await bench.db.query(`select count(*) from ${table} where client_id = $1`, [clientId])).rows[0]
      .count,
  )

// The dependencies of the worker that writes a seed step by step.
function seedingDeps() {
  const { policy, banks } = bench.config
  const { sealer } = sealingOf(bench)
  const sharedAccounts = new SharedAccounts(bench.db)
  const pools = { db: bench.db, batchPool: bench.db, clock: bench.clock }
  const log = bench.service.app.log as never
  return { ...pools, log, sealer, sharedAccounts, banks, ...policy }
}

test('a seed is a history of days, the same for the same number, and sends nothing', async () => {
  await using shop = await listener()
  const [one, two] = [
    asClient(await bench.newClient('ONE1')),
    asClient(await bench.newClient('TWO1')),
  ]
  await one.call({ url: ENDPOINTS, body: { url: shop.url } })
  assert.equal((await seedOf(one)).status, 'none')
  const own = await createAccount(one, { notificationUrl: shop.url }) // Without events yet.
  const body = { accounts: 30, days: 3, seed: 7 }
  const seeded = dataOf(await one.call({ url: SEED, body }))
  assert.equal((await two.call({ url: SEED, body })).statusCode, 200)
  await deliverDue(bench)

  assert.deepEqual(
    [seeded.status, seeded.percent, seeded.accounts, seeded.days, seeded.seed],
    ['finished', 100, 30, 3, 7],
  )
  const history = async (clientId: string) =>
    (
      await bench.db.query(
        `select to_char(received_at at time zone 'UTC', 'MM-DD HH24:MI') as at, amount_kobo, outcome
           from credits where client_id = $1 order by id`,
        [await idOf(clientId)],
      )
    ).rows
  const [ofOne, ofTwo] = [await history('ONE1'), await history('TWO1')]
  assert.deepEqual(ofOne, ofTwo)
  assert.deepEqual([...new Set(ofOne.map(({ at }) => at.slice(0, 5)))], ['11-13', '11-14', '11-15'])
  assert(ofOne.length > 60, `${ofOne.length} credits`)
  assert.equal(await countOf('collection_accounts', await idOf('ONE1')), 31)
  assert.equal(await countOf('payments', await idOf('ONE1')), 6)
  assert.deepEqual(new Set(shop.types()), new Set(['account.created']))
  assert((await countOf('events', await idOf('ONE1'))) > 60)
  await simulate(one, own.accountNumber, '5.00')
  await deliverDue(bench)
  assert(shop.types().includes('collection.received')) // From now on events are sent.
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('a seed sends no webhook, also when payments expire in it and another event comes between', async () => {
  await using shop = await listener()
  const five = asClient(await bench.newClient('FIVE1'))
  const clientId = await idOf('FIVE1')
  await five.call({ url: ENDPOINTS, body: { url: shop.url } })
  const account = await createAccount(five)
  await deliverDue(bench)
  const size = { clientId, seed: 7, accounts: 200, days: 3, endsAt: bench.clock() }
  await withTransaction(bench.db, (tx) => beginSeed(tx, bench.clock(), size))
  const collectionAccountId = await accountIdOf(account.accountNumber)
  const facts = { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false }
  let seeding: Promise<unknown> | undefined
  await withTransaction(bench.db, async (tx) => {
    const event = { clientId, type: 'account.activated' as const, collectionAccountId, facts }
    await appendEvents(tx, bench.clock(), [event])
    seeding = seedSandboxRound(seedingDeps(), clientId)(NEVER)
    await untilBlocked(bench.db, 1) // The step dispatched the events it saw, and waits for the counter.
  })
  await seeding
  await expireNow()
  await deliverDue(bench)

  const { rows } = await bench.db.query<{ at: Date }>(
    `select created_at as at from events where client_id = $1 and type = 'payment.expired'`,
    [clientId],
  )
  assert(rows.length > 0)
  for (const { at } of rows) assert(at < bench.clock(), `expired at ${at.toISOString()}`)
  assert.deepEqual(shop.types(), ['account.created', 'account.activated'])
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

async function accountIdOf(accountNumber: string) {
  const { rows } = await bench.db.query(
    'select id from collection_accounts where account_number = $1',
    [accountNumber],
  )
  return rows[0].id
}

// Runs the expiry worker once.
async function expireNow(): Promise<void> {
  const deps = { batchPool: bench.db, sharedAccounts: new SharedAccounts(bench.db) }
  await expirePaymentsRound({ ...deps, clock: bench.clock })(NEVER)
}

test('a seed that is cut off goes on where it was; one at a time; no reset meanwhile', async () => {
  const three = asClient(await bench.newClient('THREE1'))
  const clientId = await idOf('THREE1')
  const size = { clientId, seed: 7, accounts: 30, days: 3, endsAt: bench.clock() }
  await withTransaction(bench.db, (tx) => beginSeed(tx, bench.clock(), size))
  const step = () =>
    withTransaction(bench.db, (tx) =>
      writeNextStep(tx, seedingDeps(), { at: bench.clock(), clientId }),
    )
  await step()
  await step()
  // A worker that dies after it wrote the next step of the seed and before it commits.
  const died = withTransaction(bench.db, async (tx) => {
    await writeNextStep(tx, seedingDeps(), { at: bench.clock(), clientId })
    throw new Error('died')
  })
  await assert.rejects(died, /died/)
  const halfway = await seedOf(three)
  const [again, reset] = [
    await three.call({ url: SEED, body: { accounts: 1, days: 1 } }),
    await three.call({ method: 'POST', url: RESET }),
  ]
  await Promise.all([1, 2].map(() => seedSandboxRound(seedingDeps())(NEVER))) // Two processes.

  assert.deepEqual([halfway.status, halfway.percent], ['running', 28])
  for (const refused of [again, reset]) {
    assertRefused(refused, { status: 409, code: 'seed_running' })
  }
  assert.equal((await seedOf(three)).status, 'finished')
  assert.equal(await countOf('credits', clientId), await countOf('credits', await idOf('TWO1')))
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('wrong sizes are refused, in the sandbox; live has neither', async () => {
  const sizes = [
    {},
    { accounts: 0, days: 1 },
    { accounts: 1, days: 91 },
    { accounts: 1.5, days: 1 },
  ]
  const more = [{ accounts: 10_001, days: 1 }, { accounts: 1, days: 1, seed: -1 }, { accounts: 1 }]
  for (const body of [...sizes, ...more]) {
    assertRefused(await bench.call({ url: SEED, body }), { code: 'invalid_request' })
  }
  await using live = await startLiveService()
  const token = await live.newClient('LIVE1')
  for (const call of [
    { url: SEED },
    { url: SEED, body: { accounts: 1, days: 1 } },
    { url: RESET, method: 'POST' },
  ] as const) {
    assertRefused(await live.call({ ...call, token }), { code: 'sandbox_only' })
  }
})

test('a reset leaves credentials, users and settings, and nothing else', async () => {
  await using shop = await listener()
  await addClient(bench.db, bench.clock(), { clientId: 'FOUR1' })
  const four = asClient(await bench.login('FOUR1', 's3cret'))
  const other = await countOf('credits', await idOf('TWO1'))
  const endpoint = dataOf(await four.call({ url: ENDPOINTS, body: { url: shop.url } }))
  const open = await startPayment(four, { callBackUrl: shop.url })
  const account = await createAccount(four, { notificationUrl: shop.url })
  await simulate(four, account.accountNumber, '100.00')
  const receivedBefore = shop.received.length
  const before = await idOf('FOUR1')
  const resets = await Promise.all([1, 2].map(() => four.call({ method: 'POST', url: RESET })))
  for (const reset of resets) assert.equal(dataOf(reset).clientId, 'FOUR1')

  const after = await idOf('FOUR1')
  assert.notEqual(before, after)
  const { rows: archived } = await bench.db.query(
    `select client_id, is_active from clients where client_id like 'FOUR1%' order by id`,
  )
  assert.deepEqual(archived, [
    { clientId: `FOUR1~${before}`, isActive: false },
    { clientId: 'FOUR1', isActive: true },
  ])
  for (const url of [ACCOUNTS, '/api/v1/payments', '/api/v1/credits', '/api/v1/events']) {
    const answer = await four.call({ url })
    assert.deepEqual(answer.json().data, [], url)
  }
  await bench.login('FOUR1', 's3cret')
  const gone = await four.call({ url: `${ACCOUNTS}/${account.accountNumber}` })
  assert.equal(gone.json().code, 'account_not_found')

  await passItsExpiry(open.paymentReference)
  assert.equal(shop.received.length, receivedBefore)
  const anew = asClient(await bench.login('FOUR1', 's3cret'))
  const fresh = await createAccount(anew, { notificationUrl: 'https://shop.example/none' })
  await simulate(anew, fresh.accountNumber, '7.00')
  await deliverDue(bench)
  const [webhook] = shop.received.filter(({ json }) => json.type === 'collection.received')
  assert(webhook && verifies(endpoint.secret, webhook)) // The same address, the same secret.
  assert.equal(await countOf('credits', await idOf('TWO1')), other)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

// Lets a payment expire, and delivers all webhooks that are due.
async function passItsExpiry(paymentReference: string): Promise<void> {
  bench.advance(40 * MINUTE_MS)
  await expireNow()
  await deliverDue(bench)
  const { rows } = await bench.db.query('select status from payments where id = $1', [
    paymentReference,
  ])
  assert.deepEqual(rows, [{ status: 'Expired' }])
}

test('a signed-in user stays signed in when the demo client is reset', async () => {
  const browser = await newBrowser(bench)
  assert.equal((await browser.call({ method: 'POST', url: RESET })).statusCode, 200)
  const session = await browser.call({ url: '/dashboard/api/session' })
  assert.equal(session.statusCode, 200)
  assert.equal(await countOf('bank_accounts', await idOf('MAN0000001')), 1)
  assert.equal((await bench.call({ url: '/sandbox/seed' })).json().data.status, 'none')
  assert.deepEqual(await checkIntegrity(bench.db), [])
})
