// Facts are stored in kobo and shown in naira; facts of earlier releases, stored in naira, show the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showFacts } from '#webhooks/events.ts'

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
      const view = showFacts(form as Record<string, unknown>)
      assert.equal(JSON.stringify(view), JSON.stringify(naira))
    }
  })
}

test('an alert’s amounts in kobo are left as they are', () => {
  const facts = { kind: 'session_reused', detail: { amountKobo: '500' }, amount: 5 }
  assert.deepEqual(showFacts(facts), facts)
})
