// 1,000 differences are planted in a month's statements of two banks. Matching finds and classifies them, and
// each is resolved by an action that the service offers. Then the ledger agrees with the statements, the
// month can be closed without a reason, and its pack verifies.
//
// SEED=random draws another month.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { RECONCILIATION_CHECKS } from '#integrity/reconciliation-checks.ts'
import { closeDay, OPERATOR } from '../support/accounting.ts'
import { parseCsv } from '../support/csv.ts'
import { RECONCILIATION } from '../support/differences.ts'
import { dataOf } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { PYTHON, unpack, verifyEdits, verifyPack } from '../support/proving.ts'
import { readSeed, seededRandom } from '../support/random.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { imported } from '../support/statement-files.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { writeBooks } from './books.ts'
import {
  BANKS,
  type BankMonth,
  DAYS,
  DUTY_KOBO,
  MONTH,
  type MonthLine,
  OPENING_DAY,
  OPENING_KOBO,
  PLANTED,
  plantMonth,
} from './planted-month.ts'
import { writeTransfers } from './planted-transfers.ts'

const SEED = readSeed()
const FALSE_ALARMS_MAX = 10 // 1%.
const REASON = 'Agreed with the bank'

type Found = { id: number; kind: string; about: string; kobo: bigint }

// The differences that are neither resolved nor cleared. `about` names the line, the item or "statement".
async function readFound({ db }: Bench): Promise<Found[]> {
  const { rows } = await db.query<Found>(
    `select d.id::int, d.kind, d.amount_kobo as kobo,
            coalesce(l.bank_reference, d.item_kind || ' ' || d.item_id, 'statement') as about
       from differences d left join statement_lines l on l.id = d.line_id
      where d.state not in ('resolved', 'cleared')
      order by d.id`,
  )
  return rows
}

const textOf = ({ kind, about, kobo }: Found) => `${kind} ${about} ${kobo}`

// Runs `work` for each row, four rows at a time.
async function inLanes<T>(rows: readonly T[], work: (row: T) => Promise<void>): Promise<void> {
  const waiting = [...rows]
  const lane = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await work(row)
  }
  await Promise.all([1, 2, 3, 4].map(lane))
}

test(`1,000 differences of a month are found, named and resolved, and it closes (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const months = plantMonth(seededRandom(SEED))
  const planted = Object.values(PLANTED).reduce((sum, count) => sum + count, 0)
  assert.equal(planted, 1_000)
  await writeMonths(bench, months)
  for (const month of months) await importMonth(bench, month)

  const found = await readFound(bench)
  const expected = months.flatMap((month) => month.expected)
  const names = new Set(found.map(textOf))
  const missed = expected.filter((text) => !names.has(text))
  assert.deepEqual(missed, [], 'all are found and named')
  const falseAlarms = found.length - expected.length
  assert(falseAlarms <= FALSE_ALARMS_MAX, `${falseAlarms} false alarms`)
  for (const month of months) await assertMatched(bench, month)

  await resolveAll(bench, found)

  assert.deepEqual(await readFound(bench), [])
  await assertReconciled(bench, months)
  await closeMonths(bench)
  await assertPack(bench)
})

// Inserts the books of both banks. Each bank also gets a credit on the day before the month, as large as the
// statement's opening balance. Then inserts the ledger transfers of all these credits and payouts.
async function writeMonths(bench: Bench, months: readonly BankMonth[]): Promise<void> {
  const writer = new pg.Client(bench.database.connectionString)
  await writer.connect()
  // Switches triggers and foreign keys off, because the rows are inserted without the rows that they refer
  // to.
  await writer.query('set session_replication_role = replica')
  for (const [index, { books }] of months.entries()) {
    const opening = {
      // Minutes since 1970, then four digits: credit ids grow with the time, as the ids that the service
      // assigns. From 9,000 on, the digits differ from those of the other credits (planBank).
      id: (Date.parse(`${OPENING_DAY}T10:15Z`) / 60_000) * 10_000 + 9_000 + index,
      sessionId: `OPENING${index}`,
      amountKobo: Number(OPENING_KOBO),
      at: `${OPENING_DAY}T10:15`,
    }
    const completeBooks = { ...books, credits: [opening, ...books.credits] }
    await writeBooks((sql, rows) => writer.query(sql, [JSON.stringify(rows)]), completeBooks)
  }
  await writeTransfers(writer, OPENING_DAY)
  await writer.end()
}

// Uploads one statement for each day.
async function importMonth(bench: Bench, { bank, lines }: BankMonth): Promise<void> {
  let openingKobo = OPENING_KOBO
  for (const day of DAYS) {
    const dayLines = lines.filter((line) => line.day === day)
    await imported(bench, bank.csv({ openingKobo, lines: dayLines }), { query: bank.query })
    openingKobo += dayLines.reduce((sum, { kobo }) => sum + kobo, 0n)
  }
}

// Asserts that lines with another payer (`strangers`) or another day (`shifted`) than in the books are still
// matched, and that they show the difference.
async function assertMatched(bench: Bench, month: BankMonth): Promise<void> {
  const { bank, strangers, shifted, lines } = month
  // Reads a line by its reference; the line must be matched with exactly one item.
  const readLine = async (reference: string) => {
    const { day } = lines.find((line) => line.reference === reference) as MonthLine
    const url = `${RECONCILIATION}/lines?bankCode=${bank.code}&day=${day}&search=${reference}`
    const [line] = (await bench.call({ url })).json().data
    assert.equal(line.items.length, 1, reference)
    return { line, day }
  }
  await inLanes(strangers, async (reference) => {
    const { line } = await readLine(reference)
    assert(line.payer.score < 50, JSON.stringify(line.payer))
  })
  await inLanes(shifted, async (reference) => {
    const { line, day } = await readLine(reference)
    assert.notEqual(line.items[0].day, day, 'the item is of an earlier day')
  })
}

// Resolves each difference by an action that the service offers: a match, a booking, or an adjusting entry of
// two people.
async function resolveAll(bench: Bench, found: readonly Found[]): Promise<void> {
  // The difference as the API shows it, with the actions and accounts that the service offers.
  const offers = async ({ id }: Found) =>
    (await bench.call({ url: `${RECONCILIATION}/${id}` })).json().data
  // Resolves the rows in bulk, after asserting for the first twenty that the service offers the action.
  const resolve = async (action: string, rows: readonly Found[]) => {
    for (const row of rows.slice(0, 20)) {
      assert((await offers(row)).actions.includes(action), `${action} ${textOf(row)}`)
    }
    const body = { ids: rows.map(({ id }) => id), action, reason: REASON }
    const results = (await bench.call({ url: `${RECONCILIATION}/resolve`, body })).json().data
    assert.deepEqual(
      results.filter(({ ok }: { ok: boolean }) => !ok),
      [],
    )
  }
  const ofKinds = (...kinds: string[]) => found.filter(({ kind }) => kinds.includes(kind))
  await resolve('match', ofKinds('wrong_account')) // Also explains the credits that the lines name.
  await resolve('book', ofKinds('missing_in_books', 'fee_differs'))
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const entries = `${RECONCILIATION}/adjusting-entries`
  await inLanes(await readFound(bench), async (difference) => {
    const { id, kobo } = difference
    const [account] = (await offers(difference)).adjustingAccounts
    assert(account, textOf(difference))
    const entry = { differenceId: id, account, amount: Number(kobo) / 100, reason: REASON }
    const answer = await maker.call({ url: entries, body: entry })
    assert.equal(answer.statusCode, 200, answer.body)
    const { reference } = answer.json().data
    const approved = await checker.call({ url: `${entries}/${reference}/approve`, body: {} })
    assert.equal(approved.statusCode, 200, approved.body)
  })
}

// Asserts that nothing is left to reconcile. On each day of the month, ledger and statement differ only by
// matches whose two sides have different days (timing); at the end of the month the balances are equal.
async function assertReconciled(bench: Bench, months: readonly BankMonth[]): Promise<void> {
  const noted = (await bench.call({ url: `${RECONCILIATION}/reconciling-items` })).json().data
  assert.deepEqual(noted, [], 'no reconciling item is left')
  for (const { bank, lines } of months) {
    const url = `${RECONCILIATION}/days?from=${DAYS[0]}&to=${DAYS.at(-1)}&bankCode=${bank.code}`
    const proofs = (await bench.call({ url })).json().data as Record<string, number | string>[]
    assert.equal(proofs.length, DAYS.length)
    for (const { day, status, noted, waiting, difference, statement, ledger, timing } of proofs) {
      assert.deepEqual([day, status, noted, waiting, difference], [day, 'balanced', 0, 0, 0])
      const sum = Number(ledger) + Number(timing)
      assert.equal(Math.round(sum * 100), Math.round(Number(statement) * 100), `${day}`)
    }
    const closingKobo = lines.reduce((sum, { kobo }) => sum + kobo, OPENING_KOBO)
    assert.equal(await balanceOf(bench, 'bank', bank.code), closingKobo)
  }
  await assertDuty(bench, months)
  for (const { name, sql } of RECONCILIATION_CHECKS) {
    assert.deepEqual((await bench.db.query(sql)).rows, [], name)
  }
}

// A bank's ledger account of this kind, in kobo that debits exceed credits.
async function balanceOf({ db }: Bench, kind: string, bankCode: string): Promise<bigint> {
  const { rows } = await db.query<{ kobo: bigint }>(
    'select debits_kobo - credits_kobo as kobo from ledger_accounts where kind = $1 and owner = $2',
    [kind, `bank:${bankCode}`],
  )
  return rows[0]?.kobo ?? 0n
}

// Asserts that all stamp duty is on its account, both what was withheld from credits and what was charged
// separately.
async function assertDuty(bench: Bench, months: readonly BankMonth[]): Promise<void> {
  const charged = BigInt(PLANTED.duty / BANKS.length) * DUTY_KOBO
  for (const { bank, books } of months) {
    const withheld = books.credits.reduce(
      (sum, { dutyKobo = 0 }) => sum + BigInt(dutyKobo),
      charged,
    )
    assert.equal(await balanceOf(bench, 'stamp_duty', bank.code), withheld)
  }
}

// Closes all days and both months. None needs a reason, because everything is reconciled.
async function closeMonths(bench: Bench): Promise<void> {
  for (const day of [OPENING_DAY, ...DAYS]) await closeDay(bench, day, {})
  for (const month of [OPENING_DAY.slice(0, 7), MONTH]) {
    const url = `${OPERATOR}/months/${month}/close`
    const { closings } = dataOf(await bench.call({ url, body: {} }))
    assert.equal(closings[0].reason, null)
    const open = closings[0].checklist.filter(({ isDone }: { isDone: boolean }) => !isDone)
    assert.deepEqual(open, [])
  }
}

// Asserts that the month's pack verifies, and that changing an amount in it is found, even if the manifest is
// signed again.
async function assertPack(bench: Bench): Promise<void> {
  if (!PYTHON) return
  const pack = (await bench.call({ url: `${OPERATOR}/months/${MONTH}/pack` })).rawPayload
  const { status, output } = verifyPack(pack)
  assert.equal(status, 0, output)
  for (const { code } of BANKS) {
    assert.match(output, new RegExp(`bank ${code} NGN: statement .*, noted 0.00, difference 0.00`))
  }
  using folder = createTempFolder()
  const files = unpack(pack, folder.path)
  assert.deepEqual(parseCsv(files.get('reconciling-items.csv') as string), [])
  const amounts = ['journal.csv', 'timing-items.csv', 'reconciliation.csv']
  const change = (text: string) =>
    text.replace(/([0-9])\.([0-9])([0-9]),/, (_, naira, tens, ones) => {
      return `${naira}.${tens}${ones === '9' ? 0 : Number(ones) + 1},`
    })
  const edits = amounts.map((name) => ({ name, change }))
  for (const isSigned of [false, true]) {
    for (const [index, verdict] of verifyEdits(pack, edits, { isSigned }).entries()) {
      assert.equal(verdict.status, 1, verdict.output)
      assert.match(verdict.output, new RegExp(`FAULT.*${amounts[index]}`))
    }
  }
}
