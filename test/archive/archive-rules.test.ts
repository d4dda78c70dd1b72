// What an archive waits for, what the database refuses whoever asks, and what comes of a client's first
// settlement after it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { closeDay, pass } from '../support/accounting.ts'
import { archive, finishedCredits, MONTH, YEAR_MS } from '../support/archiving.ts'
import { addLine } from '../support/differences.ts'
import { erase, finishErasures, PAYER, PERSON } from '../support/erasing.ts'
import { createAccount, databaseText } from '../support/fixtures.ts'
import { takeIncoming } from '../support/incoming-credits.ts'
import { startTestService } from '../support/running-service.ts'
import { closed, linesOf, setBankAccount, setSettings } from '../support/settlements.ts'
import { createTempFolder } from '../support/temp-folder.ts'

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
  await bench.db.query(
    `insert into statement_matches (line_id, item_kind, item_id, amount_kobo, bank_code, currency,
                                    line_day, item_day, rule, matched_at)
     select l.id, 'credit', $2, l.amount_kobo, l.bank_code, l.currency, l.booked_on, l.booked_on,
            'session_id', now()
       from statement_lines l where l.id = $1`,
    [lineId, rows[0]?.id],
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
  assert.doesNotMatch(await databaseText(bench), new RegExp(PAYER.sourceAccountName))
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

  const { reference, gross } = await closed(bench)

  assert.equal(Number(gross), 6_015)
  const lines = await linesOf(bench, reference)
  assert(lines.length < 6)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})
