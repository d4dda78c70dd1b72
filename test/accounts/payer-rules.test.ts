// Payer rules limit who may pay and how much at a time. Money that breaks a rule has already arrived, so it
// is accepted and suspended with the reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  assertRefused,
  createAccount,
  createAdvice,
  databaseText,
  startPayment,
} from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const PAYER = {
  sourceAccountNumber: '2093566866',
  sourceAccountName: 'OKEKE CHIDI EMMANUEL',
  sourceBankCode: '033',
}

// Pays the same credit to a collection account and to a payment, both with these rules. Returns the
// outcome, which must be the same for both.
async function payUnder(payerRules: object, credit: Record<string, unknown>) {
  const account = await createAccount(bench, { payerRules })
  const payment = await startPayment(bench, { payerRules, amount: 1_000_000_000 })
  const outcomes = []
  for (const accountNumber of [account.accountNumber, payment.bankAccount]) {
    const answer = await reportCredit(bench, { accountNumber, amount: '100', ...credit })
    assert.equal(answer.responseCode, '00')
    outcomes.push([answer.outcome, answer.code].filter(Boolean).join(' '))
  }
  const [onAccount, onPayment] = outcomes
  assert.equal(onAccount, onPayment)
  return onAccount
}

const NOT_ALLOWED = 'suspended payer_not_allowed'

test('an amount may be no less than the minimum and no more than the maximum, to the kobo', async () => {
  const rules = { minAmount: '100.00', maxAmount: 200 }
  const cases: [string, string][] = [
    ['99.99', 'suspended below_minimum'],
    ['100', 'booked'],
    ['200.00', 'booked'],
    ['200.01', 'suspended above_maximum'],
    ['0.01', 'suspended below_minimum'],
    ['1000000000', 'suspended above_maximum'],
  ]

  for (const [amount, expected] of cases) {
    assert.equal(await payUnder(rules, { amount }), expected, amount)
  }
  assert.equal(await payUnder({ minAmount: 5 }, { amount: '1000000000' }), 'booked')
})

test('an account on the list may pay; its number and its bank must both match', async () => {
  const accounts = [
    { accountNumber: '0016563228', bankCode: '058' },
    { accountNumber: PAYER.sourceAccountNumber, bankCode: '033' },
  ]
  const cases: [object, string][] = [
    [PAYER, 'booked'],
    [{ ...PAYER, sourceBankCode: '000004' }, 'booked'], // The same bank, by its NIP code.
    [{ ...PAYER, sourceAccountName: undefined }, 'booked'],
    [{ ...PAYER, sourceBankCode: '058' }, NOT_ALLOWED],
    [{ ...PAYER, sourceAccountNumber: '2093566867' }, NOT_ALLOWED],
    [{ ...PAYER, sourceBankCode: undefined }, NOT_ALLOWED],
    [{ ...PAYER, sourceAccountNumber: undefined }, NOT_ALLOWED],
    [{}, NOT_ALLOWED],
  ]

  for (const [payer, expected] of cases) {
    assert.equal(await payUnder({ accounts }, { ...payer }), expected, JSON.stringify(payer))
  }
})

test('a name on the list may pay when two words of it are there, in any order', async () => {
  const names = ['Chidi Okeke', 'Ọlọ́runfẹ́mi Adébáyọ̀ Ojó']
  const allowed = [
    'OKEKE CHIDI',
    'okeke, chidi emmanuel',
    'MR CHIDI A. OKEKE',
    'Adébáyọ̀ Ọlọ́runfẹ́mi',
    'Ọlọ́runfẹ́mi Ojó'.normalize('NFD'),
    'OLORUNFEMI OJO', // Banks write names without accents.
  ]
  const others = [
    'CHIDI',
    'CHIDI CHIDI',
    'CHIDI OKE KE',
    'CHIDIOKEKE',
    'Ọlọ́runfẹ́mi Bello', // One word in common, however many accents it has.
    'Adébáyọ̀',
    'O C',
    '',
    undefined,
  ]

  for (const sourceAccountName of allowed) {
    assert.equal(await payUnder({ names }, { sourceAccountName }), 'booked', sourceAccountName)
  }
  for (const sourceAccountName of others) {
    assert.equal(await payUnder({ names }, { sourceAccountName }), NOT_ALLOWED, sourceAccountName)
  }
})

test('an account or a name is enough when both lists are given; the amount counts besides', async () => {
  const accounts = [{ accountNumber: PAYER.sourceAccountNumber, bankCode: '033' }]
  const rules = { accounts, names: ['Ada Obi'], maxAmount: 100 }
  const byName = { sourceAccountName: 'OBI ADA', sourceAccountNumber: '1111111111' }

  assert.equal(await payUnder(rules, PAYER), 'booked')
  assert.equal(await payUnder(rules, byName), 'booked')
  assert.equal(await payUnder(rules, { sourceAccountName: 'OBI EZE' }), NOT_ALLOWED)
  assert.equal(await payUnder(rules, { ...PAYER, amount: '101' }), 'suspended above_maximum')
})

test('without rules, or with empty ones, anybody may pay any amount', async () => {
  for (const payerRules of [{}, { accounts: [] }, { names: [] }, { accounts: [], names: [] }]) {
    assert.equal(await payUnder(payerRules, {}), 'booked', JSON.stringify(payerRules))
  }
})

test('rules that are not right are refused with the field that is wrong', async () => {
  const account = { accountNumber: '0016563228', bankCode: '058' }
  const bad: [unknown, string][] = [
    [5, 'payerRules'],
    ['anybody', 'payerRules'],
    [[], 'payerRules'],
    [{ minAmount: '1.001' }, 'payerRules.minAmount'],
    [{ minAmount: 0 }, 'payerRules.minAmount'],
    [{ maxAmount: '-1' }, 'payerRules.maxAmount'],
    [{ maxAmount: '10000000000000.01' }, 'payerRules.maxAmount'],
    [{ minAmount: 200, maxAmount: '100' }, 'payerRules.maxAmount'],
    [{ accounts: 'x' }, 'payerRules.accounts'],
    [{ accounts: Array(51).fill(account) }, 'payerRules.accounts'],
    [
      { accounts: [{ accountNumber: '123', bankCode: '058' }] },
      'payerRules.accounts.0.accountNumber',
    ],
    [
      { accounts: [{ accountNumber: 16563228, bankCode: '058' }] },
      'payerRules.accounts.0.accountNumber',
    ],
    [{ accounts: [account, { ...account, bankCode: '58' }] }, 'payerRules.accounts.1.bankCode'],
    [{ accounts: [{ accountNumber: '0016563228' }] }, 'payerRules.accounts.0.bankCode'],
    [{ names: ['Ada'] }, 'payerRules.names.0'],
    [{ names: ['Ada Obi', 'A B'] }, 'payerRules.names.1'],
    [{ names: ['Ọlọ́runfẹ́mi'] }, 'payerRules.names.0'],
    [{ names: ['Ada ADA'] }, 'payerRules.names.0'],
    [{ names: ['Ada\u0000Obi'] }, 'payerRules.names.0'],
    [{ names: [7] }, 'payerRules.names.0'],
    [{ names: [`Ada ${'x'.repeat(100)}`] }, 'payerRules.names.0'],
    [{ names: 'Ada Obi' }, 'payerRules.names'],
  ]
  const before = await databaseText(bench)

  for (const [payerRules, field] of bad) {
    const label = JSON.stringify(payerRules).slice(0, 80)
    const answers = [
      await bench.call({ url: ACCOUNTS, body: accountBody({ payerRules }) }),
      await bench.call({ url: ADVICE, body: adviceBody({ payerRules }) }),
    ]
    for (const [at, answer] of answers.entries()) {
      assert.equal(answer.statusCode, 400, label)
      assertRefused(answer, { code: 'invalid_request' }, at === 0 ? 'account' : 'payment')
      const fields = answer.json().errors.map((error: { field: string }) => error.field)
      assert.deepEqual(fields, [field], label)
    }
  }
  assert.equal(await databaseText(bench), before)
})

test('the accounts of payers are kept as keyed hashes: nobody reads them from a row', async () => {
  const accountNumber = '0098765432'
  const payerRules = { accounts: [{ accountNumber, bankCode: '058' }] }

  await createAccount(bench, { payerRules })
  await createAdvice(bench, { payerRules })

  const { rows } = await bench.db.query(
    `select payer_rules from collection_accounts where payer_rules::text like '%5432%'
     union all
     select payer_rules from advices where payer_rules::text like '%5432%'`,
  )
  assert.equal(rows.length, 2)
  for (const { payerRules: rules } of rows) {
    assert.deepEqual(Object.keys(rules.accounts[0]).sort(), ['bankCode', 'hash', 'masked'])
    assert.equal(rules.accounts[0].masked, '******5432')
  }
  assert(!(await databaseText(bench)).includes(accountNumber))
  assert(!bench.logText().includes(accountNumber))
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
