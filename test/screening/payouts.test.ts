// No payout is sent before its recipient was screened by the rules in force (I147). A payout that is held is
// sent or cancelled once two people agree.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { releasePayouts } from '#payouts/holds.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { addBankAccount, fund, makeDefault, moveDatabase } from '../support/payouts.ts'
import { pay } from '../support/refunding.ts'
import {
  activate,
  approve,
  codeOf,
  decisions,
  MINUTE_MS,
  putList,
  request,
  SCREENING,
  startScreening,
} from '../support/screening.ts'

const desk = closeAfterTests(await startScreening())
const PAYOUTS = '/api/v1/payouts'
const LISTED = 'Musa Example Bello'
const RULE = { subject: 'payout', kind: 'list', list: 'own', score: 90 }

await fund(desk, '100000')
await putList(desk, 'own', `id,name\n7,${LISTED}\n`)
const account = {
  listed: await addBankAccount(desk, { accountName: LISTED }),
  other: await addBankAccount(desk),
}
await makeDefault(desk, account.other.reference)

// Requests a payout to a bank account; returns its reference.
async function requestPayout(to: { reference: string }) {
  const body = { amount: 100, narration: 'Rent', bankAccount: to.reference }
  return dataOf(await desk.call({ url: PAYOUTS, body })).reference as string
}

// The payout's status, followed by the reason why the payout is blocked, if it is.
async function statusOf(reference: string) {
  const { data } = (await desk.call({ url: `${PAYOUTS}/${reference}` })).json()
  return [data.status, data.blockedBy ?? data.blocked ?? null].join(' ').trim()
}

// Screens all payouts, and sends those that may be sent.
async function settle() {
  await desk.screen()
  await desk.payouts.send()
}

// The newest screening decision about a payout.
async function decisionOf(payout: string) {
  const [decision] = await decisions(desk, `&payout=${payout}`)
  return decision as NonNullable<typeof decision>
}

test('without a rule, payouts are sent and nothing is written about their screening', async () => {
  const payout = await requestPayout(account.listed)
  await settle()
  assert.equal(await statusOf(payout), 'confirmed')
  const { rows } = await desk.db.query('select screening, screened_at from payouts')
  assert.deepEqual(rows, [{ screening: null, screenedAt: null }])
})

test('a payout waits until it is screened, then it is sent, or held for two people', async () => {
  await activate(desk, { ...RULE, name: 'Own list', outcome: 'hold' })
  const [listed, other] = [await requestPayout(account.listed), await requestPayout(account.other)]
  await desk.payouts.send()
  assert.deepEqual([await statusOf(listed), await statusOf(other)], ['queued', 'queued'])
  await settle()
  assert.equal(await statusOf(other), 'confirmed')
  assert.equal(await statusOf(listed), 'queued payout_under_review')

  const { reference, handling } = await decisionOf(listed)
  assert.equal(handling, 'awaits_review')
  await approve(desk, await request(desk, `/decisions/${reference}/release`))
  assert.equal((await decisionOf(listed)).handling, 'reviewed')
  await settle()
  assert.equal(await statusOf(listed), 'confirmed')
})

test('the maker cannot approve, a payout has one open request, and a refused one is cancelled', async () => {
  const payout = await requestPayout(account.listed)
  await settle()
  const { reference } = await decisionOf(payout)
  const { id } = await request(desk, `/decisions/${reference}/refuse`)
  const maker = await desk.maker()
  const again = { url: `${SCREENING}/decisions/${reference}/release`, body: { reason: 'Mistaken' } }
  assert.equal(await codeOf(maker.call(again)), 'screening_request_open')
  const own = { url: `${SCREENING}/requests/${id}/approve`, body: {} }
  assert.equal(await codeOf(maker.call(own)), 'other_person_needed')
  assert.equal((await desk.call(own)).json().code, 'people_only')
  await settle()
  assert.equal(await statusOf(payout), 'queued payout_under_review')

  const before = await availableNow()
  await approve(desk, { id })
  assert.equal(await statusOf(payout), 'cancelled')
  assert.equal((await availableNow()) - before, 100)
  assert.equal(await codeOf(maker.call(again)), 'screening_reviewed')
})

async function availableNow(): Promise<number> {
  return (await desk.call({ url: '/api/v1/balances' })).json().data.totals[0].available
}

test('a client cancels a payout that is held, and a release afterwards is refused', async () => {
  const payout = await requestPayout(account.listed)
  await settle()
  const { reference } = await decisionOf(payout)
  const { id } = await request(desk, `/decisions/${reference}/release`)
  const cancelled = await desk.call({
    url: `${PAYOUTS}/${payout}/cancel`,
    body: { reason: 'Changed our mind' },
  })
  assert.equal(cancelled.statusCode, 200, cancelled.body)
  const checker = await desk.checker()
  const url = `${SCREENING}/requests/${id}/approve`
  assert.equal(await codeOf(checker.call({ url, body: {} })), 'screening_reviewed')
})

test('a payout that was clear is screened again once its list has changed', async () => {
  const payout = await requestPayout(account.other)
  await desk.screen()
  const name = `id,name\n7,${LISTED}\n9,Ada Obi\n`
  await putList(desk, 'own', name)
  desk.advance(MINUTE_MS)
  await desk.payouts.send()
  assert.equal(await statusOf(payout), 'queued')
  await settle()
  assert.equal(await statusOf(payout), 'queued payout_under_review')
})

test('a rule that refuses cancels the payout at once, and its money is available again', async () => {
  await activate(desk, { ...RULE, name: 'Own list', outcome: 'refuse' })
  const before = await availableNow()
  const payout = await requestPayout(account.listed)
  await settle()
  assert.equal(await statusOf(payout), 'cancelled')
  assert.equal((await decisionOf(payout)).outcome, 'refuse')
  assert.equal(await availableNow(), before)
})

test('a held refund is refused, and the credit has its money again', async () => {
  const { accountNumber } = await createAccount(desk)
  const { sessionId } = await pay(desk, accountNumber as string, '50')
  const body = { amount: '50', reason: 'Wrong size' }
  const refund = await desk.call({ url: `/api/v1/credits/${sessionId}/refunds`, body })
  assert.equal(refund.statusCode, 200, refund.body)
  await settle()
  const [payout] = (
    await desk.db.query<{ status: string }>(
      `select status from payouts where purpose = 'refund' order by id desc`,
    )
  ).rows
  assert.equal(payout?.status, 'cancelled')
  await assertCleanBooks(desk)
})

test('the database refuses to send a held payout from any caller', async () => {
  await assert.rejects(
    desk.db.query(
      `update payouts set status = 'sending', sending_at = now()
        where screening = 'held' and status = 'queued'`,
    ),
    /payouts_held_unsent/,
  )
})

test('a payout that a lost server may have sent is refused only once nothing was missing', async () => {
  await activate(desk, { ...RULE, name: 'Refusal', outcome: 'refuse' })
  const payout = await requestPayout(account.listed)
  await moveDatabase(desk.db, { isSynchronous: true })

  await settle()
  assert.equal(await statusOf(payout), 'queued')
  assert.deepEqual(await decisions(desk, `&payout=${payout}`), [])

  await withTransaction(desk.db, (tx) =>
    releasePayouts(tx, desk.clock(), 'cli:test', { lacksNothing: true }),
  )
  await settle()
  assert.equal(await statusOf(payout), 'cancelled')
})
