// Which users may resolve differences (operators and their finance users), resolving in bulk, and hostile
// requests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addLineDifference,
  assertLinesExplained,
  decide,
  outcomeOf,
  REASON,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { assertRefused, balanceOf, createAccount, databaseText } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { recordMovements } from '../support/movements.ts'
import { newBrowser, newClientWithOwner } from '../support/people.ts'
import { newSessionId } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'

const FEE = { kind: 'unexplained_debit', line: { amount: -5, kind: 'fee' } } as const
const MANY = `${RECONCILIATION}/resolve`

// Starts a service with two operators and one difference.
async function setup() {
  const bench = await startTestService()
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const { id } = await addLineDifference(bench, FEE)
  return Object.assign(bench, { maker, checker, id })
}

test('a machine resolves while maker-checker is off, and not while it is on', async () => {
  await using bench = await setup()
  assert.equal(await outcomeOf(resolve(bench, bench.id, 'book')), 'cleared')
  const { id } = await addLineDifference(bench, FEE)
  await setMakerChecker(bench.maker, true)
  const before = await databaseText(bench)

  assertRefused(await resolve(bench, id, 'book'), { status: 403, code: 'people_only' })
  for (const verb of ['approve', 'withdraw']) {
    const answer = await decide(bench, id, verb)
    assertRefused(answer, { status: 403, code: 'people_only' })
  }
  assert.equal(await databaseText(bench), before)
})

test('only operators and their finance users: no other client, no other role', async () => {
  await using bench = await setup()
  const { browser } = await newClientWithOwner(bench)
  const token = await bench.newClient('OTHER')
  const before = await databaseText(bench)
  const body = { action: 'note', reason: REASON }
  const calls = [
    { url: `${RECONCILIATION}/${bench.id}/resolve`, body },
    { url: MANY, body: { ...body, ids: [bench.id] } },
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
  assert.equal(
    (await databaseText(bench)).match(/^differences .*$/gm)?.join(),
    before.match(/^differences .*$/gm)?.join(),
  )
})

test('bad requests are refused by field, and unknown differences are not found', async () => {
  await using bench = await setup()
  const url = `${RECONCILIATION}/${bench.id}/resolve`
  const good = { action: 'note', reason: REASON }
  const bad = [
    ['action', { ...good, action: 'delete' }],
    ['action', { reason: REASON }],
    ['reason', { action: 'note' }],
    ['reason', { ...good, reason: '' }],
    ['reason', { ...good, reason: '   ' }],
    ['reason', { ...good, reason: 'x'.repeat(501) }],
    ['reason', { ...good, reason: 'a\u0000b' }],
    ['reason', { ...good, reason: 5 }],
    ['more', { ...good, more: 1 }],
  ] as const
  for (const [field, body] of bad) {
    const answer = await bench.call({ url, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.equal(answer.json().errors[0].field, field)
  }
  for (const id of ['0', '-1', '1e3', '999999', 'x', '%00', '9'.repeat(30), "1'--"]) {
    const answer = await bench.call({ url: `${RECONCILIATION}/${id}/resolve`, body: good })
    assertRefused(answer, { status: 404, code: 'difference_not_found' })
  }
  const longest = { action: 'note', reason: 'ọ̀rọ̀ 💸'.repeat(60).slice(0, 500) } as const
  const { data } = (await bench.call({ url, body: longest })).json()
  assert.equal(data.reason, longest.reason)
})

test('many are resolved each on its own, in order, and again without effect', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const ids = [bench.id]
  for (let at = 1; at <= 5; at++) {
    const line = { amount: at, sessionId: newSessionId(), accountNumber }
    ids.push((await addLineDifference(bench, { kind: 'missing_in_books', line })).id)
  }
  const { id: noted } = await addLineDifference(bench, {
    kind: 'wrong_account',
    line: { amount: 3 },
  })
  const all = [...ids, noted, 999_999, bench.id]
  const { moves } = await recordMovements(bench)
  const many = () => bench.call({ url: MANY, body: { ids: all, action: 'book', reason: REASON } })

  const [first, second] = [(await many()).json(), (await many()).json()]

  assert.deepEqual(second.data, first.data)
  assert.deepEqual(
    first.data.map(({ id, ok, code }: { id: number; ok: boolean; code?: string }) => [
      id,
      ok,
      code,
    ]),
    [
      ...ids.map((id) => [id, true, undefined]),
      [noted, false, 'action_not_allowed'],
      [999_999, false, 'difference_not_found'],
      [bench.id, true, undefined],
    ],
  )
  assert.match(first.data[ids.length].message, /Must be one of note for wrong_account/)
  assert.equal((await moves()).length, 6)
  assert.equal(await balanceOf(bench, accountNumber), 15)
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('more than 500 ids, no ids, and texts that are no ids are refused', async () => {
  await using bench = await setup()
  const lists = [[], Array(501).fill(1), ['x'], [1.5], [0], [-1], [2 ** 60], null, 'all']
  for (const ids of lists) {
    const answer = await bench.call({ url: MANY, body: { ids, action: 'note', reason: REASON } })
    assertRefused(answer, { status: 400 })
  }
  const all = Array.from({ length: 500 }, (_, at) => at + 1_000_000)
  const answer = await bench.call({ url: MANY, body: { ids: all, action: 'note', reason: REASON } })
  assert.equal(answer.json().data.length, 500)
})

test('a payer who was erased from the line is not made up', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const { sealer } = sealingOf(bench)
  const whole = { counterpartySealed: sealer.seal('0123456789'), counterpartyName: 'ADA OBI' }
  const payers = [whole, { counterpartyName: null, counterpartySealed: null }]
  for (const payer of payers) {
    const line = { amount: 10, sessionId: newSessionId(), accountNumber, ...payer }
    const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  }
  const { rows } = await bench.db.query(
    'select source_account_name as name, source_account_sealed as sealed from credits order by id',
  )
  assert.deepEqual(
    rows.map(({ name, sealed }) => [name, sealed && sealer.open(sealed)]),
    [
      ['ADA OBI', '0123456789'],
      [null, null],
    ],
  )
})
