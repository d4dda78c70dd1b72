// Maker-checker holds when people try to act alone, and when the setting, the users, the money or its target
// change while a request waits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { erase } from '../support/erasing.ts'
import { ACCOUNTS, assertBooksBalance, createAccount, startPayment } from '../support/fixtures.ts'
import {
  ask,
  decide,
  refused,
  requestResolution,
  setMakerChecker,
  switchOff,
  TO_RETURN,
} from '../support/maker-checker-desk.ts'
import { actionsOf, newBrowser, signIn, USERS_URL, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId, storedName } from '../support/shown-ids.ts'
import { giveBack, readItem, SUSPENSE, suspend } from '../support/suspense-desk.ts'
import { credit, reverse } from '../support/tracing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const operator = await newBrowser(bench, 'operator')
const second = await newBrowser(bench, 'owner')
const ada = await newBrowser(bench, 'finance')
const obi = await newBrowser(bench, 'finance')
const { accountNumber: picky } = await createAccount(bench, { payerRules: { minAmount: 100_000 } })

const waiting = (amount = '500.00') => suspend(bench, picky, amount)

assert.equal((await setMakerChecker(owner, true)).statusCode, 200)

test('the maker is the same person in another session, and with another role', async () => {
  const eve = await newBrowser(bench, 'finance')
  const { id } = await waiting()
  const requestId = await requestResolution(eve, id)
  const role = await operator.call({
    method: 'PATCH',
    url: `${USERS_URL}/${await userIdOf(bench, eve.user.email)}`,
    body: { role: 'owner' },
  })
  assert.equal(role.statusCode, 200, role.body)

  const again = await signIn(bench, eve.user.email.toUpperCase())

  assert.notEqual(again.cookie, eve.cookie)
  refused(await decide(again, requestId, 'approve'), 'other_person_needed')
  refused(await decide(eve, requestId, 'approve'), 'other_person_needed')
  assert.equal((await readItem(bench, id)).state, 'open')
})

test('a request of a user who has left is decided by another', async () => {
  const eve = await newBrowser(bench, 'finance')
  const [one, two] = [await waiting(), await waiting()]
  const [first, second] = [
    await requestResolution(eve, one.id),
    await requestResolution(eve, two.id),
  ]
  const url = `${USERS_URL}/${await userIdOf(bench, eve.user.email)}`
  const removed = await operator.call({ method: 'DELETE', url })
  assert(removed.statusCode < 300, removed.body)

  refused(await decide(eve, first, 'withdraw'), 'session_needed', 401)
  assert.equal((await decide(obi, first, 'approve')).statusCode, 200)
  assert.equal((await decide(obi, second, 'reject', { reason: 'Gone.' })).statusCode, 200)
  assert.equal((await readItem(bench, one.id)).state, 'returned')
  assert.equal((await readItem(bench, two.id)).state, 'open')
})

test('the target is checked again: closed, erased or paid meanwhile, nothing moves', async () => {
  const closed = await createAccount(bench)
  const erased = await createAccount(bench)
  const paid = await startPayment(bench, { amount: 500 })
  const cancelled = await startPayment(bench, { amount: 500 })
  const targets = [
    { accountNumber: closed.accountNumber },
    { accountNumber: erased.accountNumber },
    { paymentReference: paid.paymentReference },
    { paymentReference: cancelled.paymentReference },
  ]
  const requests: { itemId: number; requestId: number }[] = []
  for (const target of targets) {
    const { id: itemId } = await waiting()
    const requestId = await requestResolution(ada, itemId, {
      action: 'assign',
      reason: 'Hers.',
      ...target,
    })
    requests.push({ itemId, requestId })
  }
  const done = [
    await bench.call({ url: `${ACCOUNTS}/${closed.accountNumber}/deactivate`, body: {} }),
    await erase(bench, erased.accountNumber),
    await bench.call({ url: `/Payment/advice/${cancelled.adviceReference}/cancel`, body: {} }),
  ]
  for (const answer of done) assert.equal(answer.statusCode, 200, answer.body)
  await credit(bench, paid.bankAccount, '500')

  for (const { itemId, requestId } of requests) {
    refused(await decide(obi, requestId, 'approve'), 'suspense_not_fitting')
    assert.equal((await readItem(bench, itemId)).state, 'open')
    assert.equal((await decide(ada, requestId, 'withdraw')).statusCode, 200)
  }
  await assertBooksBalance(bench)
})

test('a reversal of the whole amount leaves nothing to decide: the request is void', async () => {
  const { id, sessionId } = await waiting()
  const requestId = await requestResolution(ada, id)
  await reverse(bench, sessionId, '500')

  const listed = await bench.call({ url: `${SUSPENSE}/requests?state=void&itemId=${id}` })
  const [request] = listed.json().data
  assert.deepEqual([request.id, request.itemState], [requestId, 'reversed'])
  assert.deepEqual([request.decidedBy, request.cannotApprove], ['bank:035', null])
  refused(await decide(obi, requestId, 'approve'), 'suspense_closed')
  refused(await decide(obi, requestId, 'reject', { reason: 'Gone.' }), 'suspense_closed')
  refused(await decide(ada, requestId, 'withdraw'), 'suspense_closed')
  refused(await ask(ada, id), 'suspense_closed')
  await assertBooksBalance(bench)
})

test('an approval and the bank’s reversal at once: one after the other, and never stuck', async () => {
  for (let round = 0; round < 4; round++) {
    const { id, sessionId } = await waiting()
    const requestId = await requestResolution(ada, id)

    const [approved] = await Promise.all([
      decide(obi, requestId, 'approve'),
      reverse(bench, sessionId, '500'),
    ])

    const listed = await bench.call({ url: `${SUSPENSE}/requests?itemId=${id}` })
    const [{ state }] = listed.json().data
    assert.equal(state, approved.statusCode === 200 ? 'approved' : 'void', approved.body)
  }
  await assertBooksBalance(bench)
})

test('after a partial reversal the rest goes; the request shows the former amount', async () => {
  const { accountNumber } = await createAccount(bench)
  const { id, sessionId } = await waiting()
  const requestId = await requestResolution(ada, id, {
    action: 'assign',
    accountNumber,
    reason: 'Hers.',
  })
  await reverse(bench, sessionId, '200')
  const { amount, requestedAmount } = (await readRequests(id))[0]
  assert.deepEqual([amount, requestedAmount], [300, 500])

  const answer = await decide(obi, requestId, 'approve')

  assert.equal(answer.statusCode, 200, answer.body)
  await reverse(bench, sessionId, '100') // A later reversal does not change the request.
  const [request] = await readRequests(id)
  assert.deepEqual([request.amount, request.requestedAmount], [300, 500])
  const changes = request.amountChanges.map(({ changedAt: _, ...change }: AnyChange) => change)
  assert.deepEqual(changes, [{ from: 500, to: 300, changedBy: 'bank:035' }])
  const overwrite = bench.db.query(
    'update suspense_requests set requested_kobo = 1 where id = $1',
    [storedId('request', requestId)],
  )
  await assert.rejects(overwrite, { constraint: 'suspense_requests_keep_what_was_asked' })
  await assertBooksBalance(bench)
})

type AnyChange = { changedAt: string }

async function readRequests(itemId: number) {
  return (await bench.call({ url: `${SUSPENSE}/requests?itemId=${itemId}` })).json().data
}

test('switched off, what was asked for still takes two, until it is decided', async () => {
  const [one, two] = [await waiting(), await waiting()]
  const requestId = await requestResolution(ada, one.id)
  const other = await requestResolution(ada, two.id)
  await switchOff(owner, second)

  refused(await ada.call({ url: `${SUSPENSE}/${one.id}/return`, body: {} }), 'suspense_requested')
  refused(await decide(ada, requestId, 'approve'), 'other_person_needed')
  assert.equal((await decide(obi, requestId, 'approve')).statusCode, 200)
  assert.equal((await decide(ada, other, 'withdraw')).statusCode, 200)
  assert.equal((await giveBack(bench, two.id)).statusCode, 200)
  assert.equal((await setMakerChecker(owner, true)).statusCode, 200)
})

test('once maker-checker is on, no assignment or return that began before moves money alone', async () => {
  const { id } = await waiting()
  await switchOff(owner, second)
  // Turns maker-checker on; returns the item's state at that moment.
  const switchOn = async () => {
    assert.equal((await setMakerChecker(owner, true)).statusCode, 200)
    return (await readItem(bench, id)).state as string
  }
  const holding = await bench.db.connect()
  try {
    // The lock stops the return after it has read the setting and before it moves the money.
    await holding.query('begin')
    await holding.query(`select from ledger_accounts where kind = 'suspense' for update`)
    const moved = giveBack(bench, id)
    await untilBlocked(bench.db, 1)
    const switched = switchOn()
    await Promise.race([switched, untilBlocked(bench.db, 2)])
    await holding.query('rollback')

    assert.equal((await moved).statusCode, 200)
    assert.match(await switched, /^return(ing|ed)$/, 'it had gone when the switch was answered')
  } finally {
    holding.release(true)
  }
})

test('two users who approve at once, each twice, move the money once, with one audit log entry', async () => {
  const { id } = await waiting()
  const requestId = await requestResolution(ada, id)

  const answers = await Promise.all(
    [obi, owner, obi, owner].map((by) => decide(by, requestId, 'approve')),
  )

  const codes = answers.map((answer) => answer.json().code ?? 'approved').sort()
  assert.deepEqual(codes, ['approved', 'approved', 'request_decided', 'request_decided'])
  assert.deepEqual(await actionsOf(bench, `suspense/${id}`), [
    'suspense.request',
    'suspense.return',
    'suspense.approve',
  ])
  await assertBooksBalance(bench)
})

test('a decision again by the same person is fine; another one after it is refused', async () => {
  const [one, two] = [await waiting(), await waiting()]
  const [rejected, withdrawn] = [
    await requestResolution(ada, one.id),
    await requestResolution(ada, two.id),
  ]
  const no = { reason: 'No.' }

  for (let times = 0; times < 2; times++) {
    assert.equal((await decide(obi, rejected, 'reject', no)).json().data.decisionReason, 'No.')
    assert.equal((await decide(ada, withdrawn, 'withdraw')).json().data.state, 'withdrawn')
  }
  for (const [by, id, verb] of [
    [owner, rejected, 'reject'],
    [ada, rejected, 'withdraw'],
    [obi, withdrawn, 'reject'],
  ] as const) {
    refused(await decide(by, id, verb, verb === 'reject' ? no : {}), 'request_decided')
  }
  for (const { id } of [one, two]) {
    assert.equal((await actionsOf(bench, `suspense/${id}`)).length, 2)
    assert.equal((await readItem(bench, id)).state, 'open')
  }
  const open = await ada.call({ url: `${SUSPENSE}/requests?state=open&limit=100` })
  const states = open.json().data.map(({ state }: { state: string }) => state)
  assert.deepEqual(new Set(states), new Set(['open']))
})

test('the reason of who asked stands in the record of what was done', async () => {
  const { id } = await waiting()
  await decide(
    obi,
    await requestResolution(ada, id, { ...TO_RETURN, reason: 'She called.' }),
    'approve',
  )

  const { rows } = await bench.db.query(
    `select action, actor, detail ->> 'note' as note, detail ->> 'requestedBy' as "requestedBy"
       from audit_log where subject = $1 order by id`,
    [storedName(`suspense/${id}`)],
  )

  const [asks, decides] = [`user:${ada.user.email}`, `user:${obi.user.email}`]
  assert.deepEqual(rows, [
    { action: 'suspense.request', actor: asks, note: 'She called.', requestedBy: null },
    { action: 'suspense.return', actor: decides, note: 'She called.', requestedBy: null },
    { action: 'suspense.approve', actor: decides, note: null, requestedBy: asks },
  ])
})
