// What an archive waits for, what the database refuses whoever asks, and what comes of a client's first
// settlement after it.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { closeDay, FIRST_DAY, pass, tryClose } from '../support/accounting.ts'
import { archive, archiveBlocked, finishedCredits, MONTH, YEAR_MS } from '../support/archiving.ts'
import { addDifference, addLine, addLineDifference } from '../support/differences.ts'
import { erase, finishErasures, PAYER, PERSON } from '../support/erasing.ts'
import { createAccount, databaseText } from '../support/fixtures.ts'
import { takeIncoming } from '../support/incoming-credits.ts'
import { credit } from '../support/movements.ts'
import { type Bench, START, startTestService } from '../support/running-service.ts'
import { close, closed, linesOf, setBankAccount, setSettings } from '../support/settlements.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import type { Row } from '../support/tracing.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

test('a month whose days are closed in part is not archived until all of them are', async () => {
  await using bench = await startTestService()
  await finishedCredits(bench)
  using folder = createTempFolder()
  const days = Array.from({ length: 16 }, (_, at) => `2026-11-${at + 15}`)
  for (const day of days.slice(0, -1)) {
    pass(bench, day)
    await closeDay(bench, day)
  }
  bench.advance(YEAR_MS)
  await assert.rejects(archive(bench, folder.path), /Days of 2026-11 are not closed yet/)

  await closeDay(bench, days.at(-1) as string)
  const { credits } = await archive(bench, folder.path)

  assert.equal(credits, 6n)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('people are in the files and no longer in the database, and never while they are erased', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, PERSON)
  const forgotten = await createAccount(bench)
  await takeIncoming(bench, { accountNumber, amount: 100, ...PAYER })
  const { rows } = await bench.db.query<{ id: bigint }>('select max(id) as id from credits')
  const { sourceAccountName: counterpartyName, narration } = PAYER
  const lineId = await addLine(bench, { amount: 100, counterpartyName, narration })
  const shared = await addLine(bench, { amount: 100, narration: 'A sweep' })
  await bench.db.query(
    `insert into statement_matches (line_id, item_kind, item_id, amount_kobo, bank_code, currency,
                                    line_day, item_day, rule, matched_at)
     select l.id, 'credit', i.id, l.amount_kobo, l.bank_code, l.currency, l.booked_on, l.booked_on,
            'session_id', now()
       from statement_lines l
       join unnest($1::bigint[], $2::bigint[]) as i (line_id, id) on i.line_id = l.id`,
    [
      [lineId, shared, shared],
      [rows[0]?.id, rows[0]?.id, 999_999n],
    ],
  )
  bench.advance(YEAR_MS)
  await erase(bench, forgotten.accountNumber)
  using folder = createTempFolder()
  await assert.rejects(archive(bench, folder.path), /Personal data is being erased/)
  await finishErasures(bench)

  await archive(bench, folder.path)

  const told = (name: string) => readFileSync(join(folder.path, MONTH.name, name), 'utf8')
  assert.match(told('payers.ndjson'), new RegExp(`${PAYER.sourceAccountName}.*${PAYER.narration}`))
  assert.match(told('statement-lines.ndjson'), new RegExp(PAYER.narration))
  const left = await databaseText(bench)
  assert.doesNotMatch(left, new RegExp(PAYER.sourceAccountName))
  assert.match(left, /A sweep/) // It is about another credit as well.
})

test('the database refuses to lose a credit, or a transfer that stands for others', async () => {
  await using bench = await startTestService()
  const [number] = await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  await archive(bench, folder.path)
  await takeIncoming(bench, { accountNumber: number as string, amount: 70 })

  for (const sql of [
    'delete from credits',
    'delete from transfers where archive_id is null',
    'delete from transfers where archive_id is not null',
    'update transfers set amount_kobo = amount_kobo + 1 where archive_id is not null',
    'update transfers set archive_id = 1 where archive_id is null',
    'update transfers set archive_id = null where archive_id is not null',
    'delete from archived_credits',
    'update archived_credits set amount_kobo = 1',
    'delete from archived_days',
    'truncate archives cascade',
  ]) {
    await assert.rejects(bench.db.query(sql), { code: '23001' }, sql)
  }
})

test('a client that is settled for the first time gets what is archived too', async () => {
  await using bench = await startTestService()
  await setBankAccount(bench)
  await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  assert.equal((await archive(bench, folder.path)).credits, 6n)
  await setSettings(bench, { schedule: 'manual' })
  const early = await close(bench, { body: { cutOff: START.toISOString() } })
  assert.equal(early.json().code, 'period_archived')

  const { reference, gross } = await closed(bench)

  assert.equal(Number(gross), 6_015)
  const lines = await linesOf(bench, reference)
  assert.deepEqual(
    lines.map(({ kind, sessionId }: Row) => [kind, sessionId]),
    [
      ['credit', null],
      ['credit', null],
    ],
  )
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

const DISPUTES: Record<
  string,
  (disputed: { bench: Bench; id: bigint; sessionId: string }) => Promise<unknown>
> = {
  async 'is missing at the bank'({ bench, id }) {
    const item = { kind: 'credit', id }
    await addDifference(bench, { kind: 'missing_at_bank', amount: -70, item })
  },
  async 'a line takes back'({ bench, sessionId }) {
    const line = { amount: -70, kind: 'other', sessionId } as const
    await addLineDifference(bench, { kind: 'reversed_at_bank', line })
  },
}

for (const [how, dispute] of Object.entries(DISPUTES)) {
  test(`a credit that ${how} stays until somebody has resolved it`, async () => {
    await using bench = await startTestService()
    const [number] = await finishedCredits(bench)
    const { sessionId } = await credit(bench, number as string, '70')
    const { rows } = await bench.db.query<{ id: bigint }>('select max(id) as id from credits')
    await dispute({ bench, id: rows[0]?.id as bigint, sessionId })
    bench.advance(YEAR_MS)
    using folder = createTempFolder()

    const archived = await archive(bench, folder.path)

    assert.deepEqual([archived.credits, archived.stays], [6n, { differs: 1n }])
  })
}

test('a first day is not closed while its month is archived', async () => {
  await using bench = await startTestService()
  await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  const { archiving, release } = await archiveBlocked(bench, folder.path, 'erasures')
  const closing = tryClose(bench, FIRST_DAY)
  await untilWaiting(bench.db, 2)

  await release()

  assert.equal((await archiving).credits, 6n)
  assert.equal((await closing).json().code, 'period_archived')
})

test('a retry that is refused leaves no files', async () => {
  await using bench = await startTestService()
  const [number] = await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  const { archiving, release } = await archiveBlocked(bench, folder.path, 'credit_fees')
  await bench.db.query(`update credits set narration = null where account_number = $1`, [number])
  await erase(bench, number as string)

  await release()

  await assert.rejects(archiving, /Personal data is being erased/)
  assert.deepEqual(readdirSync(join(folder.path, MONTH.name)), [])
})

test('files stay where a connection is lost at the commit: they may be all there is', async () => {
  await using bench = await startTestService()
  await finishedCredits(bench)
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  await bench.db.query(`
    create function die() returns trigger language plpgsql as $$
    begin
      perform pg_terminate_backend(pg_backend_pid());
      return null;
    end $$;
    create constraint trigger dies after insert on archives deferrable initially deferred
      for each row execute function die()`)

  await assert.rejects(archive(bench, folder.path))

  assert(readdirSync(join(folder.path, MONTH.name)).includes('manifest.json'))
  assert.equal((await bench.db.query('select from archives')).rowCount, 0)
})
