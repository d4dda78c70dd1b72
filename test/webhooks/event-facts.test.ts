// Facts are stored in kobo and shown in naira; facts of earlier releases, stored in naira, show the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFacts, showFacts } from '#domain/webhooks/event-facts.ts'
import { kobo } from '#money.ts'

const FORMS: readonly (readonly [what: string, naira: object, stored: object])[] = [
  [
    'a payment',
    { status: 'PartPayment', amountPaid: 2000.1 },
    { status: 'PartPayment', amountPaidKobo: '200010' },
  ],
  [
    'an account',
    { accountBalance: 0, isActive: true, isDefault: false, changes: ['email'] },
    { accountBalanceKobo: '0', isActive: true, isDefault: false, changes: ['email'] },
  ],
  [
    'a reversal',
    {
      outcome: 'reversed',
      reason: null,
      amountReversed: 1_000_000_000,
      amountShortfall: 0.01,
      reversal: { sessionId: '1', amount: 0.3, shortfall: 0 },
    },
    {
      outcome: 'reversed',
      reason: null,
      amountReversedKobo: '100000000000',
      amountShortfallKobo: '1',
      reversal: { sessionId: '1', amountKobo: '30', shortfallKobo: '0' },
    },
  ],
  ['little', {}, {}],
]

for (const [what, naira, stored] of FORMS) {
  test(`the facts of ${what} show the same from either form, to the byte`, () => {
    for (const form of [naira, stored]) {
      const view = showFacts(readFacts(form as Record<string, unknown>))
      assert.equal(JSON.stringify(view), JSON.stringify(naira))
    }
  })
}

test('facts are read as kobo, whichever form they have', () => {
  const amounts = { amountSuspended: 6000.5, amountPaidKobo: '12' }
  const expected = { amountSuspendedKobo: kobo(600_050n), amountPaidKobo: kobo(12n) }
  assert.deepEqual(readFacts<'payment.expired'>(amounts), expected)
})

test('what an alert tells in kobo is left as it is', () => {
  const facts = { kind: 'session_reused', detail: { amountKobo: '500' }, amount: 5 }
  assert.deepEqual(showFacts(readFacts(facts)), facts)
})
