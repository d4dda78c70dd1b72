// Deliveries that change between the search and the lock. PostgreSQL then checks them again, and 18.4
// crashed if the same statement went on to choose partitions (docs/decisions/0023).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { claimDeliveries, correctSchedule } from '#webhooks/claims.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { untilWaiting } from '../support/waiting-locks.ts'
import { startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'

const ACCOUNTS = 12
const PAYMENTS = 6
const ALL = { rooms: new Map(), otherRoom: 100, takesFailing: true }
const STEPS = { stepsMs: [0], retryAfterMs: 0 }
const HOUR_MS = 3_600_000

// A function that makes the locking statement wait during its search, as if the process had been stopped.
// AT_ENDPOINTS calls it from the read of endpoints, AT_ATTEMPTS from the read of attempts.
const WAITS = `
  create function waits() returns boolean language plpgsql as $$
    begin
      if current_query() like '%for no key update%' then
        perform pg_advisory_lock(1), pg_advisory_unlock(1);
      end if;
      return true;
    end $$`
const AT_ENDPOINTS = `
  alter table webhook_endpoints rename to hidden_endpoints;
  create function no_endpoints() returns setof hidden_endpoints language plpgsql as $$
    begin perform waits(); end $$;
  create view webhook_endpoints as select * from no_endpoints()`
const AT_ATTEMPTS = `
  alter table delivery_attempts rename to hidden_attempts;
  create function no_attempts() returns setof hidden_attempts language plpgsql as $$
    begin perform waits(); end $$;
  create view delivery_attempts as select * from no_attempts()`
const CHANGE = 'update deliveries set attempts = attempts'
// Kinds of plans that are switched off, so that PostgreSQL chooses the plan of a table with millions of rows.
const NOT_BY = ['seqscan', 'hashjoin', 'mergejoin']

test('a delivery that changes while it is claimed is claimed, and leased', async () => {
  await using bench = await setup()

  const { claims } = await stalled(bench, AT_ENDPOINTS, (tx) =>
    claimDeliveries(tx, bench.clock(), ALL),
  )

  assert.equal(claims.length, bench.queued)
  const { rows } = await bench.db.query('select count(leased_until)::int as leased from deliveries')
  assert.deepEqual(rows, [{ leased: bench.queued }])
})

test('a delivery that is queued while its queue is claimed is claimed next', async () => {
  await using bench = await setup()
  for (const number of bench.numbers) await simulate(bench, number, '1')
  let dispatching: Promise<void> | undefined
  const isDispatchedOrWaiting = `
    select from dispatch_cursors where sequence = (select max(sequence) from events)
    union all
    select from pg_stat_activity
     where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
       and wait_event_type = 'Lock' and wait_event <> 'advisory'`

  const first = await stalled(
    bench,
    AT_ENDPOINTS,
    (tx) => claimDeliveries(tx, bench.clock(), ALL),
    async () => {
      dispatching = bench.dispatch()
      await until('the dispatcher waits, or is done', async () => {
        const { rows } = await bench.db.query(isDispatchedOrWaiting)
        return rows.length > 0
      })
    },
  )
  await dispatching

  const next = await withTransaction(bench.webhookPool, (tx) =>
    claimDeliveries(tx, bench.clock(), ALL),
  )
  assert.deepEqual([first.claims.length, next.claims.length], [bench.queued, ACCOUNTS])
})

test('a delivery that changes while a wrong schedule is corrected is corrected', async () => {
  await using bench = await setup()
  bench.advance(-HOUR_MS) // A clock that was ahead queued everything.

  const { deliveries } = await stalled(bench, AT_ATTEMPTS, (tx) =>
    correctSchedule(tx, bench.clock(), STEPS),
  )

  assert.equal(deliveries, bench.queued)
  const { rows } = await bench.db.query('select distinct next_attempt_at as at from deliveries')
  assert.deepEqual(rows, [{ at: bench.clock() }])
})

// A bench with pending deliveries to several destinations.
async function setup() {
  const bench = await startWebhookBench()
  const numbers: string[] = []
  for (let at = 0; at < ACCOUNTS; at++) {
    const { accountNumber } = await createAccount(bench, {
      notificationUrl: `http://127.0.0.1:9/${at}`,
    })
    numbers.push(accountNumber)
    for (let paid = 0; paid < PAYMENTS; paid++) await simulate(bench, accountNumber, '1')
  }
  await bench.dispatch()
  const { rows } = await bench.db.query<{ n: number }>('select count(*)::int as n from deliveries')
  return Object.assign(bench, { numbers, queued: rows[0]?.n as number })
}

// Runs `act`, stops its locking statement in the middle of the search, makes changes (by default to all
// deliveries), and lets the statement go on. `where` is AT_ENDPOINTS or AT_ATTEMPTS: the SQL that stops it.
async function stalled<T>(
  bench: WebhookBench,
  where: string,
  act: (tx: Transaction) => Promise<T>,
  change: () => Promise<unknown> = () => bench.db.query(CHANGE),
): Promise<T> {
  await bench.db.query(`${WAITS}; ${where}`)
  const holder = await bench.db.connect()
  try {
    await holder.query('select pg_advisory_lock(1)')
    const acting = withTransaction(bench.webhookPool, async (tx) => {
      for (const way of NOT_BY) await tx.query(`set local enable_${way} = off`)
      return act(tx)
    })
    await untilWaiting(bench.db, 1)
    await change()
    await holder.query('select pg_advisory_unlock(1)')
    return await acting
  } finally {
    // Closes the connection, which also releases the advisory lock after a failure.
    holder.release(true)
  }
}
