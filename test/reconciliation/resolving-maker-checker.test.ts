// With maker-checker on, one user requests how a difference is resolved, and another approves (I66).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { addLineDifference, changesOf, decide, outcomeOf, resolve } from '../support/differences.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit, recordMovements } from '../support/movements.ts'
import { actionsOf, newBrowser } from '../support/people.ts'
import { newSessionId } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const FEE = { kind: 'unexplained_debit', line: { amount: -5, kind: 'fee' } } as const

// Starts a service with two operators and one difference.
async function setup() {
  const bench = await startTestService()
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const { id } = await addLineDifference(bench, FEE)
  return Object.assign(bench, { maker, checker, id })
}

// Starts the service of setup() and turns maker-checker on.
async function setupWithMakerChecker() {
  const bench = await setup()
  const answer = await setMakerChecker(bench.maker, true)
  assert.equal(answer.statusCode, 200, answer.body)
  return bench
}

test('under maker-checker one asks and another approves', async () => {
  await using bench = await setupWithMakerChecker()
  const { maker, checker, id } = bench
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(maker, id, 'book')), 'asked')
  assert.equal(await outcomeOf(resolve(maker, id, 'book')), 'asked')
  assert.deepEqual(await moves(), [])
  assert.equal(await outcomeOf(resolve(checker, id, 'book')), 'difference_asked')
  assert.equal(await outcomeOf(resolve(maker, id, 'note')), 'difference_asked')
  const approved = (await decide(checker, id, 'approve')).json().data
  assert.equal(await outcomeOf(decide(checker, id, 'approve')), 'cleared')
  assert.equal(await outcomeOf(resolve(maker, id, 'book')), 'cleared')

  const [asker, decider] = [maker, checker].map(({ user }) => `user:${user.email}`)
  const { state, askedBy, decidedBy } = approved
  assert.deepEqual([state, askedBy, decidedBy], ['cleared', asker, decider])
  assert.deepEqual(await moves(), ['bank_charge: bank_cost 035 → bank 035 5.00'])
  assert.deepEqual(await changesOf(bench, id), [
    'opened',
    `asked by ${asker}`,
    `resolved by ${decider}`,
    'cleared',
  ])
  assert.deepEqual(await actionsOf(bench, `difference/${id}`), [
    'difference.request',
    'difference.approve',
  ])
  await assertCleanBooks(bench)
})

test('a credit that was approved is booked, and both people are kept', async () => {
  await using bench = await setupWithMakerChecker()
  const { accountNumber } = await createAccount(bench)
  const { id } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 100, sessionId: newSessionId(), accountNumber },
  })
  await resolve(bench.maker, id, 'book')
  assert.equal(await balanceOf(bench, accountNumber), 0)

  assert.equal(await outcomeOf(decide(bench.checker, id, 'approve')), 'cleared')

  assert.equal(await balanceOf(bench, accountNumber), 100)
  const { rows } = await bench.db.query(
    'select asked_by, decided_by from differences where id = $1',
    [id],
  )
  const [askedBy, decidedBy] = [bench.maker, bench.checker].map((one) => `user:${one.user.email}`)
  assert.deepEqual(rows, [{ askedBy, decidedBy }])
  await assertCleanBooks(bench)
})

test('a difference whose credit the bank reported on other terms meanwhile is open again', async () => {
  await using bench = await setupWithMakerChecker()
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const { id } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 100, sessionId, accountNumber },
  })
  await resolve(bench.maker, id, 'book')
  await credit(bench, accountNumber, '99', { sessionId })

  assert.equal(await outcomeOf(decide(bench.checker, id, 'approve')), 'line_known_otherwise')
  assert.equal(await outcomeOf(decide(bench.checker, id, 'approve')), 'request_decided')
  assert.equal(await outcomeOf(resolve(bench.checker, id, 'note')), 'asked')
})

test('no user approves their own request, or one of the user who gave them access', async () => {
  await using bench = await setupWithMakerChecker()
  const { maker, checker, id } = bench
  // The code of the reason why this user cannot approve the request.
  const obstacle = async (browser: typeof maker) => {
    const url = `/api/v1/operator/reconciliation/${id}`
    return (await browser.call({ method: 'GET', url })).json().data.cannotApprove?.code
  }
  assert.equal(await obstacle(maker), undefined)
  await resolve(maker, id, 'book')

  assert.deepEqual(
    [await obstacle(maker), await obstacle(checker)],
    ['other_person_needed', undefined],
  )
  assert.equal(await outcomeOf(decide(maker, id, 'approve')), 'other_person_needed')
  const reason = 'x'
  assert.equal(await outcomeOf(decide(maker, id, 'reject', { reason })), 'other_person_needed')
  assert.equal(await outcomeOf(decide(checker, id, 'withdraw')), 'own_request_only')
  await bench.db.query(
    `insert into access_grants (client_id, user_id, granted_by, granted_at)
     select client_id, $1, $2, now() from users where id = $1`,
    [checker.user.id, maker.user.id],
  )
  assert.equal(await obstacle(checker), 'approver_not_independent')
  assert.equal(await outcomeOf(decide(checker, id, 'approve')), 'approver_not_independent')
  assert.equal(await outcomeOf(decide(checker, id, 'reject', { reason })), 'open')
})

test('after a rejection or withdrawal the difference is open, and can be requested again', async () => {
  await using bench = await setupWithMakerChecker()
  const { maker, checker, id } = bench
  const { moves } = await recordMovements(bench)
  await resolve(maker, id, 'book')
  assert.equal(await outcomeOf(decide(checker, id, 'reject', { reason: 'Not ours' })), 'open')
  await resolve(checker, id, 'note')
  assert.equal(await outcomeOf(decide(checker, id, 'withdraw')), 'open')

  for (const verb of ['approve', 'withdraw']) {
    assert.equal(await outcomeOf(decide(maker, id, verb)), 'request_decided')
  }
  assert.deepEqual(await moves(), [])
  assert.deepEqual(
    (await changesOf(bench, id)).map((line) => line.split(' ')[0]),
    ['opened', 'asked', 'rejected', 'asked', 'withdrawn'],
  )
  assert.equal(await outcomeOf(resolve(maker, id, 'note')), 'asked')
  assert.equal(await outcomeOf(decide(checker, id, 'approve')), 'resolved')
})

test('one of ten simultaneous approvals succeeds', async () => {
  await using bench = await setupWithMakerChecker()
  await resolve(bench.maker, bench.id, 'book')
  const checkers = []
  for (let made = 0; made < 10; made++) checkers.push(await newBrowser(bench, 'operator'))
  const { moves } = await recordMovements(bench)

  const outcomes = await Promise.all(
    checkers.map((checker) => outcomeOf(decide(checker, bench.id, 'approve'))),
  )

  assert.equal(outcomes.filter((outcome) => outcome === 'cleared').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome === 'request_decided').length, 9)
  assert.equal((await moves()).length, 1)
})

test('the database itself holds that it takes two, and that it is resolved once', async () => {
  await using bench = await setupWithMakerChecker()
  const { maker, checker, id } = bench
  await resolve(maker, id, 'note')
  const approveAs = (actor: string, user: string) =>
    bench.db.query(
      `update differences set state = 'resolved', decided_by = $2, decided_by_user = $3,
              decided_at = now() where id = $1`,
      [id, actor, user],
    )

  const own = approveAs('user:somebody', maker.user.id)
  await assert.rejects(own, /differences_two_people/)
  await approveAs('user:other', checker.user.id)
  const again = bench.db.query(`update differences set state = 'open' where id = $1`, [id])
  await assert.rejects(again, { constraint: 'differences_follow_transitions' })
  const twice = bench.db.query(
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, difference_id, reason, posted_at)
     select 1, 2, 5, $1, 'bank_charge', now() from generate_series(1, 2)`,
    [id],
  )
  await assert.rejects(twice, /transfers_of_difference_once/)
})
