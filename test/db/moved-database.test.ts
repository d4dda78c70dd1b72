// I210, I211: nothing is written to a database that was moved to another server before the move is settled:
// what the lost server may have given away is skipped, and payouts are held. Until then everything is
// doubtful.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isReusable, takeStaticNumbers } from '#accounts/numbers.ts'
import { DOUBTFUL_UNTIL, IS_MOVED } from '#db/moved-database.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  HELD,
  listHolds,
  MAY_BE_SENT,
  MAY_HAVE_BEEN_SENT,
  noteDatabase,
  releasePayouts,
} from '#payouts/holds.ts'
import { Staging } from '../../src/hot-path/staging.ts'
import { closeAfterTests } from '../support/closing.ts'
import { patientBatchPool } from '../support/database.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { createPayout, fund, moveDatabase } from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const SKIPPED_IDS = 10_000_000n

const bench = closeAfterTests(await startTestService())
await fund(bench, '9000')
await createPayout(bench)

const release = ({ db, clock }: Bench, lacksNothing = false) =>
  withTransaction(db, (tx) => releasePayouts(tx, clock(), 'cli:test', { lacksNothing }))

async function isTrue(condition: string, values: readonly unknown[] = []): Promise<boolean> {
  const { rows } = await bench.db.query(`select ${condition} as yes`, [...values])
  return rows[0].yes
}

test('requests that meet a moved database at once settle the move once', async () => {
  await moveDatabase(bench.db)
  const held = (await listHolds(bench.db)).length
  const { rows: before } = await bench.db.query(
    'select id, next_index from number_ranges order by id',
  )

  await Promise.all(
    Array.from({ length: 6 }, (_, at) => (at % 2 ? startPayment(bench) : createAccount(bench))),
  )

  assert.equal((await listHolds(bench.db)).length, held + 1)
  assert.equal(await isTrue(IS_MOVED), false)
  const { rows: after } = await bench.db.query(
    'select id, next_index from number_ranges order by id',
  )
  assert(before.length > 0)
  for (const [at, { nextIndex }] of before.entries()) {
    assert(after[at].nextIndex >= nextIndex + 1_000n, `range ${after[at].id}`)
  }
  const { rows: sequences } = await bench.db.query<{ sequencename: string }>(
    `select sequencename from pg_sequences
      where schemaname = current_schema() and coalesce(last_value, 0) <= $1`,
    [SKIPPED_IDS],
  )
  assert.deepEqual(sequences, [])
  await release(bench)
})

test('on a moved database everything is doubtful to a read', async () => {
  await withTransaction(bench.db, (tx) => noteDatabase(tx, bench.clock()))
  await startPayment(bench)
  await moveDatabase(bench.db, { isSynchronous: true })

  const payouts = async (condition: string) =>
    isTrue(`(select count(*) from payouts) > 0 and (select bool_and(${condition}) from payouts)`)
  assert.equal(await isTrue(IS_MOVED), true)
  assert.equal(await isTrue(HELD), true)
  assert.equal(await payouts(MAY_HAVE_BEEN_SENT), true)
  assert.equal(await payouts(`not (${MAY_BE_SENT})`), true)
  assert.equal(await isTrue(`${DOUBTFUL_UNTIL} = 'infinity'`), true)
  const reusable = `exists (select from numbers where ${isReusable(`'2999-01-01'::timestamptz`)})`
  assert.equal(await isTrue(reusable), false)
  await release(bench, true)
  assert.equal(await isTrue(reusable), true)
})

for (const [name, run] of [
  ['a transaction', (db: Bench['db']) => withTransaction(db, async () => {})],
  [
    'a transaction that locks a table',
    (db: Bench['db']) => withTransaction(db, async () => {}, { lockedTable: 'closed_days' }),
  ],
  [
    'rows that were collected',
    async (db: Bench['db']) => {
      const staging = await Staging.open(db, 'collected', 'name text')
      await staging.copy('a\n')
      await staging.transaction((tx) => tx.query('select from collected'))
      staging.close()
    },
  ],
] as const) {
  for (const pooler of ['', '&pooler=transaction']) {
    test(`${name}${pooler && ' behind a pooler'} settles a move first`, async () => {
      const pool = patientBatchPool(`${bench.database.connectionString}${pooler}`, 2)
      await moveDatabase(bench.db)
      const held = (await listHolds(bench.db)).length
      await run(pool)
      await pool.end()
      assert.equal((await listHolds(bench.db)).length, held + 1)
    })
  }
}

test('a transaction that only reads settles nothing', async () => {
  await moveDatabase(bench.db)
  await withTransaction(bench.db, (tx) => tx.query('select'), { isReadOnly: true })
  assert.equal(await isTrue(IS_MOVED), true)
  await release(bench)
})

test('numbers that a move skipped are issued once an operator knows that nothing was missing', async () => {
  const bank = bench.config.banks.find(({ code }) => code === '035')
  assert(bank)
  const draw = (count: number) =>
    withTransaction(bench.db, (tx) => takeStaticNumbers(tx, bank, count))
  const [first, ...following] = await draw(3)
  await bench.db.query(
    `update number_ranges set next_index = next_index - 2 where bank_code = '035' and purpose = 'static'`,
  )
  await moveDatabase(bench.db, { isSynchronous: true })

  const [later] = await draw(1)
  assert(![first, ...following].includes(later as string))
  await release(bench, true)
  assert.deepEqual(await draw(2), following)
  // One number of the gap is left; then the range goes on.
  await bench.db.query(
    `update number_ranges set gap_from = gap_until - 1 where bank_code = '035' and purpose = 'static'`,
  )
  const rest = await draw(3)
  assert.equal(new Set([first, ...following, later, ...rest]).size, 7)
})

test('numbers that a move skipped stay unused if something may be missing', async () => {
  const bank = bench.config.banks.find(({ code }) => code === '035')
  assert(bank)
  const draw = (count: number) =>
    withTransaction(bench.db, (tx) => takeStaticNumbers(tx, bank, count))
  const doubtful = await draw(2)
  await bench.db.query(
    `update number_ranges set next_index = next_index - 2, gap_from = null, gap_until = null
      where bank_code = '035' and purpose = 'static'`,
  )
  await moveDatabase(bench.db, { isSynchronous: true })
  await release(bench)
  const later = await draw(5)
  assert.equal(new Set([...doubtful, ...later]).size, 7)
})

// The tables and functions that say what a moved or restored database does not know, and the files that may
// ask them. Every other file uses the conditions of these files.
const DOUBT = new RegExp(
  '\\b(payout_holds|known_database|last_payout_id|current_database_identity|is_database_moved|' +
    'last_doubtful_payout|doubtful_until)\\b',
)
const ASKS = ['src/db/moved-database.ts', 'src/payouts/holds.ts']
const UNCHECKED = /\bmayBeMoved: true/
const RUNS_UNCHECKED = ['src/admin/backup-commands.ts', 'src/db/health.ts']

test('nobody asks in another way whether a payout was surely not sent', () => {
  const files = globSync('{src,cli}/**/*.ts', { cwd: ROOT }).map((path) => {
    return { path, text: readFileSync(join(ROOT, path), 'utf8') }
  })
  assert(files.length > 100)
  // The files with the expression outside comments.
  const filesWith = (pattern: RegExp) =>
    files
      .filter(({ text }) => pattern.test(text.replaceAll(/^\s*\/\/.*$/gm, '')))
      .map(({ path }) => path)
      .sort()
  assert.deepEqual(filesWith(DOUBT), ASKS)
  assert.deepEqual(filesWith(UNCHECKED), RUNS_UNCHECKED)
})
