// An adjusting entry takes two people, has the amount of its difference, and brings the ledger's bank balance
// to the statement's (I110). A day with a reconciling item is not green until the item clears (I111).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { changesOf, outcomeOf, RECONCILIATION, resolve } from '../support/differences.ts'
import { dataOf, startPayment } from '../support/fixtures.ts'
import { recordMovements } from '../support/movements.ts'
import { actionsOf, newBrowser } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported } from '../support/statement-files.ts'

const DAY = '2026-11-15'
const DAY_MS = 86_400_000
const ENTRIES = `${RECONCILIATION}/adjusting-entries`
const REASON = 'The bank’s letter of 20 November'

type Person = Awaited<ReturnType<typeof newBrowser>>
type Row = {
  id: number
  kind: string
  amount: number
  actions: string[]
  adjustingAccounts: string[]
}
type Proof = {
  status: string
  statusText: string
  computedAt: string
  differences: Row[]
} & Record<'ledger' | 'statement' | 'timing' | 'noted' | 'difference', number>

const match = ({ service, clock }: Bench) =>
  withTransaction(service.db, (tx) =>
    matchStatements(tx, { bankCode: '058', currency: 'NGN', now: clock() }),
  )

async function proofOf(bench: Bench, day = DAY): Promise<Proof> {
  return dataOf(await bench.call({ url: `${RECONCILIATION}?bankCode=058&day=${day}` }))
}

const partsOf = ({ statement, ledger, timing, noted, difference }: Proof) =>
  [statement, ledger, timing, noted, difference] as const

const request = (by: Person, body: object) =>
  by.call({ url: ENTRIES, body: { reason: REASON, ...body } })
const decide = (by: Person, reference: string, verb: string, body: object = {}) =>
  by.call({ url: `${ENTRIES}/${reference}/${verb}`, body })

// Requests and approves an adjusting entry for a difference; returns its reference.
async function adjust(
  { maker, checker }: { maker: Person; checker: Person },
  row: Row,
  account: string,
) {
  const entry = await request(maker, { differenceId: row.id, account, amount: row.amount })
  assert.equal(entry.statusCode, 200, entry.body)
  const { reference } = entry.json().data
  const approved = await decide(checker, reference, 'approve')
  assert.equal(approved.statusCode, 200, approved.body)
  return reference as string
}

// Starts a service and imports a statement with differences: one credit is 2.00 too low, one is missing, one
// is there twice, a debit is unexplained, and the opening balance is 100.00 higher than in the books.
async function setup() {
  const bench = await startTestService()
  const { bankAccount: accountNumber } = await startPayment(bench, { amount: 1000 }, '058')
  const ids = [newSessionId(), newSessionId(), newSessionId()] as const
  for (const [index, sessionId] of ids.entries()) {
    await postRail(bench, '058/credits', { sessionId, accountNumber, amount: `${10 + index}` })
  }
  const lines = [
    { kobo: 800n, reference: 'FT1', narration: `NIP ${ids[0]} FROM ADA OBI` },
    { kobo: 1_200n, reference: 'FT2', narration: `NIP ${ids[2]} FROM ADA OBI` },
    { kobo: 1_200n, reference: 'FT3', narration: `NIP ${ids[2]} FROM ADA OBI` },
    { kobo: -700n, reference: 'FT4', narration: 'CASH' },
  ]
  const csv = gtbankCsv({
    openingKobo: 10_000n,
    lines: lines.map((line) => ({ ...line, day: DAY })),
  })
  await imported(bench, csv)
  await match(bench)
  bench.advance(5 * DAY_MS)
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const { differences } = await proofOf(bench)
  const find = (kind: string) => differences.find((difference) => difference.kind === kind) as Row
  return Object.assign(bench, { maker, checker, differences, find })
}

test('every kind of difference is adjusted to the kobo, and the day is green', async () => {
  await using bench = await setup()
  const { moves } = await recordMovements(bench)
  assert.deepEqual(
    bench.differences
      .map(({ kind, amount, adjustingAccounts: [likely] }) => `${kind} ${amount} ${likely}`)
      .sort(),
    [
      'amount_differs -2 shortfall',
      'balance_gap 100 due_to_bank',
      'duplicate_at_bank 12 due_to_bank',
      'missing_at_bank -11 shortfall',
      'unexplained_debit -7 shortfall',
    ],
  )

  for (const row of bench.differences) {
    const before = await proofOf(bench)
    await adjust(bench, row, row.adjustingAccounts[0] as string)
    const after = await proofOf(bench)
    assert.equal(after.statement, before.statement)
    assert.equal(
      Math.round((before.difference - after.difference) * 100),
      row.amount * 100,
      row.kind,
    )
  }

  const proof = await proofOf(bench)
  assert.deepEqual([proof.status, proof.statusText], ['balanced', 'Balanced'])
  assert.deepEqual(partsOf(proof), [125, 33, 92, 0, 0])
  assert.deepEqual((await moves()).sort(), [
    'adjusting_entry: bank 058 → due_to_bank 058 100.00',
    'adjusting_entry: bank 058 → due_to_bank 058 12.00',
    'adjusting_entry: shortfall 058 → bank 058 11.00',
    'adjusting_entry: shortfall 058 → bank 058 2.00',
    'adjusting_entry: shortfall 058 → bank 058 7.00',
  ])
  const today = '2026-11-20'
  await imported(
    bench,
    gtbankCsv({
      openingKobo: 12_500n,
      lines: [{ kobo: 100n, reference: 'FT9', narration: 'X', day: today }],
    }),
  )
  const { matched, differences } = await match(bench)
  assert.deepEqual([matched, differences], [0, 0])
  assert.deepEqual(partsOf(await proofOf(bench, today)), [126, 125, 1, 0, 0])
  await assertCleanBooks(bench)
})

test('an adjusting entry takes two people, also without the client’s maker-checker', async () => {
  await using bench = await setup()
  const { maker, checker } = bench
  const row = bench.find('unexplained_debit')
  const { moves } = await recordMovements(bench)
  const entry = await request(maker, { differenceId: row.id, account: 'shortfall', amount: -7 })
  const { reference, state } = entry.json().data
  assert.equal(state, 'open')

  assert.equal((await decide(maker, reference, 'approve')).json().code, 'other_person_needed')
  assert.equal(
    (await decide(maker, reference, 'reject', { reason: 'x' })).json().code,
    'other_person_needed',
  )
  const byClient = await bench.call({ url: `${ENTRIES}/${reference}/approve`, body: {} })
  assert.equal(byClient.json().code, 'people_only')
  assert.deepEqual(await moves(), [])
  const again = { differenceId: row.id, account: 'bank_cost', amount: -7 }
  assert.equal((await request(checker, again)).json().code, 'difference_asked')
  assert.equal(await outcomeOf(resolve(bench, row.id, 'note')), 'difference_asked')
  const alone = bench.db.query(
    `update adjusting_entries set state = 'approved', decided_by = 'user:x', decided_at = now(),
            decided_by_user = requested_by_user where reference = $1`,
    [reference],
  )
  await assert.rejects(alone, { constraint: 'adjusting_entries_two_people' })

  const results = await Promise.all([1, 2].map(() => decide(checker, reference, 'approve')))
  assert.deepEqual(
    results.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  assert.deepEqual(await moves(), ['adjusting_entry: shortfall 058 → bank 058 7.00'])
  assert.equal((await decide(maker, reference, 'withdraw')).json().code, 'request_decided')
  assert.deepEqual(await changesOf(bench, row.id), [
    'opened',
    `resolved by user:${checker.user.email}`,
    'cleared',
  ])
  assert.deepEqual(await actionsOf(bench, `adjusting_entry/${reference}`), [
    'adjusting_entry.request',
    'adjusting_entry.approve',
  ])
  const { rows } = await bench.db.query(
    'select asked_by, decided_by from differences where id = $1',
    [row.id],
  )
  assert.deepEqual(rows, [
    { askedBy: `user:${maker.user.email}`, decidedBy: `user:${checker.user.email}` },
  ])
})

test('an entry that is not the difference is refused, by the service and by the database', async () => {
  await using bench = await setup()
  const { maker, checker } = bench
  const row = bench.find('missing_at_bank')
  const code = async (body: object) =>
    (
      await request(maker, { differenceId: row.id, account: 'shortfall', amount: -11, ...body })
    ).json().code

  for (const amount of [11, -10.99, -11.01, 0]) {
    assert.equal(await code({ amount }), 'entry_not_the_difference', `${amount}`)
  }
  for (const amount of [-11.001, '-11', null, 1e30]) {
    assert.equal(await code({ amount }), 'invalid_request', `${amount}`)
  }
  assert.equal(await code({ account: 'available' }), 'invalid_request')
  assert.equal(await code({ reason: '  ' }), 'invalid_request')
  assert.equal(await code({ differenceId: 999_999 }), 'difference_not_found')
  assert.equal(await code({ account: 'due_to_bank' }), 'entry_overdraws_account')

  const wrong = bench.db.query(
    `insert into adjusting_entries (reference, difference_id, account, amount_kobo, reason,
                                    requested_by, requested_by_user, requested_at)
     values ('AJE000000000000001', $1, 'shortfall', -1099, 'x', 'user:x', $2, now())`,
    [row.id, maker.user.id],
  )
  await assert.rejects(wrong, { constraint: 'adjusting_entries_equal_the_difference' })
  const entry = await request(maker, { differenceId: row.id, account: 'shortfall', amount: -11 })
  const { reference } = entry.json().data
  const unposted = bench.db.query(
    `update adjusting_entries set state = 'approved', decided_by = 'user:x', decided_at = now(),
            decided_by_user = $2 where reference = $1`,
    [reference, checker.user.id],
  )
  await assert.rejects(unposted, { constraint: 'adjusting_entries_are_posted' })
})

test('rejected or withdrawn, an entry leaves its difference as it was', async () => {
  await using bench = await setup()
  const { maker, checker } = bench
  const row = bench.find('duplicate_at_bank')
  const { moves } = await recordMovements(bench)
  const ask = async () =>
    (await request(maker, { differenceId: row.id, account: 'due_to_bank', amount: 12 })).json().data
      .reference

  assert.equal(
    (await decide(checker, await ask(), 'reject', { reason: 'No letter' })).statusCode,
    200,
  )
  const reference = await ask()
  assert.equal((await decide(checker, reference, 'withdraw')).json().code, 'own_request_only')
  assert.equal((await decide(maker, reference, 'withdraw')).statusCode, 200)

  assert.deepEqual(await moves(), [])
  assert.equal(await outcomeOf(resolve(bench, row.id, 'note')), 'resolved')
})

test('a reconciling item is on the aged list, and its day is not green, until it clears', async () => {
  await using bench = await setup()
  for (const row of bench.differences) {
    if (row.kind === 'missing_at_bank') {
      assert.equal(await outcomeOf(resolve(bench, row.id, 'note')), 'resolved')
    } else await adjust(bench, row, row.adjustingAccounts[0] as string)
  }
  const items = async (query = '') =>
    (await bench.call({ url: `${RECONCILIATION}/reconciling-items${query}` })).json()
      .data as (Row & {
      ageDays: number
      reason: string
    })[]

  const noted = await proofOf(bench)
  assert.equal(noted.status, 'reconciling_items')
  assert.equal(noted.statusText, 'Balanced except for ₦-11.00 in 1 reconciling item')
  assert.equal(Date.parse(noted.computedAt), bench.clock().getTime())
  const [item] = await items('?bankCode=058&bucket=2-7')
  assert.deepEqual([item?.kind, item?.amount, item?.ageDays], ['missing_at_bank', -11, 5])
  assert.deepEqual(await items('?bucket=31-60'), [])
  const ageing = dataOf(await bench.call({ url: `${RECONCILIATION}/ageing` }))
  assert.deepEqual(ageing.reconcilingItems, [
    { bankCode: '058', currency: 'NGN', bucket: '2-7', count: 1, amount: 11, unowned: 0 },
  ])

  await adjust(bench, item as Row, 'write_off')
  assert.deepEqual(await items(), [])
  assert.equal((await proofOf(bench)).status, 'balanced')
  await assertCleanBooks(bench)
})

test('an outstanding item that the bank books after its entry is late, and its entry is undone', async () => {
  await using bench = await setup()
  const row = bench.find('missing_at_bank')
  await adjust(bench, row, 'write_off')
  const { rows } = await bench.db.query<{ sessionId: string }>(
    'select session_id from credits where amount_kobo = 1100',
  )
  const late = {
    kobo: 1_100n,
    reference: 'FT8',
    narration: `NIP ${rows[0]?.sessionId}`,
    day: '2026-11-16',
  }
  await imported(bench, gtbankCsv({ openingKobo: 12_500n, lines: [late] }))
  await match(bench)

  const { differences } = await proofOf(bench, '2026-11-16')
  const again = differences.find(({ amount }) => amount === 11) as Row
  assert.deepEqual(
    [again.kind, again.actions, again.adjustingAccounts[0]],
    ['late_at_bank', ['note'], 'write_off'],
  )
  const { moves } = await recordMovements(bench)
  assert.equal(await outcomeOf(resolve(bench, again.id, 'book')), 'action_not_allowed')
  await adjust(bench, again, 'write_off')
  assert.deepEqual(await moves(), ['adjusting_entry: bank 058 → write_off 058 11.00'])
  await assertCleanBooks(bench)
})

test('a line for another account and the credit that it names are resolved by one match', async () => {
  await using bench = await startTestService()
  const first = await startPayment(bench, { amount: 1000 }, '058')
  const other = await startPayment(bench, { amount: 1000 }, '058')
  const sessionId = newSessionId()
  const credit = { sessionId, accountNumber: first.bankAccount, amount: '10' }
  await postRail(bench, '058/credits', credit)
  const narration = `NIBSS Instant Payment Inward ${sessionId} RENT FROM ADA OBI TO ${other.bankAccount}`
  const line = { kobo: 1_000n, reference: 'FT1', narration, day: DAY }
  await imported(bench, gtbankCsv({ lines: [line] }))
  await match(bench)
  bench.advance(5 * DAY_MS)
  const { moves } = await recordMovements(bench)
  const before = await proofOf(bench)
  assert.deepEqual(before.differences.map(({ kind }) => kind).sort(), [
    'missing_at_bank',
    'wrong_account',
  ])

  const row = before.differences.find(({ kind }) => kind === 'wrong_account') as Row
  assert.deepEqual(row.actions, ['match', 'note'])
  assert.equal(await outcomeOf(resolve(bench, row.id, 'match')), 'cleared')

  const after = await proofOf(bench)
  assert.deepEqual([after.status, after.differences], ['balanced', []])
  assert.deepEqual(await moves(), [])
  await assertCleanBooks(bench)
})
