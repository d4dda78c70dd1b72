// Payouts to each kind of institution (bank, microfinance bank, wallet), which a client may name by any of
// its codes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nuban } from '#banks/nuban.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { BANK_ACCOUNTS, fund, PAYOUTS, payoutRounds } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import type { Row } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const BANKS = '/api/v1/banks'
const PHONE = '8031234567'

const give = (bankCode: string, accountNumber: string) =>
  bench.call({ url: BANK_ACCOUNTS, body: { bankCode, accountNumber, accountName: 'Ada Obi' } })

const PAYEES = [
  ['999992', PHONE, '100004', 'OPay Digital Services'],
  ['100033', PHONE, '100033', 'PalmPay'],
  ['566', '1000000001', '090110', 'VFD Microfinance Bank'],
  ['090267', '1000000003', '50211', 'Kuda Microfinance Bank'],
  ['50162', '1000000002', '50162', 'Dot Microfinance Bank'],
  ['000013', nuban('058', 100_000_001), '058', 'Guaranty Trust Bank'],
] as const

for (const [code, number, known, name] of PAYEES) {
  test(`a payout to ${name}, named ${code}, is paid`, async () => {
    const account = dataOf(await give(code, number))
    await fund(bench, '10')
    const body = { amount: 10, bankAccount: account.reference, narration: 'Proceeds' }
    const created = dataOf(await bench.call({ url: PAYOUTS, body }))
    const rounds = await payoutRounds(bench)
    await rounds.send()

    const payout = dataOf(await bench.call({ url: `${PAYOUTS}/${created.reference}` }))

    assert.deepEqual([account.bankCode, account.bankName], [known, name])
    assert.deepEqual([payout.status, payout.toBankCode], ['confirmed', known])
  })
}

test('a check digit is checked where it applies, by whatever code the bank is named', async () => {
  const wrong = nuban('058', 100_000_002).replace(/.$/, (last) => `${(Number(last) + 1) % 10}`)

  for (const code of ['058', '000013']) {
    const answer = await give(code, wrong)
    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.match(answer.body, /check digit/)
  }
  assert.equal((await give('50515', wrong)).statusCode, 200)
})

test('an unknown institution, and one that cannot be paid, is refused', async () => {
  for (const code of ['997', '99999', '999990', '030', '999999']) {
    const answer = await give(code, nuban('030', 100_000_003))
    assertRefused(answer, { status: 400, code: 'bank_not_supported' })
  }
  for (const code of ['', '05', '0588', '0000013', 'MFB50992']) {
    const answer = await give(code, PHONE)
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
})

test('institutions are listed with what they can do, and found by name and by any code', async () => {
  const list = async (search = ''): Promise<Row[]> =>
    dataOf(await bench.call({ url: search ? `${BANKS}?search=${search}` : BANKS, token: null }))

  const all = await list()
  const [opay] = await list('999992')

  assert(all.length > 600)
  assert.deepEqual(opay, {
    code: '100004',
    name: 'OPay Digital Services',
    kind: 'mobile_money',
    cbnCode: null,
    nipCode: '100004',
    aliases: ['999992', '305'],
    otherNames: opay.otherNames,
    canBePaid: true,
    checksNuban: false,
  })
  assert.deepEqual(
    (await list('gtb')).map(({ code }) => code),
    ['058'],
  )
  assert.deepEqual(await list('no such bank'), [])
})
