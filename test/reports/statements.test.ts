// Statements of a collection account, the available balance, a subaccount and a ledger account, as CSV and as
// a page. Each has the opening balance, all movements and the closing balance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { AccountId } from '#ids.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { PAGE_ROWS_MAX } from '#reports/statement-routes.ts'
import { asId } from '../support/as-id.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { openSubaccount } from '../support/subaccount-rows.ts'
import { BALANCES, credit, type Row, readList, reverse } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const DAY_MS = 24 * 60 * MINUTE_MS
const LEDGER = '/api/v1/ledger/accounts'
const token = await bench.newClient('STATE00002')

async function csv(target: Bench, url: string) {
  const answer = await target.call({ url })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.match(answer.headers['content-type'] as string, /^text\/csv/)
  return parseCsv(answer.body)
}

const brief = (row: Row) => [row.reason, row.in, row.out, row.balance].join(' ')

test('a statement has the opening balance, each movement with its balance, and the closing', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  const first = await credit(own, accountNumber, '1000.00')
  own.advance(DAY_MS)
  const { bankAccount } = await startPayment(own, { amount: 500 })
  const from = own.clock().toISOString()
  const payer = { sourceAccountName: '=HYPERLINK("x")', narration: 'Rent; =1+1' }
  const second = await credit(own, accountNumber, '250.50', payer)
  await credit(own, bankAccount, '500')
  await reverse(own, first, '100.00')
  own.advance(DAY_MS)
  const to = own.clock().toISOString()
  await credit(own, accountNumber, '7.00')

  const rows = await csv(own, `${ACCOUNTS}/${accountNumber}/statement.csv?from=${from}&to=${to}`)
  const whole = await csv(own, `${BALANCES}/statement.csv?from=${from}`)

  assert.deepEqual(rows.map(brief), [
    'opening_balance   1000.00',
    'credit 250.50  1250.50',
    'reversal  100.00 1150.50',
    'closing_balance   1150.50',
  ])
  const [opening, credited, , closing] = rows
  assert.deepEqual(
    [opening?.postedAt, closing?.postedAt].map((at) => Date.parse(at as string)),
    [Date.parse(from), Date.parse(to)],
  )
  assert.deepEqual(
    [credited?.sessionId, credited?.sourceAccountName, credited?.narration, credited?.otherKind],
    [second, `'=HYPERLINK("x")`, `Rent;' =1+1`, 'bank'],
  )
  assert.deepEqual(whole.map(brief), [
    'opening_balance   1000.00',
    'credit 250.50  1250.50',
    'credit 500.00  1750.50',
    'reversal  100.00 1650.50',
    'credit 7.00  1657.50',
    'closing_balance   1657.50',
  ])
  assert.deepEqual(
    whole.map((row) => row.accountNumber),
    ['', accountNumber, '', accountNumber, accountNumber, ''],
  )
})

test('transfers of payouts and settlements show their references', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '1000.00')
  const { payoutId, settlementId } = await insertCauses(own)
  const ids = await accountIds(own, accountNumber)
  const draw = { debitAccountId: ids.collection, creditAccountId: ids.paying }
  const amountKobo = kobo(10_00n)
  await withTransaction(own.db, (tx) =>
    postTransfers(tx, own.clock(), [
      { ...draw, amountKobo, reason: 'payout', payoutId },
      { ...draw, amountKobo, reason: 'settlement', settlementId },
      { ...draw, amountKobo, reason: 'recovery', adjustmentId: asId(7n) },
      {
        debitAccountId: ids.paying,
        creditAccountId: ids.bank,
        amountKobo,
        reason: 'paid',
        payoutId,
      },
    ]),
  )

  const rows = await csv(own, `${ACCOUNTS}/${accountNumber}/statement.csv`)
  const listed = (await readList(own, `${ACCOUNTS}/${accountNumber}/transactions`)).data
  const chart = (await readList(own, LEDGER)).data
  const bank = chart.find(({ kind, bankCode }: Row) => kind === 'bank' && bankCode === '035')
  const ofBank = (await readList(own, `${LEDGER}/${bank.id}/transfers`)).data
  const bankRows = await csv(own, `${LEDGER}/${bank.id}/statement.csv`)

  const named = ({ payoutReference, settlementReference, adjustmentId }: Row) =>
    [payoutReference, settlementReference, adjustmentId ? 'adjusted' : ''].join('/')
  const expected = ['POT1/STL1/', '/STL1/', '//adjusted']
  assert.deepEqual(rows.slice(2, -1).map(named), expected)
  assert.deepEqual(listed.slice(0, 3).map(named), expected.toReversed())
  assert.deepEqual(
    listed.map(({ type, balanceAfter, creditId }: Row) => [type, balanceAfter, creditId === null]),
    [
      ['recovery', 970, true],
      ['settlement', 980, true],
      ['payout', 990, true],
      ['credit', 1000, false],
    ],
  )
  assert.deepEqual(
    ofBank.map(({ reason, direction, payoutReference }: Row) => [
      reason,
      direction,
      payoutReference,
    ]),
    [
      ['paid', 'out', 'POT1'],
      ['credit', 'in', null],
    ],
  )
  assert.deepEqual(bankRows.map(brief), [
    'opening_balance   0.00',
    'credit 1000.00  1000.00',
    'paid  10.00 990.00',
    'closing_balance   990.00',
  ])
})

test('a subaccount has its shares, and those of its client only', async () => {
  await using own = await startTestService()
  const stranger = await own.newClient('STATE00003')
  const { accountNumber } = await createAccount(own)
  const { shareMoneyOf } = await openSubaccount(own, 'shop')
  await shareMoneyOf((await accountIds(own, accountNumber)).collection)
  await credit(own, accountNumber, '100.00')
  const url = '/api/v1/subaccounts/shop/statement'

  const rows = await csv(own, `${url}.csv`)
  const { subaccounts, totals } = (await own.call({ url: BALANCES })).json().data

  assert.deepEqual(rows.map(brief), [
    'opening_balance   0.00',
    'split 20.00  20.00',
    'closing_balance   20.00',
  ])
  assert.equal(rows[1]?.otherAccountNumber, accountNumber)
  const row = { currency: 'NGN', available: 20, inTransit: 0, paidOut: 0 }
  assert.deepEqual(subaccounts, [{ subaccountCode: 'shop', name: 'Shop shop', ...row }])
  const { gross, net, collected, available } = totals[0]
  assert.deepEqual([gross, net, collected, available], [100, 100, 100, 80])
  assert.deepEqual((await readList(own, `${BALANCES}/subaccounts?limit=1`)).data, subaccounts)
  const chart = (await readList(own, LEDGER)).data
  assert.equal(chart.find(({ kind }: Row) => kind === 'subaccount').subaccountCode, 'shop')
  for (const format of ['csv', 'html']) {
    const answer = await own.call({ url: `${url}.${format}`, token: stranger })
    assertRefused(answer, { status: 404, code: 'subaccount_not_found' })
  }
})

test('another client’s accounts have no statement', async () => {
  const { accountNumber } = await createAccount(bench)
  const [account] = (await readList(bench, LEDGER)).data

  for (const format of ['csv', 'html']) {
    const gone = await bench.call({
      url: `${ACCOUNTS}/${accountNumber}/statement.${format}`,
      token,
    })
    assertRefused(gone, { status: 404, code: 'account_not_found' })
    const ledger = await bench.call({ url: `${LEDGER}/${account.id}/statement.${format}`, token })
    assertRefused(ledger, { status: 404, code: 'ledger_account_not_found' })
    for (const wrong of ['from=x', 'from=2026-11-16&to=2026-11-15', 'page=2', 'currency=naira']) {
      const answer = await bench.call({ url: `${BALANCES}/statement.${format}?${wrong}` })
      assertRefused(answer, { status: 400, code: 'invalid_request' })
    }
  }
})

test('the page shows the same, escapes what payers write, and runs no script', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  const narration = `<script>alert(1)</script> & "more"`
  await credit(own, accountNumber, '1234567.89', { narration })

  const answer = await own.call({ url: `${ACCOUNTS}/${accountNumber}/statement.html` })

  assert.equal(answer.statusCode, 200)
  assert.match(answer.headers['content-type'] as string, /^text\/html/)
  const policy = answer.headers['content-security-policy'] as string
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/)
  assert(!answer.body.includes('<script'))
  assert(answer.body.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;'))
  assert.match(answer.body, /<dt>Closing balance<\/dt><dd>1,234,567\.89<\/dd>/)
  assert.match(answer.body, new RegExp(`Statement of account ${accountNumber}`))
})

test('a page that would be too long is refused, and the file has all of it', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await credit(own, accountNumber, '100.00')
  const ids = await accountIds(own, accountNumber)
  const [to, back] = [
    { debitAccountId: ids.collection, creditAccountId: ids.paying },
    { debitAccountId: ids.paying, creditAccountId: ids.collection },
  ]
  const more = Array.from({ length: PAGE_ROWS_MAX }, (_, at) => ({
    ...(at % 2 === 0 ? to : back),
    amountKobo: kobo(1n),
    reason: 'settlement' as const,
    settlementId: asId<never>(1n),
  }))
  await withTransaction(own.db, (tx) => postTransfers(tx, own.clock(), more))

  for (const url of [`${ACCOUNTS}/${accountNumber}`, BALANCES]) {
    const page = await own.call({ url: `${url}/statement.html` })
    assertRefused(page, { status: 400, code: 'statement_too_long' })
    const rows = await csv(own, `${url}/statement.csv`)
    assert.equal(rows.length, PAGE_ROWS_MAX + 3)
    assert.equal(new Set(rows.map((row) => row.transferId)).size, PAGE_ROWS_MAX + 2)
  }
})

// The ids of three ledger accounts; opens the client's `paying`.
async function accountIds(own: Bench, accountNumber: string) {
  const { rows } = await own.db.query<Record<'collection' | 'paying' | 'bank', AccountId>>(
    `with opened as (
       insert into ledger_accounts (id, kind, owner)
       select nextval('shared_account_ids'), 'paying', 'client:' || id from clients
        where client_id = 'MAN0000001'
       on conflict do nothing returning id
     )
     select (select id from collection_accounts where account_number = $1) as collection,
            (select id from opened) as paying,
            (select id from ledger_accounts where kind = 'bank' and owner = 'bank:035'
                and currency = 'NGN') as bank`,
    [accountNumber],
  )
  return rows[0] as (typeof rows)[0]
}

// Inserts a settlement and a payout, to be the causes of transfers.
async function insertCauses(own: Bench) {
  const { rows } = await own.db.query<{ payoutId: never; settlementId: never }>(
    `with client as (
       select id from clients where client_id = 'MAN0000001'
     ), settlement as (
       insert into settlements (reference, client_id, currency, status, cut_off, to_id,
         next_from_id, needs_approval, closed_by, closed_at)
       select 'STL1', id, 'NGN', 'closed', $1, 0, 0, false, 'test', $1 from client returning id
     ), payout as (
       insert into payouts (reference, client_id, purpose, bank_code, to_bank_code,
         to_account_sealed, to_account_name, amount_kobo, currency, narration, approval,
         requested_by, requested_at, settlement_id)
       select 'POT1', client.id, 'settlement', '035', '058', '\\x00', 'ADA', 1000, 'NGN', '',
              'not_needed', 'test', $1, settlement.id
         from client, settlement
       returning id
     )
     select payout.id as "payoutId", settlement.id as "settlementId" from payout, settlement`,
    [own.clock()],
  )
  return rows[0] as (typeof rows)[0]
}
