// The form “Simulate a transfer” on the checkout page, which only the sandbox has.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf, initiate, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const press = (reference: string, query = '') =>
  bench.call({
    method: 'POST',
    url: `/pay/${reference}/simulate${query}`,
    headers: form,
    token: null,
  })
// The data from which the page shows the payment's state.
const status = async (adviceReference: string) => {
  const url = `/pay/api/status?adviceReference=${adviceReference}`
  return dataOf(await bench.call({ url, token: null }))
}

test('a payer of the sandbox pays the rest by one press, and a second press changes nothing', async () => {
  const { adviceReference, bankAccount } = await startPayment(bench, { amount: 6000 })
  const url = `/pay?adviceReference=${adviceReference}`
  assert.match((await bench.call({ url, token: null })).body, /Simulate a transfer of ₦6,000\.00/)

  const pressed = await Promise.all([press(adviceReference), press(adviceReference)])
  const again = await press(adviceReference)

  for (const { statusCode, headers } of [...pressed, again]) {
    assert.deepEqual([statusCode, headers.location], [303, url])
  }
  const paid = await status(adviceReference)
  assert.deepEqual([paid.status, paid.amountPaid, paid.amountHeld], ['Successful', 6000, 0])
  assert.equal(paid.paidInto[0].accountNumber, bankAccount)
})

test('the transfer goes to the number that the page shows', async () => {
  const { adviceReference } = await startPayment(bench, {}, '058')
  const { bankAccount } = await initiate(bench, adviceReference, '035')
  await initiate(bench, adviceReference, '232')

  await press(adviceReference, '?bank=035')

  assert.equal((await status(adviceReference)).paidInto[0].accountNumber, bankAccount)
})

test('nothing is sent to a payment that is closed, or an advice without a number', async () => {
  const { adviceReference } = await startPayment(bench)
  await bench.call({ method: 'POST', url: `/api/v1/advices/${adviceReference}/cancel` })
  assert.equal((await press(adviceReference)).statusCode, 303)
  assert.equal((await status(adviceReference)).status, 'Cancelled')

  const { adviceReference: unnumbered } = await createAdvice(bench)
  for (const reference of [unnumbered, 'x', '00000000-0000-0000-0000-000000000000']) {
    assertRefused(await press(reference), { status: 404, code: 'advice_not_found' })
  }
  const { rows } = await bench.db.query('select 1 from credits where session_id is null')
  assert.deepEqual(rows, [])
})

test('live mode refuses simulated transfers, and its checkout page does not offer them', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('SHOP1')
  const { adviceReference } = await createAdvice(live, {}, { token })
  const call = { method: 'POST', headers: form, token: null } as const
  const pressed = await live.call({ ...call, url: `/pay/${adviceReference}/simulate` })

  assertRefused(pressed, { status: 400, code: 'sandbox_only' })
  const page = await live.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
  assert(!page.body.includes('Simulate'))
})
