// Where payouts need a second person's approval, none is sent without it (I49). Nobody approves their own
// request, or a payout to a bank account that they chose.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { CLIENTS } from '../support/clients.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  ledger,
  makeDefault,
  PAYOUTS,
  payoutBody,
  payoutRounds,
} from '../support/payouts.ts'
import {
  makeUser,
  newBrowser,
  newBrowserGivenBy,
  signIn,
  USERS_URL,
  userIdOf,
} from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn } from '../support/settlements.ts'

const SETTINGS = '/api/v1/payout-settings'

type Caller = Awaited<ReturnType<typeof newBrowser>>

// Starts a service with money, these payout settings and two users. `ask` requests a payout, and `decide`
// calls a route of the payout, for example `approve`.
async function startDesk(settings: object = { payoutApproval: 'all' }, env = {}) {
  const bench = await startTestService({ env })
  await fund(bench, '1000')
  const put = await bench.call({ method: 'PUT', url: SETTINGS, body: settings })
  assert.equal(put.statusCode, 200, put.body)
  const rounds = await payoutRounds(bench)
  return {
    bench,
    rounds,
    maker: await newBrowser(bench, 'finance'),
    checker: await newBrowser(bench, 'finance'),
    ask: async (by: Caller, amount = 100) => {
      const answer = await by.call({ url: PAYOUTS, body: payoutBody({ amount }) })
      return answer.json().data.reference as string
    },
    decide: (by: Pick<Caller, 'call'>, reference: string, verb: string, body: object = {}) =>
      by.call({ method: 'POST', url: `${PAYOUTS}/${reference}/${verb}`, body }),
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

test('a payout is sent once another person has approved it', async () => {
  await using desk = await startDesk()
  const { bench, rounds, maker, checker } = desk
  const reference = await desk.ask(maker)

  await rounds.send()
  const waiting = await getPayout(bench, reference)
  assert.deepEqual([waiting.status, waiting.approval], ['queued', 'needed'])
  const own = await desk.decide(maker, reference, 'approve')
  assert.equal(own.json().code, 'other_person_needed')
  const approved = await desk.decide(checker, reference, 'approve')
  assert.equal(approved.json().data.approval, 'approved', approved.body)
  assert.equal((await desk.decide(checker, reference, 'approve')).statusCode, 200)
  await rounds.send()

  const sent = await getPayout(bench, reference)
  assert.equal(sent.status, 'confirmed')
  assert.equal(sent.decidedBy, `user:${checker.user.email}`)
  const changes = sent.history.map(({ change }: { change: string }) => change)
  assert.deepEqual(changes, ['queued', 'routed', 'approved', 'sending', 'confirmed'])
})

test('a rejected payout is cancelled, and its money available again', async () => {
  await using desk = await startDesk()
  const { bench, rounds, maker, checker } = desk
  const reference = await desk.ask(maker)

  assert.equal((await desk.decide(maker, reference, 'reject', { reason: 'No.' })).statusCode, 409)
  assert.equal((await desk.decide(checker, reference, 'reject')).statusCode, 400)
  const rejected = await desk.decide(checker, reference, 'reject', { reason: 'Wrong week.' })
  await rounds.send()

  const { status, approval, failureReason } = rejected.json().data
  assert.deepEqual([status, approval, failureReason], ['cancelled', 'rejected', 'Wrong week.'])
  const approve = await desk.decide(checker, reference, 'approve')
  assert.equal(approve.json().code, 'payout_decided')
  assert.equal((await ledger(bench))['available client:1'], 10_000)
  await assertCleanBooks(bench)
})

test('machines ask, and never approve', async () => {
  await using desk = await startDesk()
  const { bench, checker } = desk
  const { reference, approval } = await createPayout(bench, { amount: 1 })

  assert.equal(approval, 'needed')
  const machine = await desk.decide(bench, reference, 'approve')
  assert.equal(machine.json().code, 'people_only')
  assert.equal((await desk.decide(checker, reference, 'approve')).statusCode, 200)
})

test('neither a user whom the maker gave access nor a new user can approve', async () => {
  const env = { MANILLA_APPROVER_WAIT_HOURS: '24' }
  await using desk = await startDesk({ payoutApproval: 'all' }, env)
  const { bench } = desk
  const [owner, checker] = [await newBrowser(bench, 'owner'), await newBrowser(bench, 'support')]
  const reference = await desk.ask(owner)
  const id = await userIdOf(bench, checker.user.email)
  const change = { method: 'PATCH', url: `${USERS_URL}/${id}`, body: { role: 'owner' } } as const
  assert.equal((await owner.call(change)).statusCode, 200)

  const tooNew = await desk.decide(checker, reference, 'approve')
  bench.advance(25 * 3_600_000)
  const signedIn = await signIn(bench, checker.user.email)
  const dependent = await desk.decide(signedIn, reference, 'approve')

  assert.equal(tooNew.json().code, 'approver_too_new', tooNew.body)
  assert.equal(dependent.json().code, 'approver_not_independent', dependent.body)
})

test('the user who chose the receiving account does not approve, until another user has', async () => {
  await using desk = await startDesk()
  const { bench, checker } = desk
  const chooser = await newBrowser(bench)
  const created = await newBrowserGivenBy(bench, chooser)
  // With the client's credentials, so no user is the maker.
  const next = async () => (await createPayout(bench, { amount: 1 })).reference
  // Approves or rejects a payout; returns the verb or, if that is refused, the code of the refusal.
  const decide = async (by: Caller, reference: string, verb = 'approve') => {
    bench.advance(1_000)
    const answer = await desk.decide(
      by,
      reference,
      verb,
      verb === 'reject' ? { reason: 'No.' } : {},
    )
    return answer.statusCode === 200 ? verb : answer.json().code
  }
  const { reference: before } = (await bench.call({ url: BANK_ACCOUNTS })).json().data[0]

  await makeDefault(chooser, (await addBankAccount(chooser)).reference)
  const first = await next()
  assert.equal(await decide(chooser, first), 'approver_chose_account')
  assert.equal(await decide(created, first), 'approver_chose_account')
  assert.equal(await decide(checker, first, 'reject'), 'reject')
  const second = await next()
  assert.equal(await decide(created, second), 'approver_chose_account')
  assert.equal(await decide(checker, second), 'approve')
  assert.equal(await decide(created, await next()), 'approve')
  assert.equal(await decide(chooser, await next()), 'approve')

  await makeDefault(chooser, before) // An old account, but a new choice of the default.
  const last = await next()
  assert.equal(await decide(chooser, last), 'approver_chose_account')
  assert.equal(await decide(checker, last), 'approve')
  await assertCleanBooks(bench)
})

test('another user’s approval of a settlement to the account counts for payouts', async () => {
  await using desk = await startDesk()
  const { bench, checker } = desk
  const chooser = await newBrowser(bench)
  await makeDefault(chooser, (await addBankAccount(chooser)).reference)
  bench.advance(1_000)
  const { reference } = await closeSettlement(bench)
  assert.equal((await decideOn(checker, reference, 'approve')).statusCode, 200)
  await fund(bench, '1000')

  const payout = await createPayout(bench, { amount: 1 })
  const approved = await desk.decide(chooser, payout.reference, 'approve')

  assert.equal(approved.statusCode, 200, approved.body)
})

test('a user who was removed and invited again is the same person as before', async () => {
  await using desk = await startDesk()
  const { bench, maker, ask, decide } = desk
  const owner = await newBrowser(bench)
  const invited = await newBrowserGivenBy(bench, owner)
  const { reference: bankAccount } = await addBankAccount(owner)
  const reference = await ask(owner)
  const operator = await newBrowser(bench, 'operator')
  const url = `${USERS_URL}/${owner.user.id}`
  assert.equal((await operator.call({ method: 'DELETE', url })).statusCode, 200)
  const again = await signIn(bench, await makeUser(bench, { email: owner.user.email }))
  const code = async (by: Caller, of: string) => (await decide(by, of, 'approve')).json().code

  assert.equal(await code(again, reference), 'other_person_needed')
  // Under the user id from before the removal, the same person had invited one approver and chosen the bank
  // account.
  assert.equal(await code(invited, await ask(again)), 'approver_not_independent')
  const body = payoutBody({ amount: 10, bankAccount })
  const chosen = (await maker.call({ url: PAYOUTS, body })).json().data.reference
  assert.equal(await code(again, chosen), 'approver_chose_account')
  assert.equal((await decide(desk.checker, chosen, 'approve')).statusCode, 200)
})

test('the database holds that two people take part', async () => {
  await using desk = await startDesk()
  const { bench, maker, checker } = desk
  await desk.ask(maker)
  const own = await userIdOf(bench, maker.user.email)
  const other = await userIdOf(bench, checker.user.email)
  const approve = (by: string, user: string | null) =>
    bench.db.query(
      `update payouts set approval = 'approved', decided_by = $1, decided_by_user = $2,
              decided_at = now()`,
      [by, user],
    )

  await assert.rejects(approve(`user:${maker.user.email}`, own), /payouts_two_people/)
  await assert.rejects(approve('user:other@people.example', own), /payouts_two_people/)
  await assert.rejects(approve('client:MAN0000001', null), /payouts_two_people/)
  const sending = `update payouts set status = 'sending', sending_at = now()`
  await assert.rejects(bench.db.query(sending), /payouts_only_approved_are_sent/)
  await bench.db.query(
    `insert into access_grants (client_id, user_id, granted_by, granted_at)
     values (1, $1, $2, now())`,
    [other, own],
  )
  const behind = approve(`user:${checker.user.email}`, other)
  await assert.rejects(behind, { constraint: 'payouts_independent_checker' })
})

test('approval from an amount on', async () => {
  await using desk = await startDesk({ payoutApproval: 'above', approvalAbove: 100 })
  const { bench } = desk

  assert.equal((await createPayout(bench, { amount: 100 })).approval, 'not_needed')
  assert.equal((await createPayout(bench, { amount: 100.01 })).approval, 'needed')
})

test('a client has more payouts approved by itself; fewer takes the operator', async () => {
  await using desk = await startDesk({ payoutApproval: 'above', approvalAbove: 100 })
  const { bench } = desk
  const put = (body: object) => bench.call({ method: 'PUT', url: SETTINGS, body })

  for (const body of [
    { payoutApproval: 'none' },
    { payoutApproval: 'above', approvalAbove: 101 },
  ]) {
    assert.equal((await put(body)).json().code, 'payout_approval_kept')
  }
  for (const body of [
    {},
    { payoutApproval: 'some' },
    { payoutApproval: 'above' },
    { payoutApproval: 'all', approvalAbove: 5 },
  ]) {
    assert.equal((await put(body)).json().code, 'invalid_request', JSON.stringify(body))
  }
  assert.equal((await put({ payoutApproval: 'all' })).json().data.payoutApproval, 'all')
  const url = `${CLIENTS}/MAN0000001/payout-settings`
  const relaxed = await bench.call({ method: 'PATCH', url, body: { payoutApproval: 'none' } })
  assert.equal(relaxed.json().data.payoutApproval, 'none')
})

test('a payout is cancelled while it is queued, once, and never after it was sent', async () => {
  await using desk = await startDesk({ payoutApproval: 'none' })
  const { bench, rounds } = desk
  const first = await createPayout(bench, { amount: 500 })
  const second = await createPayout(bench, { amount: 500 })
  const cancel = (reference: string) =>
    bench.call({ method: 'POST', url: `${PAYOUTS}/${reference}/cancel`, body: {} })

  assert.equal((await cancel(first.reference)).json().data.status, 'cancelled')
  assert.equal((await cancel(first.reference)).statusCode, 200)
  await rounds.send()
  assert.equal((await cancel(second.reference)).json().code, 'payout_not_queued')
  assert.equal((await getPayout(bench, second.reference)).status, 'confirmed')
  await assertCleanBooks(bench)
})
