// The owner of a difference: an operator takes, assigns or releases it. Also which users can be owners, and
// the refusals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addLineDifference,
  assign,
  changesOf,
  DAY,
  outcomeOf,
  ownerAfter,
  REASON,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { assertRefused, createAccount, databaseText } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import {
  actionsOf,
  type Browser,
  makeUser,
  newBrowser,
  newClientWithOwner,
  USERS_URL,
  userIdOf,
} from '../support/people.ts'
import { newSessionId } from '../support/rail.ts'
import { addClient, startTestService } from '../support/running-service.ts'

const FEE = { kind: 'unexplained_debit', line: { amount: -5, kind: 'fee' } } as const
const NOBODYS_ID = '018f0000-0000-7000-8000-000000000000'

// Starts a service with two operators and one difference.
async function setup() {
  const bench = await startTestService()
  const ada = await newBrowser(bench, 'operator')
  const obi = await newBrowser(bench, 'operator')
  const { id } = await addLineDifference(bench, FEE)
  return Object.assign(bench, { ada, obi, id })
}

const read = async (by: Pick<Browser, 'call'>, path: string) =>
  (await by.call({ method: 'GET', url: `${RECONCILIATION}${path}` })).json().data
const change = ({ user }: Browser, body: object, by: Browser) =>
  by.call({ method: 'PATCH', url: `${USERS_URL}/${user.id}`, body })

test('a difference is taken, given to another and given up; list, proof and history say so', async () => {
  await using bench = await setup()
  const { ada, obi, id } = bench
  const [adas, obis] = [ada, obi].map(({ user }) => `user:${user.email}`)
  const before = await read(ada, `/${id}`)
  assert.deepEqual([before.owner, before.ownedAt], [null, null])

  assert.equal(await ownerAfter(assign(ada, id, 'me')), ada.user.email)
  const owner = { id: ada.user.id, email: ada.user.email, hasAccess: true }
  const proof = await read(obi, `?bankCode=035&day=${DAY}`)
  for (const view of [await read(obi, `/${id}`), (await read(obi, '/differences'))[0]]) {
    assert.deepEqual(view.owner, owner)
    assert.match(view.ownedAt, /^2026-/)
  }
  assert.deepEqual(proof.differences[0].owner, owner)
  assert.equal((await read(obi, '/ageing')).differences[0].unowned, 0)
  assert.equal(await ownerAfter(assign(ada, id, obi.user.id)), obi.user.email)
  assert.equal(await ownerAfter(assign(ada, id, 'nobody')), 'nobody')

  const { history, owner: last, ownedAt, state } = await read(ada, `/${id}`)
  assert.deepEqual([last, ownedAt, state], [null, null, 'open'])
  assert.deepEqual(
    history.slice(1).map(({ change, actor, detail }: Record<string, unknown>) => {
      return { change, actor, detail }
    }),
    [
      { change: 'assigned', actor: adas, detail: { owner: adas, before: null } },
      { change: 'assigned', actor: adas, detail: { owner: obis, before: adas } },
      { change: 'assigned', actor: adas, detail: { owner: null, before: obis } },
    ],
  )
  const { rows } = await bench.db.query(
    'select action, actor, detail from audit_log where subject = $1 order by id',
    [`difference/${id}`],
  )
  assert.deepEqual(rows[1], {
    action: 'difference.assign',
    actor: adas,
    detail: {
      ...{ bankCode: '035', day: DAY, kind: FEE.kind, amount: '-5.00', currency: 'NGN' },
      ...{ owner: obis, before: adas },
    },
  })
  assert.equal(rows.length, 3)
  assert.equal((await read(obi, '/ageing')).differences[0].unowned, 1)
})

test('the same again changes nothing, and a key answers as it did', async () => {
  await using bench = await setup()
  const { ada, obi, id } = bench
  const headers = { 'idempotency-key': 'mine' }
  const first = await assign(ada, id, 'me', { headers })
  bench.advance(60_000)
  await read(ada, `/${id}`)
  const before = await databaseText(bench)

  assert.equal((await assign(ada, id, 'me', { headers })).body, first.body)
  assert.equal(await ownerAfter(assign(ada, id, 'me')), ada.user.email)
  assert.equal(await ownerAfter(assign(ada, id, 'me', { from: 'nobody' })), ada.user.email)
  assert.equal(await databaseText(bench), before)

  await assign(obi, id, 'me')
  assert.equal((await assign(ada, id, 'me', { headers })).body, first.body)
  assert.equal((await read(ada, `/${id}`)).owner.email, obi.user.email)
})

test('only a user of one’s own client with access can own one, and a machine is no user', async () => {
  await using bench = await setup()
  const { ada, obi, id } = bench
  const { browser: stranger } = await newClientWithOwner(bench)
  await addClient(bench.db, bench.clock(), { clientId: 'SECOND', isOperator: true })
  const colleague = await newBrowser(bench, 'operator', 'SECOND')
  const roles = ['owner', 'support', 'developer'] as const
  const others = await Promise.all(
    roles.map(async (role) => userIdOf(bench, await makeUser(bench, { role }))),
  )
  assert.equal((await change(obi, { isActive: false }, ada)).statusCode, 200)
  const before = await databaseText(bench)

  const many = (by: Pick<Browser, 'call'>, owner: string) =>
    by.call({ url: `${RECONCILIATION}/assign`, body: { ids: [id], owner } })
  for (const ask of [(by: Pick<Browser, 'call'>, who: string) => assign(by, id, who), many]) {
    for (const unknown of [NOBODYS_ID, stranger.user.id, colleague.user.id]) {
      const answer = await ask(ada, unknown)
      assertRefused(answer, { status: 404, code: 'user_not_found' })
    }
    for (const unfit of [...others, obi.user.id]) {
      const answer = await ask(ada, unfit)
      assertRefused(answer, { status: 409, code: 'owner_without_access' })
    }
    assertRefused(await ask(bench, 'me'), { status: 403, code: 'people_only' })
  }
  assert.equal(await databaseText(bench), before)
  assert.equal(await ownerAfter(assign(bench, id, ada.user.id)), ada.user.email)
  assert.deepEqual(await changesOf(bench, id), ['opened', 'assigned by client:MAN0000001'])
  const accountant = await newBrowser(bench, 'finance')
  assert.equal(await ownerAfter(assign(accountant, id, 'me')), accountant.user.email)
})

test('only users with access to accounting assign, see owners and filter by them', async () => {
  await using bench = await setup()
  const { browser } = await newClientWithOwner(bench)
  const token = await bench.newClient('OTHER')
  const before = (await databaseText(bench)).match(/^differences .*$/gm)?.join()
  const calls = [
    { url: `${RECONCILIATION}/${bench.id}/assign`, body: { owner: 'nobody' } },
    { url: `${RECONCILIATION}/assign`, body: { ids: [bench.id], owner: 'nobody' } },
    { method: 'GET' as const, url: `${RECONCILIATION}/owners` },
    { method: 'GET' as const, url: `${RECONCILIATION}/differences?owner=nobody` },
  ]
  for (const call of calls) {
    const machine = await bench.call({ ...call, token })
    assertRefused(machine, { status: 403, code: 'scope_missing' })
    assertRefused(await browser.call(call), { status: 403, code: 'role_not_allowed' })
    for (const role of ['owner', 'support', 'developer'] as const) {
      const answer = await (await newBrowser(bench, role)).call(call)
      assertRefused(answer, { status: 403, code: 'role_not_allowed' })
    }
    assertRefused(await bench.call({ ...call, token: null }), { status: 401 })
  }
  assert.equal((await databaseText(bench)).match(/^differences .*$/gm)?.join(), before)
})

test('bad requests are refused by field, and unknown differences are not found', async () => {
  await using bench = await setup()
  const { ada } = bench
  const url = `${RECONCILIATION}/${bench.id}/assign`
  const bad = [
    ['owner', {}],
    ['owner', { owner: '' }],
    ['owner', { owner: null }],
    ['owner', { owner: 5 }],
    ['owner', { owner: 'Me' }],
    ['owner', { owner: ada.user.email }],
    ['owner', { owner: `${ada.user.id}0` }],
    ['owner', { owner: `me\n${ada.user.id}` }],
    ['owner', { owner: 'ọ̀rẹ́ 💸'.repeat(99) }],
    ['from', { owner: 'me', from: 'somebody' }],
    ['more', { owner: 'me', more: 1 }],
  ] as const
  for (const [field, body] of bad) {
    const answer = await ada.call({ url, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.equal(answer.json().errors[0].field, field, JSON.stringify(body))
  }
  for (const id of ['0', '-1', '1e3', '999999', 'x', '%00', '9'.repeat(30), "1'--"]) {
    const unknown = { url: `${RECONCILIATION}/${id}/assign`, body: { owner: 'me' } }
    const answer = await ada.call(unknown)
    assertRefused(answer, { status: 404, code: 'difference_not_found' })
  }
  for (const owner of ['', 'x', 'Nobody', ada.user.email]) {
    const answer = await ada.call({
      method: 'GET',
      url: `${RECONCILIATION}/differences?owner=${encodeURIComponent(owner)}`,
    })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
  const undashed = ada.user.id.replaceAll('-', '').toUpperCase()
  assert.equal(await ownerAfter(assign(bench.obi, bench.id, undashed)), ada.user.email)
})

test('a settled difference cannot be assigned, one that awaits approval can', async () => {
  await using bench = await setup()
  const { ada, obi, id } = bench
  const { id: booked } = await addLineDifference(bench, FEE)
  const { id: requested } = await addLineDifference(bench, FEE)
  await assign(ada, id, 'me')
  assert.equal(await outcomeOf(resolve(ada, id, 'note')), 'resolved')
  assert.equal(await outcomeOf(resolve(ada, booked, 'book')), 'cleared')
  await setMakerChecker(ada, true)
  assert.equal(await outcomeOf(resolve(ada, requested, 'note')), 'asked')

  for (const settled of [id, booked]) {
    assert.equal(await ownerAfter(assign(obi, settled, 'me')), 'difference_resolved')
  }
  assert.equal((await read(obi, `/${id}`)).owner.email, ada.user.email)
  assert.equal(await ownerAfter(assign(obi, requested, 'me')), obi.user.email)
  const { state, action, askedBy } = await read(obi, `/${requested}`)
  assert.deepEqual([state, action, askedBy], ['asked', 'note', `user:${ada.user.email}`])
})

test('a user with access resolves another’s difference, and the rest of it keeps its owner', async () => {
  await using bench = await setup()
  const { ada, obi } = bench
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  const { rows } = await bench.db.query('select id from credits where session_id = $1', [sessionId])
  const { id, lineId } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 90, sessionId: newSessionId() },
    suggested: { kind: 'credit', id: rows[0].id },
  })
  await assign(ada, id, 'me')

  const answer = await resolve(obi, id, 'match')

  const { state, owner, decidedBy } = answer.json().data
  assert.deepEqual(
    [state, owner.email, decidedBy],
    ['cleared', ada.user.email, `user:${obi.user.email}`],
  )
  const rest = (await read(ada, '/differences?owner=me&kind=amount_differs'))[0]
  assert.deepEqual([rest.line.lineId, rest.amount], [lineId.toString(), -10])
})

test('a booking that failed is still refused to a retry after it was assigned', async () => {
  await using bench = await setup()
  const { ada } = bench
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '99')
  const line = { amount: 100, sessionId, accountNumber }
  const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line })
  const headers = { 'idempotency-key': 'once' }
  const book = () => outcomeOf(resolve(bench, id, 'book', { headers, reason: REASON }))
  assert.equal(await book(), 'line_known_otherwise')

  await assign(ada, id, 'me')

  assert.equal(await book(), 'line_known_otherwise')
  assert.deepEqual(await actionsOf(bench, `difference/${id}`), [
    'difference.resolve',
    'difference.assign',
  ])
})
