// The SQL of a list is assembled from its filters. Each distinct statement is prepared once, and the number
// of prepared statements is limited. Statement names belong to a process, so this test has its own file.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, findClient } from '#access/permissions.ts'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { getAccountIn, listAccounts } from '#accounts/queries.ts'
import { listCredits } from '#credits/queries.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import { namedByText } from '#db/sql.ts'
import type { CreditId } from '#ids.ts'
import { listPayments } from '#payments/queries.ts'
import { readRelatedEvents, readTransfers } from '#reports/timeline-entries.ts'
import { Sealer } from '#seal.ts'
import { listEvents } from '#webhooks/events.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const TIMES = 20 // The first four have no name, and PostgreSQL plans the next five for their values.

const bench = closeAfterTests(await startBench())

// Starts a service, and a pool with one connection whose prepared statements the test inspects.
async function startBench() {
  const service = await startTestService()
  const { accountNumber } = await createAccount(service)
  await simulate(service, accountNumber, '10') // The credit creates an event for the list.
  const { secrets } = service.config
  const { connectionString } = service.database
  const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
  const client = (await findClient(pool, SANDBOX_CLIENT.clientId)) as Client
  const dispose = async () => {
    await pool.end()
    await service[Symbol.asyncDispose]()
  }
  const sealer = new Sealer(secrets.data, secrets.hash)
  const { clock } = service
  return { pool, client, sealer, clock, [Symbol.asyncDispose]: dispose }
}

test('a list gets one plan for all values', async () => {
  const { pool, client, sealer } = bench
  const viewer = { id: client.id, isOperator: false }
  for (let at = 0; at < TIMES; at++) {
    const after = BigInt(1_000 + at)
    await listCredits(pool, { sealer, viewer, filters: {}, after, limit: 20 })
    await listPayments(pool, client.id, { filters: {}, now: bench.clock(), limit: 20 })
    await listEvents(pool, client.id, { filters: {}, limit: 20 })
    await listAccounts(pool, { sealer, client, filters: { phoneNumber: `08${at}` }, limit: 20 })
    await listCredits(pool, { sealer, viewer, filters: { sessionIdPrefix: `0${at}` }, limit: 20 })
  }

  const plans = await readPlans(pool, 'composed-%')
  assert(plans.length >= 5, `${plans.length} statements`)
  for (const { generic } of plans) assert(generic >= TIMES / 2, `${generic} generic`)
})

test('a look-up by an array of keys gets one plan, however long the array is', async () => {
  const { pool, client, sealer } = bench
  const moments = [new Date(0)]
  const about = { creditIds: [1n as CreditId] }
  for (let at = 0; at < TIMES; at++) {
    await readTransfers(pool, [BigInt(at) as CreditId])
    await readRelatedEvents(pool, client.id, { about, moments })
    const accountNumber = String(1_000_000_000 + at)
    await assert.rejects(getAccountIn(pool, { sealer, client, accountNumber }))
  }

  for (const name of ['transfers-of-credits', 'events-at-moments', 'find-collection-accounts']) {
    const [plan] = await readPlans(pool, name)
    assert(plan && plan.generic >= TIMES / 2, `${name}: ${plan?.generic} generic`)
  }
})

// Returns the prepared statements whose names match the pattern, and how often each used a generic plan.
async function readPlans(pool: Pool, like: string) {
  const { rows } = await pool.query<{ generic: bigint; statement: string }>(
    'select statement, generic_plans as generic from pg_prepared_statements where name like $1',
    [like],
  )
  return rows
}

test('a request with many limits takes no plan from other lists, and fills no connection', async () => {
  const { pool, client } = bench
  const list = (filters: object, limit: number) => listEvents(pool, client.id, { filters, limit })
  const readWithin = (limit: number) =>
    withSnapshot(pool, (tx) => listEvents(tx, client.id, { filters: {}, limit }))
  for (let limit = 101; limit <= 300; limit++) {
    for (let times = 0; times < 6; times++) await (limit % 2 ? list({}, limit) : readWithin(limit))
  }

  for (let at = 0; at < TIMES; at++) await list({ type: 'alert.raised' }, 20)

  const plans = await readPlans(pool, '%composed-%')
  assert(plans.length <= 100, `${plans.length} statements`)
  assert(plans.some(({ statement, generic }) => statement.includes('e.type =') && generic >= 10))
})

test('a text that is used again has a name, and gives it up when others were used since', () => {
  const texts = Array.from({ length: 200 }, (_, at) => `select ${at}`)
  const [first = ''] = texts
  for (let times = 1; times < 5; times++) {
    assert(texts.every((text) => namedByText(text, []).name === undefined))
  }
  // Uses each text for the fifth time, when it gets a name. The first text is used after each of them, so it
  // keeps its name.
  const names = texts.map((text) => {
    const { name } = namedByText(text, [])
    namedByText(first, [])
    return name
  })

  assert.equal(new Set(names).size, texts.length)
  const now = texts.map((text) => namedByText(text, []).name)
  const namesNow = now.filter((name) => name !== undefined)
  assert.equal(namesNow.length, 50)
  assert.deepEqual(namesNow, [names[0], ...names.slice(-49)])
})
