// A client learns nothing about the volume of others. All clients share the sequences that number
// rows, so none of those numbers may leave the service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { withTransaction } from '#db/transaction.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { RECIPES, type Recipe } from '../support/isolation-recipes.ts'
import { fillWorld } from '../support/isolation-world.ts'
import { newBrowser } from '../support/people.ts'
import { reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import { assign, giveBack, listItems, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'

// Every row from now on has an id that begins with these digits, too many to occur at random.
const MARK = '731900000'
const FIRST_ID = `${MARK}0001`
const FIRST_SHARED_ID = `100${FIRST_ID}`

const bench = await startTestService()
closeAfterTests(bench)
const sequences = await markSequences()
const world = await fillWorld(bench, 'CURIOUS')
const owner = await newBrowser(bench, 'owner', world.clientId)
const theirs = await bench.newClient('BUSY')

test('no answer, to a client or to the operator, holds the number of a row', async () => {
  const returned = await suspend(bench, NOBODYS_NUMBER, '12')
  const assigned = await suspend(bench, NOBODYS_NUMBER, '13')
  const { accountNumber } = await createAccount(bench)
  assert.equal((await giveBack(bench, returned.id)).statusCode, 200)
  assert.equal((await assign(bench, assigned.id, { accountNumber })).statusCode, 200)
  const faults: string[] = []
  let successes = 0

  for (const [id, recipe] of Object.entries(RECIPES as Record<string, Recipe>)) {
    for (const call of recipe(world).filter(
      ({ method = 'GET', body }) => method === 'GET' && !body,
    )) {
      for (const answer of [await owner.call(call), await bench.call(call)]) {
        if (answer.statusCode === 200) successes += 1
        if (numbersOf(answer).includes(MARK)) faults.push(`${id}: ${JSON.stringify(call)}`)
      }
    }
  }
  for (const item of [returned, assigned]) {
    for (const path of [`credits/${item.sessionId}`, `credits/${item.sessionId}/timeline`]) {
      const answer = await bench.call({ url: `/api/v1/${path}` })
      assert.equal(answer.statusCode, 200, answer.body)
      if (numbersOf(answer).includes(MARK)) faults.push(path)
    }
  }

  assert.deepEqual(faults, [])
  assert(successes > 80, `${successes} answers`)
  assert(sequences > 8)
  assert(`${storedId('suspense', returned.id)}`.startsWith(MARK))
})

test('two of one’s own are as far apart with none of others’ between as with many', async () => {
  const createOwnAccount = () => createAccount(bench, {}, { token: theirs })
  const ids: number[] = []
  for (const othersBetween of [0, 0, 1, 5, 20]) {
    for (let other = 0; other < othersBetween; other++) await createAccount(bench)
    ids.push((await createOwnAccount()).id)
  }

  const steps = ids.slice(1).map((id, at) => Math.abs(id - (ids[at] as number)))

  assert(Math.min(...steps) > 1_000_000_000, `${ids}`)
  const stored = ids.map((id) => storedId('account', id))
  assert.deepEqual(
    stored.slice(1).map((id, at) => id - (stored[at] as bigint)),
    [1n, 2n, 6n, 21n],
  )
})

test('the number of a row finds nothing, so callers cannot count rows by trying numbers', async () => {
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, '14')
  const { accountNumber } = await createAccount(bench)
  await reportCredit(bench, { accountNumber, amount: '15' })
  await assign(bench, id, { accountNumber })
  const credit = (await bench.call({ url: `/api/v1/credits/${sessionId}` })).json().data
  const item = storedId('suspense', id)
  const { data: chart } = (await bench.call({ url: '/api/v1/ledger/accounts' })).json()
  const listOf = (url: string) => bench.call({ url }).then((answer) => answer.json().data)

  for (const [kind, opaqueId, path] of [
    ['suspense', id, '/api/v1/suspense'],
    ['credit', credit.id, '/api/v1/credits'],
    ['account', chart[0].id, '/api/v1/ledger/accounts'],
  ] as const) {
    const stored = storedId(kind, opaqueId)
    assert.equal((await bench.call({ url: `${path}/${opaqueId}` })).statusCode, 200, path)
    assert.equal((await bench.call({ url: `${path}/${stored}` })).statusCode, 404, path)
  }
  assert.equal((await listOf(`/api/v1/audit-log?subject=suspense/${id}`)).length, 1)
  assert.deepEqual(await listOf(`/api/v1/audit-log?subject=suspense/${item}`), [])
  assert.deepEqual(await listOf(`/api/v1/search?q=${storedId('credit', credit.id)}`), [])
  assert.equal((await listOf(`/api/v1/search?q=${credit.id}`))[0].type, 'credit')
})

test('lists stay in the order of time, whatever their ids look like', async () => {
  const made: number[] = []
  for (const amount of ['21', '22', '23', '24', '25']) {
    made.push((await suspend(bench, NOBODYS_NUMBER, amount)).id)
  }

  const listed = (await listItems(bench)).map(({ id }) => id)

  assert.deepEqual(listed.slice(0, 5), made.toReversed())
})

// Restarts every sequence at a number that begins with MARK. Returns the number of sequences. Counts of one
// client are in columns, not in sequences.
async function markSequences(): Promise<number> {
  return withTransaction(bench.db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      `select sequencename as name from pg_sequences where schemaname = 'public'`,
    )
    for (const { name } of rows) {
      const first = name === 'shared_account_ids' ? FIRST_SHARED_ID : FIRST_ID
      await tx.query(`alter sequence ${name} restart with ${first}`)
    }
    return rows.length
  })
}

// Returns the text of a response with its cursors decoded. The ids of new rows contain `MARK`, so a text
// without `MARK` shows none of these ids.
function numbersOf({ body, headers }: LightMyRequestResponse): string {
  const texts = [body, JSON.stringify(headers)]
  for (const [cursor] of body.matchAll(/[A-Za-z0-9_-]{20,}/g)) {
    texts.push(Buffer.from(cursor, 'base64url').toString('latin1'))
  }
  return texts.join('\n')
}
