// Bank accounts that payouts go to: the service asks the bank for the account's name before it pays to the
// account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { type BankAccount, isSameName, recordNameAnswer } from '#payouts/bank-accounts.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  bankAccountNumber,
  createPayout,
  fund,
  PAYOUTS,
  payoutBody,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const give = (body: object) => bench.call({ url: BANK_ACCOUNTS, body })
const accountBody = (prefix?: string) => ({
  bankCode: '058',
  accountNumber: bankAccountNumber(prefix),
  accountName: 'Ada Obi',
})

test('the sandbox merchant has a default bank account, and pays to it', async () => {
  const { data } = (await bench.call({ url: BANK_ACCOUNTS })).json()
  const first = data.at(-1)

  assert.deepEqual(
    [first.status, first.isDefault, first.isActive, first.accountName],
    ['confirmed', true, true, 'Sandbox Merchant'],
  )
  await fund(bench, '10')
  assert.equal((await createPayout(bench, { amount: 10 })).bankAccount, first.reference)
})

test('an account is confirmed, whatever the order and case of its name', async () => {
  const account = await addBankAccount(bench)

  assert.equal(account.status, 'confirmed')
  assert.equal(account.nameAtBank, 'ADA OBI')
  assert.equal(account.isDefault, false)
  for (const other of ['obi ADA', 'Àdá-Obi', ' Ada  Obi. ']) assert(isSameName('Ada Obi', other))
  assert(isSameName('Obi & Sons Nigeria Limited', 'OBI AND SONS NIG LTD'))
  for (const other of ['Ada', 'Ada Obi Eze', 'Ada Ada Obi', '']) {
    assert(!isSameName('Ada Obi', other), other)
  }
  assert(!isSameName('…', '…'))
})

test('nothing is paid to an account under another name', async () => {
  await fund(bench, '10')
  const account = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.otherCustomer })
  assert.deepEqual([account.status, account.nameAtBank], ['mismatch', 'ANOTHER CUSTOMER'])

  const body = payoutBody({ amount: 10, bankAccount: account.reference })
  const refused = await bench.call({ url: PAYOUTS, body })
  const asDefault = await bench.call({
    method: 'PATCH',
    url: `${BANK_ACCOUNTS}/${account.reference}`,
    body: { isDefault: true },
  })

  assert.equal(refused.json().code, 'bank_account_mismatch')
  assert.equal(asDefault.json().code, 'bank_account_mismatch')
})

test('a mismatch is corrected by giving the account again under the right name', async () => {
  const body = accountBody(SANDBOX_PREFIXES.otherCustomer)
  const wrong = (await give(body)).json().data
  const right = (await give({ ...body, accountName: 'Customer, Another' })).json().data
  const again = await give(body)

  assert.deepEqual([right.reference, right.status], [wrong.reference, 'confirmed'])
  assert.equal(again.json().code, 'bank_account_exists')
})

test('an account that the bank does not know is refused', async () => {
  const answer = await give(accountBody(SANDBOX_PREFIXES.unknownAccount))

  assert.equal(answer.statusCode, 409)
  assert.equal(answer.json().code, 'bank_account_unknown')
})

test('without an answer, the bank is asked again, and the payout needs approval', async () => {
  await fund(bench, '10')
  const account = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.silentAboutNames })
  assert.deepEqual([account.status, account.nameAtBank], ['unconfirmed', null])

  const made = await createPayout(bench, { amount: 10, bankAccount: account.reference })

  assert.equal(made.approval, 'needed')
})

test('once the bank answers, the account is confirmed before the first payout', async () => {
  await fund(bench, '10')
  const account = await addBankAccount(bench)
  await bench.db.query(
    `update bank_accounts set status = 'unconfirmed', name_at_bank = null where reference = $1`,
    [account.reference],
  )

  const made = await createPayout(bench, { amount: 10, bankAccount: account.reference })

  assert.equal(made.approval, 'not_needed')
  const { data } = (await bench.call({ url: `${BANK_ACCOUNTS}/${account.reference}` })).json()
  assert.equal(data.status, 'confirmed')
})

test('the bank’s other name for an account is stored although the payout is refused', async () => {
  await fund(bench, '10')
  const { reference } = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.otherCustomer })
  await bench.db.query(
    `update bank_accounts set status = 'unconfirmed', name_at_bank = null where reference = $1`,
    [reference],
  )

  const body = payoutBody({ amount: 10, bankAccount: reference })
  const refused = await bench.call({ url: PAYOUTS, body })

  assert.equal(refused.json().code, 'bank_account_mismatch')
  const { data } = (await bench.call({ url: `${BANK_ACCOUNTS}/${reference}` })).json()
  assert.deepEqual([data.status, data.nameAtBank], ['mismatch', 'ANOTHER CUSTOMER'])
})

test('the account name that the bank last confirmed counts while it does not answer', async () => {
  const body = accountBody(SANDBOX_PREFIXES.silentAboutNames)
  const { reference } = (await give(body)).json().data
  await bench.db.query(
    `update bank_accounts set status = 'mismatch', name_at_bank = 'ANOTHER CUSTOMER'
      where reference = $1`,
    [reference],
  )

  const same = (await give(body)).json().data
  const corrected = (await give({ ...body, accountName: 'Another Customer' })).json().data

  assert.deepEqual([same.status, same.nameAtBank], ['mismatch', 'ANOTHER CUSTOMER'])
  assert.deepEqual([corrected.reference, corrected.status], [reference, 'confirmed'])
})

test('an answer that was judged by a name that was changed meanwhile confirms nothing', async () => {
  const { reference } = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.silentAboutNames })
  const readIt = async () =>
    (await bench.call({ url: `${BANK_ACCOUNTS}/${reference}` })).json().data
  const { rows } = await bench.db.query<BankAccount>(
    'select id, account_name as "accountName" from bank_accounts where reference = $1',
    [reference],
  )
  const account = rows[0] as BankAccount
  await bench.db.query(`update bank_accounts set account_name = 'Bola Ade' where reference = $1`, [
    reference,
  ])
  const answer = { status: 'found', accountName: account.accountName } as const

  await withTransaction(bench.db, (tx) => recordNameAnswer(tx, bench.clock(), { account, answer }))

  assert.equal((await readIt()).status, 'unconfirmed')
})

test('the bank’s answer that it does not know an account is stored, the payout refused', async () => {
  const account = await addBankAccount(bench, { prefix: SANDBOX_PREFIXES.silentAboutNames })
  const url = `${BANK_ACCOUNTS}/${account.reference}`
  const read = async () => (await bench.call({ url })).json().data
  await fund(bench, '10')
  const { data, hash } = bench.config.secrets
  const answerAs = (accountNumber: string) =>
    bench.db.query('update bank_accounts set account_number_sealed = $2 where reference = $1', [
      account.reference,
      new Sealer(data, hash).seal(accountNumber),
    ])
  const body = payoutBody({ amount: 10, bankAccount: account.reference })
  const ask = async () => (await bench.call({ url: PAYOUTS, body })).json().code

  await answerAs(`${SANDBOX_PREFIXES.unknownAccount}00014`)
  assert.equal(await ask(), 'bank_account_unknown')
  assert.deepEqual([(await read()).status, (await read()).nameAtBank], ['mismatch', null])

  // The bank may have been wrong, so the next payout asks again. If the bank then does not answer, nothing
  // changes.
  assert.equal(await ask(), 'bank_account_unknown')
  await answerAs(account.accountNumber)
  assert.equal(await ask(), 'bank_account_mismatch')
  await answerAs(bankAccountNumber())
  assert.equal((await createPayout(bench, body)).approval, 'not_needed')
  assert.equal((await read()).status, 'confirmed')
})

test('a number that is no account of a bank is refused', async () => {
  const good = accountBody()
  const last = Number(good.accountNumber.at(-1))
  const miswritten = `${good.accountNumber.slice(0, -1)}${(last + 1) % 10}`
  for (const [changes, code] of [
    [{ accountNumber: miswritten }, 'invalid_request'],
    [{ accountNumber: 1234567890 }, 'invalid_request'],
    [{ accountNumber: '123456789' }, 'invalid_request'],
    [{ accountNumber: '１２３４５６７８９０' }, 'invalid_request'],
    [{ accountNumber: undefined }, 'invalid_request'],
    [{ bankCode: '999' }, 'bank_not_supported'],
    [{ bankCode: 'GTB' }, 'invalid_request'],
    [{ bankCode: '' }, 'invalid_request'],
    [{ bankCode: null }, 'invalid_request'],
    [{ accountName: ' ' }, 'invalid_request'],
    [{ accountName: 'x'.repeat(101) }, 'invalid_request'],
    [{ accountName: 'Ada\u0000' }, 'invalid_request'],
    [{ accountName: undefined }, 'invalid_request'],
    [{ isDefault: true }, 'invalid_request'],
  ] as const) {
    const answer = await give({ ...good, ...changes })
    assert.equal(answer.json().code, code, JSON.stringify(changes))
  }
  // Account numbers of wallets are telephone numbers.
  const wallet = { bankCode: '50211', accountNumber: '8031234567', accountName: 'Ada Obi' }
  assert.equal((await give(wallet)).statusCode, 200)
})

test('a client has one default, also when two are made at once', async () => {
  const made = [await addBankAccount(bench), await addBankAccount(bench)]
  const answers = await Promise.all(
    made.map(({ reference }) =>
      bench.call({
        method: 'PATCH',
        url: `${BANK_ACCOUNTS}/${reference}`,
        body: { isDefault: true },
      }),
    ),
  )
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 200],
  )

  const { data } = (await bench.call({ url: `${BANK_ACCOUNTS}?limit=100` })).json()
  const defaults = data.filter(({ isDefault }: { isDefault: boolean }) => isDefault)
  assert.equal(defaults.length, 1)

  const url = `${BANK_ACCOUNTS}/${defaults[0].reference}`
  const off = await bench.call({ method: 'PATCH', url, body: { isActive: false } })
  assert.deepEqual([off.json().data.isDefault, off.json().data.isActive], [false, false])
  const none = await bench.call({ url: PAYOUTS, body: payoutBody({ amount: 1 }) })
  assert.equal(none.json().code, 'bank_account_needed')
  const inactive = payoutBody({ amount: 1, bankAccount: defaults[0].reference })
  const refused = await bench.call({ url: PAYOUTS, body: inactive })
  assert.equal(refused.json().code, 'bank_account_inactive')
})

test('account numbers are sealed, and shown in full to users who may pay out', async () => {
  const { reference, accountNumber } = await addBankAccount(bench)
  const support = await newBrowser(bench, 'support')

  const seen = (await support.call({ url: `${BANK_ACCOUNTS}/${reference}` })).json().data

  assert.equal(seen.accountNumber, null)
  assert.equal(seen.accountNumberMasked, `******${accountNumber.slice(-4)}`)
  const { rows } = await bench.db.query('select a::text as row from bank_accounts a')
  assert(!rows.some(({ row }) => row.includes(accountNumber)))
})
