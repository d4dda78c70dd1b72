// Lists, which are put together from what is asked, are planned once and no more; and however many
// there are, only so many are kept. Names are those of a process: this file has one of its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '#db/pool.ts'
import { namedByText } from '#db/statement-names.ts'
import { listCredits } from '#domain/credits/credit-list.ts'
import { listPayments } from '#domain/payments/payment-list.ts'
import type { ClientId } from '#ids.ts'
import { Sealer } from '#seal.ts'
import { startTestService } from '../support/running-service.ts'

const TIMES = 20 // The first four have no name, and PostgreSQL plans the next five for their values.

test('a list of credits or payments gets one plan for all values', async () => {
  await using bench = await startTestService()
  const { connectionString } = bench.database
  const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
  await using _ = { [Symbol.asyncDispose]: () => pool.end() }
  const sealer = new Sealer(bench.config.secrets.data, bench.config.secrets.hash)
  const { rows: clients } = await pool.query<{ id: ClientId }>('select min(id) as id from clients')
  const clientId = clients[0]?.id as ClientId
  const viewer = { id: clientId, isOperator: false }
  for (let at = 0; at < TIMES; at++) {
    const after = BigInt(1_000 + at)
    await listCredits(pool, { sealer, viewer, filters: {}, after, limit: 20 })
    await listPayments(pool, clientId, { filters: {}, now: bench.clock(), limit: 20 })
  }

  const { rows } = await pool.query<{ generic: bigint }>(
    `select generic_plans as generic from pg_prepared_statements where name like 'composed-%'`,
  )
  assert(rows.length >= 2)
  for (const { generic } of rows) assert(generic >= TIMES / 2, `${generic} generic`)
})

test('a text that is used again keeps its name; beyond the most there are, texts have none', () => {
  const texts = Array.from({ length: 200 }, (_, at) => `select ${at}`)
  for (let times = 1; times < 5; times++) {
    assert(texts.every((text) => namedByText(text, []).name === undefined))
  }
  const names = texts.map((text) => namedByText(text, []).name)

  const given = names.filter((name) => name !== undefined)
  assert(given.length > 0 && given.length <= 50, `${given.length} names`)
  assert.equal(new Set(given).size, given.length)
  assert.deepEqual(
    texts.map((text) => namedByText(text, []).name),
    names,
  )
})
