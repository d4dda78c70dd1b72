// Calls to Nomba, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kobo } from '#money.ts'
import { START } from '../../support/running-service.ts'
import { fullCase } from '../full-cases.ts'
import { type Answer, type Script, startScriptedBank } from '../scripted-bank.ts'
import { NOMBA } from './conformance-case.ts'

const SESSION = '000132891359184717316165338085'
// The record that Nomba publishes as an example.
const RECORD = {
  id: 'API-VACT_TRA-185C7-01964b64-5c0a-4c91-81b6-zxv7a421862b',
  status: 'SUCCESS',
  amount: '200.0',
  fixedCharge: '1.0',
  type: 'vact_transfer',
  timeCreated: '2024-07-11T16:12:49.656Z',
  recipientAccountNumber: '0014701211',
  senderName: 'Smart Hamzat',
  bankCode: '090645',
  sessionId: SESSION,
  accountNumber: '0122408496',
}
const REFERENCE = '019a8a3c-0000-7000-8000-000000000001'
const account = { accountNumber: '9171424569', reference: REFERENCE }
const one = { kind: 'session_id', value: SESSION } as const
// Returns a successful answer of Nomba with this data.
const ok = (data: unknown): Answer => ({ body: { code: '00', description: 'Success', data } })
// Starts a fake bank that gives this answer to every request.
const startBank = (answer: Answer) => startScriptedBank(fullCase(NOMBA), () => answer)

test('a transfer is found by its session id', async () => {
  await using bank = await startBank(ok(RECORD))

  const answer = await bank.calls.findTransfer(one, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.equal(credit.sessionId, SESSION)
  assert.deepEqual(credit.otherIdentifiers, [{ kind: 'bank_reference', value: RECORD.id }])
  assert.equal(credit.amountKobo, 20_000n)
  assert.equal(credit.charges?.feeKobo, 100n)
  assert.equal(bank.asked[1]?.line, `GET /v1/transactions/requery/${SESSION}`)
  assert.equal(bank.asked[1]?.headers.accountid, 'f666ef9b-888e-4799-85ce-acb505b28023')
  assert.deepEqual(bank.asked[0]?.body, {
    grant_type: 'client_credentials',
    client_id: '0a1b2c3d-1111-4222-8333-444455556666',
    client_secret: 'the-client-secret',
  })
})

for (const [what, answer, status] of [
  ['pending', ok({ ...RECORD, status: 'PENDING_BILLING' }), 'in_progress'],
  ['refunded', ok({ ...RECORD, status: 'REFUND' }), 'not_found'],
  ['unknown', { status: 404, body: { code: '404', description: 'none' } }, 'not_found'],
  ['refused by code', { body: { code: '01', description: 'none' } }, 'not_found'],
] as const) {
  test(`a transfer that is ${what} is to be asked for again`, async () => {
    await using bank = await startBank(answer)
    assert.equal((await bank.calls.findTransfer(one, {})).status, status)
  })
}

test('a window is listed by cursor, transfers to virtual accounts only', async () => {
  const others = [
    { ...RECORD, type: 'withdrawal' },
    { ...RECORD, status: 'PAYMENT_FAILED' },
  ]
  await using bank = await startBank(ok({ results: [RECORD, ...others], cursor: 'next' }))
  const query = { accountNumber: null, from: START, to: START, cursor: null }

  const all = await bank.calls.listTransfers(query, {})
  await bank.calls.listTransfers({ ...query, accountNumber: '0014701211', cursor: 'next' }, {})

  assert(all.status === 'listed')
  assert.equal(all.items.length, 1)
  assert.equal(all.nextCursor, 'next')
  const [, first, second] = bank.asked.map(({ line }) => decodeURIComponent(line))
  const dates = 'dateFrom=2026-11-15T08:00:00&dateTo=2026-11-15T08:00:00&limit=100'
  assert.equal(first, `GET /v1/transactions/accounts?${dates}`)
  assert.match(second ?? '', /\/virtual\?.*&cursor=next&virtual_account=0014701211$/)
})

test('an account is created with a plain name, and lives on', async () => {
  await using bank = await startBank(
    ok({ bankAccountNumber: '9171424569', bankAccountName: 'Nomba/Ada' }),
  )
  const customer = null
  const request = {
    kind: 'static',
    reference: REFERENCE,
    accountName: 'Adá-Óbi.',
    customer,
  } as const
  assert.deepEqual(await bank.calls.reserveAccount(request, {}), {
    status: 'reserved',
    accountNumber: '9171424569',
    accountName: 'Nomba/Ada',
  })
  assert.deepEqual(bank.asked[1]?.body, {
    accountRef: REFERENCE,
    accountName: 'Ada Obi Account',
    currency: 'NGN',
    expiryDate: '2099-12-31 23:59:59',
  })
})

test('a name has 8 to 64 characters, whatever the customer is called', async () => {
  await using bank = await startBank(ok({ bankAccountNumber: '9171424569' }))
  const names = ['', '王', 'Ada', 'Ada Obis', `${'A'.repeat(63)} B`, 'x'.repeat(300)]
  for (const accountName of names) {
    const request = { kind: 'static', reference: REFERENCE, accountName, customer: null } as const
    await bank.calls.reserveAccount(request, {})
    await bank.calls.renameAccount({ ...account, accountName }, {})
  }
  const written = bank.asked.slice(1).map(({ body }) => body.accountName)
  assert.deepEqual(written.filter((_, at) => at % 2 === 0).slice(0, 4), [
    'Virtual Account',
    'Virtual Account',
    'Ada Account',
    'Ada Obis',
  ])
})

test('an account that an earlier request created is found by its reference, not lost', async () => {
  const made = { bankAccountNumber: '9171424569', bankAccountName: 'Nomba/Ada' }
  const script: Script = ({ line }) =>
    line.startsWith('POST')
      ? { status: 400, body: { code: '400', description: 'exists' } }
      : ok(made)
  await using bank = await startScriptedBank(fullCase(NOMBA), script)
  const request = {
    kind: 'static',
    reference: REFERENCE,
    accountName: 'Ada',
    customer: null,
  } as const
  const answer = await bank.calls.reserveAccount(request, {})
  assert(answer.status === 'reserved')
  assert.equal(answer.accountNumber, '9171424569')
})

test('an account is renamed and ended by our reference; nothing is ever suspended', async () => {
  await using bank = await startBank(ok({}))
  assert.equal(
    (await bank.calls.renameAccount({ ...account, accountName: 'Ada' }, {})).status,
    'done',
  )
  assert.equal((await bank.calls.blockAccount(account, {})).status, 'done')
  assert.deepEqual(
    bank.asked.slice(1).map(({ line }) => line),
    [`PUT /v1/accounts/virtual/${REFERENCE}`, `DELETE /v1/accounts/virtual/${REFERENCE}`],
  )
  await using other = await startBank({ status: 404, body: { code: '404', description: 'None' } })
  assert.equal((await other.calls.blockAccount(account, {})).status, 'refused')
})

test('accounts are created in the sub-account that is configured', async () => {
  const full = fullCase(NOMBA)
  const settings = { ...full.settings, subAccountId: 'a1b2c3d4-888e-4799-85ce-acb505b28023' }
  const script = () => ok({ bankAccountNumber: '9171424569' })
  await using bank = await startScriptedBank({ ...full, settings }, script)
  const request = {
    kind: 'static',
    reference: REFERENCE,
    accountName: 'Ada',
    customer: null,
  } as const
  await bank.calls.reserveAccount(request, {})
  assert.equal(bank.asked[1]?.line, `POST /v1/accounts/virtual/${settings.subAccountId}`)
})

const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' }
const payout = {
  reference: 'p-1',
  amountKobo: kobo(13_753n),
  currency: 'NGN',
  to,
  narration: 'n',
}

for (const [status, expected] of [
  ['SUCCESS', 'confirmed'],
  ['NEW', 'unknown'],
  ['PENDING_BILLING', 'unknown'],
  ['REFUND', 'failed'],
] as const) {
  test(`a payout that is ${status} is ${expected}`, async () => {
    await using sending = await startBank(ok({ id: 't-1', status, meta: { merchantTxRef: 'p-1' } }))
    assert.equal((await sending.calls.sendMoney(payout, {})).status, expected)
    assert.equal(sending.asked[1]?.body.amount, 137.53)
    await using bank = await startBank(ok({ id: 't-1', status, merchantTxRef: 'p-1' }))
    assert.equal((await bank.calls.findPayout('p-1', {})).status, expected)
    assert.equal(bank.asked[1]?.line, 'GET /v1/transactions/accounts/single?merchantTxRef=p-1')
  })
}

test('a bank is named by the code of Nomba’s own list, in payouts and name enquiries', async () => {
  const opay = { ...to, bankCode: '100004' }
  await using bank = await startBank(ok({ accountName: 'ADA OBI' }))
  await bank.calls.enquireName(opay, {})
  await bank.calls.sendMoney({ ...payout, to: opay }, {})
  assert.deepEqual(
    bank.asked.slice(1).map(({ body }) => body.bankCode),
    ['305', '305'],
  )
})

test('a payout is not taken for another, and a refusal is not taken for a failure', async () => {
  await using bank = await startBank(ok({ id: 't-1', status: 'SUCCESS', merchantTxRef: 'p-2' }))
  assert.equal((await bank.calls.findPayout('p-1', {})).status, 'unknown')
  for (const meta of [{ merchantTxRef: 'p-2' }, undefined]) {
    await using sending = await startBank(ok({ id: 't-1', status: 'SUCCESS', meta }))
    assert.equal((await sending.calls.sendMoney(payout, {})).status, 'unknown')
  }
  await using refusing = await startBank({ status: 400, body: { code: '400', description: 'no' } })
  assert.equal((await refusing.calls.sendMoney(payout, {})).status, 'unknown')
  await using empty = await startBank({ status: 404, body: { code: '404', description: 'None' } })
  assert.equal((await empty.calls.findPayout('p-1', {})).status, 'not_found')
})

test('a name enquiry finds the account’s name, or reports that there is none', async () => {
  await using bank = await startBank(ok({ accountName: 'ADA OBI' }))
  assert.deepEqual(await bank.calls.enquireName(to, {}), {
    status: 'found',
    accountName: 'ADA OBI',
  })
  const none = { code: '404', description: 'Account not found' }
  await using empty = await startBank({ status: 404, body: none })
  assert.equal((await empty.calls.enquireName(to, {})).status, 'not_found')
})
