// The transaction that settles a payout also appends the client's event with the result, and runs the hook of
// the payout's purpose (refund, settlement, return).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutcomeHook } from '#payouts/settle.ts'
import { STALE_MS } from '#payouts/unknown.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addBankAccount,
  createPayout,
  fund,
  getPayout,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

type PayoutEvent = { type: string; data: Record<string, unknown> }

// The events about payouts, in the order of the API's list.
async function eventsOf(bench: Bench): Promise<PayoutEvent[]> {
  const { data } = (await bench.call({ url: '/api/v1/events?limit=100' })).json()
  return data.filter(({ type }: PayoutEvent) => type.startsWith('payout.'))
}

test('payout.confirmed and payout.failed say what was paid, and why not', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '1000')
  const { reference: closed } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.refusesPayouts,
  })
  const paid = await createPayout(bench, { amount: 600, narration: 'Rent' })
  const failed = await createPayout(bench, { amount: 400, bankAccount: closed })
  await rounds.send()

  // The service sends several payouts at once, so either of the two may be settled first.
  const events = await eventsOf(bench)

  assert.deepEqual(events.map(({ type }) => type).sort(), ['payout.confirmed', 'payout.failed'])
  const of = (type: string) => events.find((event) => event.type === type)?.data ?? {}
  const { requestedAt, settledAt, ...data } = of('payout.confirmed')
  assert.deepEqual(data, {
    reference: paid.reference,
    purpose: 'payout',
    status: 'confirmed',
    amount: 600,
    currency: 'NGN',
    fee: 0,
    vat: 0,
    bankAccount: paid.bankAccount,
    bankCode: '058',
    accountName: 'SANDBOX MERCHANT',
    narration: 'Rent',
    bankReference: `SANDBOX-${paid.reference}`,
    failureReason: null,
  })
  assert.equal(requestedAt, settledAt)
  const { reference, failureReason, bankReference } = of('payout.failed')
  assert.deepEqual(
    [reference, failureReason, bankReference],
    [failed.reference, 'The account is closed.', null],
  )
})

test('the hook of a purpose runs with the outcome, or nothing does', async () => {
  await using bench = await startTestService()
  await fund(bench, '1000')
  const { reference } = await createPayout(bench, { amount: 600 })
  const seen: string[] = []
  let isBroken = true
  const hook: OutcomeHook = async (_tx, _deps, payout, outcome) => {
    if (isBroken) throw new Error('broken')
    seen.push(`${payout.reference} ${outcome.status}`)
  }
  await using rounds = await payoutRounds(bench, { hooks: { payout: hook } })

  await assert.rejects(rounds.send(), /broken/)
  assert.equal((await getPayout(bench, reference)).status, 'sending')
  assert.deepEqual(await eventsOf(bench), [])
  await assertCleanBooks(bench)
  isBroken = false
  bench.advance(STALE_MS + 1)
  await rounds.query() // The bank had paid it.

  assert.deepEqual(seen, [`${reference} confirmed`])
  assert.equal((await eventsOf(bench)).length, 1)
  await assertCleanBooks(bench)
})
