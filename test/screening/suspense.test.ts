// Suspended money that broke a screening rule: it is not returned, and a client to which it is assigned
// cannot pay it out (I146).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { tryPayOut } from '../support/money-out.ts'
import { PAYER } from '../support/refunding.ts'
import {
  activate,
  approve,
  CREDIT_RULE,
  codeOf,
  decisions,
  putList,
  request,
  SCREENING,
  startScreening,
} from '../support/screening.ts'
import { assign, giveBack, NOBODYS_NUMBER, readItem, suspend } from '../support/suspense-desk.ts'

const RETURNS = '/api/v1/operator/returns'
const LISTED = 'Musa Example Bello'
const REFUSED = { status: 409, code: 'credit_held' }
const LIST = { kind: 'list', list: 'own', score: 90 }

const desk = closeAfterTests(await startScreening())
await putList(desk, 'own', `id,name\n7,${LISTED}\n`)
await activate(desk, { ...CREDIT_RULE, ...LIST, name: 'Listed payers' })

const from = { ...PAYER, sourceAccountName: LISTED }

// Suspends unidentified money of a listed payer; returns the item and the screening decision.
async function stopped(amount: string) {
  const item = await suspend(desk, NOBODYS_NUMBER, amount, { bank: '035', ...from })
  await desk.screen()
  const [decision] = await decisions(desk)
  assert.deepEqual([decision?.handling, decision?.clientId], ['waiting', null])
  return { id: item.id, decision: decision?.reference as string }
}

async function availableNow(): Promise<number> {
  return (await desk.call({ url: '/api/v1/balances' })).json().data.totals[0]?.available ?? 0
}

test('unidentified money that broke a rule is returned only once two people released it', async () => {
  const { id, decision } = await stopped('75')
  assertRefused(await giveBack(desk, id), REFUSED)
  const { id: requestId } = await request(desk, `/decisions/${decision}/release`)
  assertRefused(await giveBack(desk, id), REFUSED)
  const own = { url: `${SCREENING}/requests/${requestId}/approve`, body: {} }
  assert.equal(await codeOf((await desk.maker()).call(own)), 'other_person_needed')

  await approve(desk, { id: requestId })
  const [{ handling, unheldReason } = {}] = await decisions(desk)
  assert.deepEqual([handling, unheldReason], ['unheld', 'released'])
  dataOf(await giveBack(desk, id))
  await assertCleanBooks(desk)
})

test('unidentified money that broke a rule is held as soon as it is assigned', async () => {
  const { accountNumber } = await createAccount(desk)
  const before = await availableNow()
  const { id, decision } = await stopped('60')
  const waiting = await request(desk, `/decisions/${decision}/release`)

  dataOf(await assign(desk, id, { accountNumber }))
  assert.equal(await tryPayOut(desk, before + 1), 'insufficient_balance')
  assert.equal(await availableNow(), before)
  const [{ handling, hold } = {}] = await decisions(desk)
  assert.equal(handling, 'held')
  const { heldAmount } = dataOf(
    await (await desk.maker()).call({ url: `/api/v1/operator/holds/${hold}` }),
  )
  assert.equal(heldAmount, 60)
  const late = { url: `${SCREENING}/requests/${waiting.id}/approve`, body: {} }
  assert.equal(await codeOf((await desk.checker()).call(late)), 'screening_reviewed')
  await assertCleanBooks(desk)
})

test('money of a client that broke a rule is neither returned nor assigned before it is held', async () => {
  const { accountNumber } = await createAccount(desk)
  const setActive = (isActive: boolean) =>
    desk.db.query('update collection_accounts set is_active = $2 where account_number = $1', [
      accountNumber,
      isActive,
    ])
  await setActive(false)
  const { id } = await suspend(desk, accountNumber, '50', from)
  await setActive(true)
  await desk.db.query(
    `insert into screening_decisions
       (reference, client_id, credit_id, outcome, rule_set, hits, decided_at)
     select 'SCD000000000000001', c.client_id, c.id, 'hold', '1/1', '[]', now()
       from credits c order by c.id desc limit 1`,
  )

  assertRefused(await giveBack(desk, id), REFUSED)
  assertRefused(await assign(desk, id, { accountNumber }), REFUSED)
  assert.equal((await readItem(desk, id)).state, 'open')
})

test('the payer of a return by hand is shown only once its screening has let it pass', async () => {
  await activate(desk, {
    ...LIST,
    subject: 'payout',
    outcome: 'hold',
    name: 'Listed beneficiaries',
  })
  const [listed, other] = [from, PAYER].map((payer) =>
    suspend(desk, NOBODYS_NUMBER, '40', { bank: '035', ...payer, currency: 'USD' }),
  )
  const returned: string[] = []
  for (const item of [await listed, await other]) {
    await desk.db.query(
      `update screening_decisions set unheld_reason = 'released'
        where client_id is null and hold_id is null and unheld_reason is null`,
    )
    returned.push(dataOf(await giveBack(desk, item?.id)).returnReference)
  }
  const reveal = (reference?: string) => desk.call({ url: `${RETURNS}/${reference}?reveal=true` })
  const confirm = (reference?: string) =>
    desk.call({ url: `${RETURNS}/${reference}/confirm`, body: {} })
  const underReview = { status: 409, code: 'payout_under_review' }
  for (const reference of returned) {
    assertRefused(await reveal(reference), underReview)
    assertRefused(await confirm(reference), underReview)
  }

  await desk.screen()
  assertRefused(await reveal(returned[0]), underReview)
  assertRefused(await confirm(returned[0]), underReview)
  const seen = dataOf(await desk.call({ url: `${RETURNS}/${returned[0]}` }))
  assert.equal(seen.blockedBy, 'payout_under_review')
  assert.equal(dataOf(await reveal(returned[1])).payerAccountNumber, '0123456789')
  dataOf(await confirm(returned[1]))

  const [{ reference } = {}] = await decisions(desk, `&payout=${returned[0]}`)
  await approve(desk, await request(desk, `/decisions/${reference}/release`))
  assert.equal((await reveal(returned[0])).statusCode, 200)
  dataOf(await confirm(returned[0]))
  await assertCleanBooks(desk)
})
