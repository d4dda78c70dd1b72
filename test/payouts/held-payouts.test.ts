// While payouts are held, nothing is sent (I82). After the database was restored from a backup, no payout
// from before is sent: it may have been sent in the time that the backup lacks, so the service queries the
// bank.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReusable } from '#accounts/numbers.ts'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, releasePayouts, settleAfterRestore } from '#payouts/holds.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, simulate, startPayment } from '../support/fixtures.ts'
import { begin, reverse } from '../support/movements.ts'
import {
  addBankAccount,
  askUntilAbsent,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  moveDatabase,
  PAYOUTS,
  payoutRounds,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { pay, refund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const by = 'cli:test'

// A bank that remembers each order, also those that the database forgets in a restore.
const paid = new Set<string>()
const sent: string[] = []
const calls: BankConnection['calls'] = {
  sendMoney: async ({ reference }) => {
    sent.push(reference)
    paid.add(reference)
    return { status: 'confirmed', bankReference: `B-${reference}` }
  },
  findPayout: async (reference): Promise<PayoutAnswer> =>
    paid.has(reference)
      ? { status: 'confirmed', bankReference: `B-${reference}` }
      : { status: 'not_found' },
}
const limits = { ratePerSecond: 5, concurrency: 4 }
const connection = { calls, limits, notFoundIsProof: true } as BankConnection
const codes = bench.config.banks.map(({ code }) => code)
const connections = new Map(codes.map((code) => [code, connection]))
const rounds = closeAfterTests(await payoutRounds(bench, { connections }))

const restoredNow = () =>
  withTransaction(bench.db, (tx) =>
    settleAfterRestore(tx, { now: bench.clock(), restoredTo: bench.clock(), by }),
  )
const release = () => withTransaction(bench.db, (tx) => releasePayouts(tx, bench.clock(), by))
const statusOf = async (reference: string) => (await getPayout(bench, reference)).status
// Sets the approval directly, without the two users that it would take.
const setApproval = (reference: string, approval: string) =>
  bench.db.query(`begin; set local session_replication_role = replica;
    update payouts set approval = '${approval}' where reference = '${reference}'; commit`)
// The kinds of the alerts that are not cleared.
const openAlerts = async () => {
  const { rows } = await bench.db.query(`select kind from alerts where cleared_at is null`)
  return rows.map(({ kind }) => kind)
}

test('after a restore what the bank has paid is confirmed, and nothing is sent again', async () => {
  await fund(bench, '9000')
  const { reference: paidMeanwhile } = await createPayout(bench)
  const { reference: neverSent } = await createPayout(bench)
  const { reference: approvedLater } = await createPayout(bench)
  await setApproval(approvedLater, 'needed')
  paid.add(paidMeanwhile) // After the backup, so the restored database does not know.

  await restoredNow()
  const { reference: requestedAfter } = await createPayout(bench)
  await rounds.send()
  await rounds.query()

  assert.deepEqual(sent, [])
  assert.deepEqual(await openAlerts(), ['payouts_held'])
  assert.equal(await statusOf(paidMeanwhile), 'confirmed')
  assert.equal(await statusOf(neverSent), 'unknown')
  assert.equal(await statusOf(requestedAfter), 'queued')
  await askUntilAbsent(bench, rounds)
  assert.equal(await statusOf(neverSent), 'unknown') // No operator has agreed yet.
  assert.equal(await release(), 1)
  await askUntilAbsent(bench, rounds)
  assert.equal(await statusOf(neverSent), 'failed')
  await setApproval(approvedLater, 'not_needed')
  await rounds.send()
  await rounds.query()
  assert.deepEqual(sent, [requestedAfter])
  assert.equal(await statusOf(approvedLater), 'unknown')
  assert.deepEqual(await openAlerts(), [])
  await assertCleanBooks(bench)
})

for (const [loss, loseNow] of [
  ['a restore', restoredNow],
  ['a move that nobody has noticed', () => moveDatabase(bench.db)],
] as const) {
  test(`a payout that may have been sent before ${loss} is not cancelled but queried`, async () => {
    const { reference } = await createPayout(bench)
    const { reference: unapproved } = await createPayout(bench)
    await setApproval(unapproved, 'needed')
    const { payment, number } = await begin(bench)
    await pay(bench, number, '100')
    const refunded = await refund(bench, payment, '100')
    const person = await newBrowser(bench, 'finance')
    await loseNow()
    const refusedBy = async (url: string, by: Pick<typeof bench, 'call'> = bench) =>
      (await by.call({ method: 'POST', url, body: { reason: 'No' } })).json().code

    assert.equal(await refusedBy(`${PAYOUTS}/${reference}/cancel`), 'payout_may_have_been_sent')
    assert.equal(await refusedBy(`${PAYOUTS}/${unapproved}/cancel`), 'payout_may_have_been_sent')
    const cancel = `/api/v1/refunds/${refunded.reference}/cancel`
    assert.equal(await refusedBy(cancel), 'payout_may_have_been_sent')
    const reject = `${PAYOUTS}/${unapproved}/reject`
    assert.equal(await refusedBy(reject, person), 'payout_may_have_been_sent')

    assert.equal(await statusOf(unapproved), 'queued')
    await setApproval(unapproved, 'not_needed') // Approved, it is queried as well.
    await rounds.query()
    assert.deepEqual(
      [await statusOf(reference), await statusOf(unapproved)],
      ['unknown', 'unknown'],
    )
    await release()
    await askUntilAbsent(bench, rounds)
    assert.equal(await statusOf(unapproved), 'failed')
    const { reference: later } = await createPayout(bench)
    const cancelled = await bench.call({
      url: `${PAYOUTS}/${later}/cancel`,
      body: { reason: 'No' },
    })
    assert.equal(cancelled.json().data.status, 'cancelled')
    await assertCleanBooks(bench)
  })
}

test('a blocked payout that may have been sent before a restore is approved and queried', async () => {
  sent.length = 0
  const { payment, number } = await begin(bench)
  const { sessionId } = await pay(bench, number, '100')
  const [{ reference }] = (await refund(bench, payment, '100')).payouts
  const { reference: bankAccount } = await addBankAccount(bench)
  const { reference: inactive } = await createPayout(bench, { bankAccount })
  for (const each of [reference, inactive]) await setApproval(each, 'needed')
  await reverse(bench, sessionId, '100')
  const url = `${BANK_ACCOUNTS}/${bankAccount}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false } })
  const person = await newBrowser(bench, 'finance')
  const approve = async (of: string) =>
    (await person.call({ method: 'POST', url: `${PAYOUTS}/${of}/approve`, body: {} })).json()
  assert.equal((await approve(reference)).code, 'refund_credit_reversed')
  paid.add(reference) // After the backup, so the restored database does not know.

  await restoredNow()
  await release()
  for (const each of [reference, inactive]) {
    assert.equal((await approve(each)).data?.approval, 'approved')
  }
  await rounds.send()
  await rounds.query()

  assert.deepEqual(sent, [])
  assert.deepEqual([await statusOf(reference), await statusOf(inactive)], ['confirmed', 'unknown'])
  await askUntilAbsent(bench, rounds)
  assert.equal(await statusOf(inactive), 'failed')
  assert.deepEqual(await openAlerts(), [])
  await assertCleanBooks(bench)
})

test('a hold waits for payouts that are being taken, and stops all later ones', async () => {
  sent.length = 0
  const taker = await bench.db.connect()
  await taker.query(`begin; select pg_advisory_xact_lock_shared(hashtext('payouts_held'))`)
  let isHeld = false

  const holding = withTransaction(bench.db, (tx) =>
    holdPayouts(tx, bench.clock(), { reason: 'Drill', by }),
  ).then(() => {
    isHeld = true
  })
  const waiting = `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
  while ((await bench.db.query(waiting)).rows[0].n === 0);
  assert(!isHeld)
  await taker.query('commit')
  taker.release()
  await holding
  const { reference } = await createPayout(bench)
  await rounds.send()
  assert.deepEqual([sent, await statusOf(reference)], [[], 'queued'])

  assert.deepEqual([await release(), await release()], [1, 0])
  await rounds.send()
  assert.deepEqual(sent, [reference])
  const changes = [
    'update payout_holds set reason = $1',
    'delete from payout_holds where reason <> $1',
  ]
  for (const change of changes)
    await assert.rejects(bench.db.query(change, ['x']), { code: '23001' })
})

test('numbers and ids that may have been issued in the lost time are not issued again', async () => {
  const { accountNumber } = await createAccount(bench)
  const payment = await startPayment(bench)
  await bench.db.query(`update numbers set reusable_at = $1 where payment_id is not null`, [
    bench.clock(),
  ])
  await bench.db.query(
    `insert into reserved_numbers (reference, bank_code, purpose, state, account_number,
                                   account_name, asked_at, reserved_at)
     values (gen_random_uuid(), '999', 'static', 'available', '0123456789', 'Pool', now(), now()),
            (gen_random_uuid(), '999', 'static', 'asked', null, null, now(), null)`,
  )
  await bench.db.query(
    `insert into number_ranges (bank_code, purpose, first_serial, last_serial, key)
     values ('999', 'static', 10, 99999, ''), ('999', 'static', 0, 9, '')`,
  )
  const next = `select next_index from number_ranges order by id`
  const before = (await bench.db.query(next)).rows

  await restoredNow()
  const after = (await bench.db.query(next)).rows
  await simulate(bench, (await createAccount(bench)).accountNumber, '1.00')

  assert(before.length >= 4 && payment)
  assert.equal(before.at(-2).nextIndex, 0n, 'it was never drawn from')
  for (const [at, { nextIndex }] of before.slice(0, -1).entries()) {
    assert(after[at].nextIndex >= nextIndex + 1_000n)
  }
  assert.equal(after.at(-1).nextIndex, 5n, 'half of a small range is left')
  const { rows } = await bench.db.query(
    `select (select count(*)::int from reserved_numbers) as pool,
            (select count(*)::int from numbers where payment_id is not null and ${isReusable('$1')})
              as reusable,
            (select max(id) from credits) - (select min(id) from credits) as jump,
            (select count(*)::int from pg_sequences where schemaname = current_schema()
                and coalesce(last_value, 0) <= 10000000) as repeating`,
    [bench.clock()],
  )
  assert.deepEqual([rows[0].pool, rows[0].reusable, rows[0].repeating], [0, 0, 0])
  assert(rows[0].jump > 1_000_000n, `${rows[0].jump}`)
  assert.match(accountNumber, /^\d{10}$/)
  await assertCleanBooks(bench)
})
