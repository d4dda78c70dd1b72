// Erasure reaches the lines of bank statements that are matched with the customer's credits and reversals,
// also lines that are imported and matched later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watDay } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertGone, erase, finishErasures, PAYER, PERSON } from '../support/erasing.ts'
import { createAccount, databaseText } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { credit, reverse } from '../support/tracing.ts'

const BANK = '035'
const DAY_MS = 86_400_000
const TRACES = ['CHUKWUMA', 'rent of Ngozi', PAYER.sourceAccountNumber]

type Line = { kobo: number; name: string }

type Statement = { at: Date; openingKobo: number; lines: Record<string, Line> }

// Inserts a statement with a line for each session id, and matches it.
async function importLines(bench: Bench, { at, openingKobo, lines }: Statement) {
  const { sealer } = sealingOf(bench)
  const rows = Object.entries(lines).map(([sessionId, line]) => ({ sessionId, ...line }))
  await bench.db.query(
    `with import as (
       insert into statement_imports (bank_code, format, state, started_by, started_at, updated_at)
       values ('${BANK}', 'csv', 'done', 'test', $1, $1) returning id
     ), statement as (
       insert into statements (import_id, bank_code, currency, from_day, to_day, opening_kobo,
                               closing_kobo, has_balances, lines, new_lines, imported_at)
       select id, '${BANK}', 'NGN', $2, $2, $3, $4, true, 1, 1, $1 from import returning id
     )
     insert into statement_lines (statement_id, bank_code, currency, line_no, booked_on, amount_kobo,
                                  kind, session_id, counterparty_name, counterparty_sealed,
                                  counterparty_bank, narration, hash)
     select s.id, '${BANK}', 'NGN', 1, $2, kobo, 'other', "sessionId", name, $6, '044',
            'rent of Ngozi by ' || name, gen_random_uuid()::text::bytea
       from statement s, json_to_recordset($5) as l (kobo bigint, "sessionId" text, name text)`,
    [
      bench.clock(),
      watDay(at),
      openingKobo,
      rows.reduce((sum, { kobo }) => sum + kobo, openingKobo),
      JSON.stringify(rows),
      sealer.seal(PAYER.sourceAccountNumber),
    ],
  )
  const account = { bankCode: BANK, currency: 'NGN', now: bench.clock() }
  return withTransaction(bench.db, (tx) => matchStatements(tx, account))
}

const payersOf = async ({ db }: Bench) =>
  (
    await db.query<{ payer: string }>(
      `select concat_ws('/', counterparty_name, counterparty_bank, narration,
                        (counterparty_sealed is not null)::text) as payer
         from statement_lines order by id`,
    )
  ).rows.map(({ payer }) => payer)

const NAME = PAYER.sourceAccountName

test('lines matched before, and lines that come after, forget the payer; others keep theirs', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, PERSON)
  const other = await createAccount(bench)
  const first = await credit(bench, accountNumber, '10.00', PAYER)
  const late = await credit(bench, accountNumber, '20.00', PAYER)
  const reversal = await reverse(bench, first, '4.00')
  const others = await credit(bench, other.accountNumber, '30.00', {})
  // Dated on the day before, so that no credit of today is missing on it.
  const before = await importLines(bench, {
    at: new Date(bench.clock().getTime() - DAY_MS),
    openingKobo: 0,
    lines: { [first]: { kobo: 1000, name: NAME }, [reversal]: { kobo: -400, name: NAME } },
  })
  assert.equal(before.matched, 2)

  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
  await finishErasures(bench)
  assert.deepEqual(await payersOf(bench), ['false', 'false'])

  const after = await importLines(bench, {
    at: bench.clock(),
    openingKobo: 600,
    lines: { [late]: { kobo: 2000, name: NAME }, [others]: { kobo: 3000, name: 'ADA OBI' } },
  })
  assert.equal(after.matched, 2)
  assert.deepEqual((await payersOf(bench)).slice(2), [
    'false',
    'ADA OBI/044/rent of Ngozi by ADA OBI/true',
  ])
  await bench.db.query(
    `update statement_lines set narration = null where narration like '%ADA OBI'`,
  )
  const text = await databaseText(bench)
  for (const trace of TRACES) assertGone(text, trace)
  await assertCleanBooks(bench)
})

test('receivers’ answers to events of erased credits are erased; lines of others stay', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench, PERSON)
  const other = await createAccount(bench)
  const first = await credit(bench, accountNumber, '10.00', PAYER)
  const late = await credit(bench, accountNumber, '20.00', PAYER)
  const others = await credit(bench, other.accountNumber, '30.00', {})
  await importLines(bench, {
    at: new Date(bench.clock().getTime() - DAY_MS),
    openingKobo: 0,
    lines: { [first]: { kobo: 1000, name: NAME } },
  })
  const { rows: answered } = await bench.db.query<{ id: string }>(
    `insert into delivery_attempts (event_id, destination_id, attempt, attempted_at, status,
                                    latency_ms, response_start)
     select e.id, 1, 1, $1, 200, 1, 'Thank you' from events e
       join credits c on c.id = e.credit_id where c.session_id = $2
     returning event_id as id`,
    [bench.clock(), first],
  )
  const day = bench.clock()

  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
  await finishErasures(bench)
  const lines = { [late]: { kobo: 2000, name: NAME }, [others]: { kobo: 3000, name: 'ADA OBI' } }
  const after = await importLines(bench, { at: day, openingKobo: 1000, lines })

  assert.equal(after.matched, 2)
  assert.deepEqual(await payersOf(bench), [
    'false',
    'false',
    'ADA OBI/044/rent of Ngozi by ADA OBI/true',
  ])
  assert(answered.length > 0)
  const { rows } = await bench.db.query(
    'select from delivery_attempts where response_start is not null',
  )
  assert.equal(rows.length, 0)
})
