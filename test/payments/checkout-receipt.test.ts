// The checkout's receipt (payer, bank that paid, account number), and the QR code of the page's link.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf, initiate, startPayment } from '../support/fixtures.ts'
import { readQrCode } from '../support/qr-reader.ts'
import { newSessionId, reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())

// Opens the payer's page.
const look = (adviceReference: string) =>
  bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
// The data from which the page shows the payment's state.
const status = async (adviceReference: string) => {
  const url = `/pay/api/status?adviceReference=${adviceReference}`
  return dataOf(await bench.call({ url, token: null }))
}

test('the receipt names each bank that paid and each number that was paid into, once', async () => {
  const { adviceReference, bankAccount: first } = await startPayment(bench, {}, '058')
  bench.advance(1)
  const { bankAccount: second } = await initiate(bench, adviceReference, '035')
  await initiate(bench, adviceReference, '232')
  const pay = (accountNumber: string, amount: string, sourceBankCode?: string) =>
    reportCredit(bench, { accountNumber, amount, sourceBankCode })
  await pay(first, '1000', '057')
  await pay(first, '500', '057')
  assert.deepEqual((await status(adviceReference)).payerBanks, [])
  await pay(second, '500')
  await pay(second, '5000', '044')
  await pay(second, '100', '011') // Already paid, so it goes to suspense.

  const { payerBanks, paidInto } = await status(adviceReference)
  assert.deepEqual(payerBanks, ['Zenith Bank', 'Access Bank'])
  assert.deepEqual(paidInto, [
    { bankCode: '058', bankName: 'Guaranty Trust Bank', accountNumber: first },
    { bankCode: '035', bankName: 'Wema Bank', accountNumber: second },
  ])
  const { body } = await look(adviceReference)
  assert.match(body, /<dt>Paid from<\/dt><dd>Zenith Bank, Access Bank<\/dd>/)
  assert.match(body, new RegExp(`<dt>Paid into</dt><dd>[^<]*${first}, Wema Bank ${second}</dd>`))
})

test('money assigned from suspense is on the receipt of its payment, and on no other', async () => {
  const wrong = await startPayment(bench, { amountPolicy: 'exact' })
  const right = await startPayment(bench)
  const { id } = await suspend(bench, wrong.bankAccount, '5999', { sourceBankCode: '057' })
  const { paymentReference } = right
  assert.equal((await assign(bench, id, { paymentReference })).statusCode, 200)
  for (const [{ bankAccount }, amount] of [
    [right, '1'],
    [wrong, '6000'],
  ] as const) {
    await reportCredit(bench, { accountNumber: bankAccount, amount, sourceBankCode: '044' })
  }

  assert.deepEqual((await status(right.adviceReference)).payerBanks, ['Zenith Bank', 'Access Bank'])
  assert.deepEqual((await status(wrong.adviceReference)).payerBanks, ['Access Bank'])
})

test('the QR code is the page’s link; other addresses have none', async () => {
  const { adviceReference, paymentUrl } = await createAdvice(bench)
  const qr = (reference: string) => bench.call({ url: `/pay/${reference}/qr.svg`, token: null })

  const { body, headers } = await qr(adviceReference)
  assert.equal(headers['content-type'], 'image/svg+xml')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['cache-control']), /^private/)
  const link = new URL(String(readQrCode(body)))
  assert.equal(
    link.origin + link.pathname,
    new URL(paymentUrl).origin + new URL(paymentUrl).pathname,
  )
  const page = await bench.call({ url: link.pathname + link.search, token: null })
  assert.equal(page.statusCode, 200)
  assert.equal(page.body, (await look(adviceReference)).body)
  for (const reference of ['x', '%3Cscript%3E', `${adviceReference}0`]) {
    assertRefused(await qr(reference), { status: 404, code: 'advice_not_found' })
  }
})

test('the receipt has session ids, and of a payer’s name the first letters, once it is paid', async () => {
  const { adviceReference, bankAccount } = await startPayment(bench)
  // Reports a credit from this payer; returns its session id.
  const pay = async (amount: string, sourceAccountName: string) => {
    const sessionId = newSessionId()
    const credit = { accountNumber: bankAccount, amount, sourceAccountName, sessionId }
    await reportCredit(bench, credit)
    return sessionId
  }
  const first = await pay('1000', 'EZE CHIDI  OKAFOR')
  const before = await status(adviceReference)
  assert.deepEqual([before.payerNames, before.sessionIds], [[], []])
  const second = await pay('5000', 'Ọláyínká')

  const { payerNames, sessionIds } = await status(adviceReference)
  assert.deepEqual(payerNames, ['E*** C*** O***', 'Ọ***'])
  assert.deepEqual(sessionIds, [first, second])
  const { body } = await look(adviceReference)
  assert(body.includes('<dt>Payer</dt><dd>E*** C*** O***, Ọ***</dd>'))
  assert(body.includes(`<dt>Session ID</dt><dd>${first}, ${second}</dd>`))
  for (const name of ['CHIDI', 'OKAFOR', 'láyínká']) assert(!body.includes(name), name)
})

test('a payer who sent too much reads the sum and the excess', async () => {
  const { adviceReference, bankAccount } = await startPayment(bench, { amount: 10_000 })
  await reportCredit(bench, { accountNumber: bankAccount, amount: '15000' })

  const { body } = await look(adviceReference)

  assert.match(body, /You sent ₦15,000\.00: ₦5,000\.00 too much\. It’s safe: ask Sandbox Merchant/)
  assert.match(
    body,
    /<dt>Amount<\/dt><dd>₦10,000\.00<\/dd>.*<dt>You sent<\/dt><dd>₦15,000\.00<\/dd>/,
  )
})
