// Owners of many differences: filtering by owner, owners who leave, and assignments in bulk and at the same
// time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addLineDifference,
  assign,
  changesOf,
  outcomeOf,
  ownerAfter,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { assertRefused, databaseText } from '../support/fixtures.ts'
import { actionsOf, type Browser, newBrowser, USERS_URL } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const MANY = `${RECONCILIATION}/assign`
type Caller = Pick<Browser, 'call'>

// Starts a service with two operators and some differences of two banks.
async function setup(count = 3) {
  const bench = await startTestService()
  const ada = await newBrowser(bench, 'operator')
  const obi = await newBrowser(bench, 'operator')
  const ids: number[] = []
  for (let index = 0; index < count; index++) {
    const line = { amount: -5, kind: 'fee', bankCode: index % 2 ? '058' : '035' } as const
    ids.push((await addLineDifference(bench, { kind: 'unexplained_debit', line })).id)
  }
  return Object.assign(bench, { ada, obi, ids })
}

// The ids of the differences that this caller finds with the query.
async function listed(by: Caller, query: string): Promise<number[]> {
  const answer = await by.call({ method: 'GET', url: `${RECONCILIATION}/differences?${query}` })
  return answer.json().data.map(({ id }: { id: number }) => id)
}

const assignMany = (by: Caller, ids: readonly number[], owner: string) =>
  by.call({ url: MANY, body: { ids, owner } })
const ownersOf = async (by: Caller) =>
  (await by.call({ method: 'GET', url: `${RECONCILIATION}/owners` })).json().data

test('the list is filtered by owner: the user, none or another user, page by page', async () => {
  await using bench = await setup(5)
  const { ada, obi, ids } = bench
  const [one, two, three, four, five] = ids as [number, number, number, number, number]
  await assignMany(ada, [one, two, three], 'me')
  await assign(ada, four, obi.user.id)
  await resolve(ada, two, 'note')

  assert.deepEqual(await listed(ada, 'owner=me'), [three, two, one])
  assert.deepEqual(await listed(ada, 'owner=me&state=open'), [three, one])
  assert.deepEqual(await listed(ada, 'owner=me&bankCode=058'), [two])
  assert.deepEqual(await listed(ada, `owner=${obi.user.id}`), [four])
  assert.deepEqual(await listed(obi, 'owner=me'), [four])
  assert.deepEqual(await listed(ada, 'owner=nobody'), [five])
  assert.deepEqual(await listed(ada, 'owner=018f0000-0000-7000-8000-000000000000'), [])
  const url = `${RECONCILIATION}/differences?owner=me&limit=2`
  const { nextCursor } = (await ada.call({ method: 'GET', url })).json()
  assert.deepEqual(await listed(ada, `owner=me&limit=2&cursor=${nextCursor}`), [one])
  const other = {
    method: 'GET' as const,
    url: `${url.replace('me', 'nobody')}&cursor=${nextCursor}`,
  }
  assertRefused(await ada.call(other), { status: 400, code: 'invalid_cursor' })
  const machine = await bench.call({ method: 'GET', url })
  assertRefused(machine, { status: 403, code: 'people_only' })
})

test('a disabled user keeps their differences; those of a removed user have no owner', async () => {
  await using bench = await setup(2)
  const { ada, obi, ids } = bench
  const [one, two] = ids as [number, number]
  await assignMany(obi, ids, 'me')
  const { id, email } = obi.user
  const find = async () =>
    (await ownersOf(ada)).find((owner: { email: string }) => owner.email === email)
  assert.deepEqual(await find(), { id, email, hasAccess: true })

  await ada.call({ method: 'PATCH', url: `${USERS_URL}/${id}`, body: { isActive: false } })
  assert.deepEqual(await find(), { id, email, hasAccess: false })
  assert.deepEqual(await listed(ada, `owner=${id}`), [two, one])
  const view = await ada.call({ method: 'GET', url: `${RECONCILIATION}/${one}` })
  assert.deepEqual(view.json().data.owner, { id, email, hasAccess: false })
  assert.equal(await ownerAfter(assign(ada, one, 'me', { from: id })), ada.user.email)

  assert.equal((await ada.call({ method: 'DELETE', url: `${USERS_URL}/${id}` })).statusCode, 200)
  assert.deepEqual(await listed(ada, 'owner=nobody'), [two])
  assert.deepEqual(await listed(ada, `owner=${id}`), [])
  assert.equal(await find(), undefined)
  const gone = (await ada.call({ method: 'GET', url: `${RECONCILIATION}/${two}` })).json().data
  assert.deepEqual([gone.owner, gone.ownedAt], [null, null])
  assert.equal(gone.history.at(-1).detail.owner, `user:${email}`)
  assert.equal(await ownerAfter(assign(ada, two, 'nobody')), 'nobody')
  assert.equal(await ownerAfter(assign(ada, two, 'me', { from: 'nobody' })), ada.user.email)
  assert.equal(await outcomeOf(resolve(ada, two, 'note')), 'resolved')
})

test('many are assigned together, each with its result, and again without effect', async () => {
  await using bench = await setup(4)
  const { ada, obi, ids } = bench
  const [one, two, three, four] = ids as [number, number, number, number]
  await resolve(ada, two, 'note')
  await resolve(ada, three, 'book')
  await assign(ada, four, 'me')
  const requestedIds = [one, two, three, 999_999, four, one]

  const first = await assignMany(ada, requestedIds, obi.user.id)
  const before = await databaseText(bench)
  const second = await assignMany(ada, requestedIds, obi.user.id)

  assert.deepEqual(second.json().data, first.json().data)
  assert.equal(await databaseText(bench), before)
  const message = 'This difference is already resolved, or has cleared.'
  assert.deepEqual(first.json().data, [
    { id: one, ok: true },
    { id: two, ok: false, code: 'difference_resolved', message },
    { id: three, ok: false, code: 'difference_resolved', message },
    { id: 999_999, ok: false, code: 'difference_not_found', message: 'No such difference.' },
    { id: four, ok: true },
    { id: one, ok: true },
  ])
  assert.deepEqual(await listed(obi, 'owner=me'), [four, one])
  assert.deepEqual(await actionsOf(bench, `difference/${one}`), ['difference.assign'])
})

test('more than 500 ids, no ids, and texts that are no ids are refused', async () => {
  await using bench = await setup(1)
  const lists = [[], Array(501).fill(1), ['x'], [1.5], [0], [-1], [2 ** 60], null, 'all']
  for (const ids of lists) {
    const answer = await bench.ada.call({ url: MANY, body: { ids, owner: 'me' } })
    assertRefused(answer, { status: 400 })
  }
  const all = Array.from({ length: 500 }, (_, at) => at + 1)
  const { data } = (await assignMany(bench.ada, all, 'me')).json()
  assert.deepEqual([data.length, data.filter(({ ok }: { ok: boolean }) => ok).length], [500, 1])
})

const BANKS = `
  insert into reconciled_banks (bank_code, currency) values ('035', 'NGN') on conflict do nothing;
  select from reconciled_banks for update;`

type Held = { sql: string; waiting: number; meanwhile?: string }

// Starts `work` while `sql` holds a lock, waits until `waiting` sessions are blocked, runs `meanwhile` and
// releases the lock.
async function runBehindLock<T>(
  { db }: Bench,
  { sql, waiting, meanwhile = '' }: Held,
  work: () => Promise<T>,
): Promise<T> {
  const holder = await db.connect()
  await holder.query(`begin; ${sql}`)
  const working = work()
  try {
    await untilBlocked(db, waiting)
  } finally {
    await holder.query(`${meanwhile} commit`)
    holder.release()
  }
  return working
}

test('the last of two simultaneous assignments of a difference wins, and the history has both', async () => {
  await using bench = await setup(1)
  const { ada, obi, ids } = bench
  const [id] = ids as [number]

  await runBehindLock(bench, { sql: BANKS, waiting: 2 }, () =>
    Promise.all([assign(ada, id, 'me'), assign(obi, id, 'me')]),
  )

  const { data } = (await ada.call({ method: 'GET', url: `${RECONCILIATION}/${id}` })).json()
  const [, first, last] = data.history
  assert.equal(data.history.length, 3)
  assert.notEqual(first.actor, last.actor)
  assert.deepEqual(last.detail, { owner: last.actor, before: first.actor })
  assert.equal(`user:${data.owner.email}`, last.actor)
})

test('when two users take an ownerless difference, one gets it and the other is refused', async () => {
  await using bench = await setup(1)
  const { ada, obi, ids } = bench
  const [id] = ids as [number]
  const take = (by: Browser) => ownerAfter(assign(by, id, 'me', { from: 'nobody' }))

  const outcomes = await runBehindLock(bench, { sql: BANKS, waiting: 2 }, () =>
    Promise.all([take(ada), take(obi)]),
  )

  const won = outcomes.filter((outcome) => outcome !== 'owner_changed')
  assert.equal(won.length, 1, outcomes.join())
  const { data } = (await ada.call({ method: 'GET', url: `${RECONCILIATION}/${id}` })).json()
  assert.equal(data.owner.email, won[0])
  assert.equal((await changesOf(bench, id)).length, 2)
})

test('two users who assign differences of several banks in different orders do not deadlock', async () => {
  await using bench = await setup(20)
  const { ada, obi, ids } = bench

  const answers = await Promise.all([
    assignMany(ada, ids, 'me'),
    assignMany(obi, ids.toReversed(), 'me'),
    assignMany(ada, ids.toReversed(), obi.user.id),
    assignMany(obi, ids, ada.user.id),
  ])

  for (const answer of answers) {
    assert(
      answer.json().data.every(({ ok }: { ok: boolean }) => ok),
      answer.body,
    )
  }
  const owned = [await listed(ada, 'owner=me'), await listed(obi, 'owner=me')]
  assert.deepEqual(
    owned.map(({ length }) => length).toSorted((a, b) => a - b),
    [0, 20],
  )
})

test('a user who is disabled at the moment of an assignment gets no differences', async () => {
  await using bench = await setup(1)
  const { ada, obi, ids } = bench
  const [id] = ids as [number]
  const sql = `update users set is_active = false where id = '${obi.user.id}';`

  const outcome = await runBehindLock(bench, { sql, waiting: 1 }, () =>
    ownerAfter(assign(ada, id, obi.user.id)),
  )

  assert.equal(outcome, 'owner_without_access')
  assert.deepEqual(await changesOf(bench, id), ['opened'])
})

test('a difference settled while an assignment waited is not assigned', async () => {
  await using bench = await setup(1)
  const { obi, ids } = bench
  const [id] = ids as [number]
  const meanwhile = `update differences set state = 'cleared';`

  const outcome = await runBehindLock(bench, { sql: BANKS, waiting: 1, meanwhile }, () =>
    ownerAfter(assign(obi, id, 'me')),
  )

  assert.equal(outcome, 'difference_resolved')
  assert.deepEqual(await changesOf(bench, id), ['opened'])
})
