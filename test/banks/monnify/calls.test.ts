// Calls to Monnify, and how the connector reads its answers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kobo } from '#money.ts'
import { START } from '../../support/running-service.ts'
import { fullCase } from '../full-cases.ts'
import { type Answer, startScriptedBank } from '../scripted-bank.ts'
import { MONNIFY } from './conformance-case.ts'

const REFERENCE = 'MNFY|04|20211117112842|000170'
const ENCODED = encodeURIComponent(REFERENCE)
const TRANSACTION = {
  transactionReference: REFERENCE,
  paymentReference: REFERENCE,
  amountPaid: '3000.00',
  settlementAmount: '2990.00',
  paidOn: '17/11/2021 03:28:42 PM',
  paymentStatus: 'PAID',
  currency: 'NGN',
  product: { type: 'RESERVED_ACCOUNT', reference: 'r-1' },
  accountPayments: [{ accountName: 'ADA OBI', accountNumber: '0065432190', bankCode: '058' }],
}
const one = { kind: 'bank_reference', value: REFERENCE } as const

// Starts a fake Monnify with a successful answer for each request line. All other requests get 404.
function answering(answers: Record<string, unknown>) {
  return startScriptedBank(fullCase(MONNIFY), (call) => {
    const path = call.line.replace(/\?.*$/, '')
    const found = answers[path]
    const answer: Answer = found
      ? { body: { requestSuccessful: true, responseMessage: 'success', responseBody: found } }
      : { status: 404, body: { requestSuccessful: false, responseMessage: 'not found' } }
    return answer
  })
}

const TRANSACTION_PATH = `GET /api/v2/transactions/${ENCODED}`
const ACCOUNT_PATH = 'GET /api/v2/bank-transfer/reserved-accounts/r-1'

test('a transaction is found by its reference, its number by the reserved account', async () => {
  await using bank = await answering({
    [TRANSACTION_PATH]: TRANSACTION,
    [ACCOUNT_PATH]: { accounts: [{ accountNumber: '6000140770' }] },
  })

  const answer = await bank.calls.findTransfer(one, {})

  assert(answer.status === 'found' && answer.items[0]?.ok)
  const { credit } = answer.items[0]
  assert.equal(credit.sessionId, REFERENCE)
  assert.equal(credit.identifiedBy, 'bank_reference')
  assert.equal(credit.accountNumber, '6000140770')
  assert.equal(credit.amountKobo, 300_000n)
  assert.equal(credit.charges?.feeKobo, 1_000n)
  assert.equal(credit.transactionTime?.toISOString(), '2021-11-17T14:28:42.000Z')
  const basic = Buffer.from('MK_TEST_1:91MUDL9N6U3BQRXBQ2PJ9M0PW4J22M1Y').toString('base64')
  assert.equal(bank.asked[0]?.headers.authorization, `Basic ${basic}`)
  assert.equal(bank.asked[1]?.headers.authorization, 'Bearer token-1')
})

test('one of several numbers is not guessed: the money is kept', async () => {
  const accounts = [{ accountNumber: '6000140770' }, { accountNumber: '6000140771' }]
  await using bank = await answering({
    [TRANSACTION_PATH]: TRANSACTION,
    [ACCOUNT_PATH]: { accounts },
  })
  const answer = await bank.calls.findTransfer(one, {})
  assert(answer.status === 'found' && answer.items[0]?.ok === false)
  assert.equal(answer.items[0].code, 'invalid_account_number')
  assert.equal(answer.items[0].money?.amount, '3000.00')
})

test('a transaction that is pending or unknown is to be asked for again', async () => {
  await using pending = await answering({
    [TRANSACTION_PATH]: { ...TRANSACTION, paymentStatus: 'PENDING' },
  })
  assert.equal((await pending.calls.findTransfer(one, {})).status, 'in_progress')
  await using unknown = await answering({})
  assert.equal((await unknown.calls.findTransfer(one, {})).status, 'not_found')
})

test('a window is listed by pages, each transaction with its details', async () => {
  const details = { ...TRANSACTION, destinationAccountInformation: { accountNumber: '6000140770' } }
  const rows = Array.from({ length: 10 }, () => ({ transactionReference: REFERENCE }))
  await using bank = await answering({
    'GET /api/v1/transactions/search': { content: rows },
    [TRANSACTION_PATH]: details,
  })
  const query = {
    accountNumber: null,
    from: new Date(START.getTime() - 1),
    to: START,
    cursor: null,
  }

  const answer = await bank.calls.listTransfers(query, {})

  assert(answer.status === 'listed')
  assert.equal(answer.items.length, 10)
  assert.equal(answer.nextCursor, '1')
  assert.match(bank.asked[1]?.line ?? '', /page=0&size=10&paymentStatus=PAID&from=\d+&to=\d+$/)
  const next = await bank.calls.listTransfers({ ...query, cursor: '1' }, {})
  assert(next.status === 'listed')
  assert(bank.asked.some(({ line }) => line.includes('page=1&')))
  const elsewhere = { ...query, accountNumber: '6000140771' }
  const none = await bank.calls.listTransfers(elsewhere, {})
  assert(none.status === 'listed' && none.items.length === 0)
})

test('each request of a page after the first waits for its turn, and none is made without one', async () => {
  const rows = Array.from({ length: 10 }, () => ({ transactionReference: REFERENCE }))
  const accounts = [{ accountNumber: '6000140770' }]
  const script = {
    'GET /api/v1/transactions/search': { content: rows },
    [TRANSACTION_PATH]: TRANSACTION,
    [ACCOUNT_PATH]: { accounts },
  }
  const query = { accountNumber: null, from: START, to: START, cursor: null }
  await using bank = await answering(script)
  let turns = 0
  // The connector calls this before each request, and goes on only if it may.
  const takeTurn = async () => ++turns > 0
  assert.equal((await bank.calls.listTransfers(query, { takeTurn })).status, 'listed')
  assert.equal(turns, 20)

  await using other = await answering(script)
  const answer = await other.calls.listTransfers(query, { takeTurn: async () => false })
  assert.equal(answer.status, 'no_answer')
  assert.deepEqual(
    other.asked.filter(({ line }) => !line.includes('/search') && !line.includes('login')),
    [],
  )
})

test('a page does not count if the details of one transaction cannot be read', async () => {
  await using bank = await startScriptedBank(fullCase(MONNIFY), (call) => {
    const isPage = call.line.includes('/search')
    const body = { responseBody: { content: [{ transactionReference: REFERENCE }] } }
    return isPage ? { body } : { status: 503, body: {} }
  })
  const query = { accountNumber: null, from: START, to: START, cursor: null }
  assert.equal((await bank.calls.listTransfers(query, {})).status, 'no_answer')
})

test('failed notifications are sent again, in West Africa Time', async () => {
  const path = 'POST /api/v1/transaction-notification/resend-failed-notifications'
  await using bank = await answering({ [path]: {} })
  const window = { from: new Date(START.getTime() - 3_600_000), to: START }
  assert.deepEqual(await bank.calls.resendNotifications(window, {}), { status: 'done' })
  assert.deepEqual(bank.asked[1]?.body, {
    startDate: '2026-11-15T08:00:00.000',
    endDate: '2026-11-15T09:00:00.000',
  })
})

test('an account is reserved at the preferred bank, under our reference', async () => {
  const account = { accountNumber: '6000140770', accountName: 'ADA' }
  await using bank = await answering({
    'POST /api/v2/bank-transfer/reserved-accounts': { accounts: [account] },
  })
  const customer = { name: 'Ada Obi', email: null, phone: null, bvn: '22212345654', nin: null }
  const request = { kind: 'static', reference: 'r-1', accountName: 'ADA OBI', customer } as const
  assert.deepEqual(await bank.calls.reserveAccount(request, {}), { status: 'reserved', ...account })
  assert.deepEqual(bank.asked[1]?.body, {
    accountReference: 'r-1',
    accountName: 'ADA OBI',
    currencyCode: 'NGN',
    contractCode: '8389328412',
    customerEmail: 'r-1@customers.example.com',
    customerName: 'Ada Obi',
    bvn: '22212345654',
    getAllAvailableBanks: false,
    preferredBanks: ['035'],
  })

  await using full = await answering({})
  const refused = await full.calls.reserveAccount(request, {})
  assert.deepEqual(refused, { status: 'refused', reason: 'not found' })

  await using known = await answering({ [ACCOUNT_PATH]: { accounts: [account] } })
  assert.deepEqual(await known.calls.reserveAccount(request, {}), {
    status: 'reserved',
    ...account,
  })
})

test('an account is reserved only for a customer with a BVN or NIN', async () => {
  const account = { accountNumber: '6000140770', accountName: 'ADA' }
  await using bank = await answering({
    'POST /api/v2/bank-transfer/reserved-accounts': { accounts: [account] },
  })
  const request = { kind: 'static', reference: 'r-1', accountName: 'ADA OBI' } as const
  const customer = { name: 'Ada', email: 'ada@example.com', phone: null, bvn: null, nin: null }
  for (const nobody of [null, customer]) {
    const answer = await bank.calls.reserveAccount({ ...request, customer: nobody }, {})
    assert.equal(answer.status, 'refused')
  }
  assert.equal(bank.asked.length, 0)
  const identified = { ...customer, nin: '12345678901' }
  await bank.calls.reserveAccount({ ...request, customer: identified }, {})
  assert.equal(bank.asked[1]?.body.nin, '12345678901')
  assert.equal(bank.asked[1]?.body.customerEmail, 'ada@example.com')
})

const payoutWaitingForAuthorization = (reason: string) =>
  ({ status: 'unknown', reason, isAccepted: true, waitsFor: 'authorization' }) as const

test('a failed disbursement says why in the words about it, never "success"', async () => {
  // Returns the reason that is read from a failed payout with these fields.
  const find = async (words: object) => {
    const body = { reference: 'p-1', status: 'FAILED', transactionReference: 'MFDS|1', ...words }
    await using bank = await answering({ 'GET /api/v2/disbursements/single/summary': body })
    const answer = await bank.calls.findPayout('p-1', {})
    assert(answer.status === 'failed')
    return answer.reason
  }
  assert.equal(await find({ transactionDescription: 'Dormant account' }), 'Dormant account')
  assert.equal(await find({ comment: 'Not enough balance' }), 'Not enough balance')
  assert.equal(await find({ comment: ' ' }), 'FAILED')
})

test('a narration is cut to what Monnify takes', async () => {
  await using bank = await answering({})
  await bank.calls.sendMoney({ ...payout, narration: 'n'.repeat(140) }, {})
  assert.equal(String(bank.asked[1]?.body.narration).length, 100)
})

const payout = {
  reference: 'p-1',
  amountKobo: kobo(13_753n),
  currency: 'NGN',
  to: { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' },
  narration: 'n',
}

for (const [status, expected] of [
  ['SUCCESS', { status: 'confirmed', bankReference: 'MFDS|1' }],
  ['PENDING', { status: 'unknown', reason: 'PENDING', isAccepted: true }],
  ['COMPLETED', { status: 'confirmed', bankReference: 'MFDS|1' }],
  ['AWAITING_PROCESSING', { status: 'unknown', reason: 'AWAITING_PROCESSING', isAccepted: true }],
  ['PENDING_AUTHORIZATION', payoutWaitingForAuthorization('PENDING_AUTHORIZATION')],
  ['PENDING_BATCH_AUTHORIZATION', payoutWaitingForAuthorization('PENDING_BATCH_AUTHORIZATION')],
  ['OTP_EMAIL_DISPATCH_FAILED', payoutWaitingForAuthorization('OTP_EMAIL_DISPATCH_FAILED')],
  ['FAILED', { status: 'failed', reason: 'FAILED' }],
  ['REVERSED', { status: 'failed', reason: 'REVERSED', isReversed: true }],
  ['EXPIRED', { status: 'failed', reason: 'EXPIRED' }],
] as const) {
  test(`a disbursement that is ${status} is ${expected.status}`, async () => {
    const body = { reference: 'p-1', status, transactionReference: 'MFDS|1' }
    await using bank = await answering({
      'POST /api/v2/disbursements/single': body,
      'GET /api/v2/disbursements/single/summary': body,
    })
    assert.deepEqual(await bank.calls.sendMoney(payout, {}), expected)
    assert.deepEqual(await bank.calls.findPayout('p-1', {}), expected)
    assert.equal(bank.asked[1]?.body.amount, 137.53)
  })
}

test('a refused disbursement may have been sent before, so the bank is queried', async () => {
  await using bank = await answering({})
  assert.equal((await bank.calls.sendMoney(payout, {})).status, 'unknown')
  assert.equal((await bank.calls.findPayout('p-1', {})).status, 'not_found')
})

test('a name enquiry finds the account’s name, or reports that there is none', async () => {
  const path = 'GET /api/v1/disbursements/account/validate'
  await using bank = await answering({ [path]: { accountName: 'ADA OBI' } })
  assert.deepEqual(await bank.calls.enquireName(payout.to, {}), {
    status: 'found',
    accountName: 'ADA OBI',
  })
  await using empty = await answering({})
  assert.equal((await empty.calls.enquireName(payout.to, {})).status, 'not_found')
})
