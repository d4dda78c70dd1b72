// The checker: compares the books with the testimony, in a repeatable-read transaction. Returns one sentence
// for each fault.

import pg from 'pg'
import type { Check } from './books.ts'
import { checkAccounts, checkNumbers } from './check-accounts.ts'
import { type Ask, checkApi } from './check-api.ts'
import { checkCredits, checkReversals } from './check-credits.ts'
import { checkEvents } from './check-events.ts'
import { checkHolds } from './check-holds.ts'
import { checkIgnoredHolds } from './check-ignored-holds.ts'
import { checkLedger } from './check-ledger.ts'
import { checkPayments } from './check-payments.ts'
import { checkPayouts } from './check-payouts.ts'
import { checkRefunds } from './check-refunds.ts'
import { checkSettlements } from './check-settlements.ts'
import { checkSplits } from './check-splits.ts'
import { checkStatements } from './check-statements.ts'
import { checkStuck } from './check-stuck.ts'
import { checkSuspense } from './check-suspense.ts'
import type { Testimony } from './testimony.ts'

const CHECKS: readonly Check[] = [
  checkCredits,
  checkReversals,
  checkLedger,
  checkAccounts,
  checkNumbers,
  checkPayments,
  checkPayouts,
  checkRefunds,
  checkSettlements,
  checkSuspense,
  checkHolds,
  checkIgnoredHolds,
  checkSplits,
  checkStatements,
  checkEvents,
  checkStuck,
]

// The checks to run if acknowledged work may be lost. What is left must be consistent, no bank may have paid
// twice or what was cancelled, no number may have two owners, and nothing may be stuck.
const CHECKS_AFTER_LOSS: readonly Check[] = [
  checkLedger,
  checkPayouts,
  checkNumbers,
  checkIgnoredHolds,
  checkStuck,
]

type Options = {
  connectionString: string
  testimony: Testimony
  isFinal: boolean
  isLossy?: boolean
  ask?: Ask // Without it, the checker reads only the tables.
}

// The API shows the present, and the tables are read as of one moment. If the service has booked something in
// between, such as the bank's late confirmation of a payout, the two may differ without a fault.
const ATTEMPTS = 4
const PROGRESS = `
  select (select count(*) from events) as events, (select count(*) from transfers) as transfers,
         (select md5(string_agg(reference || status, ',' order by id)) from payouts) as payouts`

// Compares the books up to ATTEMPTS times: again while there are faults and the service has changed the books
// during the comparison.
export async function check({ connectionString, ...options }: Options): Promise<string[]> {
  const client = openBooks(connectionString)
  await client.connect()
  const readProgress = async () => JSON.stringify((await client.query(PROGRESS)).rows)
  try {
    for (let attempt = 1; ; attempt++) {
      const before = await readProgress()
      await client.query('begin isolation level repeatable read read only')
      const faults = await checkBooks(client, options)
      await client.query('commit')
      const isCertain = faults.length === 0 || !options.ask || attempt === ATTEMPTS
      if (isCertain || (await readProgress()) === before) return faults
    }
  } finally {
    await client.end().catch(() => {})
  }
}

// Opens a connection that returns every value as PostgreSQL's text.
export function openBooks(connectionString: string): pg.Client {
  const client = new pg.Client({ connectionString, types: { getTypeParser: () => asText } })
  client.on('error', () => {})
  return client
}

// Runs in the connection's current transaction.
export async function checkBooks(
  client: pg.Client,
  { ask, ...options }: Omit<Options, 'connectionString'>,
): Promise<string[]> {
  const rows = async (sql: string) => (await client.query(sql)).rows.map(withWords)
  const faults: string[] = []
  const books = { rows, ...options }
  if (ask) faults.push(...(await checkApi(books, ask)))
  for (const run of options.isLossy ? CHECKS_AFTER_LOSS : CHECKS) faults.push(...(await run(books)))
  return faults
}

function asText(value: string | null): string | null {
  return value
}

// Replaces PostgreSQL's text for a boolean, which is one letter, with a word.
function withWords(row: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, WORDS[value ?? ''] ?? value ?? '']),
  )
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false' }
