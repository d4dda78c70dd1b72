// Maker-checker at the suspense desk: while it is on, nobody can assign or return money alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertBooksBalance,
  assertRefused,
  createAccount,
  databaseText,
  readAccount,
  startPayment,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import {
  ask,
  decide,
  type Person,
  REQUESTS,
  switchOff,
  TO_RETURN,
} from '../support/maker-checker-desk.ts'
import { actionsOf, newBrowser, newClientWithOwner } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import {
  assign,
  giveBack,
  NOBODYS_NUMBER,
  readItem,
  SUSPENSE,
  suspend,
} from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const ada = await newBrowser(bench, 'finance')
const obi = await newBrowser(bench, 'finance')
const operator = await newBrowser(bench, 'operator')
const { accountNumber } = await createAccount(bench)
const rules = { payerRules: { minAmount: 100_000 } }
const { accountNumber: picky } = await createAccount(bench, rules)

const waiting = () => suspend(bench, picky, '500.00')
const toAssign = { action: 'assign', accountNumber, reason: 'Meant for Ada.' }
// Suspends money, and requests an assignment or a return of it; returns the ids of item and request.
const requestIdOf = async (by: Person, body: object) => {
  const { id } = await waiting()
  const answer = await ask(by, id, body)
  assert.equal(answer.statusCode, 200, answer.body)
  return { itemId: id as number, requestId: answer.json().data.id as number }
}
const set = (by: Person, body: object) =>
  by.call({ method: 'PUT', url: `${SUSPENSE}/settings`, body })
// Turns maker-checker on or off. Turning it off takes two users.
const setMakerChecker = async (makerChecker: boolean) => {
  if (makerChecker) assert.equal((await set(owner, { makerChecker })).statusCode, 200)
  else await switchOff(owner, operator)
}

test('switched on, no user assigns or returns alone, by token or by session', async () => {
  await setMakerChecker(true)
  const { id } = await waiting()
  const before = await databaseText(bench)

  const refused = { status: 409, code: 'approval_needed' }
  assertRefused(await assign(bench, id, { accountNumber }), refused)
  assertRefused(await giveBack(bench, id), refused)
  const alone = await ada.call({ url: `${SUSPENSE}/${id}/return`, body: {} })
  assertRefused(alone, refused)

  assert.equal(await databaseText(bench), before)
  await setMakerChecker(false)
  assert.equal((await giveBack(bench, id)).statusCode, 200)
})

test('one user requests, another approves, and the money moves with the approval', async () => {
  await setMakerChecker(true)
  const { itemId, requestId } = await requestIdOf(ada, toAssign)
  assert.equal((await readItem(bench, itemId)).state, 'open')
  const { accountBalance } = await readAccount(bench, accountNumber)

  const answer = await decide(obi, requestId, 'approve')

  assert.equal(answer.statusCode, 200, answer.body)
  const { state, decidedBy, requestedBy, isOwn, assignTo, amount } = answer.json().data
  assert.deepEqual([state, isOwn, assignTo, amount], ['approved', false, accountNumber, 500])
  assert.deepEqual([requestedBy, decidedBy], [`user:${ada.user.email}`, `user:${obi.user.email}`])
  assert.equal((await readItem(bench, itemId)).assignedTo, accountNumber)
  const after = await readAccount(bench, accountNumber)
  assert.equal(after.accountBalance, accountBalance + 500)
  const traces = await actionsOf(bench, `suspense/${itemId}`)
  assert.deepEqual(traces, ['suspense.request', 'suspense.assign', 'suspense.approve'])
  const again = await decide(obi, requestId, 'approve')
  assert.equal(again.statusCode, 200)
  assert.equal((await actionsOf(bench, `suspense/${itemId}`)).length, 3)
  await assertBooksBalance(bench)
})

test('an approved return goes to the bank; an approved payment is paid', async () => {
  const back = await requestIdOf(ada, TO_RETURN)
  const { bankAccount, paymentReference } = await startPayment(bench, { amount: 500 })
  const paid = await requestIdOf(obi, { action: 'assign', paymentReference, reason: 'His order.' })

  assert.equal((await decide(obi, back.requestId, 'approve')).statusCode, 200)
  assert.equal((await decide(ada, paid.requestId, 'approve')).statusCode, 200)

  assert.equal((await readItem(bench, back.itemId)).state, 'returned')
  assert.equal((await readItem(bench, paid.itemId)).assignedTo, paymentReference)
  assert.match(bankAccount, /^\d{10}$/)
})

test('the maker can neither approve nor reject, but withdraw; others cannot withdraw', async () => {
  const { itemId, requestId } = await requestIdOf(ada, TO_RETURN)
  const refused = { status: 409, code: 'other_person_needed' }

  assertRefused(await decide(ada, requestId, 'approve'), refused)
  assertRefused(await decide(ada, requestId, 'reject', { reason: 'No.' }), refused)
  const others = await decide(obi, requestId, 'withdraw')
  assertRefused(others, { status: 409, code: 'own_request_only' })
  assert.equal((await decide(ada, requestId, 'withdraw')).json().data.state, 'withdrawn')

  const late = await decide(obi, requestId, 'approve')
  assertRefused(late, { status: 409, code: 'request_decided' })
  assert.equal((await readItem(bench, itemId)).state, 'open')
})

test('the database itself refuses that one person does both', async () => {
  const { requestId } = await requestIdOf(ada, TO_RETURN)
  const by = (who: string, state: string) =>
    bench.db.query(
      `update suspense_requests set state = $2, decided_by = $3, decided_at = now(),
              decision_reason = 'x' where id = $1`,
      [storedId('request', requestId), state, who],
    )

  const self = `user:${ada.user.email}`
  await assert.rejects(by(self, 'approved'), { constraint: 'suspense_requests_two_people' })
  await assert.rejects(by(self, 'rejected'), { constraint: 'suspense_requests_two_people' })
  await assert.rejects(by('user:x', 'withdrawn'), { constraint: 'suspense_requests_two_people' })
})

test('a rejection has a reason, moves nothing, and lets somebody ask again', async () => {
  const { itemId, requestId } = await requestIdOf(ada, TO_RETURN)
  for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }]) {
    const answer = await decide(obi, requestId, 'reject', body)
    assertRefused(answer, { code: 'invalid_request' })
  }

  const answer = await decide(obi, requestId, 'reject', { reason: 'Call her first. ₦' })

  assert.equal(answer.json().data.decisionReason, 'Call her first. ₦')
  assert.equal((await readItem(bench, itemId)).state, 'open')
  assert.equal((await ask(obi, itemId, TO_RETURN)).statusCode, 200)
  const listed = await bench.call({ url: `${REQUESTS}?itemId=${itemId}` })
  const states = listed.json().data.map(({ state }: { state: string }) => state)
  assert.deepEqual(states, ['open', 'rejected'])
})

test('an item has one open request, also after simultaneous ones; no action bypasses it', async () => {
  await setMakerChecker(false)
  const { id } = await waiting()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => ask(at % 2 ? ada : obi, id, TO_RETURN)),
  )

  const codes = answers.map((answer) => answer.json().code ?? 'asked').sort()
  assert.deepEqual(codes, ['asked', ...Array(5).fill('suspense_requested')])
  const direct = await giveBack(bench, id)
  assertRefused(direct, { status: 409, code: 'suspense_requested' })
})

test('two who approve at once move the money once; one who rejects beside loses or wins whole', async () => {
  const { itemId, requestId } = await requestIdOf(ada, toAssign)
  const answers = await Promise.all([
    decide(obi, requestId, 'approve'),
    decide(owner, requestId, 'approve'),
    decide(operator, requestId, 'reject', { reason: 'No.' }),
  ])

  const won = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(won.length, 1)
  const state = won[0]?.json().data.state
  const moved = (await readItem(bench, itemId)).state === 'assigned'
  assert.equal(moved, state === 'approved')
  await assertBooksBalance(bench)
})

test('a request is not approved after the money left suspense', async () => {
  const { itemId, requestId } = await requestIdOf(ada, TO_RETURN)
  await bench.db.query(
    `update suspense_items set state = 'reversed', closed_at = now() where id = $1`,
    [storedId('suspense', itemId)],
  )

  const answer = await decide(obi, requestId, 'approve')

  assertRefused(answer, { status: 409, code: 'suspense_closed' })
  const { rows } = await bench.db.query('select state from suspense_requests where id = $1', [
    storedId('request', requestId),
  ])
  assert.equal(rows[0].state, 'open')
  // Opens the item again with triggers off, because no state transition does (I109).
  await bench.db.query(`begin; set local session_replication_role = replica;
    update suspense_items set state = 'open', closed_at = null
     where id = ${storedId('suspense', itemId)}; commit`)
})

test('only people ask and decide: the credentials of a client are no second person', async () => {
  const { itemId, requestId } = await requestIdOf(ada, TO_RETURN)
  const { id } = await waiting()
  const refused = { status: 403, code: 'people_only' }

  for (const [url, body] of [
    [`${SUSPENSE}/${id}/requests`, TO_RETURN],
    [`${REQUESTS}/${requestId}/approve`, {}],
    [`${REQUESTS}/${requestId}/reject`, { reason: 'No.' }],
    [`${REQUESTS}/${requestId}/withdraw`, {}],
  ] as const) {
    assertRefused(await bench.call({ url, body }), refused)
  }
  assert.equal((await readItem(bench, itemId)).state, 'open')
  const support = await newBrowser(bench, 'support')
  const looking = await decide(support, requestId, 'approve')
  assertRefused(looking, { status: 403, code: 'role_not_allowed' })
})

test('bad requests are refused before anything is written', async () => {
  const { id } = await waiting()
  const before = await databaseText(bench)
  const bodies = [
    {},
    { action: 'return' },
    { action: 'burn', reason: 'x' },
    { action: 'assign', reason: 'x' },
    { ...toAssign, paymentReference: UNKNOWN_REFERENCE },
    { ...toAssign, accountNumber: '12' },
    { ...TO_RETURN, accountNumber },
    { ...TO_RETURN, reason: ' ' },
    { ...TO_RETURN, reason: 7 },
    { ...TO_RETURN, more: true },
  ]
  for (const body of bodies) {
    assertRefused(await ask(ada, id, body), { code: 'invalid_request' })
  }
  const elsewhere = { ...toAssign, accountNumber: '9999999990' }
  assertRefused(await ask(ada, id, elsewhere), { status: 404 })
  assert.equal(await databaseText(bench), before)
  const { paymentReference } = await startPayment(bench, { amount: 100 })
  const tooMuch = { action: 'assign', paymentReference, reason: 'x' }
  const unfitting = await ask(ada, id, tooMuch)
  assertRefused(unfitting, { status: 409, code: 'suspense_not_fitting' })
  for (const wrong of ['0', 'x', '98765432', '1'.repeat(30)]) {
    const unknown = await ask(ada, wrong as never, TO_RETURN)
    assertRefused(unknown, { status: 404, code: 'suspense_not_found' })
    const undecided = await decide(ada, wrong as never, 'approve')
    assertRefused(undecided, { status: 404, code: 'request_not_found' })
  }
  assertRefused(await bench.call({ url: `${REQUESTS}?state=odd` }))
  assertRefused(await bench.call({ url: `${REQUESTS}?cursor=odd` }))
})

test('another client’s users see and decide nothing; operators decide on unidentified money', async () => {
  const { itemId, requestId } = await requestIdOf(ada, TO_RETURN)
  const { browser: stranger } = await newClientWithOwner(bench)

  const theirs = await decide(stranger, requestId, 'approve')
  assertAlike(theirs, await decide(stranger, 98_765_432, 'approve'))
  assert.deepEqual((await stranger.call({ url: REQUESTS })).json().data, [])
  assert.equal((await ask(stranger, itemId, TO_RETURN)).statusCode, 404)
  const { id } = await suspend(bench, NOBODYS_NUMBER, '70.00')
  const asks = await ask(operator, id, TO_RETURN)
  assert.equal(asks.statusCode, 200, asks.body)
  const finance = await decide(ada, asks.json().data.id, 'approve')
  assertRefused(finance, { status: 404, code: 'request_not_found' })
  const second = await newBrowser(bench, 'operator')
  assert.equal((await decide(second, asks.json().data.id, 'approve')).statusCode, 200)
  assert.equal((await readItem(bench, id)).state, 'returned')
})

test('the same key gives the same answer, and approves once', async () => {
  const { itemId, requestId } = await requestIdOf(ada, toAssign)
  const key = { 'idempotency-key': 'approve-1' }

  const first = await decide(obi, requestId, 'approve', {}, key)
  const again = await decide(obi, requestId, 'approve', {}, key)

  assert.equal(first.statusCode, 200, first.body)
  assert.equal(again.body, first.body)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const traces = await actionsOf(bench, `suspense/${itemId}`)
  assert.equal(traces.filter((action) => action === 'suspense.assign').length, 1)
})
