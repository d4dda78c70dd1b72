// The audit reports nothing while the books are right, and each of its checks finds the corruptions meant for
// it. The database refuses these corruptions, so the tests switch its triggers off first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countHours } from '#accounts/ledger-hours.ts'
import { countByMerchant } from '#accounts/merchant-totals.ts'
import { withTransaction } from '#db/transaction.ts'
import { BUSINESS_CHECKS, CHECK_NAMES, checkIntegrity } from '#integrity/checks.ts'
import { FINDINGS_PER_CHECK_MAX, LEDGER_CHECKS, runCheck } from '#ledger/checks.ts'
import { addLineDifference, resolve } from '../support/differences.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, MINUTE_MS, simulate, startPayment } from '../support/fixtures.ts'
import { chargesOf, takeIncoming } from '../support/incoming-credits.ts'
import { createPayout, payoutRounds } from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement, setBankAccount, setSettings } from '../support/settlements.ts'
import { createSplit } from '../support/splits.ts'
import { untilWaiting } from '../support/waiting-locks.ts'
import { CORRUPTIONS } from './corruptions.ts'

test('after a journey with every outcome the books add up', async () => {
  await using bench = await startTestService()
  await journey(bench)

  const findings = await checkIntegrity(bench.db)

  assert.deepEqual(findings, [])
  const { rows } = await bench.db.query(
    `select outcome || coalesce('/' || reason, '') as fate from credits group by 1 order by 1`,
  )
  assert.deepEqual(
    rows.map((row) => row.fate),
    ['booked', 'booked/excess', 'suspended/already_paid', 'suspended/late'],
  )
})

test('empty books add up', async () => {
  await using bench = await startTestService()

  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('each check finds its own kind of corruption', async (t) => {
  await using bench = await startTestService()
  await journey(bench)
  for (const [name, tamper, subject] of CORRUPTIONS) {
    await t.test(`${name}: ${tamper.replace(/\s+/g, ' ')}`, async () => {
      const findings = await findInTampered(bench, name, tamper)

      assert.notEqual(findings.length, 0)
      for (const finding of findings) {
        assert.match(finding.subject, subject)
        assert.notEqual(finding.expected, finding.found)
      }
    })
  }
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('every check has a corruption that it finds', () => {
  assert.deepEqual(new Set(CORRUPTIONS.map(([check]) => check)), new Set(CHECK_NAMES))
})

test('a check with very many findings reports only the first ones', async () => {
  await using bench = await startTestService()
  await withoutGuards(
    bench,
    `insert into ledger_accounts (kind, credits_kobo)
     select 'collection', 5 from generate_series(1, ${FINDINGS_PER_CHECK_MAX + 1})`,
  )

  const findings = await checkIntegrity(bench.db)

  const count = findings.filter(({ check }) => check === 'balances_are_their_transfers').length
  assert.equal(count, FINDINGS_PER_CHECK_MAX)
})

test('when old events are gone, the numbering of the rest is still checked', async () => {
  await using bench = await startTestService()
  await journey(bench)
  await bench.db.query(`update clients set created_at = created_at - interval '100 days'`)
  await withoutGuards(bench, `delete from events where sequence <= 2`)
  assert.deepEqual(await checkIntegrity(bench.db), [])

  await withoutGuards(bench, `delete from events where sequence = 4`)

  const [finding, ...more] = await checkIntegrity(bench.db)
  assert.equal(finding?.check, 'events_are_numbered_without_gaps')
  assert.deepEqual(more, [])
})

test('the audit reads one snapshot, and does not block writers', async () => {
  await using bench = await startTestService()
  const account = await createAccount(bench)
  const stop = new AbortController()
  const writing = Promise.all(
    Array.from({ length: 4 }, async () => {
      let written = 0
      while (!stop.signal.aborted) {
        await simulate(bench, account.accountNumber, '10.00')
        const { bankAccount } = await startPayment(bench)
        await simulate(bench, bankAccount, '6000.01')
        written++
      }
      return written
    }),
  )

  const audits = []
  for (let round = 0; round < 5; round++) audits.push(await checkIntegrity(bench.db))
  stop.abort()
  const written = await writing

  assert.deepEqual(audits.flat(), [])
  assert(written.every((count) => count > 0))
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('an audit that is stopped ends at once and leaves its connection clean', async () => {
  await using bench = await startTestService()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table suspense_items in access exclusive mode')
  const stop = new AbortController()

  const audit = checkIntegrity(bench.db, stop.signal)
  await untilWaiting(bench.db, 1)
  stop.abort()
  await assert.rejects(audit, /abort|cancel/i)
  await blocker.query('rollback')
  blocker.release()

  assert.deepEqual(await checkIntegrity(bench.db), [])
})

// Fills the books with every outcome that the checks know: credits with bank charges; payments paid at once,
// in parts, twice, too high and late; fees, settlements, payouts, splits and reconciled statement lines; two
// clients.
async function journey(bench: Bench): Promise<void> {
  const account = await createAccount(bench)
  await createAccount(bench, { accountName: 'Nobody pays here' })
  await simulate(bench, account.accountNumber, '1500.50')
  await simulate(bench, account.accountNumber, '99.50')
  await takeIncoming(bench, {
    accountNumber: account.accountNumber,
    amount: 100,
    charges: chargesOf(10, 0.75),
    otherIdentifiers: [{ kind: 'settlement_id', value: 'SETTLE-1' }],
  })
  const whole = await startPayment(bench)
  await simulate(bench, whole.bankAccount, '6000.00')
  await simulate(bench, whole.bankAccount, '1.00')
  const parts = await startPayment(bench, {}, '058')
  await simulate(bench, parts.bankAccount, '2500.00')
  await simulate(bench, parts.bankAccount, '4000.00')
  const late = await startPayment(bench)
  const part = await startPayment(bench, { expiresInSeconds: 172_800 })
  await simulate(bench, part.bankAccount, '3000.00')
  bench.advance(60 * MINUTE_MS)
  await simulate(bench, late.bankAccount, '6000.00')
  const token = await bench.newClient('MAN0000002')
  await createAccount(bench, {}, { token })
  await setBankAccount(bench, { status: 'unconfirmed' })
  await setSettings(bench, { schedule: 'manual', reservePercent: 10, reserveDays: 7 })
  await closeSettlement(bench)
  await setBankAccount(bench)
  await createFeeRule(bench)
  await simulate(bench, account.accountNumber, '2000.00')
  const charged = await startPayment(bench)
  await simulate(bench, charged.bankAccount, '6000.00')
  await createFeeRule(bench, { basis: 'payout' })
  await using rounds = await payoutRounds(bench)
  await createPayout(bench, { amount: '300' })
  await rounds.send()
  await createPayout(bench, { amount: '200' })
  await createSplit(bench)
  const shared = await startPayment(bench, { splitCode: 'AB' })
  await simulate(bench, shared.bankAccount, '6000.00')
  await reconcile(bench, account.accountNumber)
  while (await withTransaction(bench.db, countByMerchant));
  while (await withTransaction(bench.db, countHours));
}

// Books a credit and a fee from a statement, and notes a difference.
async function reconcile(bench: Bench, accountNumber: string): Promise<void> {
  const creditLine = { amount: 40, sessionId: 'FROM-STATEMENT', accountNumber }
  const differences = [
    ['missing_in_books', creditLine, 'book'],
    ['unexplained_debit', { amount: -5, kind: 'fee' }, 'book'],
    ['wrong_account', { amount: 7 }, 'note'],
  ] as const
  for (const [kind, line, action] of differences) {
    const { id } = await addLineDifference(bench, { kind, line })
    const answer = await resolve(bench, id, action)
    assert.equal(answer.statusCode, 200, answer.body)
  }
}

// Corrupts the books in a transaction without triggers, runs one check there, and rolls back. Returns what
// the check found.
async function findInTampered({ db }: Pick<Bench, 'db'>, name: string, tamper: string) {
  const check = [...LEDGER_CHECKS, ...BUSINESS_CHECKS].find((known) => known.name === name)
  assert(check, name)
  const client = await db.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    await client.query(tamper)
    return await runCheck(client, check)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

// Corrupts the books permanently: switches all triggers off, as only the owner of the database can.
async function withoutGuards({ db }: Pick<Bench, 'db'>, tamper: string): Promise<void> {
  const { rows } = await db.query<{ off: string }>(
    `select string_agg(format('alter table %s disable trigger all', oid::regclass), ';') as off
       from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  await db.query(rows[0]?.off ?? '')
  await db.query(tamper)
}
