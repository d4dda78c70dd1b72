// The simulated bank's control API and its own books: the statement adds up, and invalid orders are refused
// in a sentence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatKobo, kobo, parseKobo } from '#money.ts'
import { callsOf, control, naira, startLoneBank } from '../support/fake-bank.ts'
import { START } from '../support/running-service.ts'

const NUMBER = '1000000001'

test('the statement adds up: net amounts, payouts, and a running balance', async () => {
  await using bank = await startLoneBank({
    connector: 'manilla',
    openingKobo: naira(100),
    fees: { flatKobo: naira(10), basisPoints: 50n },
  })
  const sent = await control(bank, 'transfers', [
    { accountNumber: NUMBER, amount: '1000.00' }, // Fee 10 + 5, VAT 1.12.
    { accountNumber: NUMBER, amount: 2000.5 }, // Fee 10 + 10.00, VAT 1.50.
    { accountNumber: NUMBER, amount: '9.00' }, // Less than its fee, so no fee.
  ])
  assert.deepEqual(
    sent.body.map((one: Record<string, string>) => [one.fee, one.vat, one.settledAmount]),
    [
      ['15.00', '1.12', '983.88'],
      ['20.00', '1.50', '1979.00'],
      ['0.00', '0.00', '9.00'],
    ],
  )
  const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'A' }
  const instruction = { reference: 'PO-1', amountKobo: naira(500), currency: 'NGN', to }
  await callsOf(bank).sendMoney?.({ ...instruction, narration: '' }, {})

  const { body } = await control(bank, 'statement')
  assert.equal(body.openingBalance, '100.00')
  assert.equal(body.closingBalance, '2571.88')
  let balance = parseKobo(body.openingBalance) as bigint
  for (const line of body.lines) {
    const isDebit = line.amount.startsWith('-')
    const amount = parseKobo(line.amount.replace('-', '')) as bigint
    balance += isDebit ? -amount : amount
    assert.equal(line.balance, formatKobo(kobo(balance)))
  }
  assert.equal(formatKobo(kobo(balance)), body.closingBalance)
})

test('a statement of some days opens with the balance before them', async () => {
  let now = START
  await using bank = await startLoneBank({ connector: 'manilla', clock: () => now })
  for (const day of [0, 1, 2]) {
    now = new Date(START.getTime() + day * 86_400_000)
    await control(bank, 'transfers', { accountNumber: NUMBER, amount: '10.00' })
  }
  const from = new Date(START.getTime() + 86_400_000).toISOString()
  const to = new Date(START.getTime() + 2 * 86_400_000).toISOString()
  const { body } = await control(bank, `statement?from=${from}&to=${to}`)
  assert.deepEqual(
    [body.openingBalance, body.lines.length, body.closingBalance],
    ['10.00', 1, '20.00'],
  )
})

test('wrong orders are refused, and nothing of them is done', async () => {
  await using bank = await startLoneBank({ connector: 'manilla' })
  const good = { accountNumber: NUMBER, amount: '1.00' }
  const wrong: [path: string, body: unknown, reason: RegExp][] = [
    ['transfers', [good, { ...good, accountNumber: '1' }], /10 digits/],
    ['transfers', { ...good, amount: '-1' }, /amount/],
    ['transfers', { ...good, amount: '0' }, /amount/],
    ['transfers', { ...good, fate: 'eaten' }, /fate/],
    ['transfers', [], /transfers/],
    ['faults', { loss: 2 }, /0 to 1/],
    ['faults', { loss: 0.6, delay: 0.6 }, /add up/],
    ['faults', { chaos: 1 }, /unknown fault/],
    ['faults', { reorder: 'yes' }, /reorder/],
    ['clock', { advanceMs: -1 }, /advanceMs/],
  ]
  for (const [path, body, reason] of wrong) {
    const answer = await control(bank, path, body)
    assert.equal(answer.status, 400, path)
    assert.match(answer.body.message, reason)
  }
  assert.deepEqual((await control(bank, 'transfers')).body, [])
  assert.equal((await control(bank, 'faults')).body.loss, 0)
})

test('faults can be changed while the bank runs, and a reset undoes everything', async () => {
  await using bank = await startLoneBank({ connector: 'manilla' })
  await control(bank, 'faults', { loss: 1 })
  const lost = await control(bank, 'transfers', { accountNumber: NUMBER, amount: '1.00' })
  assert.equal(lost.body.notification.status, 'lost')

  await control(bank, 'reset', {})
  assert.deepEqual((await control(bank, 'transfers')).body, [])
  assert.equal((await control(bank, 'statement')).body.closingBalance, '0.00')
  const next = await control(bank, 'transfers', { accountNumber: NUMBER, amount: '1.00' })
  assert.equal(next.body.notification.status, 'queued')
  assert.notEqual(next.body.sessionId, lost.body.sessionId, 'an identifier given twice')
})

test('the health check says that the bank is up', async () => {
  await using bank = await startLoneBank({ connector: 'manilla' })
  const { body } = await control(bank, 'health')
  assert.deepEqual(body, { status: 'ok', bankCode: '101', unansweredPayoutCalls: 0 })
})
