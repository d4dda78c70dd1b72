// Name enquiries: before a payer's bank sends money, it asks us for the name of a number. We answer 00 and
// the name if the number may be paid into now, or 07, and reveal nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { switchAccount } from '../support/account-calls.ts'
import { assertCleanBooks, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import { newSessionId, postRail, reportCredit } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { verifyAll } from '../support/verified.ts'

const bench = closeAfterTests(await startTestService())

// Enquires the name of an account number at the rail of a bank, and returns the service's answer.
async function enquire(accountNumber: string, on: Bench = bench, bank = '035') {
  const answer = await postRail(on, `${bank}/name-enquiry`, { accountNumber })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}
// Returns the answer for a number that must not be paid into.
const invalid = (accountNumber: string) => ({
  accountNumber,
  accountName: null,
  kycLevel: null,
  responseCode: '07',
})

test('an active collection account answers with the name that the payer will see', async () => {
  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })

  const answer = await postRail(bench, '035/name-enquiry', {
    sessionId: newSessionId(),
    accountNumber,
    channelCode: '1',
  })

  assert.deepEqual(answer.json(), {
    accountNumber,
    accountName: 'Sandbox Merchant/Ada Obi',
    kycLevel: '1',
    responseCode: '00',
  })
})

test('a bank is told the KYC tier that is in force', async () => {
  const { accountNumber } = await createAccount(bench, { kycTier: 2, nin: '33398765432' })
  const level = async () => (await enquire(accountNumber)).kycLevel

  assert.equal(await level(), '1')
  await verifyAll(bench)
  assert.equal(await level(), '2')
})

test('a name enquiry for an inactive collection account is answered with 07', async () => {
  const { accountNumber } = await createAccount(bench)

  await switchAccount(bench, accountNumber, 'deactivate')

  assert.deepEqual(await enquire(accountNumber), invalid(accountNumber))
})

test('a payment is 00 while it waits for money and 07 from the moment it expires', async () => {
  const { bankAccount } = await startPayment(bench, { amount: 500, expiresInSeconds: 600 })

  const atFirst = await enquire(bankAccount)
  await reportCredit(bench, { accountNumber: bankAccount, amount: '100' })
  const partPaid = await enquire(bankAccount)
  bench.advance(10 * MINUTE_MS - 1)
  const atLast = await enquire(bankAccount)
  bench.advance(1)
  const expired = await enquire(bankAccount)

  for (const { accountName, responseCode } of [atFirst, partPaid, atLast]) {
    assert.deepEqual([accountName, responseCode], ['Sandbox Merchant/Ada Obi', '00'])
  }
  assert.deepEqual(expired, invalid(bankAccount))
})

test('a name enquiry for a paid or cancelled payment is answered with 07', async () => {
  const paid = await startPayment(bench, { amount: 500 })
  await reportCredit(bench, { accountNumber: paid.bankAccount, amount: '500' })
  const cancelled = await startPayment(bench)
  const url = `/Payment/advice/${cancelled.adviceReference}/cancel`
  assert.equal((await bench.call({ method: 'POST', url })).statusCode, 200)

  for (const { bankAccount } of [paid, cancelled]) {
    assert.deepEqual(await enquire(bankAccount), invalid(bankAccount))
  }
})

test('every number of a payment answers its own bank, and is 07 to any other', async () => {
  const payment = await startPayment(bench, {}, '035')
  const url = `/Payment/process/banktransfer/${payment.adviceReference}`
  const further = await bench.call({ url, body: { bankCode: '058' }, token: null })
  const numbers = [payment.bankAccount, further.json().responseData.bankAccount]

  // Enquires all numbers at a bank. Returns for each the response code and whether there is a name.
  const enquireAll = async (bank: string) => {
    const answers = await Promise.all(numbers.map((number) => enquire(number, bench, bank)))
    return answers.map(({ responseCode, accountName }) => [responseCode, accountName !== null])
  }

  assert.notEqual(numbers[0], numbers[1])
  const [known, unknown] = [
    ['00', true],
    ['07', false],
  ]
  assert.deepEqual(await enquireAll('035'), [known, unknown])
  assert.deepEqual(await enquireAll('058'), [unknown, known])
})

test('an unknown number is answered with 07, and a malformed number is refused', async () => {
  assert.deepEqual(await enquire('0123456789'), invalid('0123456789'))
  const bad = [
    '',
    '123',
    '01234567890',
    'abcdefghij',
    '٠١٢٣٤٥٦٧٨٩',
    1234567890,
    null,
    ['0123456789'],
  ]

  for (const accountNumber of bad) {
    const answer = await postRail(bench, '035/name-enquiry', { accountNumber })
    assert.equal(answer.statusCode, 400, JSON.stringify(accountNumber))
    const { responseCode, code, errors } = answer.json()
    assert.deepEqual(
      [responseCode, code, errors[0].field],
      ['02', 'invalid_request', 'accountNumber'],
    )
  }
})

test('a hostile body is refused, never answered with a 5xx', async () => {
  const bodies = ['null', '5', '[]', '"x"', '{', '', '{"__proto__":{"accountNumber":"0123456789"}}']

  for (const body of [...bodies, Buffer.from([0xff]), '['.repeat(60_000)]) {
    const answer = await postRail(bench, '035/name-enquiry', body)
    assert.equal(answer.statusCode, 400, `${body}: ${answer.body}`)
    assert.equal(answer.json().responseCode, '02')
  }
})

test('the operator decides how names are written, and names are never read as a pattern', async () => {
  const range = { static: { from: 1, to: 99 }, dynamic: { from: 100, to: 199 } }
  const style = { MANILLA_ACCOUNT_NAME: '{customer} c/o {merchant}' }
  await using own = await startWithBanks([{ code: '035', ...range }, { code: '058' }], style)
  const names = ['Ọlọ́runfẹ́mi Adébáyọ̀', "$& $1 $' {merchant}", '{customer}', '🦁 Ltd']

  for (const accountName of names) {
    const { accountNumber } = await createAccount(own, { accountName })
    const found = await enquire(accountNumber, own)
    assert.equal(found.accountName, `${accountName} c/o Sandbox Merchant`)
  }
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
