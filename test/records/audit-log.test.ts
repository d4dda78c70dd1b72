// The audit log: a client reads its own entries, filtered and page by page; entries never change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { auditLogFor } from '#records/audit-log.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf, TIMESTAMP } from '../support/fixtures.ts'
import { makeUser, newBrowser, newClientWithOwner, signIn, USERS_URL } from '../support/people.ts'
import { START, startTestService } from '../support/running-service.ts'

const ACTIONS = '/api/v1/audit-log'
const HOUR_MS = 3_600_000
const bench = closeAfterTests(await startTestService())
const email = await makeUser(bench)
await signIn(bench, email)
bench.advance(HOUR_MS)
const advices = [await createAdvice(bench), await createAdvice(bench)]
for (const { adviceReference } of advices) {
  await bench.call({ url: `/Payment/advice/${adviceReference}/cancel`, body: {} })
}

test('actions are listed newest first, with who did what to what, and when', async () => {
  const [newest, ...rest] = await list('')

  const { id, takenAt, ...entry } = newest as Record<string, unknown>
  assert.equal(typeof id, 'number')
  assert.match(String(takenAt), TIMESTAMP)
  assert.deepEqual(entry, {
    actor: 'client:MAN0000001',
    action: 'advice.cancel',
    subject: `advice/${advices[1].adviceReference}`,
    detail: {},
  })
  assert.deepEqual(
    rest.map(({ action }) => action),
    ['advice.cancel', 'user.sign_in'],
  )
})

test('actions are found by actor, action, subject and time', async () => {
  const hourLater = new Date(START.getTime() + HOUR_MS).toISOString()
  const cases = [
    [`actor=user:${email}`, 1],
    ['actor=client:MAN0000001', 2],
    ['actor=user:nobody@people.example', 0],
    ['action=advice.cancel', 2],
    ['action=user.sign_in', 1],
    [`subject=advice/${advices[0].adviceReference}`, 1],
    [`from=${hourLater}`, 2],
    [`to=${hourLater}`, 1],
    [`action=advice.cancel&to=${hourLater}`, 0],
  ] as const

  for (const [query, count] of cases) {
    assert.equal((await list(query)).length, count, query)
  }
})

test('pages follow one another without gap or double, and a cursor keeps to its list', async () => {
  const first = (await bench.call({ url: `${ACTIONS}?limit=2` })).json()
  const url = `${ACTIONS}?limit=2&cursor=${first.nextCursor}`
  const second = (await bench.call({ url })).json()

  const ids = [...first.data, ...second.data].map(({ id }) => id)
  assert.deepEqual(
    ids,
    (await list('')).map(({ id }) => id),
  )
  assert.equal(second.hasMore, false)
  const other = await bench.call({ url: `${url}&action=user.sign_in` })
  assertRefused(other, { status: 400, code: 'invalid_cursor' })
})

test('another client’s record is not shown, whatever is asked for', async () => {
  const token = await bench.newClient('CURIOUS')

  for (const query of ['', `actor=user:${email}`, 'actor=client:MAN0000001']) {
    const answer = await bench.call({ url: `${ACTIONS}?${query}`, token })
    assert.deepEqual(answer.json().data, [])
  }
})

test('an action from before actors were kept is the client’s own', async () => {
  await bench.db.query(
    `insert into audit_log (client_id, action, subject, detail, taken_at)
     select id, 'suspense.assign', 'suspense/7', '{}', $1 from clients where client_id = 'CURIOUS'`,
    [bench.clock()],
  )
  const token = await bench.login('CURIOUS', 's3cret')

  const answer = await bench.call({ url: `${ACTIONS}?actor=client:CURIOUS`, token })

  assert.equal(answer.json().data[0].actor, 'client:CURIOUS')
})

test('a malformed filter is refused', async () => {
  for (const query of ['who=me', 'actor=', 'from=x', 'limit=0', 'cursor=x', 'action=%00']) {
    const answer = await bench.call({ url: `${ACTIONS}?${query}` })
    assertRefused(answer, { status: 400 })
  }
  assertRefused(await bench.call({ url: ACTIONS, token: null }), { status: 401 })
})

test('the record cannot be changed', async () => {
  for (const change of ['update audit_log set actor = null', 'delete from audit_log']) {
    await assert.rejects(bench.db.query(change))
  }
})

test('only operators see operators’ actions on alerts and other clients’ users', async () => {
  const operator = await newBrowser(bench, 'operator')
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const body = { email: 'invited@people.example', role: 'support', clientId }
  assert.equal((await operator.call({ url: USERS_URL, body })).statusCode, 200)
  const { rows } = await bench.db.query(
    `insert into alerts (kind, subject, detail, raised_at) values ('numbers_exhausted', '035', '{}', $1)
     returning id`,
    [bench.clock()],
  )
  const acknowledge = `/api/v1/operator/alerts/${rows[0].id}/acknowledge`
  dataOf(await operator.call({ url: acknowledge, body: {} }))
  await bench.db.query(
    `insert into audit_log (client_id, actor, action, subject, detail, taken_at)
     select id, 'user:x', 'adjustment.approve', 'adjustment/1',
            jsonb_build_object('clientId', client_id), $1
       from clients where client_id = 'MAN0000001'`,
    [bench.clock()],
  )
  await bench.db.query(
    `insert into audit_log (client_id, actor, action, subject, detail, taken_at)
     select id, 'user:x', 'adjustment.request', 'adjustment/2', '{"clientId": "DEBTOR"}', $1
       from clients where client_id = 'MAN0000001'`,
    [bench.clock()],
  )
  const actions: unknown[] = ['alert.acknowledge', 'user.create']
  const seenBy = async ({ call }: typeof operator) =>
    entriesOf(await call({ url: ACTIONS })).filter(({ action }) => actions.includes(action))

  for (const role of ['owner', 'finance', 'support'] as const) {
    const other = await newBrowser(bench, role)
    assert.deepEqual(await seenBy(other), [], role)
    const ofUs = entriesOf(await other.call({ url: `${ACTIONS}?action=adjustment.approve` }))
    assert.equal(ofUs.length, 1, role)
    const ofDebtor = entriesOf(await other.call({ url: `${ACTIONS}?action=adjustment.request` }))
    assert.equal(ofDebtor.length, role === 'finance' ? 1 : 0, role)
    const own = entriesOf(await other.call({ url: `${ACTIONS}?actor=user:${other.user.email}` }))
    assert.deepEqual(
      own.map(({ action }) => action),
      ['user.sign_in'],
    )
  }

  assert.deepEqual(
    (await seenBy(operator)).map(({ action }) => action),
    actions,
  )
  assert.deepEqual(
    (await seenBy(owner)).map(({ action, actor }) => [action, actor]),
    [['user.create', 'operator']],
  )
})

async function list(query: string) {
  const answer = await bench.call({ url: `${ACTIONS}?${query}` })
  return entriesOf(answer)
}

// Asserts that the list was returned; returns its entries.
function entriesOf(answer: LightMyRequestResponse): Record<string, unknown>[] {
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

test('a client does not learn which operator acted on its account', async () => {
  const { clientId } = await newClientWithOwner(bench)
  const { rows } = await bench.db.query(
    `insert into audit_log (client_id, actor, action, subject, detail, taken_at)
     select id, 'cli:ada', 'account.erase', 'account/1000000015', '{}', $2
       from clients where client_id = $1 returning client_id as id`,
    [clientId, bench.clock()],
  )

  const [entry] = await auditLogFor(bench.db, rows[0].id, ['account/1000000015'])

  assert.equal(entry?.actor, 'operator')
})
