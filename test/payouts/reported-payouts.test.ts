// A payment provider reports the result of a payout. The service never settles a payout by such a report: it
// queries the provider, and alerts operators if the report contradicts the result (I47, I100). The tests send
// the sample reports of the providers' contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kobo } from '#money.ts'
import { type ContractCall, readContract } from '../../fake-bank/contract.ts'
import { signed } from '../banks/connector-bench.ts'
import type { ConnectorCase } from '../banks/connector-case.ts'
import { FLUTTERWAVE } from '../banks/flutterwave/conformance-case.ts'
import { MONNIFY } from '../banks/monnify/conformance-case.ts'
import { NOMBA } from '../banks/nomba/conformance-case.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { BANK_CODE, control, startWithFakeBank } from '../support/fake-bank.ts'
import { createPayout, fund, getPayout, ledger, payoutRounds } from '../support/payouts.ts'

const OPENING_KOBO = kobo(100_000_000n)
// `comesBack` is the provider's report that a confirmed payout was given back.
const REPORTING = [
  { ...MONNIFY, secret: 'fake-bank-client-secret', comesBack: 'payoutReversed' },
  { ...NOMBA, secret: 'fake-bank-signature-key', comesBack: 'payoutReversed' },
  { ...FLUTTERWAVE, secret: 'fake-bank-secret-hash', comesBack: 'payoutFailed' },
] as const
const SAMPLE_REFERENCE = 'PAY-0001'

type Says = 'payoutSucceeded' | 'payoutFailed' | 'payoutReversed'

// Starts a service with a simulated provider and a queued payout. `report` sends a signed report of the
// provider.
async function startPaying(connectorCase: ConnectorCase, behaviour: string) {
  const { connector } = connectorCase
  const world = await startWithFakeBank({ connector, openingKobo: OPENING_KOBO })
  const { bench, bank } = world
  const rounds = await payoutRounds(bench)
  await fund(bench, '5000')
  await control(bank, 'payout-behaviour', { behaviour, delayMs: 1_000 })
  const { reference } = await createPayout(bench, { amount: 1000 })
  const report = async (says: Says, about = reference) => {
    const body = eventOf(connector, says, about)
    const url = `/rails/${BANK_CODE}/credits`
    const headers = signed(connectorCase, body)
    return bench.call({ method: 'POST', url, body, headers, token: null })
  }
  return {
    bench,
    rounds,
    report,
    status: async () => (await getPayout(bench, reference)).status,
    contradictions: async () => {
      const url = '/api/v1/operator/alerts?kind=payout_contradicted&open=true'
      const alerts: { subject: string; detail: object }[] = (await bench.call({ url })).json().data
      return alerts.map(({ subject, detail }) => [subject === `payout/${reference}`, detail])
    },
    railItems: async () => (await bench.db.query('select amount_text from rail_items')).rows,
    async [Symbol.asyncDispose]() {
      await rounds[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

// The contract's sample of a report, about this payout.
function eventOf(connector: string, says: Says, reference: string): Buffer {
  const calls: readonly ContractCall[] = readContract(connector)?.calls ?? []
  const call = calls.find((contractCall) => contractCall.call === `webhook.${says}`)
  assert(call?.sample)
  return Buffer.from(JSON.stringify(call.sample).replace(SAMPLE_REFERENCE, reference))
}

for (const each of REPORTING) {
  const { connector, comesBack } = each

  test(`${connector}: a report makes the bank be asked at once, and its answer settles it`, async () => {
    await using world = await startPaying(each, 'delay')
    const { bench, rounds, report } = world
    await rounds.send()
    bench.advance(1_000) // Paid by now, but the first query is due later.
    await rounds.query()
    assert.equal(await world.status(), 'unknown')

    const first = await report('payoutSucceeded')
    const again = await report('payoutSucceeded')

    assert.deepEqual([first.statusCode, again.statusCode], [200, 200])
    assert.equal(await world.status(), 'unknown')
    await rounds.query()
    assert.equal(await world.status(), 'confirmed')
    assert.equal((await report('payoutSucceeded')).statusCode, 200)
    assert.deepEqual(await world.contradictions(), [])
    assert.deepEqual(await world.railItems(), [])
    await assertCleanBooks(bench)
  })

  test(`${connector}: a report of a failure is not believed: the bank says that it paid`, async () => {
    await using world = await startPaying(each, 'delay')
    const { bench, rounds, report } = world
    await rounds.send()
    bench.advance(1_000)

    await report('payoutFailed')
    await rounds.query()

    assert.equal(await world.status(), 'confirmed')
    assert.equal((await ledger(bench))['paying client:1'] ?? 0, 0)
    await assertCleanBooks(bench)
  })

  test(`${connector}: a payout that came back after it was confirmed alerts operators, once`, async () => {
    await using world = await startPaying(each, 'confirm')
    const { bench, rounds, report } = world
    await rounds.send()
    bench.advance(60_000)
    await rounds.query()
    assert.equal(await world.status(), 'confirmed')
    const before = await ledger(bench)

    const answers = await Promise.all([1, 2, 3].map(() => report(comesBack)))

    for (const { statusCode } of answers) assert.equal(statusCode, 200)
    const status = comesBack === 'payoutReversed' ? 'reversed' : 'failed'
    const detail = { status, problem: 'already_settled' }
    assert.deepEqual(await world.contradictions(), [[true, detail]])
    assert.equal(await world.status(), 'confirmed')
    assert.deepEqual(await ledger(bench), before)
    assert.deepEqual(await world.railItems(), [])
  })

  test(`${connector}: a report about a payout that is not ours is kept, once`, async () => {
    await using world = await startPaying(each, 'confirm')
    for (const _ of [1, 2]) {
      assert.equal((await world.report(comesBack, 'NOBODYS-1')).statusCode, 200)
    }
    assert.deepEqual(
      (await world.railItems()).map(({ amountText: amount }) => Number(amount) > 0),
      [true],
    )
    assert.deepEqual(await world.contradictions(), [])
  })

  test(`${connector}: a report that is not signed is refused`, async () => {
    await using world = await startPaying(each, 'delay')
    const { bench, rounds } = world
    await rounds.send()
    const body = eventOf(connector, comesBack, 'x')
    const headers = signed({ ...each, secret: 'another' }, body)
    const url = `/rails/${BANK_CODE}/credits`
    const answer = await bench.call({ method: 'POST', url, body, headers, token: null })
    assert.equal(answer.statusCode, 401)
    assert.deepEqual(await world.railItems(), [])
  })
}
