// Access to the requests of the suspense desk, for reading and deciding: by role, by merchantCodes and by
// client. Cursors of another list are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, createAdvice, initiate, MINUTE_MS } from '../support/fixtures.ts'
import {
  ask,
  decide,
  type Person,
  refused,
  requestResolution,
  setMakerChecker,
} from '../support/maker-checker-desk.ts'
import { newBrowser, newClientWithOwner, signIn } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { storedId } from '../support/shown-ids.ts'
import { giveBack, NOBODYS_NUMBER, SUSPENSE, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const ada = await newBrowser(bench, 'finance')
const { accountNumber: picky } = await createAccount(bench, { payerRules: { minAmount: 100_000 } })

const waiting = (amount = '500.00') => suspend(bench, picky, amount)

assert.equal((await setMakerChecker(owner, true)).statusCode, 200)

test('a client’s setting affects neither another client nor the operator’s unidentified money', async () => {
  const { browser: stranger } = await newClientWithOwner(bench)
  const read = async (by: Person) => (await by.call({ url: `${SUSPENSE}/settings` })).json().data

  assert.deepEqual(await read(stranger), { makerChecker: false })
  assert.equal((await setMakerChecker(stranger, false)).statusCode, 200)
  assert.deepEqual(await read(owner), { makerChecker: true })
  const { id } = await suspend(bench, NOBODYS_NUMBER, '70.00')
  refused(await giveBack(bench, id), 'approval_needed')
  refused(await ask(owner, id), 'suspense_not_found', 404)
})

test('a user who may only look neither requests nor decides', async () => {
  const { id } = await waiting()
  const requestId = await requestResolution(ada, (await waiting()).id)
  for (const role of ['support', 'developer'] as const) {
    const looking = await newBrowser(bench, role)
    refused(await ask(looking, id), 'role_not_allowed', 403)
    refused(await decide(looking, requestId, 'approve'), 'role_not_allowed', 403)
    refused(await decide(looking, requestId, 'reject', { reason: 'No.' }), 'role_not_allowed', 403)
    refused(await decide(looking, requestId, 'withdraw'), 'role_not_allowed', 403)
  }
})

test('people of a client that has only some merchantCodes see no requests for the others’', async () => {
  const { clientId, browser } = await newClientWithOwner(bench)
  const token = await bench.login(clientId, 's3cret')
  const rules = { payerRules: { minAmount: 100_000 } }
  const theirs = { merchantCode: 'THEIRS', merchantId: 'THEIRS', ...rules }
  const { accountNumber } = await createAccount(bench, theirs, { token })
  const { id } = await suspend(bench, accountNumber, '10.00')
  const requestId = await requestResolution(browser, id)
  const second = await newBrowser(bench, 'owner', clientId)
  await bench.db.query(`update clients set merchant_codes = '{OURS}' where client_id = $1`, [
    clientId,
  ])

  refused(await decide(second, requestId, 'approve'), 'request_not_found', 404)
  refused(await decide(browser, requestId, 'withdraw'), 'request_not_found', 404)
  refused(await ask(second, id), 'suspense_not_found', 404)
  assert.deepEqual((await second.call({ url: `${SUSPENSE}/requests` })).json().data, [])
})

test('a cursor of one list of requests leads into no other', async () => {
  for (let at = 0; at < 2; at++) await requestResolution(ada, (await waiting()).id)
  const url = `${SUSPENSE}/requests?state=open&limit=1`
  const { nextCursor, data } = (await ada.call({ url })).json()

  const next = await ada.call({ url: `${url}&cursor=${nextCursor}` })
  assert.equal(next.statusCode, 200)
  assert(storedId('request', next.json().data[0].id) < storedId('request', data[0].id))
  const altered = `${nextCursor.slice(0, -2)}${nextCursor.endsWith('AA') ? 'BB' : 'AA'}`
  for (const elsewhere of [
    `${url}&cursor=${altered}`,
    `${SUSPENSE}/requests?cursor=${nextCursor}`,
    `${SUSPENSE}/requests?state=rejected&cursor=${nextCursor}`,
    `${SUSPENSE}?cursor=${nextCursor}`,
  ]) {
    refused(await ada.call({ url: elsewhere }), 'invalid_cursor', 400)
  }
  const { browser: stranger } = await newClientWithOwner(bench)
  refused(await stranger.call({ url: `${url}&cursor=${nextCursor}` }), 'invalid_cursor', 400)
})

test('requests of operators stay theirs when the money has become a client’s', async () => {
  const { clientId, browser: before } = await newClientWithOwner(bench)
  const token = await bench.login(clientId, 's3cret')
  const advice = await createAdvice(bench, { amount: 500 }, { token })
  const { paymentReference } = await initiate(bench, advice.adviceReference, '035', token)
  const [one, two] = [await newBrowser(bench, 'operator'), await newBrowser(bench, 'operator')]
  const { id } = await suspend(bench, NOBODYS_NUMBER, '200.00')
  const requestId = await requestResolution(one, id, {
    action: 'assign',
    paymentReference,
    reason: 'Theirs.',
  })
  assert.equal((await decide(two, requestId, 'approve')).statusCode, 200)
  bench.advance(60 * MINUTE_MS) // The payment ends without being paid in full.
  const deps = { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }
  await withTransaction(bench.db, (tx) => closeExpired(tx, deps))

  const browser = await signIn(bench, before.user.email)
  const own = await browser.call({ url: `${SUSPENSE}/${id}` })
  assert.deepEqual([own.statusCode, own.json().data.state], [200, 'open'])
  const requests = await browser.call({ url: `${SUSPENSE}/requests?itemId=${id}` })
  assert.deepEqual(requests.json().data, [])
  refused(await decide(browser, requestId, 'reject', { reason: 'No.' }), 'request_not_found', 404)
})
