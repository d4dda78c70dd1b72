// The API describes every type of event, and real events have exactly the described fields with their
// types.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { withTransaction } from '#db/transaction.ts'
import { schemaName } from '#http/schemas.ts'
import { bookReturn, lockPayout } from '#payouts/settle.ts'
import { EVENT_TYPES, type EventType } from '#records/event-types.ts'
import { eventSchema } from '#webhooks/event-views.ts'
import { switchAccount } from '../support/account-calls.ts'
import { closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import { createAccount } from '../support/fixtures.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { askRefund, PAYER } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { settlementEvents } from '../support/settlement-recipes.ts'
import { credit, openDesk, reverse } from '../support/tracing.ts'
import { ENDPOINTS, webhookJourneys } from '../support/webhook-journeys.ts'
import { closedPort } from './receivers.ts'

const bench = closeAfterTests(await startTestService())
const { newClient, list, pay, register } = webhookJourneys(bench, 'SCHEMA')

const DAY_MS = 86_400_000
const HOLDS = '/api/v1/operator/holds'

type Schema = { properties?: Record<string, Schema>; required?: string[] }

test('every type is described in the API’s description', async () => {
  const { webhooks, components } = (await bench.call({ url: '/openapi.json', token: null })).json()

  assert.deepEqual(Object.keys(webhooks).sort(), [...EVENT_TYPES].sort())
  for (const type of EVENT_TYPES) {
    const { post } = webhooks[type]
    assert.match(post.operationId, /^on[A-Z][A-Za-z]+$/)
    assert(post.summary.length > 3)
    const { $ref } = post.requestBody.content['application/json'].schema
    assert.equal($ref, `#/components/schemas/${schemaName(eventSchema(type))}`)
    const { properties } = components.schemas[schemaName(eventSchema(type))]
    assert.equal(properties.type.const, type)
    assert(!JSON.stringify(eventSchema(type)).toLowerCase().includes('bvn'))
  }
})

test('real events have the fields that are described, and no others', async () => {
  const token = await newClient()
  await bench.db.query('update clients set is_operator = true where client_id = $1', ['SCHEMA0001'])
  await makeEveryKind(token)
  await settlementEvents(bench, { token, clientId: 'SCHEMA0001' })
  bench.advance(6 * DAY_MS) // The client's token expires too, so the client logs in again below.
  await closeExpired(bench)
  await deliverDue(bench)
  const now = await bench.login('SCHEMA0001', 's3cret')

  const { data } = await list(now, '?limit=100')

  const seen = new Set<string>()
  for (const { deliveryState: _, ...event } of data) {
    const schema = eventSchema(event.type as EventType)
    assert.deepEqual([...Value.Errors(schema, event)], [], event.type)
    assert.deepEqual(undescribed(event, schema as Schema), [], event.type)
    seen.add(event.type)
  }
  const alerts = data.filter(({ type }: { type: string }) => type === 'alert.raised')
  assert(alerts.some((alert: { data: object }) => 'reversal' in alert.data))
  const unseen = EVENT_TYPES.filter((type) => !seen.has(type))
  assert.deepEqual(unseen, [])
})

// Makes a payout that the bank confirms and later returns, and one that fails.
async function payOut(token: string): Promise<void> {
  await fund(bench, '20', { token })
  await addBankAccount(bench, { token })
  const { reference: bankAccount } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.refusesPayouts,
    token,
  })
  await createPayout(bench, { amount: 10 }, { token })
  await createPayout(bench, { amount: 10, bankAccount }, { token })
  await using rounds = await payoutRounds(bench)
  await rounds.send()
  const { rows } = await bench.db.query(
    `select id from payouts where status = 'confirmed' and purpose = 'payout'`,
  )
  const now = bench.clock()
  await withTransaction(bench.db, async (tx) => {
    const payout = await lockPayout(tx, rows[0].id)
    await bookReturn(tx, { ...rounds, now }, { payout, by: 'bank:035' })
  })
}

// Places two holds; releases one and forfeits the other.
async function holdMoney(): Promise<void> {
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const reason = 'Reported as fraud'
  for (const end of ['release', 'forfeit']) {
    const body = { target: 'client', clientId: 'SCHEMA0001', amount: 1, reason }
    const hold = (await maker.call({ url: HOLDS, body })).json().data.reference
    await maker.call({ url: `${HOLDS}/${hold}/${end}`, body: { reason } })
    await checker.call({ url: `${HOLDS}/${hold}/approve`, body: {} })
  }
}

// Refunds a payment and a credit, to a payer whose bank pays and to one whose bank refuses.
async function payBack(token: string): Promise<void> {
  const { accountNumber } = await createAccount(bench, {}, { token })
  for (const sourceAccountNumber of ['0123456789', `${SANDBOX_PREFIXES.refusesPayouts}56789`]) {
    const payer = { ...PAYER, sourceAccountNumber }
    const payment = await pay(token, {}, '0')
    await credit(bench, payment.bankAccount, '6000.00', payer)
    await askRefund(bench, payment, { amount: 10, token })
    const sessionId = await credit(bench, accountNumber, '50.00', payer)
    await askRefund(bench, sessionId, { amount: 10, token })
  }
  await using rounds = await payoutRounds(bench)
  await rounds.send()
}

// Causes at least one event of every type.
async function makeEveryKind(token: string): Promise<void> {
  const post = (url: string, body: object = {}) => bench.call({ method: 'POST', url, body, token })
  const { accountNumber } = await createAccount(bench, {}, { token })
  for (const to of ['default', 'deactivate', 'activate'] as const) {
    await switchAccount(bench, accountNumber, to, { token })
  }
  await reverse(bench, await credit(bench, accountNumber, '50.00'), '50.00')
  const { bankAccount } = await pay(token, { merchantRef: 'R-1' }, '0')
  await reverse(bench, await credit(bench, bankAccount, '6000.00'), '6000.00')
  for (let each = 0; each < 4; each++) await credit(bench, bankAccount, '10.00') // Suspended.
  const suspense = (await bench.call({ url: '/api/v1/suspense', token })).json().data
  await post(`/api/v1/suspense/${suspense[0].id}/assign`, { accountNumber })
  await post(`/api/v1/suspense/${suspense[1].id}/return`)
  await reverse(bench, suspense[2].sessionId, '10.00')
  await reverse(bench, suspense[1].sessionId, '10.00') // Already returned, so it raises an alert.
  const desk = await openDesk(bench, 'SCHEMA0001')
  await desk.giveBack(suspense[3].sessionId)
  await desk.fail(suspense[3].sessionId, 'Account closed')
  await payOut(token)
  await payBack(token)
  await holdMoney()
  const part = await pay(token, {}, '100')
  const reference = URL.parse(part.callBackUrl)?.searchParams.get('adviceReference')
  await post(`/Payment/advice/${reference}/cancel`)
  const open = await pay(token, {}, '0') // It expires later.
  await post(`/api/v1/advices/${open.paymentReference}/extend`, { seconds: 60 })
  await post(`/api/v1/accounts/static/${accountNumber}/erase`, { reason: 'Asked for' })
  const { id } = await register(token, `http://127.0.0.1:${await closedPort()}/`)
  await post(`${ENDPOINTS}/${id}/test`)
  await deliverDue(bench) // Fails now and again days later, so the endpoint is disabled.
}

// The fields of a value that its schema does not describe, by path.
function undescribed(value: object, { properties = {} }: Schema, path = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const schema = properties[name]
    if (!schema) return [`${path}${name}`]
    const isObject = typeof inner === 'object' && inner !== null && schema.properties
    return isObject ? undescribed(inner, schema, `${path}${name}.`) : []
  })
}
