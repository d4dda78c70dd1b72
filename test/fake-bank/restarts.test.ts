// The simulated bank stores nothing, but after a restart it must issue other identifiers. Otherwise Manilla
// would take its new money and numbers for known ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FakeBank } from '../../fake-bank/fake-bank.ts'
import { naira, startLoneBank, startWithFakeBank } from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'
import { START } from '../support/running-service.ts'

const LATER = new Date(START.getTime() + 1_000)
const ISSUED_EACH = 500 // Issued in the second before the restart.

// Returns all identifiers that the bank issues for some accounts, transfers and payouts.
function issueIdentifiers({ bank }: FakeBank): string[] {
  const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'A' }
  return Array.from({ length: ISSUED_EACH }, (_, at) => {
    const { accountNumber } = bank.accounts.reserve({ accountName: 'A', reference: null })
    const transfer = bank.receive({ accountNumber, amountKobo: naira(10) }) ?? assert.fail()
    const order = { reference: `PO-${at}`, amountKobo: naira(1), to, narration: '' }
    const paid = bank.payouts.placeOrder(order)
    assert(paid.answer === 'payout')
    const { sessionId, settlementId, bankReference } = transfer
    return [accountNumber, sessionId, settlementId, bankReference, paid.payout.bankReference]
  }).flat()
}

// Starts another fake bank, and returns the identifiers that it issues.
async function identifiersOfNewBank(clock: () => Date): Promise<string[]> {
  await using bank = await startLoneBank({ connector: 'manilla', clock })
  return issueIdentifiers(bank)
}

test('a restarted bank issues no identifier or number twice', async () => {
  const identifiers = [
    ...(await identifiersOfNewBank(() => START)),
    ...(await identifiersOfNewBank(() => LATER)),
  ]
  assert.equal(new Set(identifiers).size, identifiers.length)
})

test('the same clock gives the same identifiers', async () => {
  assert.deepEqual(await identifiersOfNewBank(() => START), await identifiersOfNewBank(() => START))
})

for (const connector of ['providus', 'monnify']) {
  test(`${connector}: money of a bank that was started again is booked`, async () => {
    await using world = await startWithFakeBank({ connector })
    const { bench } = world
    const { accountNumber } = await createAccount(bench)
    world.bank.transfer({ accountNumber, amountKobo: naira(10) })
    await world.bank.sendDue()

    await using again = await startLoneBank({ connector, clock: () => LATER })
    again.notifyAt(world.bank.notifier.origin)
    again.transfer({ accountNumber, amountKobo: naira(20) })
    await again.sendDue()

    const { data } = (await bench.call({ url: '/api/v1/credits' })).json()
    const outcomes = data.map(({ amount, outcome }: Record<string, unknown>) => [amount, outcome])
    assert.deepEqual(outcomes.sort(), [
      [10, 'booked'],
      [20, 'booked'],
    ])
  })
}
