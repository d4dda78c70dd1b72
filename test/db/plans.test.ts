// Every frequent statement finds its rows by an index, however long the history is: also if it was planned
// while the tables were small, after its plan became generic, and with new statistics. If a plan reads a
// large table completely, the test prints it with its statement.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createTestDatabase } from '../support/database.ts'
import { HISTORY_TABLES, writeLongHistory } from '../support/long-history.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'
import { everyJourney } from './plan-journeys.ts'
import { explainAll, findWholeRead, type Plan, takePlans } from './plan-watch.ts'

const ROWS = 10_000
const LARGE_BYTES = 400_000
const DISCARDED_MAX = 2_000 // A list reads some hundreds of rows for a page.
// PostgreSQL plans the first five executions of a prepared statement for their values, and then makes a
// generic plan.
const GENERIC_AFTER = 6
const REPLANNED_AFTER = 4 // Rounds of use until plans are made again (src/db/pool.ts).

// Exempt: statements that find clients with new events read all clients and their cursors, which are
// hundreds, not millions.
const LOOKS_AT_CLIENTS = /(from|join) event_counters k\b/
const CLIENT_TABLES = ['event_counters', 'dispatch_cursors', 'totals_cursors']

// Exempt: every five minutes statements find pending deliveries that a wrong clock scheduled, and queues that
// were forgotten (src/webhooks/claims.ts). They read the backlog by destination and by partial indexes, and
// discard most of it.
const CORRECTS_SCHEDULE =
  /\bas is_ahead\b|\bd\.paused_until > \$1\b|\bselect distinct destination_id from deliveries\b/

const receiver = closeAfterTests(await listener())
const database = await createTestDatabase()
await explainAll(database) // The setting applies only to connections that are opened later.
const bench = closeAfterTests(await startWebhookBench({ database }))
await bench.addEndpoint(`${receiver.url}/all`)
const partialIndexes = await readNames(
  'select indexrelid::regclass::text as name from pg_index where indpred is not null',
)
let largeTables = new Set<string>()

test('batch statements that were planned on small tables are planned again as they grow', async () => {
  await repeatJourneys(1)
  const { connectionString } = database
  const clientId = await bench.clientId()
  await writeLongHistory(connectionString, { rows: ROWS, now: bench.clock(), clientId })
  // Large tables are chosen by their size on disk, because there are no statistics yet. A partition of the
  // future is empty.
  largeTables = await readNames(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and pg_relation_size(oid) > ${LARGE_BYTES}`,
  )

  await repeatJourneys(REPLANNED_AFTER)
  takePlans()
  await repeatJourneys(1)

  assertNoWholeReads(takePlans().filter(({ isOfBatch }) => isOfBatch))
})

test('no frequent statement reads a large table completely', async () => {
  await bench.db.query('analyze')
  takePlans()

  await repeatJourneys(GENERIC_AFTER)

  const plans = takePlans()
  const seen = new Set(plans.flatMap(({ plan }) => tablesOf(plan)))
  assert.deepEqual([...largeTables].map(tableOf).sort(), [...HISTORY_TABLES].sort())
  assert.deepEqual(
    [...largeTables].filter((table) => !seen.has(table)),
    [],
    'all were looked at',
  )
  assertNoWholeReads(plans)
})

// Returns the values of the column `name` in the rows of a query.
async function readNames(query: string): Promise<Set<string>> {
  const { rows } = await bench.db.query<{ name: string }>(query)
  return new Set(rows.map(({ name }) => name))
}

async function repeatJourneys(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await everyJourney(bench, receiver.url)
}

// Fails with every plan that reads most of a large table.
function assertNoWholeReads(plans: readonly Plan[]): void {
  const wholeReads = new Map<string, string>()
  for (const { statement, plan } of plans) {
    const isExempt = (table: string) =>
      LOOKS_AT_CLIENTS.test(statement) && CLIENT_TABLES.includes(table)
    const why = findWholeRead(plan, {
      isLarge: (table) => largeTables.has(table) && !isExempt(table),
      isPartial: (index) => partialIndexes.has(index),
      discardedMax: isMeantToLookThrough(statement) ? Number.POSITIVE_INFINITY : DISCARDED_MAX,
    })
    if (why) wholeReads.set(`${why}:\n${statement}`, JSON.stringify(plan, null, 1))
  }
  const report = [...wholeReads].map((each) => each.join('\n')).join('\n\n')
  assert.equal(wholeReads.size, 0, `${wholeReads.size} statements\n${report}`)
}

function isMeantToLookThrough(statement: string): boolean {
  return LOOKS_AT_CLIENTS.test(statement) || CORRECTS_SCHEDULE.test(statement)
}

type Node = Plan['plan']

function tablesOf(node: Node): string[] {
  const own = node['Relation Name'] ? [node['Relation Name']] : []
  return [...own, ...(node.Plans ?? []).flatMap(tablesOf)]
}

// A partition is named after its table: events_20261109.
function tableOf(name: string): string {
  return name.replace(/_\d{8}$/, '')
}
