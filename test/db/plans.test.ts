// Every hot statement finds its rows by an index, however long the history: also when its plan was
// made while the tables were small, when it has become generic, and when statistics are new.
//
// A plan that reads a large table as a whole is shown with its statement.

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
const DISCARDED_MAX = 2_000 // A list looks through some hundreds for a page.
const GENERIC_AFTER = 6 // Of a prepared statement the first five are planned for their values.
const REPLANNED_AFTER = 4 // Of use, which is what it takes to have plans made again (src/db/pool.ts).

// Those that look for clients with new events go through all clients, and their cursors, of whom
// there are hundreds, not millions.
const LOOKS_AT_CLIENTS = /(from|join) event_counters k\b/
const CLIENT_TABLES = ['event_counters', 'dispatch_cursors', 'totals_cursors']

// What a wrong clock left behind is looked for every five minutes, among all that is pending
// (src/domain/webhooks/correct-schedule.ts): by destination and by partial indexes, so no longer than
// the backlog, but most of it is as it should be and is passed over.
const CORRECTS_SCHEDULE = /\bas is_ahead\b|\bd\.paused_until > \$1\b/

const receiver = closeAfterTests(await listener())
const database = await createTestDatabase()
await explainAll(database) // Before the service has opened a connection.
const bench = closeAfterTests(await startWebhookBench({ database }))
await bench.addEndpoint(`${receiver.url}/all`)
const partialIndexes = await readNames(
  'select indexrelid::regclass::text as name from pg_index where indpred is not null',
)
let largeTables = new Set<string>()

test('what batches planned while the tables were small is planned again as they grow', async () => {
  await repeat(1)
  const { connectionString } = database
  const clientId = await bench.clientId()
  await writeLongHistory(connectionString, { rows: ROWS, now: bench.clock(), clientId })
  // By size: nobody has counted them yet. A partition of the time to come is empty.
  largeTables = await readNames(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
        and pg_relation_size(oid) > ${LARGE_BYTES}`,
  )

  await repeat(REPLANNED_AFTER)
  takePlans()
  await repeat(1)

  assertNoWholeReads(takePlans().filter(({ isOfBatch }) => isOfBatch))
})

test('no hot statement reads a large table as a whole', async () => {
  await bench.db.query('analyze')
  takePlans()

  await repeat(GENERIC_AFTER)

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

async function readNames(query: string): Promise<Set<string>> {
  const { rows } = await bench.db.query<{ name: string }>(query)
  return new Set(rows.map(({ name }) => name))
}

async function repeat(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await everyJourney(bench, receiver.url)
}

function assertNoWholeReads(plans: readonly Plan[]): void {
  const found = new Map<string, string>()
  for (const { statement, plan } of plans) {
    const isExempt = (table: string) =>
      LOOKS_AT_CLIENTS.test(statement) && CLIENT_TABLES.includes(table)
    const why = findWholeRead(plan, {
      isLarge: (table) => largeTables.has(table) && !isExempt(table),
      isPartial: (index) => partialIndexes.has(index),
      discardedMax: isMeantToLookThrough(statement) ? Number.POSITIVE_INFINITY : DISCARDED_MAX,
    })
    if (why) found.set(`${why}:\n${statement}`, JSON.stringify(plan, null, 1))
  }
  const told = [...found].map((each) => each.join('\n')).join('\n\n')
  assert.equal(found.size, 0, `${found.size} statements\n${told}`)
}

function isMeantToLookThrough(statement: string): boolean {
  return LOOKS_AT_CLIENTS.test(statement) || CORRECTS_SCHEDULE.test(statement)
}

type Node = Plan['plan']

function tablesOf(node: Node): string[] {
  const own = node['Relation Name'] ? [node['Relation Name']] : []
  return [...own, ...(node.Plans ?? []).flatMap(tablesOf)]
}

// A partition is called after its table: events_20261109.
function tableOf(name: string): string {
  return name.replace(/_\d{8}$/, '')
}
