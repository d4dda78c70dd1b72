// In live mode a new client takes two people for whatever pays out (I232). Where a client is strict, nobody
// approves what somebody requested whom they gave access (I233).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy, takeOver } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const SETTINGS = '/api/v1/payout-settings'
const bench = closeAfterTests(await startTestService())
const operator = await newBrowser(bench, 'operator')

const settingsOf = async (clientId: string) => {
  const { payoutApproval } = dataOf(
    await operator.call({ url: `${CLIENTS}/${clientId}/payout-settings` }),
  )
  const { rows } = await bench.db.query(
    'select has_maker_checker as "makerChecker" from clients where client_id = $1',
    [clientId],
  )
  return { payoutApproval, ...rows[0] }
}

const create = (clientId: string) =>
  operator.call({ url: CLIENTS, body: { name: clientId, clientId } })

test('a new client of live mode has maker-checker on; one that exists keeps what it set', async () => {
  dataOf(await create('BEFORE'))
  await bench.db.query(`update database_mode set mode = 'live'`)
  dataOf(await create('AFTER'))
  await bench.db.query(`update database_mode set mode = 'sandbox'`)

  assert.deepEqual(await settingsOf('AFTER'), { payoutApproval: 'all', makerChecker: true })
  assert.deepEqual(await settingsOf('BEFORE'), { payoutApproval: 'none', makerChecker: false })
})

let made = 0

// Creates a client with money whose payouts need approval. Its owner gave access to `maker`, who has taken
// the account over since.
async function setup() {
  const clientId = `STRICT${++made}`
  const token = await bench.newClient(clientId)
  const owner = await newBrowser(bench, 'owner', clientId)
  const maker = await newBrowserGivenBy(bench, owner, 'finance')
  await takeOver(bench, maker)
  const third = await newBrowser(bench, 'finance', clientId)
  await fund(bench, '1000', { token })
  await addBankAccount(await newBrowser(bench, 'finance', clientId))
  const set = (by: Browser, strictApprovers: boolean) =>
    by.call({ method: 'PUT', url: SETTINGS, body: { payoutApproval: 'all', strictApprovers } })
  return { clientId, owner, maker, third, set }
}

const GAVE_ACCESS = { status: 409, code: 'approver_gave_access' }

test('a strict client lets nobody approve for whom they gave access, and shows why', async () => {
  const { owner, maker, third, set } = await setup()
  assert.equal(dataOf(await set(owner, false)).strictApprovers, false)
  const approve = (by: Browser, reference: string) =>
    by.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })
  const first = await createPayout(maker, { amount: 1 })
  assert.equal((await approve(owner, first.reference)).statusCode, 200)
  const second = await createPayout(maker, { amount: 1 })

  assert.equal(dataOf(await set(owner, true)).strictApprovers, true)

  const { cannotApprove } = dataOf(await owner.call({ url: `${PAYOUTS}/${second.reference}` }))
  assert.equal(cannotApprove.code, GAVE_ACCESS.code)
  assert.match(cannotApprove.message, /you gave the requester access/)
  assertRefused(await approve(owner, second.reference), GAVE_ACCESS)
  assert.equal((await approve(third, second.reference)).statusCode, 200)
})

test('only the operator makes a strict client less strict', async () => {
  const { clientId, owner, set } = await setup()
  dataOf(await set(owner, true))
  assertRefused(await set(owner, false), { status: 409, code: 'payout_approval_kept' })

  const body = { payoutApproval: 'all' }
  const unchanged = dataOf(await owner.call({ method: 'PUT', url: SETTINGS, body }))
  assert.equal(unchanged.strictApprovers, true)
  const relaxed = await operator.call({
    method: 'PATCH',
    url: `${CLIENTS}/${clientId}/payout-settings`,
    body: { strictApprovers: false },
  })
  assert.equal(dataOf(relaxed).strictApprovers, false)
})
