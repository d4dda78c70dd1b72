// Erasing the customer of an advice: payments and references stay, the personal data of customer and payer
// goes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import * as erasing from '../support/erasing.ts'
import {
  ADVICE,
  adviceBody,
  assertAlike,
  assertRefused,
  createAdvice,
  databaseText,
  initiate,
  readAdvice,
} from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const { PAYER, PERSON, TRACES } = erasing
const { assertGone, eraseAdvice, finishErasures, moneyRows } = erasing
const bench = closeAfterTests(await startWebhookBench())
const receiver = closeAfterTests(await listener((response) => response.end('for Adichie')))

test('the customer of an advice is erased once it is settled; its money and references stay', async () => {
  const customer = {
    customerId: 'C-NGOZI',
    customerFullName: 'Ngozi Adichie',
    customerEmail: PERSON.email,
    customerPhoneNumber: PERSON.phoneNumber,
  }
  const body = {
    customer,
    narration: 'for Ngozi',
    notificationUrl: receiver.url,
    merchantRef: 'ER-1',
  }
  const { adviceReference } = await createAdvice(bench, body)
  const { bankAccount } = await initiate(bench, adviceReference)
  refused(await eraseAdvice(bench, adviceReference), 'advice_open')
  await reportCredit(bench, { accountNumber: bankAccount, amount: '6000', ...PAYER })
  await bench.run()
  const money = await moneyRows(bench)

  const answer = await eraseAdvice(bench, adviceReference)

  assert.equal(answer.statusCode, 200, answer.body)
  await finishErasures(bench)
  const text = await databaseText(bench)
  const ofIt = text
    .split('\n')
    .filter((line) => line.includes(adviceReference) || line.includes(bankAccount))
  assert(ofIt.length > 3)
  for (const trace of [...TRACES, 'C-NGOZI']) for (const line of ofIt) assertGone(line, trace)
  const attempts = text.split('\n').filter((line) => line.startsWith('delivery_attempts'))
  assert.equal(attempts.filter((line) => line.includes('Adichie')).length, 0)
  const view = await readAdvice(bench, adviceReference)
  assert.deepEqual(
    [view.customerFullName, view.customerId, view.narration, view.status, view.merchantRef],
    ['Erased', null, null, 'Paid', 'ER-1'],
  )
  assert.deepEqual(await moneyRows(bench), money)
  await assertCleanBooks(bench)
  assert.equal((await eraseAdvice(bench, adviceReference)).json().data.isComplete, true)
})

test('erasing the customer of an advice without a payment cancels the advice', async () => {
  const { adviceReference } = await createAdvice(bench, {})

  await eraseAdvice(bench, adviceReference)

  const { status } = await readAdvice(bench, adviceReference)
  assert.equal(status, 'Cancelled')
})

test('a missing advice and another client’s are the same not found', async () => {
  const token = await bench.newClient('ERASER0003')
  const made = await bench.call({ url: ADVICE, body: adviceBody(), token })

  const missing = await eraseAdvice(bench, '01a1de38-6400-7ae0-b728-9521e76ce69d')

  refused(missing, 'advice_not_found', 404)
  assertAlike(missing, await eraseAdvice(bench, made.json().responseData.adviceReference))
  refused(await eraseAdvice(bench, 'x'), 'advice_not_found', 404)
})

function refused(answer: LightMyRequestResponse, code: string, status = 409): void {
  assertRefused(answer, { status, code })
}
