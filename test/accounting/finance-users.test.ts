// Finance users of an operator's client see the books as an operator does, close the day, and
// approve in pairs where two are required.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDay } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addLineDifference,
  decide,
  outcomeOf,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { payOut } from '../support/money-out.ts'
import { begin, credit, recordMovements, reverse } from '../support/movements.ts'
import { addBankAccount, createPayout, fund } from '../support/payouts.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { writeStatement } from '../support/reconciliation-scenes.ts'
import { startTestService } from '../support/running-service.ts'
import { BANK, STATEMENTS } from '../support/statement-files.ts'

const OPERATOR = '/api/v1/operator'
const ADJUSTMENTS = `${OPERATOR}/adjustments`
const LEDGER = '/api/v1/ledger/accounts'
const FEE = { kind: 'unexplained_debit', line: { amount: -5, kind: 'fee' } } as const
const WRITE_OFF = {
  ...{ kind: 'write_off', of: 'receivable', clientId: 'MAN0000001' },
  ...{ amount: '10', reason: 'Agreed by phone' },
}

const importStatement = (by: Browser, text: string) =>
  by.call({
    url: `${STATEMENTS}?bankCode=${BANK}&format=csv&profile=gtbank`,
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/csv' },
  })

test('a finance user imports the statement, resolves what differs and closes the day', async () => {
  await using bench = await startTestService()
  const { day, text } = await writeStatement(bench)
  const finance = await newBrowser(bench, 'finance')

  assert.equal(dataOf(await importStatement(finance, text)).lines, 4)
  const proof = `${RECONCILIATION}?bankCode=${BANK}&day=${day}`
  const { differences } = dataOf(await finance.call({ url: proof }))
  for (const { id, actions } of differences) {
    const action = actions.includes('book') ? 'book' : 'note'
    await outcomeOf(resolve(finance, id, action))
  }
  const closed = await closeDay(finance, day, { reason: 'The other banks come tomorrow' })

  assert.deepEqual([closed.isClosed, closed.closedBy], [true, `user:${finance.user.email}`])
  const left = dataOf(await finance.call({ url: proof }))
  assert.deepEqual(
    left.differences.filter(({ state }: { state: string }) => state === 'open'),
    [],
  )
  await assertCleanBooks(bench)
})

test('a finance user sees of the books what an operator sees, of all clients', async () => {
  await using bench = await startTestService()
  const { day, text } = await writeStatement(bench)
  const [finance, operator] = [
    await newBrowser(bench, 'finance'),
    await newBrowser(bench, 'operator'),
  ]
  const owner = await newBrowser(bench, 'owner')
  await importStatement(finance, text)
  const token = await bench.newClient('SHOP')
  await fund(bench, '500', { token })
  await addBankAccount(bench, { token })
  const { reference } = await createPayout(bench, { amount: '100' }, { token })
  const { data: accounts } = (await operator.call({ url: `${LEDGER}?kind=bank` })).json()
  const ofBank = `${LEDGER}/${accounts[0].id}`
  const days = `from=${day}&to=${day}`
  const urls = [
    ...[`days?${days}`, `journal?day=${day}`, `trial-balance?at=${day}`, 'balances'],
    ...[`vat?month=${day.slice(0, 7)}`, 'suspense-ageing', `journal.csv?day=${day}`],
    ...[`reconciliation/days?${days}`, `reconciliation?bankCode=${BANK}&day=${day}`],
    ...[`reconciliation/lines?bankCode=${BANK}&day=${day}`, 'reconciliation/ageing'],
    ...[`reconciliation/items?bankCode=${BANK}&day=${day}`, 'reconciliation/differences'],
    ...['statements', 'statement-imports', 'statement-profiles', 'banks', 'adjustments'],
    ...['payouts', 'payouts/summary', `payouts/${reference}`, 'payout-files'],
  ].map((path) => `${OPERATOR}/${path}`)
  const ledger = [LEDGER, ofBank, `${ofBank}/transfers`, `${ofBank}/totals`]
  const found = [`/api/v1/search?q=${reference}`]

  for (const url of [...urls, ...ledger, `${ofBank}/statement.csv`, ...found]) {
    const [seen, whole] = [await finance.call({ url }), await operator.call({ url })]
    assert.equal(seen.statusCode, 200, `${url}: ${seen.body}`)
    assert.equal(seen.body, whole.body, url)
    const { data } = seen.headers['content-type']?.toString().includes('json') ? seen.json() : {}
    if (Array.isArray(data) && !/adjustments|payout-files/.test(url)) assert(data.length > 0, url)
  }

  const [hit] = dataOf(await finance.call({ url: `/api/v1/search?q=${reference}` }))
  assert.equal(hit.href, `${OPERATOR}/payouts/${reference}`)
  const byOwner = dataOf(await owner.call({ url: `/api/v1/search?q=${reference}` }))
  assert.deepEqual(byOwner, [])
  assert.equal((await owner.call({ url: ofBank })).statusCode, 404)
})

test('finance users see neither money without an owner nor the operators’ alerts', async () => {
  await using bench = await startTestService()
  await writeStatement(bench)
  const finance = await newBrowser(bench, 'finance')

  for (const url of ['/api/v1/suspense', '/api/v1/credits']) {
    assert.deepEqual((await finance.call({ url })).json().data, [], url)
  }
  const audit = dataOf(await finance.call({ url: '/api/v1/ledger/audit' }))
  assert.equal(audit.findings, null)
})

test('two finance users resolve a difference under maker-checker, one does not', async () => {
  await using bench = await startTestService()
  const [maker, checker] = [await newBrowser(bench, 'finance'), await newBrowser(bench, 'finance')]
  await setMakerChecker(await newBrowser(bench, 'operator'), true)
  const { id } = await addLineDifference(bench, FEE)
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(maker, id, 'book')), 'asked')
  const alone = await decide(maker, id, 'approve')
  assertRefused(alone, { status: 409, code: 'other_person_needed' })
  assert.deepEqual(await moves(), [])

  assert.equal(await outcomeOf(decide(checker, id, 'approve')), 'cleared')
  assert.equal((await moves()).length, 1)
  await assertCleanBooks(bench)
})

test('two finance users write off a debt; one does not, nor whom they gave access', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '100')
  await payOut(bench, 70)
  await reverse(bench, sessionId, '100')
  const [maker, checker] = [await newBrowser(bench, 'finance'), await newBrowser(bench, 'finance')]
  const { moves } = await recordMovements(bench)
  const approve = (by: Browser) => by.call({ url: `${ADJUSTMENTS}/${reference}/approve`, body: {} })

  const { reference } = dataOf(await maker.call({ url: ADJUSTMENTS, body: WRITE_OFF }))
  const alone = await approve(maker)
  assertRefused(alone, { status: 409, code: 'other_person_needed' })
  await bench.db.query(
    `insert into access_grants (client_id, user_id, granted_by, granted_at)
     select client_id, $1, $2, now() from users where id = $1`,
    [checker.user.id, maker.user.id],
  )
  const dependent = await approve(checker)
  assertRefused(dependent, { status: 409, code: 'approver_not_independent' })
  assert.deepEqual(await moves(), [])

  const other = await newBrowser(bench, 'finance')
  assert.equal(dataOf(await approve(other)).state, 'approved')
  assert.deepEqual(await moves(), ['write_off: write_off → receivable 10.00'])
})
