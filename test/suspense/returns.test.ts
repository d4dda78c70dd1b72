// Executing returns in live mode: the operator's list, the visibility of payers' numbers, and reporting
// the result of a return, once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertRefused,
  createAccount,
  databaseText,
  dataOf,
  ledgerNaira,
  TIMESTAMP,
} from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'
import { giveBack, SUSPENSE } from '../support/suspense-desk.ts'

const RETURNS = '/api/v1/operator/returns'
const PAYER = '2093566866'
const PAYER_MASKED = '******6866'

const live = closeAfterTests(await startLiveService())

// Creates a client with this identifier and logs it in.
async function addClientAndLogIn(clientId: string, isOperator: boolean) {
  await addClient(live.db, live.clock(), { clientId, isOperator })
  return { token: await live.login(clientId, 's3cret') }
}
const operator = await addClientAndLogIn('OPERATOR01', true)
const merchant = await addClientAndLogIn('MERCHANT01', false)
const { accountNumber } = await createAccount(live, {}, merchant)
const deactivate = `/api/v1/accounts/static/${accountNumber}/deactivate`
await live.call({ method: 'POST', url: deactivate, body: {}, ...merchant })

// biome-ignore lint/suspicious/noExplicitAny: JSON bodies.
type Row = any

// Suspends a credit to the merchant's inactive account and starts its return to the payer.
async function startReturn(amount = '75'): Promise<Row> {
  const sessionId = newSessionId()
  const body = { sessionId, accountNumber, amount, sourceAccountNumber: PAYER }
  const from = { sourceAccountName: 'Ada Obi', sourceBankCode: '058' }
  const signing = { secrets: [OWN_RAIL_SECRET] }
  const answer = await postRail(live, '035/credits', { ...body, ...from }, signing)
  assert.equal(answer.json().outcome, 'suspended', answer.body)
  const { rows } = await live.db.query(
    `select i.id::int from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1`,
    [sessionId],
  )
  return {
    ...dataOf(await giveBack(live, shownId('suspense', rows[0].id), {}, merchant)),
    sessionId,
  }
}

const settle = (reference: string, how: 'confirm' | 'fail', body: object, by: object = operator) =>
  live.call({ method: 'POST', url: `${RETURNS}/${reference}/${how}`, body, ...by })

const itemOf = async (id: number): Promise<Row> =>
  dataOf(await live.call({ url: `${SUSPENSE}/${id}`, ...merchant }))

// The merchant's events of this type.
async function eventsOf(type: string): Promise<Row[]> {
  const answer = await live.call({ url: `/api/v1/events?type=${type}&limit=100`, ...merchant })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// The actors who revealed the number of a return’s payer, by the audit log, oldest first.
const revealsOf = async (reference: string) => {
  const { rows } = await live.db.query(
    `select actor from audit_log where action = 'return.reveal' and subject = $1 order by id`,
    [`return/${reference}`],
  )
  return rows.map(({ actor }) => actor)
}

test('a client’s return is on the operator’s list, with all that a bank needs', async () => {
  const { id, creditId, returnReference: reference, sessionId } = await startReturn('75')

  const answer = await live.call({ url: `${RETURNS}?status=pending&limit=1`, ...operator })
  const one = dataOf(await live.call({ url: `${RETURNS}/${reference}`, ...operator }))

  const [listed] = answer.json().data
  assert.deepEqual(listed, one)
  assert.match(listed.requestedAt, TIMESTAMP)
  assert.deepEqual(listed, {
    reference,
    status: 'pending',
    sentBy: 'operator',
    payoutStatus: 'queued',
    blockedBy: null,
    amount: 75,
    currency: 'NGN',
    bankCode: '035',
    sessionId,
    payerName: 'Ada Obi',
    payerBankCode: '058',
    payerAccountNumberMasked: PAYER_MASKED,
    payerAccountNumber: null,
    narration: null,
    clientId: 'MERCHANT01',
    suspenseId: id,
    creditId,
    bankReference: null,
    failureReason: null,
    requestedBy: 'client:MERCHANT01',
    requestedAt: listed.requestedAt,
    settledBy: null,
    settledAt: null,
  })
})

test('a payer’s number in full is for those who execute, and every look is logged', async () => {
  const { returnReference: reference } = await startReturn('10')
  const finance = await newBrowser(live, 'finance', 'OPERATOR01')
  const support = await newBrowser(live, 'support', 'OPERATOR01')
  const owner = await newBrowser(live, 'owner', 'OPERATOR01')
  const url = `${RETURNS}/${reference}`

  const plain = (await support.call({ url })).json().data
  const refused = await support.call({ url: `${url}?reveal=true` })
  const refusedList = await support.call({ url: `${RETURNS}?reveal=true` })
  const seen = (await finance.call({ url: `${url}?reveal=true` })).json().data
  const list = await live.call({ url: `${RETURNS}?reveal=true&limit=1`, ...operator })

  assert.deepEqual([plain.payerAccountNumberMasked, plain.payerAccountNumber], [PAYER_MASKED, null])
  assertRefused(refused, { status: 403, code: 'role_not_allowed' })
  assertRefused(refusedList, { status: 403, code: 'role_not_allowed' })
  const denied = { status: 403, code: 'role_not_allowed' }
  assertRefused(await owner.call({ url: RETURNS }), denied)
  assert.equal(seen.payerAccountNumber, PAYER)
  assert.equal(list.json().data[0].payerAccountNumber, PAYER)
  const actors = [`user:${finance.user.email}`, 'client:OPERATOR01']
  assert.deepEqual(await revealsOf(reference), actors)
})

test('only operators see and settle returns', async () => {
  const { returnReference: reference } = await startReturn('10')
  const denied = { status: 403, code: 'scope_missing' }

  assertRefused(await live.call({ url: RETURNS, ...merchant }), denied)
  assertRefused(await live.call({ url: `${RETURNS}/${reference}`, ...merchant }), denied)
  assertRefused(await settle(reference, 'confirm', {}, merchant), denied)
  const url = '/api/v1/operator/clients/MERCHANT01'
  const body = { scopes: ['returns:read'] }
  const granted = await live.call({ method: 'PATCH', url, body, ...operator })
  assertRefused(granted, { status: 400, code: 'invalid_request' })
})

test('a confirmed return is done: money, item, trace, timeline and event name its reference', async () => {
  const returning = await ledgerNaira(live, 'returning')
  const { id, creditId, returnReference: reference } = await startReturn('75')

  const body = { bankReference: 'WEMA/77' }
  const done = dataOf(await settle(reference, 'confirm', body))

  assert.deepEqual([done.status, done.bankReference], ['confirmed', 'WEMA/77'])
  assert.deepEqual([done.settledBy, done.payerAccountNumber], ['client:OPERATOR01', null])
  assert.equal(await ledgerNaira(live, 'returning'), returning)
  const item = await itemOf(id)
  assert.deepEqual([item.state, item.returnReference], ['returned', reference])
  const [event] = await eventsOf('credit.returned')
  assert.deepEqual([event.data.returnReference, event.data.bankReference], [reference, 'WEMA/77'])
  const trace = await live.call({ url: `/api/v1/credits/${creditId}`, ...merchant })
  const [traced] = trace.json().data.suspense[0].returns
  assert.deepEqual([traced.reference, traced.status], [reference, 'confirmed'])
  const timeline = await live.call({ url: `/api/v1/credits/${creditId}/timeline`, ...merchant })
  const entries = timeline.json().data.entries.filter((entry: Row) => entry.reference === reference)
  assert.deepEqual(
    entries.map((entry: Row) => entry.description),
    ['Return to the payer started.', 'Return to the payer confirmed.'],
  )
})

test('a failed return is in open suspense again with its reason, and the client gets an event', async () => {
  const suspense = await ledgerNaira(live, 'suspense')
  const { id, creditId, returnReference: reference } = await startReturn('40')

  const failed = dataOf(await settle(reference, 'fail', { reason: 'Account closed' }))

  assert.deepEqual([failed.status, failed.failureReason], ['failed', 'Account closed'])
  const item = await itemOf(id)
  assert.deepEqual([item.state, item.failureReason], ['open', 'Account closed'])
  assert.equal(await ledgerNaira(live, 'suspense'), suspense + 40)
  const [event] = await eventsOf('credit.return_failed')
  const { returnReference, failureReason, amountSuspended, outcome, reason } = event.data
  assert.deepEqual([returnReference, failureReason], [reference, 'Account closed'])
  assert.deepEqual([amountSuspended, outcome, reason], [40, 'suspended', 'account_inactive'])
  const timeline = await live.call({ url: `/api/v1/credits/${creditId}/timeline`, ...merchant })
  const entries: Row[] = timeline.json().data.entries
  const last = entries.findLast((entry) => entry.reference === reference)
  assert.equal(last.description, 'Return to the payer failed.')
  assert.equal(last.detail.failureReason, 'Account closed')
  assert(entries.some((entry) => entry.detail.type === 'credit.return_failed'))
})

test('the bank’s own reason for a failure is stored and shown', async () => {
  const { id, returnReference: reference } = await startReturn('5')
  const body = { reference, status: 'failed', reason: 'Dormant\u0000account' }

  const answer = await postRail(live, '035/returns', body, { secrets: [OWN_RAIL_SECRET] })

  assert.equal(answer.json().responseCode, '00')
  assert.equal((await itemOf(id)).failureReason, 'Dormant account')
  const [event] = await eventsOf('credit.return_failed')
  assert.equal(event.data.failureReason, 'Dormant account')
  const one = dataOf(await live.call({ url: `${RETURNS}/${reference}`, ...operator }))
  assert.equal(one.settledBy, 'bank:035')
})

test('the same again changes nothing, and anything else of a settled return is refused', async () => {
  const confirmed = (await startReturn('5')).returnReference
  const failed = (await startReturn('5')).returnReference
  await settle(confirmed, 'confirm', { bankReference: 'A' })
  await settle(failed, 'fail', { reason: 'closed' })
  const before = await databaseText(live)

  const again = dataOf(await settle(confirmed, 'confirm', { bankReference: 'A' }))
  const bare = dataOf(await settle(confirmed, 'confirm', {}))
  const failedAgain = dataOf(await settle(failed, 'fail', { reason: 'other' }))

  assert.deepEqual([again.bankReference, bare.bankReference], ['A', 'A'])
  assert.equal(failedAgain.failureReason, 'closed')
  const isConfirmed = { status: 409, code: 'return_confirmed' }
  const other = await settle(confirmed, 'confirm', { bankReference: 'B' })
  assertRefused(other, isConfirmed)
  assertRefused(await settle(confirmed, 'fail', { reason: 'x' }), isConfirmed)
  const isFailed = { status: 409, code: 'return_failed' }
  assertRefused(await settle(failed, 'confirm', {}), isFailed)
  const missing = { status: 404, code: 'return_not_found' }
  assertRefused(await settle('RTN999999999999', 'confirm', {}), missing)
  assertRefused(await settle('nothing', 'confirm', {}), missing)
  assert.equal(await databaseText(live), before)
})

test('a bank’s result that contradicts the settled return changes nothing, and raises an alert', async () => {
  const signing = { secrets: [OWN_RAIL_SECRET] }
  // The subjects of the open alerts about payouts whose result was contradicted.
  const alerts = async () => {
    const url = '/api/v1/operator/alerts?kind=payout_contradicted&open=true'
    const { data } = (await live.call({ url, ...operator })).json()
    return data.map(({ subject }: Row) => subject)
  }
  const { id, returnReference: reference } = await startReturn('5')
  await settle(reference, 'fail', { reason: 'closed' })
  await postRail(live, '035/returns', { reference, status: 'failed' }, signing)
  assert.deepEqual(await alerts(), [])
  const confirmed = { reference, status: 'confirmed', bankReference: 'B-1' }
  const answer = await postRail(live, '035/returns', confirmed, signing)
  assert.equal(answer.json().responseCode, '01')
  assert.equal((await itemOf(id)).failureReason, 'closed')
  assert.deepEqual(await alerts(), [`payout/${reference}`])
  await assertCleanBooks(live)
})

test('confirmed and failed at once, by people and the bank, a return is settled once', async () => {
  const { id, returnReference: reference } = await startReturn('5')
  const before = (await eventsOf('credit.returned')).length
  const failed = (await eventsOf('credit.return_failed')).length

  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => {
      if (at % 3 === 0) return settle(reference, 'confirm', {})
      if (at % 3 === 1) return settle(reference, 'fail', { reason: 'closed' })
      const body = { reference, status: 'confirmed' }
      return postRail(live, '035/returns', body, { secrets: [OWN_RAIL_SECRET] })
    }),
  )

  assert(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 409))
  const { state } = await itemOf(id)
  const events = [await eventsOf('credit.returned'), await eventsOf('credit.return_failed')]
  const grown = [events[0]?.length === before + 1, events[1]?.length === failed + 1]
  assert.deepEqual(grown, state === 'returned' ? [true, false] : [false, true])
  const { rows } = await live.db.query(
    `select count(*)::int as count from audit_log where subject = $1`,
    [`return/${reference}`],
  )
  assert(rows[0].count <= 1)
  await assertCleanBooks(live)
})

test('the list is newest first, by status, bank and time, page by page', async () => {
  const references = []
  for (const amount of ['1', '2', '3']) references.push((await startReturn(amount)).returnReference)

  const first = (await live.call({ url: `${RETURNS}?status=pending&limit=2`, ...operator })).json()
  const cursor = `&cursor=${first.nextCursor}`
  const next = await live.call({ url: `${RETURNS}?status=pending&limit=2${cursor}`, ...operator })
  const other = await live.call({ url: `${RETURNS}?status=failed${cursor}`, ...operator })
  const ofBank = await live.call({ url: `${RETURNS}?bankCode=058`, ...operator })
  const later = await live.call({ url: `${RETURNS}?from=2099-01-01`, ...operator })

  const listed = [...first.data, ...next.json().data].map(({ reference }: Row) => reference)
  assert.deepEqual(listed.slice(0, 3), references.toReversed())
  assertRefused(other, { status: 400, code: 'invalid_cursor' })
  assert.deepEqual([ofBank.json().data, later.json().data], [[], []])
})
