// What is told of archived credits elsewhere: with every fact but the payer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { archiveLived, liveAMonth, liveOn } from '../support/archived-month.ts'
import { closeAfterTests } from '../support/closing.ts'
import { addLineDifference, outcomeOf, RECONCILIATION, resolve } from '../support/differences.ts'
import { ledgerNaira } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { linesOf, listOf } from '../support/settlements.ts'
import { type Row, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const [number = ''] = await liveAMonth(bench)
await liveOn(bench, [number])
const EVENTS = '/api/v1/events'
const readEvents = async (filter = '') =>
  (await walk(bench, `${EVENTS}?${filter}`, { limit: 50 })).flat()
const isReceived = ({ type }: Row) => type === 'collection.received'

const ITEMS = `${RECONCILIATION}/items?bankCode=035&currency=NGN&day=2026-11-16`
const readItems = async () => (await bench.call({ url: ITEMS })).json().data

const itemsBefore = await readItems()
const eventsBefore = await readEvents()
const ofNumberBefore = await readEvents(`accountNumber=${number}&`)
const [settlement] = (await listOf(bench)).map(({ reference }: Row) => reference)
const linesBefore = await linesOf(bench, settlement)
const { rows: taken } = await bench.db.query<{ id: bigint; session: string }>(
  `select id, session_id as session from credits
    where account_number = $1 order by id limit 1`,
  [number],
)
const { id, session } = taken[0] as { id: bigint; session: string }
assert.equal(await archiveLived(bench), 8n)

const withoutPayer = (event: Row) => {
  const { sourceAccountName: _, ...credit } = event.data.credit ?? {}
  return { ...event, data: { ...event.data, credit } }
}

test('events of archived credits are listed, filtered and shown, without the payer', async () => {
  const after = await readEvents()

  assert.deepEqual(after.map(withoutPayer), eventsBefore.map(withoutPayer))
  assert.equal(after.filter(isReceived).length, 9)
  const named = after.filter(isReceived).map(({ data }) => data.credit.sourceAccountName)
  assert.deepEqual(new Set(named), new Set([null, 'Ada Obi']))
  const ofNumber = await readEvents(`accountNumber=${number}&`)
  assert.deepEqual(ofNumber.map(withoutPayer), ofNumberBefore.map(withoutPayer))
})

test('archived credits and their charges are items of their day', async () => {
  const after = await readItems()

  assert.deepEqual(
    after.map(({ kind, amount }: Row) => `${kind} ${amount}`),
    ['credit 1000', 'charges -60.75'],
  )
  assert.deepEqual(
    after,
    itemsBefore.map((item: Row) => ({ ...item, name: null })),
  )
})

test('lines of settlements tell the archived credits that they cover', async () => {
  assert.deepEqual(await linesOf(bench, settlement), linesBefore)
})

test('a debit of the bank that takes an archived credit back is a shortfall of the bank', async () => {
  const kind = 'reversed_at_bank'
  const named = { amount: -1000, kind: 'other', sessionId: session } as const
  const unnamed = { amount: -1000, kind: 'other', bankReference: 'NEW' } as const
  const suggested = { kind: 'credit', id } as const

  const ofName = await addLineDifference(bench, { kind, line: named })
  const ofNothing = await addLineDifference(bench, { kind, line: unnamed })
  const ofSuggestion = await addLineDifference(bench, { kind, line: unnamed, suggested })

  assert.equal(await outcomeOf(resolve(bench, ofName.id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, ofSuggestion.id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, ofNothing.id, 'book')), 'reversal_not_possible')
  assert.equal(await ledgerNaira(bench, 'shortfall'), 2_000)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

// Else PostgreSQL would read both tables whole for each credit that is joined.
test('archived credits and others are looked up by id, whatever joins them', async () => {
  const { rows } = await bench.db.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) select * from credit_identifiers i join all_credits c on c.id = i.credit_id
      order by c.id limit 1`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')

  assert.doesNotMatch(plan, /Subquery Scan/, plan)
})
