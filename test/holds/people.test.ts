// A hold on a person stops the money of every account with the person's BVN, at all clients, also of accounts
// that come later, and two people release it (I251, I252).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { holdPeopleRound } from '#holds/workers.ts'
import { assertCleanBooks, tally } from '../support/bank-calls.ts'
import { createAccount, databaseText, dataOf } from '../support/fixtures.ts'
import { HOLDS, startHolds } from '../support/holding.ts'
import { tryPayOut } from '../support/money-out.ts'
import { newBrowser } from '../support/people.ts'
import { pay } from '../support/refunding.ts'
import { requestClosing, setBankAccount } from '../support/settlements.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const BVN = '22212345678'
const MASKED = '222*****678'
const NEVER = new AbortController().signal

type Bench = Awaited<ReturnType<typeof setup>>

// Starts a service with another client, and a second operator who approves.
async function setup() {
  const bench = await startHolds()
  const other = await bench.newClient('OTHER00001')
  return Object.assign(bench, { other, checker: await newBrowser(bench, 'operator') })
}

const tryHoldPerson = ({ maker }: Bench, more: object = {}) =>
  maker.call({
    url: HOLDS,
    body: { target: 'person', bvn: BVN, reason: 'On the watch-list', ...more },
  })
const holdPerson = async (bench: Bench, more: object = {}) =>
  dataOf(await tryHoldPerson(bench, more))

const list = async ({ maker }: Bench, query = '') =>
  (await maker.call({ url: `${HOLDS}${query}` })).json().data

// Requests and approves the end of a hold; returns the code of the first refusal, or the new state.
async function end({ maker, checker }: Bench, reference: string, verb: string) {
  const url = `${HOLDS}/${reference}`
  const ending = (await maker.call({ url: `${url}/${verb}`, body: { reason: 'Decided' } })).json()
  if (ending.code) return ending.code
  const body = { revision: ending.data.revision }
  const decided = (await checker.call({ url: `${url}/approve`, body })).json()
  return decided.code ?? (await maker.call({ url })).json().data.state
}

async function heldOf(bench: Bench, token?: string): Promise<number> {
  const answer = await bench.call({ url: '/api/v1/balances', ...(token ? { token } : {}) })
  return answer.json().data.totals[0]?.held ?? 0
}

// Runs the worker until no account of a held person waits.
async function runPeople(bench: Bench): Promise<void> {
  const round = holdPeopleRound(bench)
  while ((await round(NEVER)).more);
}

const openAccount = (bench: Bench, token?: string, bvn = BVN) =>
  createAccount(bench, { bvn }, token ? { token } : {})

test('a hold on a person holds what is there and what comes, until two people release it', async () => {
  await using bench = await setup()
  const mine = await openAccount(bench)
  const theirs = await openAccount(bench, bench.other)
  const stranger = await createAccount(bench, { bvn: '22299999999' })
  await pay(bench, mine.accountNumber, '100')
  await pay(bench, theirs.accountNumber, '70')
  await pay(bench, stranger.accountNumber, '5')

  const { reference, ...placed } = await holdPerson(bench)
  assert.deepEqual(
    [placed.target, placed.clientId, placed.bvnMasked, placed.accounts, placed.heldAmount],
    ['person', null, MASKED, 2, 170],
  )
  assert.deepEqual([await heldOf(bench), await heldOf(bench, bench.other)], [100, 70])
  const parts = await list(bench, `?person=${reference}`)
  assert.deepEqual(
    parts.map((hold: Record<string, unknown>) => [
      hold.target,
      hold.clientId,
      hold.person,
      hold.bvnMasked,
    ]),
    [
      ['account', 'OTHER00001', reference, MASKED],
      ['account', 'MAN0000001', reference, MASKED],
    ],
  )
  await pay(bench, theirs.accountNumber, '30')
  assert.equal(await tryPayOut(bench, 6), 'insufficient_balance')
  const payout = {
    url: '/api/v1/payouts',
    token: bench.other,
    body: { amount: 1, narration: 'Out' },
  }
  assert.notEqual((await bench.call(payout)).statusCode, 200)

  assert.equal(await end(bench, parts[0].reference, 'release'), 'hold_of_person')
  assert.equal(await end(bench, reference, 'forfeit'), 'hold_of_accounts')
  assert.equal(await end(bench, reference, 'release'), 'released')
  assert.deepEqual([await heldOf(bench), await heldOf(bench, bench.other)], [0, 0])
  const states = await list(bench)
  assert(states.every(({ state }: { state: string }) => state === 'released'))
  await assertCleanBooks(bench)
})

test('the operator who asks for the release of a person does not approve it', async () => {
  await using bench = await setup()
  await openAccount(bench)
  const { reference } = await holdPerson(bench)
  assert.equal(
    await end({ ...bench, checker: bench.maker } as Bench, reference, 'release'),
    'other_person_needed',
  )
})

test('an account that is opened later is held at once, and operators are alerted', async () => {
  await using bench = await setup()
  const { reference } = await holdPerson(bench)
  const { accountNumber } = await openAccount(bench, bench.other)
  await pay(bench, accountNumber, '40')
  await runPeople(bench)
  assert.equal(await heldOf(bench, bench.other), 40)
  const { rows } = await bench.db.query<{ subject: string; detail: Record<string, string> }>(
    `select subject, detail from alerts where kind = 'held_person_account'`,
  )
  assert.deepEqual(rows, [
    { subject: `account/${accountNumber}`, detail: { hold: reference, accountNumber } },
  ])
  const events = await bench.call({ url: '/api/v1/events?limit=100', token: bench.other })
  assert.match(events.body, /hold\.placed/)
  assert.doesNotMatch(events.body, /watch|person|222\*|MAN0000001/i)
  await assertCleanBooks(bench)
})

test('money of an account opened a moment ago is not drawn before a worker has held it', async () => {
  await using bench = await setup()
  await setBankAccount(bench)
  await holdPerson(bench)
  const { accountNumber } = await openAccount(bench)
  await pay(bench, accountNumber, '40')
  assert.equal(await tryPayOut(bench, 1), 'insufficient_balance')
  const later = await openAccount(bench)
  await pay(bench, later.accountNumber, '60')
  dataOf(await requestClosing(bench))
  await runPeople(bench)
  assert.equal(await heldOf(bench), 100)
  await assertCleanBooks(bench)
})

test('an account that gets the BVN later is held, and stays held when its BVN is changed', async () => {
  await using bench = await setup()
  const { reference } = await holdPerson(bench)
  const { accountNumber } = await createAccount(bench, { bvn: '22299999999' })
  await bench.db.query(
    'update collection_accounts set bvn_hash = (select bvn_hash from held_people)',
  )
  await bench.db.query(`update collection_accounts set bvn_hash = '\\x01'`)
  await pay(bench, accountNumber, '25')
  await runPeople(bench)
  assert.equal(await tryPayOut(bench, 1), 'insufficient_balance')
  assert.equal((await list(bench, `?person=${reference}`)).length, 1)
})

test('no table, log line or response has the BVN of a held person', async () => {
  await using bench = await setup()
  const answer = await tryHoldPerson(bench)
  assert.equal(answer.statusCode, 200, answer.body)
  const bad = await tryHoldPerson(bench, { clientId: 'MAN0000001' })
  assert.deepEqual(
    bad.json().errors.map(({ field }: { field: string }) => field),
    ['clientId'],
  )
  assert(!(await databaseText(bench)).includes(BVN))
  for (const text of [bench.logText(), answer.body, bad.body, JSON.stringify(await list(bench))]) {
    assert(!text.includes(BVN), text.slice(0, 300))
  }
})

test('a hold that does not name a person is refused', async () => {
  await using bench = await setup()
  const fieldsOf = async (body: object) =>
    (await bench.maker.call({ url: HOLDS, body: { reason: 'Reported', ...body } }))
      .json()
      .errors.map(({ field }: { field: string }) => field)
  const person = { target: 'person', bvn: BVN }
  assert.deepEqual(await fieldsOf({ target: 'person' }), ['bvn'])
  for (const bvn of [
    '',
    '2221234567',
    '222123456789',
    '2221234567x',
    '２２２１２３４５６７８',
    22212345678,
    null,
  ])
    assert.deepEqual(await fieldsOf({ target: 'person', bvn }), ['bvn'])
  assert.deepEqual(await fieldsOf({ ...person, amount: '5' }), ['amount'])
  assert.deepEqual(await fieldsOf({ ...person, accountNumber: '0123456789' }), ['accountNumber'])
  assert.deepEqual(await fieldsOf({ target: 'client' }), ['clientId'])
  assert.deepEqual(await fieldsOf({ target: 'client', clientId: 'MAN0000001', bvn: BVN }), ['bvn'])
  assert.deepEqual(await list(bench), [])
})

test('an account that is being opened while its person is held is not missed', async () => {
  await using bench = await setup()
  let placing: ReturnType<typeof holdPerson> | undefined
  await withTransaction(bench.db, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock_shared(hashtext('held_people'))`)
    placing = holdPerson(bench)
    await untilWaiting(bench.db, 1)
    const { rowCount } = await bench.db.query(`select from holds`)
    assert.equal(rowCount, 0)
  })
  await placing
  const opened = Promise.all(Array.from({ length: 6 }, () => openAccount(bench, bench.other)))
  const second = holdPerson(bench, { reason: 'Another order' })
  await Promise.all([opened, second])
  await runPeople(bench)
  const accountsOf = async (reference: string) =>
    (await list(bench, `?person=${reference}&limit=100`)).length
  assert.equal(await accountsOf((await placing).reference), 6)
  assert.equal(await accountsOf((await second).reference), 6)
})

test('while a person is released, accounts are opened and money comes: nothing stays held', async () => {
  await using bench = await setup()
  const accounts = [await openAccount(bench), await openAccount(bench, bench.other)]
  const { reference } = await holdPerson(bench)
  const url = `${HOLDS}/${reference}`
  const ending = dataOf(
    await bench.maker.call({ url: `${url}/release`, body: { reason: 'Decided' } }),
  )
  const checkers = [bench.checker, await newBrowser(bench, 'operator')]
  const [approved] = await Promise.all([
    Promise.all(
      checkers.map((by) => by.call({ url: `${url}/approve`, body: { revision: ending.revision } })),
    ),
    ...accounts.map(({ accountNumber }) => pay(bench, accountNumber, '10')),
    openAccount(bench),
    runPeople(bench),
    tryPayOut(bench, 1),
  ])
  const codes = approved.map((answer) => answer.json().code ?? answer.json().data.state)
  assert.deepEqual(tally(codes), { approved: 1, request_decided: 1 })
  await runPeople(bench)
  assert.deepEqual(await list(bench, '?state=active'), [])
  assert.deepEqual([await heldOf(bench), await heldOf(bench, bench.other)], [0, 0])
  await assertCleanBooks(bench)
})

test('a forfeiture of an account of a person leaves it held for later money', async () => {
  await using bench = await setup()
  const { accountNumber } = await openAccount(bench)
  await pay(bench, accountNumber, '90')
  const { reference } = await holdPerson(bench)
  const [part] = await list(bench, `?person=${reference}`)
  assert.equal(await end(bench, part.reference, 'forfeit'), 'active')
  await pay(bench, accountNumber, '15')
  assert.equal(await tryPayOut(bench, 1), 'insufficient_balance')
  assert.equal(await end(bench, reference, 'release'), 'released')
  assert.equal((await list(bench, `?person=${reference}`))[0].forfeitedAmount, 90)
  await assertCleanBooks(bench)
})
