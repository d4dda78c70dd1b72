// The audit is silent while the books are right, and each of its checks sees what it is there for.
// The database itself refuses every one of these corruptions, so its guards are switched off first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditBooks } from '#domain/audit.ts'
import { BUSINESS_CHECKS } from '#domain/audit-checks.ts'
import { FINDINGS_PER_CHECK_MAX, LEDGER_CHECKS } from '#ledger/audit.ts'
import { freeze } from '../support/database-copies.ts'
import { createAccount, MINUTE_MS, simulate, startPayment } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

test('after a journey with every outcome the books add up', async () => {
  await using bench = await startTestService()
  await journey(bench)

  const findings = await auditBooks(bench.db)

  assert.deepEqual(findings, [])
  const { rows } = await bench.db.query(
    `select outcome || coalesce('/' || reason, '') as fate from credits group by 1 order by 1`,
  )
  assert.deepEqual(
    rows.map((row) => row.fate),
    ['booked', 'booked/excess', 'suspended/already_paid', 'suspended/late'],
  )
})

test('books in which nothing happened yet add up', async () => {
  await using bench = await startTestService()

  assert.deepEqual(await auditBooks(bench.db), [])
})

// Each as: the check that must speak up, what is tampered with, and of whom it must speak.
const CORRUPTIONS: readonly (readonly [check: string, tamper: string, subject: RegExp])[] = [
  [
    'balances_are_their_transfers',
    `update ledger_accounts set credits_kobo = credits_kobo + 1 where kind = 'settled'`,
    /^ledger account \d+$/,
  ],
  [
    'balances_are_their_transfers',
    `delete from transfers where id = (select min(id) from transfers)`,
    /^ledger account \d+$/,
  ],
  [
    'balances_are_their_transfers',
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
     select 999998, 999999, 1, min(id), 'settle', now() from credits`,
    /^ledger account 99999[89]$/,
  ],
  [
    'currencies_sum_to_zero',
    `update ledger_accounts set currency = 'USD' where kind = 'settled'`,
    /^(NGN|USD)$/,
  ],
  [
    'nothing_is_overdrawn',
    `alter table ledger_accounts drop constraint ledger_accounts_not_overdrawn;
     update ledger_accounts set debits_kobo = credits_kobo + 1 where kind = 'collection'`,
    /^ledger account \d+ \(collection \)$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update credits set amount_kobo = amount_kobo + 1 where reason is null`,
    /^credit \d+$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `delete from credits where id = (select min(id) from credits)`,
    /^credit \d+$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update credits set suspended_kobo = suspended_kobo - 1 where reason = 'late'`,
    /^credit \d+$/,
  ],
  [
    'payments_hold_what_was_paid',
    `update payments set amount_paid_kobo = amount_paid_kobo + 1 where status = 'PartPayment'`,
    /^payment [0-9a-f-]{36}$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update transfers set credit_id = (select max(id) from credits) where id = 1`,
    /^credit \d+$/,
  ],
  [
    'pending_and_settled_are_their_payments',
    `update payments set status = 'Cancelled' where status = 'PartPayment'`,
    /^pending client:\d+ NGN$/,
  ],
  [
    'payments_hold_what_was_paid',
    `delete from payments where status = 'Successful'`,
    /^payment [0-9a-f-]{36}$/,
  ],
  [
    'pending_and_settled_are_their_payments',
    `update ledger_accounts set kind = 'returning' where kind = 'pending'`,
    /^pending client:\d+ NGN$/,
  ],
  [
    'pending_and_settled_are_their_payments',
    `update ledger_accounts set kind = 'returning' where kind = 'settled'`,
    /^settled client:\d+ NGN$/,
  ],
  [
    'collection_balances_are_their_credits',
    `update credits set collection_account_id = (select max(id) from collection_accounts)
      where collection_account_id is not null`,
    /^collection account \d+$/,
  ],
  [
    'suspense_is_its_open_items',
    `update suspense_items set state = 'returned', closed_at = now() where reason = 'late'`,
    /^suspense account \d+ client:\d+$/,
  ],
  [
    'money_on_its_way_back_is_in_items',
    `update suspense_items set state = 'returning', closed_at = now() where reason = 'late'`,
    /^NGN$/,
  ],
  [
    'numbers_have_one_owner',
    `delete from numbers where collection_account_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'numbers_have_one_owner',
    `update numbers set payment_id = gen_random_uuid() where payment_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'leases_are_with_their_payments',
    `update numbers set payment_id = (select id from payments order by id desc limit 1)
      where payment_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'leases_are_with_their_payments',
    `delete from payment_numbers where bank_code = '035'`,
    /^number \d{10}$/,
  ],
  ['events_are_numbered_without_gaps', `delete from events where sequence = 3`, /^client \d+$/],
  [
    'events_are_numbered_without_gaps',
    `update events set sequence = sequence - 1 where sequence = 3`,
    /^client \d+$/,
  ],
  ['events_are_numbered_without_gaps', `delete from events where sequence = 1`, /^client \d+$/],
  [
    'events_are_numbered_without_gaps',
    `update clients set event_sequence = event_sequence + 1`,
    /^client \d+$/,
  ],
]

test('each check notices what it is there for', async (t) => {
  const bench = await startTestService()
  await journey(bench)
  await using books = await freeze(bench)
  for (const [check, tamper, subject] of CORRUPTIONS) {
    await t.test(`${check}: ${tamper.replace(/\s+/g, ' ')}`, async () => {
      await using copy = await books.copy()
      await withoutGuards(copy, tamper)

      const findings = (await auditBooks(copy.db)).filter((finding) => finding.check === check)

      assert.notEqual(findings.length, 0)
      for (const finding of findings) {
        assert.match(finding.subject, subject)
        assert.notEqual(finding.expected, finding.found)
      }
    })
  }
})

test('every check has a corruption that it notices', () => {
  const checks = [...LEDGER_CHECKS, ...BUSINESS_CHECKS].map((check) => check.name)

  assert.deepEqual(new Set(CORRUPTIONS.map(([check]) => check)), new Set(checks))
})

test('a check that finds very much tells only the beginning', async () => {
  await using bench = await startTestService()
  await withoutGuards(
    bench,
    `insert into ledger_accounts (kind, credits_kobo)
     select 'collection', 5 from generate_series(1, ${FINDINGS_PER_CHECK_MAX + 1})`,
  )

  const findings = await auditBooks(bench.db)

  const count = findings.filter(({ check }) => check === 'balances_are_their_transfers').length
  assert.equal(count, FINDINGS_PER_CHECK_MAX)
})

test('when old events are gone, the numbering of the rest is still checked', async () => {
  await using bench = await startTestService()
  await journey(bench)
  await bench.db.query(`update clients set created_at = created_at - interval '100 days'`)
  await withoutGuards(bench, `delete from events where sequence <= 2`)
  assert.deepEqual(await auditBooks(bench.db), [])

  await withoutGuards(bench, `delete from events where sequence = 4`)

  const [finding, ...more] = await auditBooks(bench.db)
  assert.equal(finding?.check, 'events_are_numbered_without_gaps')
  assert.deepEqual(more, [])
})

test('the audit sees one moment, and holds up nobody who writes', async () => {
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
  for (let round = 0; round < 5; round++) audits.push(await auditBooks(bench.db))
  stop.abort()
  const written = await writing

  assert.deepEqual(audits.flat(), [])
  assert(written.every((count) => count > 0))
  assert.deepEqual(await auditBooks(bench.db), [])
})

test('an audit that is told to stop ends at once and leaves its connection clean', async () => {
  await using bench = await startTestService()
  const blocker = await bench.db.connect()
  await blocker.query('begin; lock table suspense_items in access exclusive mode')
  const stop = new AbortController()

  const audit = auditBooks(bench.db, stop.signal)
  await untilWaiting(bench.db, 1)
  stop.abort()
  await assert.rejects(audit, /abort|cancel/i)
  await blocker.query('rollback')
  blocker.release()

  assert.deepEqual(await auditBooks(bench.db), [])
})

// Two clients; a collection account; payments paid at once, in parts, in excess, again and late.
async function journey(bench: Bench): Promise<void> {
  const account = await createAccount(bench)
  await createAccount(bench, { accountName: 'Nobody pays here' })
  await simulate(bench, account.accountNumber, '1500.50')
  await simulate(bench, account.accountNumber, '99.50')
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
}

// On one connection: whoever owns the database may write past every guard of it.
async function withoutGuards({ db }: Pick<Bench, 'db'>, tamper: string): Promise<void> {
  const { rows } = await db.query<{ off: string }>(
    `select string_agg(format('alter table %s disable trigger all', oid::regclass), ';') as off
       from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  await db.query(rows[0]?.off ?? '')
  await db.query(tamper)
}
