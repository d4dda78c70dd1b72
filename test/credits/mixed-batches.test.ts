// Values that most credits of a batch share are sent to the database only once (credits/take.ts). Each
// credit must still be stored exactly, whatever the other credits of the batch are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncomingCredit } from '#credits/judge.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { chargesOf, incomingCredit } from '../support/incoming-credits.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const COLUMNS = `session_id as "sessionId", bank_code as bank, currency, outcome, reason,
                 suspended_kobo as "suspendedKobo", identified_by as "identifiedBy", source,
                 fee_kobo as "feeKobo", vat_kobo as "vatKobo", duty_kobo as "dutyKobo",
                 judged_by as "judgedBy", transacted_on::text as day,
                 collection_account_id is not null as "isCollection",
                 payment_id is not null as "isPayment"`

test('credits with different values are each stored as they came, in any order', async () => {
  for (const turn of [0, 1, 2, 3, 4]) {
    const all = await differentCredits()
    const credits = [...all.slice(turn), ...all.slice(0, turn)]

    const results = await bench.service.writers.credits.submitAll(
      credits.map(({ credit }) => credit),
    )

    const statuses = results.map((result) => result.ok && result.value.status)
    assert.deepEqual(statuses, Array(5).fill('taken'))
    for (const { credit, stored } of credits) {
      assert.deepEqual(await readStored(credit), {
        ...USUAL,
        sessionId: credit.sessionId,
        ...stored,
      })
    }
  }
  await assertCleanBooks(bench)
})

const USUAL = {
  ...{ bank: '035', currency: 'NGN', outcome: 'booked', reason: null, suspendedKobo: 0n },
  ...{ identifiedBy: 'session_id', source: 'notification', feeKobo: 0n, vatKobo: 0n },
  ...{ dutyKobo: 0n, judgedBy: null, day: null, isCollection: true, isPayment: false },
}

// Returns credits that differ in every stored column, each with the values that must be stored. `stored`
// lacks the values that are as in USUAL.
async function differentCredits() {
  const { accountNumber } = await createAccount(bench)
  const { bankAccount: number } = await startPayment(bench, { amount: 50 })
  const nobody = { outcome: 'suspended', reason: 'unknown_number', isCollection: false }
  const make = (changes: Partial<IncomingCredit> & { amount: number }) =>
    incomingCredit(bench, { accountNumber, ...changes })
  return [
    { credit: await make({ amount: 10 }), stored: {} },
    {
      credit: await make({ amount: 20, source: 'requery', charges: chargesOf(3, 2, 1) }),
      stored: { source: 'requery', feeKobo: 300n, vatKobo: 200n, dutyKobo: 100n },
    },
    {
      credit: await make({ amount: 30, bankCode: '058', accountNumber: '9999999999' }),
      stored: { ...nobody, bank: '058', suspendedKobo: 3_000n },
    },
    {
      credit: await make({ amount: 60, accountNumber: number, transactionDate: '2026-11-14' }),
      stored: {
        ...{ reason: 'excess', suspendedKobo: 1_000n, judgedBy: 'arrival', day: '2026-11-14' },
        ...{ isCollection: false, isPayment: true },
      },
    },
    {
      credit: await make({ amount: 40, currency: 'USD', identifiedBy: 'bank_reference' }),
      stored: {
        ...{ currency: 'USD', identifiedBy: 'bank_reference', suspendedKobo: 4_000n },
        ...{ outcome: 'suspended', reason: 'wrong_currency' },
      },
    },
  ]
}

// Reads the stored columns of a credit.
async function readStored({ sessionId, bankCode }: IncomingCredit) {
  const { rows } = await bench.db.query(
    `select ${COLUMNS} from credits where session_id = $1 and bank_code = $2
        and id = (select credit_id from credit_identifiers i
                   where i.value = session_id and i.bank_code = credits.bank_code
                     and i.kind = identified_by and i.is_first)`,
    [sessionId, bankCode],
  )
  return rows[0]
}
