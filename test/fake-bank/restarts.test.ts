// The simulated bank stores nothing. After a restart it uses other identifiers; otherwise Manilla
// would refuse its money and numbers as known.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FakeBank } from '../../fake-bank/fake-bank.ts'
import { naira, startLoneBank, startWithFakeBank } from '../support/fake-bank.ts'
import { createAccount } from '../support/fixtures.ts'
import { START } from '../support/running-service.ts'

const LATER = new Date(START.getTime() + 1_000)
const GIVEN_EACH = 500 // Issued in the second before the restart.

function identifiersOf({ bank }: FakeBank): string[] {
  const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'A' }
  return Array.from({ length: GIVEN_EACH }, (_, at) => {
    const { accountNumber } = bank.accounts.reserve({ accountName: 'A', reference: null })
    const transfer = bank.receive({ accountNumber, amountKobo: naira(10) }) ?? assert.fail()
    const order = { reference: `PO-${at}`, amountKobo: naira(1), to, narration: '' }
    const paid = bank.payouts.take(order)
    assert(paid.answer === 'payout')
    const { sessionId, settlementId, bankReference } = transfer
    return [accountNumber, sessionId, settlementId, bankReference, paid.payout.bankReference]
  }).flat()
}

async function startAndGive(clock: () => Date): Promise<string[]> {
  await using bank = await startLoneBank({ connector: 'manilla', clock })
  return identifiersOf(bank)
}

test('a bank that was started again gives no identifier or number twice', async () => {
  const identifiers = [...(await startAndGive(() => START)), ...(await startAndGive(() => LATER))]
  assert.equal(new Set(identifiers).size, identifiers.length)
})

test('the same clock gives the same identifiers', async () => {
  assert.deepEqual(await startAndGive(() => START), await startAndGive(() => START))
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
