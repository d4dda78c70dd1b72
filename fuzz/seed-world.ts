// Fills the fuzzed service with at least one object of every kind, so that hostile requests can refer to
// existing objects.

import { createAccount, startPayment } from '../test/support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../test/support/limit-profiles.ts'
import { createPayout } from '../test/support/payouts.ts'
import { makeUser, PASSWORD } from '../test/support/people.ts'
import { reportCredit } from '../test/support/rail.ts'
import { askRefund, PAYER } from '../test/support/refunding.ts'
import type { Bench } from '../test/support/running-service.ts'
import { closeSettlement } from '../test/support/settlements.ts'
import { postSplit, SUBACCOUNTS, splitBody, subaccountBody } from '../test/support/splits.ts'
import { gtbankCsv, imported } from '../test/support/statement-files.ts'
import type { Known } from './right-values.ts'

const VICTIMS = ['VICTIM1', 'VICTIM2'] // Clients for operations that act on a client.
export const ROTATING = 'ROTATING1'
export const MOVING = 'MOVING1' // The client whose clock moves and whose data is reset.
const profileCodeOf = (at: number) => `profile-${at}`
const FEW = Array.from({ length: 8 }, (_, at) => at)
const MANY = Array.from({ length: 24 }, (_, at) => at)

// Creates the objects, and returns their ids and references, which requests then use.
export async function seedWorld(bench: Bench): Promise<Known> {
  const accounts = await Promise.all(
    FEW.map((at) => createAccount(bench, { merchantId: `M-${at}` })),
  )
  const payments = await Promise.all(
    MANY.map((at) => startPayment(bench, { merchantRef: `R-${at}` })),
  )
  const numbers = accounts.map(({ accountNumber }) => accountNumber as string)
  const paid = payments.slice(0, 3).map(({ bankAccount }) => bankAccount as string)
  const credits = await Promise.all(
    [...numbers, ...paid, '0000000000'].map((accountNumber) =>
      reportCredit(bench, { accountNumber, amount: '7000.00' }, '035'),
    ),
  )
  // This credit's account number is invalid, so the service stores the credit as a rail item, with an alert.
  await reportCredit(bench, { accountNumber: '12', amount: '5.00' }, '035')
  for (const at of FEW) {
    const body = { url: `https://shop.example.com/${at}` }
    await bench.call({ url: '/api/v1/webhook-endpoints', body })
  }
  for (const at of MANY) {
    await bench.call({ url: LIMIT_PROFILES, body: profileBody({ code: profileCodeOf(at) }) })
  }
  const charges = FEW.map((at) => ({ kobo: -100n * BigInt(at + 1), narration: `COMM ${at}` }))
  await imported(bench, gtbankCsv({ lines: charges }))
  await seedMoneyOut(bench, accounts[0]?.accountNumber as string)
  for (const clientId of [...VICTIMS, ROTATING, MOVING]) await bench.newClient(clientId)
  await makeUser(bench, { role: 'support', email: 'victim@people.example' })
  const [advices, references] = [
    payments.map(({ adviceReference }) => adviceReference),
    payments.map(({ paymentReference }) => paymentReference as string),
  ]
  return {
    accountNumber: numbers,
    virtualAccountNumber: numbers,
    adviceReference: advices,
    paymentReference: references,
    reference: [...advices, ...references],
    originalSessionId: credits.map(({ sessionId }) => sessionId),
    bankCode: ['035', '058'],
    subaccountCode: FEW.map((at) => `SUB-${at}`),
    splitCode: FEW.map((at) => `SPLIT-${at}`),
    limitProfile: MANY.map(profileCodeOf),
    banks: ['058', '101'],
    clientId: VICTIMS,
    client_id: VICTIMS,
    clientSecret: ['s3cret'],
    client_secret: ['s3cret'],
    grant_type: ['client_credentials'],
    password: [PASSWORD],
    currentPassword: [PASSWORD],
    newPassword: ['a staple of correct horse batteries'],
    url: ['https://shop.example.com/hook'],
    day: ['2026-11-14'],
    month: ['2026-11'],
    from: ['2026-11-15'],
    to: ['2026-11-16T00:00:00Z'],
    expiresAt: ['2026-11-15T12:00:00Z'],
    email: ['victim@people.example', 'ada@example.com'],
    currency: ['NGN'],
  }
}

// Closes a settlement of all money so far, then reports another credit, whose money the payouts and refunds
// use, and creates subaccounts and splits.
async function seedMoneyOut(bench: Bench, accountNumber: string): Promise<void> {
  await closeSettlement(bench)
  const { sessionId } = await reportCredit(
    bench,
    { accountNumber, amount: '9000.00', ...PAYER },
    '035',
  )
  for (const at of FEW) {
    await createPayout(bench, { amount: 5 + at })
    await askRefund(bench, sessionId, { amount: 5 + at })
    await bench.call({ url: SUBACCOUNTS, body: subaccountBody(`SUB-${at}`) })
    await postSplit(bench, splitBody(`SPLIT-${at}`, 'percentage', [`SUB-${at}`, 10]))
  }
}
