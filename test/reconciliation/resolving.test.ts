// Which actions each kind of difference allows, and the exact ledger transfers of each action.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LINE_KINDS } from '#banks/statements/statement.ts'
import { kobo } from '#money.ts'
import {
  ACTIONS,
  allowedActions,
  bookingOf,
  type DifferenceKind,
} from '#reconciliation/difference.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import {
  addDifference,
  addLineDifference,
  assertLinesExplained,
  changesOf,
  outcomeOf,
  pairsOf,
  REASON,
  resolve,
} from '../support/differences.ts'
import { assertRefused, balanceOf, createAccount, databaseText } from '../support/fixtures.ts'
import { begin, credit, recordMovements, stateOf } from '../support/movements.ts'
import { actionsOf } from '../support/people.ts'
import { newSessionId } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const KINDS: Record<DifferenceKind, string> = {
  missing_in_books: 'credit of a credit, charge of a fee',
  missing_at_bank: '',
  amount_differs: '',
  duplicate_at_bank: '',
  duplicate_in_books: '',
  wrong_account: '',
  late_at_bank: '',
  reversed_at_bank: 'reversal of a debit',
  payout_paid: 'payout, as the books have it',
  payout_returned: 'payout, as the books have it',
  fee_differs: 'charge',
  unexplained_debit: 'charge of a fee',
  currency_differs: '',
  sequence_gap: '',
  balance_gap: '',
}

test('every kind allows exactly what its table says', () => {
  const CHARGES = ['fee', 'vat', 'stamp_duty']
  for (const kind of Object.keys(KINDS) as DifferenceKind[]) {
    for (const lineKind of LINE_KINDS) {
      for (const amount of [100n, -100n]) {
        const payoutBooking = amount > 0n ? ('returned' as const) : null
        const input = {
          kind,
          lineKind,
          amountKobo: kobo(amount),
          hasSuggestion: false,
          payoutBooking,
        }
        const isCharge = CHARGES.includes(lineKind)
        const expected = {
          missing_in_books: isCharge ? 'charge' : amount > 0n ? 'credit' : undefined,
          reversed_at_bank: amount < 0n ? 'reversal' : undefined,
          payout_paid: payoutBooking ? 'payout' : undefined,
          payout_returned: payoutBooking ? 'payout' : undefined,
          fee_differs: 'charge',
          unexplained_debit: isCharge ? 'charge' : undefined,
        }[kind as string]
        const name = `${kind} ${lineKind} ${amount}`
        assert.equal(bookingOf(input), expected, name)
        assert.deepEqual(allowedActions(input), expected ? ['book', 'note'] : ['note'], name)
        const suggested = allowedActions({ ...input, hasSuggestion: true })
        assert.deepEqual(suggested, expected ? [...ACTIONS] : ['match', 'note'], name)
      }
    }
    const ofItem = { kind, lineKind: null, amountKobo: kobo(-100n), hasSuggestion: true }
    const actions = allowedActions({ ...ofItem, payoutBooking: null })
    assert.deepEqual(actions, ['note'], `${kind} of an item`)
  }
})

test('an amount beyond what a credit may be is noted only', () => {
  const missing = { kind: 'missing_in_books', lineKind: 'credit' } as const
  const input = { ...missing, hasSuggestion: false, payoutBooking: null }
  assert.equal(bookingOf({ ...input, amountKobo: kobo(1_000_000_000_000_000n) }), 'credit')
  assert.equal(bookingOf({ ...input, amountKobo: kobo(1_000_000_000_000_001n) }), undefined)
})

test('each kind of difference can be noted, and stays in the arithmetic', async () => {
  await using bench = await startTestService()
  const { moves } = await recordMovements(bench)
  for (const kind of Object.keys(KINDS) as DifferenceKind[]) {
    const { id } = await addLineDifference(bench, { kind, line: { amount: -7 } })
    assert.equal(await outcomeOf(resolve(bench, id, 'note')), 'resolved', kind)
    assert.deepEqual(await changesOf(bench, id), ['opened', 'resolved by client:MAN0000001'])
    assert.deepEqual(await actionsOf(bench, `difference/${id}`), ['difference.resolve'])
  }
  const gap = await addDifference(bench, { kind: 'balance_gap', amount: 12 })
  const { data } = (await resolve(bench, gap, 'note')).json()
  assert.deepEqual(
    [data.state, data.action, data.reason, data.amount, data.decidedBy],
    ['resolved', 'note', REASON, 12, 'client:MAN0000001'],
  )
  assert.deepEqual(await moves(), [])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('an action that the kind does not allow is refused and says which are', async () => {
  await using bench = await startTestService()
  const { id } = await addLineDifference(bench, { kind: 'wrong_account', line: { amount: 5 } })
  const before = await databaseText(bench)

  for (const action of ['book', 'match'] as const) {
    const answer = await resolve(bench, id, action)
    assertRefused(answer, { status: 409, code: 'action_not_allowed' })
    assert.deepEqual(answer.json().errors, [
      { field: 'action', message: 'Must be one of note for wrong_account.' },
    ])
  }
  assert.equal(await databaseText(bench), before)
})

test('a missing credit is booked like any other, matched, and the difference clears', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const { id, lineId } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 100, sessionId, bankReference: 'FT1', accountNumber, counterpartyName: 'Ada' },
  })
  const { moves, events } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')

  assert.deepEqual(await moves(), ['credit: bank 035 → collection 100.00'])
  assert.deepEqual(await events(), ['collection.received'])
  assert.deepEqual(await pairsOf(bench, lineId), ['credit 100.00 booked'])
  assert.equal(await balanceOf(bench, accountNumber), 100)
  const { data } = (await bench.call({ url: `/api/v1/credits/${sessionId}` })).json()
  assert.deepEqual([data.source, data.sourceAccountName], ['statement', 'Ada'])
  assert.deepEqual(await changesOf(bench, id), [
    'opened',
    'resolved by client:MAN0000001',
    'cleared',
  ])
  const again = await credit(bench, accountNumber, '100', { sessionId })
  assert.equal(again.says, '01 duplicate')
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('a credit without an account number of ours is unidentified suspense', async () => {
  await using bench = await startTestService()
  const { moves } = await recordMovements(bench)
  for (const accountNumber of [null, 'our main account', '9999999999']) {
    const { id, lineId } = await addLineDifference(bench, {
      kind: 'missing_in_books',
      line: { amount: 20, bankReference: `FT/${accountNumber}`, accountNumber },
    })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
    assert.deepEqual(await pairsOf(bench, lineId), ['credit 20.00 booked'])
  }
  assert.deepEqual(await moves(), Array(3).fill('credit: bank 035 → suspense of nobody 20.00'))
  await assertCleanBooks(bench)
})

test('lines without identifiers are distinguished by their hash', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const names = [{}, {}, { bankReference: 'NONREF' }, { sessionId: ' x ', bankReference: '000' }]
  for (const input of names) {
    const line = { amount: 30, accountNumber, ...input }
    const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  }
  assert.equal(await balanceOf(bench, accountNumber), 120)
  const { rows } = await bench.db.query(`select distinct identified_by, left(session_id, 5) as name
                                           from credits`)
  assert.deepEqual(rows, [{ identifiedBy: 'bank_reference', name: 'LINE-' }])
  await assertCleanBooks(bench)
})

test('a reference is recognised, whatever the bank’s notification calls it', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  for (const kind of ['session_id', 'settlement_id', 'bank_reference'] as const) {
    const value = `REF-${kind}`
    const line = { amount: 10, accountNumber, bankReference: value }
    const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
    const reported = await bench.service.writers.credits.submit({
      sessionId: value,
      identifiedBy: kind,
      bankCode: '035',
      accountNumber,
      amountKobo: kobo(1000n),
      currency: 'NGN',
      sourceAccountNumber: null,
      sourceAccountName: null,
      sourceBankCode: null,
      narration: null,
      transactionTime: null,
    })
    assert.equal(reported.status, 'duplicate', kind)
  }
  assert.equal(await balanceOf(bench, accountNumber), 30)
})

test('a credit that the books have on other terms is refused, and open again', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '99')
  const { id } = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 100, sessionId, accountNumber },
  })
  const { moves } = await recordMovements(bench)
  const headers = { 'idempotency-key': 'once' }

  for (const more of [{}, { headers }, { headers }]) {
    const answer = await resolve(bench, id, 'book', more)
    assertRefused(answer, { status: 409, code: 'line_known_otherwise' })
  }

  assert.deepEqual(await moves(), [])
  assert.deepEqual((await changesOf(bench, id)).slice(-2), [
    'resolved by client:MAN0000001',
    'failed',
  ])
  assert.equal(await outcomeOf(resolve(bench, id, 'note')), 'resolved')
  await assertLinesExplained(bench)
})

test('a line older than the payment that holds its number now pays nothing for it', async () => {
  await using bench = await startTestService()
  const { payment, number, movements } = await begin(bench)
  const days = [
    ['2026-11-14', 'credit: bank 035 → suspense 100.00'],
    ['2026-11-15', 'credit: bank 035 → available 100.00'],
  ] as const
  for (const [bookedOn] of days) {
    const line = { amount: 100, accountNumber: number, bookedOn }
    const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line })
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  }
  assert.deepEqual(
    await movements.moves(),
    days.map(([, move]) => move),
  )
  assert.equal(await stateOf(bench, payment), 'Successful 100')
})

test('a credit matched to another line is not matched twice', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const line = { amount: 100, sessionId: newSessionId(), accountNumber }
  const [one, other] = [
    await addLineDifference(bench, { kind: 'missing_in_books', line }),
    await addLineDifference(bench, { kind: 'missing_in_books', line }),
  ]

  assert.equal(await outcomeOf(resolve(bench, one.id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, other.id, 'book')), 'line_known_otherwise')

  assert.equal(await balanceOf(bench, accountNumber), 100)
  assert.deepEqual(await pairsOf(bench, other.lineId), [])
  await assertLinesExplained(bench)
})
