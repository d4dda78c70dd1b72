// The ledger as finance users see it: their accounts with balances and transfers, and whether the audit found
// the books right.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { bankOwner, clientOwner, operatorOwner, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { CREDITS_PER_PAGE_MAX } from '#reports/ledger.ts'
import { asId } from '../support/as-id.ts'
import { closeAfterTests } from '../support/closing.ts'
import { checkIntegrityNow } from '../support/desk-scenes.ts'
import {
  assertAlike,
  assertRefused,
  createAccount,
  createAdvice,
  initiate,
  startPayment,
} from '../support/fixtures.ts'
import { newSessionId, reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, giveBack, listItems, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { credit, type Row, readList, reverse, walk } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const ACCOUNTS = '/api/v1/ledger/accounts'
const AUDIT = '/api/v1/ledger/audit'
const token = await bench.newClient('LEDGER2')
const { accountNumber } = await createAccount(bench)
const { accountNumber: theirs } = await createAccount(bench, {}, { token })
await credit(bench, theirs, '77.00')
const session = await credit(bench, accountNumber, '1000.00')
await credit(bench, accountNumber, '250.50')
await reverse(bench, session, '100.00')
const { bankAccount } = await startPayment(bench, { amount: 500 })
await credit(bench, bankAccount, '200')
await credit(bench, bankAccount, '350')
await suspend(bench, NOBODYS_NUMBER, '33.00')

const chartOf = async (by?: string): Promise<Row[]> => (await readList(bench, ACCOUNTS, by)).data
const find = (rows: Row[], kind: string, more: Row = {}) =>
  rows.find((row) =>
    Object.entries({ kind, ...more }).every(([name, value]) => row[name] === value),
  )

test('an operator sees its own accounts, the banks’ and those without an owner, with balances', async () => {
  const rows = await chartOf()

  assert.equal(find(rows, 'collection')?.balance, 1150.5)
  assert.equal(find(rows, 'collection')?.accountNumber, accountNumber)
  assert.equal(find(rows, 'pending')?.balance, 0)
  assert.equal(find(rows, 'available')?.balance, 500)
  assert.equal(find(rows, 'suspense', { bankCode: null })?.balance, 50)
  assert.equal(find(rows, 'suspense', { bankCode: '035' })?.balance, 33)
  assert.equal(find(rows, 'bank', { bankCode: '035' })?.balance, 1810.5)
  assert.equal(find(rows, 'collection', { accountNumber: theirs }), undefined)
})

test('a client sees its own and nothing else', async () => {
  const rows = await chartOf(token)

  assert.deepEqual(
    rows.map(({ kind, balance }: Row) => [kind, balance]),
    [
      ['suspense', 0],
      ['collection', 77],
    ],
  )
})

test('an operator sees what each client owes and what was written off for it', async () => {
  await using own = await startTestService()
  const theirs = await own.newClient('LEDGER5')
  const { rows } = await own.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'LEDGER5'`,
  )
  const clientId = rows[0]?.id as ClientId
  const named = {
    receivable: { kind: 'receivable', owner: clientOwner(clientId), currency: 'NGN' },
    writeOff: { kind: 'write_off', owner: operatorOwner(clientId), currency: 'NGN' },
    bank: { kind: 'bank', owner: bankOwner('035'), currency: 'NGN' },
  } as const
  const shared = new SharedAccounts(own.db)
  await shared.open(Object.values(named))
  const post = (from: keyof typeof named, to: keyof typeof named, amount: bigint) => ({
    debitAccountId: shared.id(named[from]),
    creditAccountId: shared.id(named[to]),
    amountKobo: kobo(amount),
  })
  await withTransaction(own.db, (tx) =>
    postTransfers(tx, own.clock(), [
      { ...post('receivable', 'bank', 90_00n), reason: 'reversal', creditId: asId(1n) },
      { ...post('writeOff', 'receivable', 40_00n), reason: 'write_off', adjustmentId: asId(1n) },
    ]),
  )

  const { data: chart } = await readList(own, ACCOUNTS)
  const { data: ownChart } = await readList(own, ACCOUNTS, theirs)

  const seen = (row: Row) => [row?.balance, row?.clientId]
  assert.deepEqual(seen(find(chart, 'receivable')), [50, 'LEDGER5'])
  assert.deepEqual(seen(find(chart, 'write_off')), [40, 'LEDGER5'])
  assert.deepEqual(
    ownChart.map(({ kind, balance, clientId }: Row) => [kind, balance, clientId]),
    [['receivable', 50, null]],
  )
})

test('transfers of other clients are absent', async () => {
  const rows = await chartOf()
  const unknown = `${ACCOUNTS}/98765432`

  for (const kind of ['collection', 'available', 'bank', 'suspense']) {
    const url = `${ACCOUNTS}/${find(rows, kind)?.id}`
    const gone = await bench.call({ url, token })
    assertRefused(gone, { status: 404, code: 'ledger_account_not_found' })
    assertAlike(gone, await bench.call({ url: unknown, token }))
    const noTransfers = await bench.call({ url: `${url}/transfers`, token })
    assertAlike(noTransfers, await bench.call({ url: `${unknown}/transfers`, token }))
  }
  for (const wrong of ['x', '-1', '1.5', '1'.repeat(40), '%00']) {
    const answer = await bench.call({ url: `${ACCOUNTS}/${wrong}` })
    assert([400, 404].includes(answer.statusCode), answer.body)
  }
})

test('the transfers of an account add up to its balance, page by page', async () => {
  for (const account of await chartOf()) {
    for (const limit of [1, 2, 100]) {
      const url = `${ACCOUNTS}/${account.id}/transfers`
      const transfers = (await walk(bench, url, { limit })).flat()
      const sum = transfers.reduce(
        (total, { direction, amount }) => total + (direction === 'in' ? amount : -amount),
        0,
      )
      assert.equal(Math.round(sum * 100), Math.round(account.balance * 100), account.kind)
      assert.equal(new Set(transfers.map(({ id }) => id)).size, transfers.length)
    }
  }
})

test('a bank’s debt grows as it takes back money that had left, and shows as coming in', async () => {
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, '44.00')
  assert.equal((await giveBack(bench, id)).statusCode, 200)
  await reverse(bench, sessionId, '44.00')

  const shortfall = find(await chartOf(), 'shortfall')

  assert.deepEqual([shortfall.balance, shortfall.bankCode], [44, '035'])
  const { data } = await readList(bench, `${ACCOUNTS}/${shortfall.id}/transfers`)
  assert.deepEqual(
    data.map(({ direction, amount }: Row) => [direction, amount]),
    [['in', 44]],
  )
})

test('a bank’s transfers are found across long stretches of other banks’ credits', async () => {
  await using own = await startTestService()
  const { accountNumber: number } = await createAccount(own)
  const sessions = [newSessionId(), newSessionId(), newSessionId()]
  const [first, second, latest] = sessions
  const skip = (ids: number) =>
    own.db.query(`select setval('credit_ids', (select max(id) from credits) + $1)`, [ids])
  const report = (sessionId: string | undefined) =>
    reportCredit(own, { sessionId, accountNumber: number, amount: '1' }, '101')
  await report(first)
  for (let stretch = 0; stretch < 2; stretch++) {
    await skip(CREDITS_PER_PAGE_MAX + 2_000)
    await credit(own, number, '2.00')
  }
  await report(second)
  await skip(CREDITS_PER_PAGE_MAX - 1) // Exactly as far as one page reads.
  await report(latest)
  const { data: chart } = await readList(own, ACCOUNTS)
  const bank = find(chart, 'bank', { bankCode: '101' })

  const seen: string[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const from = cursor && `&cursor=${cursor}`
    const page = await readList(own, `${ACCOUNTS}/${bank.id}/transfers?limit=1${from}`)
    seen.push(...page.data.map(({ sessionId }: Row) => sessionId))
    cursor = page.nextCursor
  }

  assert.deepEqual(seen, sessions.toReversed())
  assert(pages > 3, 'some pages are short')
})

test('a bank’s account shows the amount of another client’s money, but not the owner', async () => {
  const bank = find(await chartOf(), 'bank', { bankCode: '035' })
  const { data } = await readList(bench, `${ACCOUNTS}/${bank.id}/transfers?limit=100`)

  const foreign = data.find(({ amount }) => amount === 77)
  assert.deepEqual(
    [foreign.creditId, foreign.sessionId, foreign.otherAccountId, foreign.otherKind],
    [null, null, null, 'collection'],
  )
  const own = data.find(({ amount }) => amount === 250.5)
  assert.equal(typeof own.creditId, 'number')
  assert.equal(own.sessionId.length, 30)
})

test('unidentified money assigned to a client can be traced by it, also when in suspense again', async () => {
  await using own = await startTestService()
  const theirs = await own.newClient('LEDGER3')
  const advice = await createAdvice(own, { amount: 500 }, { token: theirs })
  const { paymentReference } = await initiate(own, advice.adviceReference, '035', theirs)
  const { id, sessionId } = await suspend(own, NOBODYS_NUMBER, '200.00')
  assert.equal((await assign(own, id, { paymentReference })).statusCode, 200)
  own.advance(60 * 60_000)
  const deps = { sharedAccounts: new SharedAccounts(own.db), now: own.clock() }
  assert.equal(await withTransaction(own.db, (tx) => closeExpired(tx, deps)), 1)

  const by = await own.login('LEDGER3', 's3cret')
  const { data: chart } = await readList(own, ACCOUNTS, by)
  for (const kind of ['pending', 'suspense']) {
    const url = `${ACCOUNTS}/${find(chart, kind)?.id}/transfers`
    const { data } = await readList(own, url, by)
    assert(data.length > 0)
    for (const transfer of data) assert.equal(transfer.sessionId, sessionId)
  }
  const [item] = await listItems(own, '', by)
  assert.deepEqual([item.id, item.reason, item.state], [id, 'underpaid', 'open'])
  const stranger = await own.newClient('LEDGER4')
  for (const url of [`/api/v1/credits/${sessionId}`, `/api/v1/credits/${item.creditId}/timeline`]) {
    assert.equal((await own.call({ url, token: by })).statusCode, 200, url)
    const foreign = await own.call({ url, token: stranger })
    assertRefused(foreign, { status: 404, code: 'credit_not_found' })
  }
})

test('the chart is walked by cursors; a cursor of another list or client is refused', async () => {
  const all = await chartOf()
  const pages = await walk(bench, ACCOUNTS, { limit: 1 })
  assert.deepEqual(pages.flat(), all)

  const { nextCursor } = await readList(bench, `${ACCOUNTS}?limit=1`)
  const foreign = await bench.call({ url: `${ACCOUNTS}?cursor=${nextCursor}`, token })
  assertRefused(foreign, { code: 'invalid_cursor' })
  const other = await bench.call({ url: `${ACCOUNTS}/${all[0].id}/transfers?cursor=${nextCursor}` })
  assertRefused(other, { code: 'invalid_cursor' })
  const { nextCursor: ofBank } = await readList(
    bench,
    `${ACCOUNTS}/${find(all, 'bank', { bankCode: '035' })?.id}/transfers?limit=1`,
  )
  const elsewhere = `${ACCOUNTS}/${find(all, 'collection')?.id}/transfers?cursor=${ofBank}`
  assertRefused(await bench.call({ url: elsewhere }), { code: 'invalid_cursor' })
  const { data: banks } = await readList(bench, `${ACCOUNTS}?kind=bank`)
  assert.deepEqual(
    banks,
    all.filter(({ kind }) => kind === 'bank'),
  )
  const narrowed = await bench.call({ url: `${ACCOUNTS}?kind=bank&cursor=${nextCursor}` })
  assertRefused(narrowed, { code: 'invalid_cursor' })
  assertRefused(await bench.call({ url: `${ACCOUNTS}?sort=kind` }))
  assertRefused(await bench.call({ url: `${ACCOUNTS}?limit=0` }))
})

test('the audit: not yet, green, overdue, red; in detail for the operator only', async () => {
  const read = async (by?: string) =>
    (await bench.call({ url: AUDIT, ...(by ? { token: by } : {}) })).json().data

  const never = await read()
  assert.deepEqual([never.isOk, never.finishedAt, never.isOverdue], [null, null, false])
  await checkIntegrityNow(bench)
  const green = await read()
  assert.deepEqual([green.isOk, green.isOverdue, green.findings], [true, false, []])
  assert(green.checks.length >= 13)
  assert(green.checks.every(({ isOk }: Row) => isOk))
  assert.equal((await read(token)).findings, null)
  bench.advance(46 * 60_000)
  assert.equal((await read()).isOverdue, true)

  const client = await bench.db.connect()
  try {
    await client.query(`set session_replication_role = replica`)
    await client.query(`update ledger_accounts set credits_kobo = credits_kobo + 1
                         where id = (select min(id) from ledger_accounts where kind = 'available')`)
  } finally {
    client.release(true)
  }
  await checkIntegrityNow(bench)
  const red = await read()
  assert.equal(red.isOk, false)
  assert(red.findings.length > 0)
  const broken = red.checks.filter(({ isOk }: Row) => !isOk).map(({ name }: Row) => name)
  assert(broken.includes('balances_are_their_transfers'), broken.join())
  const answer = await bench.call({ url: AUDIT, token: await bench.login('LEDGER2', 's3cret') })
  assert.equal(answer.json().data.isOk, false)
  assert.equal(answer.json().data.findings, null)
})
