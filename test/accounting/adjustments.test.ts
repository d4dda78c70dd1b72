// Recovering and writing off the debts of clients and banks: two people must agree, and never more than is
// owed (I60). Each test checks exactly the transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startTwin, tally } from '../support/bank-calls.ts'
import { assertRefused, createAccount, databaseText, dataOf } from '../support/fixtures.ts'
import { payOut, tryPayOut } from '../support/money-out.ts'
import { begin, credit, recordMovements, resolve, reverse } from '../support/movements.ts'
import { SANDBOX_PREFIXES } from '../support/payouts.ts'
import { type Browser, makeUser, newBrowser, signIn, USERS_URL } from '../support/people.ts'
import { askRefund, pay } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'

const ADJUSTMENTS = '/api/v1/operator/adjustments'
const OF_CLIENT = { kind: 'recovery', of: 'receivable', clientId: 'MAN0000001' }
const OF_BANK = { kind: 'recovery', of: 'shortfall', bankCode: '035' }

// Starts a service where the client owes 70 and the bank owes 40. The client owes because a credit was
// reversed after its money was paid out, and the bank owes because a credit was reversed after its money was
// returned.
async function setup() {
  const bench = await startTestService()
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '100')
  await payOut(bench, 70)
  await reverse(bench, sessionId, '100')
  const nobodys = await credit(bench, NOBODYS_NUMBER, '40')
  await resolve(bench, nobodys.sessionId, 'return')
  await reverse(bench, nobodys.sessionId, '40')
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  return Object.assign(bench, { maker, checker })
}

const tryRequestAdjustment = (by: Browser, body: object) =>
  by.call({ url: ADJUSTMENTS, body: { amount: '10', reason: 'Agreed by phone', ...body } })

// Decides a requested adjustment. `verb` is the last part of the path, such as approve.
const decide = (by: Browser, reference: string, verb: string, body: object = {}) =>
  by.call({ url: `${ADJUSTMENTS}/${reference}/${verb}`, body })

const requestAdjustment = async (by: Browser, body: object): Promise<string> =>
  dataOf(await tryRequestAdjustment(by, body)).reference

// Requests an adjustment and approves it as another user. Returns its state, or the code of the refusal.
async function requestAndApprove(
  { maker, checker }: { maker: Browser; checker: Browser },
  body: object,
) {
  const answer = await decide(checker, await requestAdjustment(maker, body), 'approve')
  return answer.json().data?.state ?? answer.json().code
}

// Credits the client's available balance through a payment.
async function creditPayment(bench: Bench, amount: string): Promise<void> {
  const { number } = await begin(bench, { amountPolicy: 'any' })
  await credit(bench, number, amount)
}

test('each kind of adjustment posts its own transfer once it is approved', async () => {
  await using bench = await setup()
  await creditPayment(bench, '25')
  const { moves } = await recordMovements(bench)
  const bodies = [
    OF_CLIENT,
    { ...OF_CLIENT, kind: 'write_off' },
    OF_BANK,
    { ...OF_BANK, kind: 'write_off' },
  ]

  const references = []
  for (const body of bodies) references.push(await requestAdjustment(bench.maker, body))
  assert.deepEqual(await moves(), [])
  for (const reference of references) {
    const approved = await decide(bench.checker, reference, 'approve')
    assert.equal(dataOf(approved).state, 'approved')
  }

  assert.deepEqual(await moves(), [
    'recovery: available → receivable 10.00',
    'write_off: write_off → receivable 10.00',
    'recovery: bank 035 → shortfall 035 10.00',
    'write_off: write_off 035 → shortfall 035 10.00',
  ])
  await assertCleanBooks(bench)
})

test('repeating an approval moves no money', async () => {
  await using bench = await setup()
  const reference = await requestAdjustment(bench.maker, { ...OF_CLIENT, kind: 'write_off' })
  await decide(bench.checker, reference, 'approve')
  const before = await databaseText(bench)

  const again = await decide(bench.checker, reference, 'approve')

  assert.equal(dataOf(again).state, 'approved')
  assert.equal(await databaseText(bench), before)
})

test('never more than is owed, asked for or approved', async () => {
  await using bench = await setup()
  const whole = { ...OF_CLIENT, kind: 'write_off', amount: '70' }
  const request = (body: object) => tryRequestAdjustment(bench.maker, body)

  const tooMuch = { status: 409, code: 'adjustment_too_large' }
  assertRefused(await request({ ...whole, amount: '70.01' }), tooMuch)
  assertRefused(await request({ ...OF_BANK, amount: '40.01' }), tooMuch)
  assertRefused(await request({ ...OF_BANK, bankCode: '058' }), tooMuch)
  const [first, second] = [
    await requestAdjustment(bench.maker, whole),
    await requestAdjustment(bench.maker, whole),
  ]
  assert.equal(dataOf(await decide(bench.checker, first, 'approve')).state, 'approved')
  assertRefused(await decide(bench.checker, second, 'approve'), tooMuch)
  await assertCleanBooks(bench)
})

test('a recovery takes what is available to the client, or is refused', async () => {
  await using bench = await setup()
  await creditPayment(bench, '30')

  assert.equal(
    await requestAndApprove(bench, { ...OF_CLIENT, amount: '30.01' }),
    'insufficient_balance',
  )
  assert.equal(await requestAndApprove(bench, { ...OF_CLIENT, amount: '30' }), 'approved')
  await assertCleanBooks(bench)
})

test('recovered and written-off debts no longer stop payouts', async () => {
  await using bench = await setup()
  await creditPayment(bench, '80')

  assert.equal(await tryPayOut(bench, 10.01), 'insufficient_balance')
  assert.equal(await requestAndApprove(bench, { ...OF_CLIENT, amount: '40' }), 'approved')
  assert.equal(await tryPayOut(bench, 10.01), 'insufficient_balance')
  assert.equal(
    await requestAndApprove(bench, { ...OF_CLIENT, kind: 'write_off', amount: '30' }),
    'approved',
  )
  assert.equal(await tryPayOut(bench, 40), 'queued')
  await assertCleanBooks(bench)
})

test('a shortfall on a return that is still on its way is not given up', async () => {
  await using bench = await setup()
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '15', {
    sourceAccountNumber: `${SANDBOX_PREFIXES.neverAnswers}00001`,
    sourceAccountName: 'ADA OBI',
    sourceBankCode: '058',
  })
  assert.equal(await resolve(bench, sessionId, 'return'), 'returning')
  await reverse(bench, sessionId, '15')

  const answer = await tryRequestAdjustment(bench.maker, { ...OF_BANK, amount: '40.01' })

  assertRefused(answer, { status: 409, code: 'adjustment_too_large' })
  assert.equal(await requestAndApprove(bench, { ...OF_BANK, amount: '40' }), 'approved')
})

test('no user approves their own request, or one of the user who gave them access', async () => {
  await using bench = await setup()
  const body = { ...OF_CLIENT, kind: 'write_off' }
  const reference = await requestAdjustment(bench.maker, body)

  const own = { status: 409, code: 'other_person_needed' }
  assertRefused(await decide(bench.maker, reference, 'approve'), own)
  assertRefused(await decide(bench.maker, reference, 'reject', { reason: 'x' }), own)
  const [maker, checker] = [bench.maker.user.id, bench.checker.user.id]
  await bench.db.query(
    `insert into access_grants (client_id, user_id, granted_by, granted_at)
     select client_id, $1, $2, now() from users where id = $1`,
    [checker, maker],
  )
  const behind = { status: 409, code: 'approver_not_independent' }
  assertRefused(await decide(bench.checker, reference, 'approve'), behind)
  const { data } = (await bench.checker.call({ url: ADJUSTMENTS })).json()
  assert.equal(data[0].cannotApprove.code, 'approver_not_independent')
})

test('a maker who was removed and invited again is still the same person', async () => {
  await using bench = await setup()
  const reference = await requestAdjustment(bench.maker, { ...OF_CLIENT, kind: 'write_off' })
  const { id, email } = bench.maker.user
  await bench.checker.call({ method: 'DELETE', url: `${USERS_URL}/${id}` })
  const again = await signIn(bench, await makeUser(bench, { role: 'operator', email }))
  const { code } = (await decide(again, reference, 'approve')).json()
  assert.equal(code, 'other_person_needed')
})

test('the database itself requires two users', async () => {
  await using bench = await setup()
  const reference = await requestAdjustment(bench.maker, { ...OF_CLIENT, kind: 'write_off' })
  const decideAs = (state: string, user: string) =>
    bench.db.query(
      `update adjustments set state = $2, decided_by = 'x', decided_by_user = $3, decided_at = now()
        where reference = $1`,
      [reference, state, user],
    )

  await assert.rejects(decideAs('approved', bench.maker.user.id), /adjustments_two_people/)
  await decideAs('approved', bench.checker.user.id)
  await assert.rejects(decideAs('rejected', bench.checker.user.id), /decided once/)
  await assert.rejects(bench.db.query('delete from adjustments'))
})

test('a rejected or withdrawn request moves no money and is final', async () => {
  await using bench = await setup()
  const { moves } = await recordMovements(bench)
  const [first, second] = [
    await requestAdjustment(bench.maker, OF_BANK),
    await requestAdjustment(bench.maker, OF_BANK),
  ]

  const rejected = await decide(bench.checker, first, 'reject', { reason: 'Not agreed' })
  const foreign = await decide(bench.checker, second, 'withdraw')
  const withdrawn = await decide(bench.maker, second, 'withdraw')

  const { state, decisionReason } = dataOf(rejected)
  assert.deepEqual([state, decisionReason], ['rejected', 'Not agreed'])
  assertRefused(foreign, { status: 409, code: 'own_request_only' })
  assert.equal(dataOf(withdrawn).state, 'withdrawn')
  for (const reference of [first, second]) {
    const late = await decide(bench.checker, reference, 'approve')
    assertRefused(late, { status: 409, code: 'request_decided' })
  }
  assert.deepEqual(await moves(), [])
})

test('only signed-in operators can request, with one debtor and a valid amount', async () => {
  await using bench = await setup()
  const owner = await newBrowser(bench, 'owner')
  const url = ADJUSTMENTS
  const body = { ...OF_BANK, amount: '1', reason: 'x' }

  const machine = await bench.call({ url, body })
  assertRefused(machine, { status: 403, code: 'people_only' })
  const merchant = await owner.call({ url, body })
  assertRefused(merchant, { status: 403, code: 'role_not_allowed' })
  const bad: [string, object][] = [
    ['clientId', { of: 'receivable', bankCode: undefined }],
    ['bankCode', { of: 'receivable', clientId: 'MAN0000001' }],
    ['clientId', { clientId: 'MAN0000001' }],
    ['bankCode', { bankCode: undefined }],
    ['kind', { kind: 'gift' }],
    ['of', { of: 'loan' }],
    ['amount', { amount: 0 }],
    ['amount', { amount: '1.001' }],
    ['reason', { reason: '' }],
  ]
  for (const [field, change] of bad) {
    const answer = await bench.maker.call({ url, body: { ...body, ...change } })
    assertRefused(answer, { code: 'invalid_request' })
    assert.equal(answer.json().errors[0].field, field, JSON.stringify(change))
  }
  const nobody = await tryRequestAdjustment(bench.maker, { ...OF_CLIENT, clientId: 'NOBODY' })
  assertRefused(nobody, { status: 404, code: 'client_not_found' })
  const none = await decide(bench.checker, 'ADJ000000000000000', 'approve')
  assertRefused(none, { status: 404, code: 'adjustment_not_found' })
})

test('approvals at once, through two processes, recover no more than is owed', async () => {
  await using bench = await setup()
  await using twin = await startTwin(bench)
  await creditPayment(bench, '500')
  const references = []
  for (let nth = 0; nth < 6; nth++) {
    references.push(await requestAdjustment(bench.maker, { ...OF_CLIENT, amount: '20' }))
  }
  const { cookie, csrfToken } = bench.checker
  const headers = { cookie, 'x-csrf-token': csrfToken }

  const answers = await Promise.all(
    references.map((reference, nth) =>
      (nth % 2 ? twin : bench).call({
        url: `${ADJUSTMENTS}/${reference}/approve`,
        body: {},
        token: null,
        headers,
      }),
    ),
  )

  const states = answers.map((answer) => answer.json().data?.state ?? answer.json().code)
  assert.deepEqual(tally(states), { approved: 3, adjustment_too_large: 3 })
  await assertCleanBooks(bench)
})

test('maker, checker and amount are in the operator’s audit log and in the debtor’s', async () => {
  await using bench = await setup()
  const token = await bench.newClient('DEBTOR')
  const { accountNumber } = await createAccount(bench, {}, { token })
  const { sessionId } = await pay(bench, accountNumber, '30')
  dataOf(await askRefund(bench, sessionId, { amount: '30', token }))
  await reverse(bench, sessionId, '30')
  const { maker, checker } = bench

  const body = { ...OF_CLIENT, clientId: 'DEBTOR', kind: 'write_off' }
  const reference = await requestAdjustment(maker, body)
  await decide(checker, reference, 'approve')

  const subject = `adjustment/${reference}`
  const { rows } = await bench.db.query(
    `select actor, action, detail from audit_log where subject = $1 order by id`,
    [subject],
  )
  assert.deepEqual(
    rows.map(({ actor, action, detail }) => [actor, action, detail.amount, detail.kind]),
    [
      [`user:${maker.user.email}`, 'adjustment.request', '10.00', 'write_off'],
      [`user:${checker.user.email}`, 'adjustment.approve', '10.00', 'write_off'],
    ],
  )
  const { data } = (await bench.call({ url: '/api/v1/audit-log?limit=1', token })).json()
  assert.deepEqual(
    [data[0].action, data[0].actor, data[0].detail.amount],
    ['client.write_off', 'operator', '10.00'],
  )
})
