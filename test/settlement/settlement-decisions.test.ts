// Closing, approving and cancelling settlements: which users may, who sees them, and the refusals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import { newBrowser, signIn, USERS_URL, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { SETTLEMENT_RECIPES } from '../support/settlement-recipes.ts'
import {
  closeSettlement,
  decideOn,
  HOLIDAYS,
  listOf,
  requestClosing,
  SETTINGS,
  SETTLEMENTS,
  setBankAccount,
  setSettings,
  settlementOf,
} from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
await setBankAccount(bench)
const { accountNumber } = await createAccount(bench)

test('under maker-checker another user approves than who closed it', async () => {
  const [maker, checker] = [await newBrowser(bench), await newBrowser(bench)]
  assert.equal((await setMakerChecker(maker, true)).statusCode, 200)
  await credit(bench, accountNumber, '100')

  const { reference, status, heldReason, needsApproval } = await closeSettlement(maker)
  assert.deepEqual([status, heldReason, needsApproval], ['closed', 'approval_needed', true])
  const own = { status: 409, code: 'other_person_needed' }
  assertRefused(await decideOn(maker, reference, 'approve'), own)
  const machine = { status: 403, code: 'people_only' }
  assertRefused(await decideOn(bench, reference, 'approve'), machine)
  await assertCleanBooks(bench)
  const approved = dataOf(await decideOn(checker, reference, 'approve'))
  const again = dataOf(await decideOn(checker, reference, 'approve'))

  assert.deepEqual([approved.status, again.payouts.length], ['approved', 1])
  assert.match(approved.approvedBy, /^user:/)
  const late = { status: 409, code: 'settlement_not_closed' }
  assertRefused(await decideOn(maker, reference, 'approve'), late)
  await assertCleanBooks(bench)
})

test('neither a user whom the maker gave access nor a new user can approve', async () => {
  await using own = await startTestService({ env: { MANILLA_APPROVER_WAIT_HOURS: '24' } })
  await setBankAccount(own)
  const [maker, checker] = [await newBrowser(own, 'owner'), await newBrowser(own, 'support')]
  assert.equal((await setMakerChecker(maker, true)).statusCode, 200)
  await credit(own, (await createAccount(own)).accountNumber, '100')
  const { reference } = await closeSettlement(maker)
  const url = `${USERS_URL}/${await userIdOf(own, checker.user.email)}`
  const change = { method: 'PATCH', url, body: { role: 'owner' } } as const
  assert.equal((await maker.call(change)).statusCode, 200)

  const tooNew = await decideOn(checker, reference, 'approve')
  own.advance(25 * 3_600_000)
  const later = await signIn(own, checker.user.email)
  const dependent = await decideOn(later, reference, 'approve')

  assertRefused(tooNew, { status: 409, code: 'approver_too_new' })
  assertRefused(dependent, { status: 409, code: 'approver_not_independent' })
})

test('the database refuses an approval by the maker, whatever the code does', async () => {
  bench.advance(1_000)
  const maker = await newBrowser(bench)
  await credit(bench, accountNumber, '100')
  const { reference } = await closeSettlement(maker)

  for (const approver of ['closed_by_user', 'null']) {
    await assert.rejects(
      bench.db.query(
        `update settlements set status = 'approved', approved_by = 'user:other@example.com',
                approved_by_user = ${approver}, approved_at = now() where reference = $1`,
        [reference],
      ),
      /settlements_two_people/,
    )
  }
  await assert.rejects(
    bench.db.query('update settlements set needs_approval = false where reference = $1', [
      reference,
    ]),
    /does not change/,
  )
  assert.equal((await decideOn(bench, reference, 'cancel')).statusCode, 200)
})

test('closing, approving and cancelling are in the audit log with their amounts', async () => {
  const { rows } = await bench.db.query<{ action: string; detail: { netKobo: string } }>(
    `select action, detail from audit_log where action like 'settlement.%' order by id`,
  )

  const decisions = rows.map(({ action, detail }) => `${action} ${detail.netKobo}`)
  assert.deepEqual(decisions, [
    'settlement.close 10000',
    'settlement.approve 10000',
    'settlement.close 10000',
    'settlement.cancel 10000',
  ])
})

test('the same key closes once, and answers the same', async () => {
  bench.advance(1_000)
  await credit(bench, accountNumber, '1')
  const headers = { 'idempotency-key': 'close-1' }
  const call = { url: SETTLEMENTS, body: {}, headers }

  const [first, second] = [await bench.call(call), await bench.call(call)]

  assert.equal(first.statusCode, 200, first.body)
  assert.deepEqual(second.json(), first.json())
  assert.equal(second.headers['idempotent-replayed'], 'true')
})

test('nothing of a settlement is another client’s to see or change', async () => {
  const token = await bench.newClient('MAN0000002')
  const [{ reference, status }] = await listOf(bench)

  for (const [name, recipe] of Object.entries(SETTLEMENT_RECIPES)) {
    for (const call of recipe({ settlementReference: reference, cursors: {} } as never)) {
      const answer = await bench.call({ ...call, token })
      assert(!answer.body.includes(reference), name)
      if (call.url.includes(reference)) assertRefused(answer, { status: 404 })
    }
  }
  assert.equal((await settlementOf(bench, reference)).status, status)
  assert.deepEqual(await listOf(bench, { token }), [])
})

test('a client restricted to merchantCodes has nothing to do with settlements', async () => {
  const token = await bench.newClient('MAN0000003')
  await bench.db.query(
    `update clients set merchant_codes = '{BR-1}' where client_id = 'MAN0000003'`,
  )
  const fresh = await bench.login('MAN0000003', 's3cret')
  bench.advance(10_000)

  for (const url of [SETTLEMENTS, SETTINGS, `${SETTLEMENTS}/upcoming`]) {
    const answer = await bench.call({ url, token: fresh })
    assertRefused(answer, { status: 403, code: 'merchants_restricted' })
  }
  assertRefused(await requestClosing(bench, { token }), { status: 403 })
})

test('a user who may only read payouts changes nothing', async () => {
  const developer = await newBrowser(bench, 'developer')
  const [{ reference }] = await listOf(bench)

  assert.equal((await developer.call({ url: `${SETTLEMENTS}/${reference}` })).statusCode, 200)
  for (const answer of [
    await requestClosing(developer as never),
    await decideOn(developer, reference, 'approve'),
    await decideOn(developer, reference, 'cancel'),
    await setSettings(developer, { schedule: 'manual' }),
    await developer.call({ method: 'DELETE', url: `${HOLIDAYS}/2026-12-25` }),
  ]) {
    assertRefused(answer, { status: 403, code: 'role_not_allowed' })
  }
})

test('settings that make no sense are refused', async () => {
  for (const body of [
    {},
    { schedule: 'hourly' },
    { schedule: 'daily' },
    { schedule: 'daily@24:00' },
    { schedule: 'daily@9:00' },
    { schedule: 'T+2@09:00' },
    { schedule: 'weekly@Sat@09:00' },
    { schedule: 'weekly@Mon' },
    { schedule: 'manual', minimumAmount: -1 },
    { schedule: 'manual', minimumAmount: '1.001' },
    { schedule: 'manual', reservePercent: 101, reserveDays: 1 },
    { schedule: 'manual', reservePercent: 1.005, reserveDays: 1 },
    { schedule: 'manual', reservePercent: 10 },
    { schedule: 'manual', reserveDays: 10 },
    { schedule: 'manual', reservePercent: 10, reserveDays: 366 },
    { schedule: 'manual', unknown: 1 },
  ]) {
    const answer = await setSettings(bench, body)
    assertRefused(answer, { code: 'invalid_request' })
  }
  const good = { schedule: 'weekly', minimumAmount: 10, reservePercent: 0.29, reserveDays: 3 }
  const set = dataOf(await setSettings(bench, good))
  assert.deepEqual(
    [set.schedule, set.minimumAmount, set.reservePercent, set.reserveDays],
    ['weekly@Mon@09:00', 10, 0.29, 3],
  )
  assert.deepEqual(dataOf(await bench.call({ url: SETTINGS })), set)
  for (const date of ['2026-02-30', 'Monday', '2026-1-1']) {
    const body = { name: 'x', status: 'confirmed', source: 'x' }
    const answer = await bench.call({ method: 'PUT', url: `${HOLIDAYS}/${date}`, body })
    assertRefused(answer, { code: 'invalid_request' })
  }
})

test('a malformed reference and an unknown status are refused', async () => {
  for (const reference of ['STL1', 'x', '%00', 'STL99999999999999X']) {
    const answer = await bench.call({ url: `${SETTLEMENTS}/${reference}` })
    assertRefused(answer, { status: 404 })
  }
  const answer = await bench.call({ url: `${SETTLEMENTS}?status=open` })
  assertRefused(answer, { code: 'invalid_request' })
})

test('a settlement that was held before maker-checker is approved by another user too', async () => {
  await using fresh = await startTestService()
  const [maker, checker] = [await newBrowser(fresh), await newBrowser(fresh)]
  await setBankAccount(fresh, { status: 'unconfirmed' })
  await credit(fresh, (await createAccount(fresh)).accountNumber, '100')
  const { reference, heldReason } = await closeSettlement(maker)
  assert.equal(heldReason, 'bank_account_unconfirmed')
  await setBankAccount(fresh)
  assert.equal((await setMakerChecker(maker, true)).statusCode, 200)

  const own = { status: 409, code: 'other_person_needed' }
  assertRefused(await decideOn(maker, reference, 'approve'), own)
  const machine = { status: 403, code: 'people_only' }
  assertRefused(await decideOn(fresh, reference, 'approve'), machine)
  assert.equal((await decideOn(checker, reference, 'approve')).statusCode, 200)
})
