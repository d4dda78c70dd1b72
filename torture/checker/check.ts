// The checker: holds the books against the testimony, in one snapshot of the database. Answers what is
// wrong, a sentence for each.

import pg from 'pg'
import type { Check } from './books.ts'
import { checkAccounts, checkNumbers } from './check-accounts.ts'
import { type Ask, checkApi } from './check-api.ts'
import { checkCredits, checkReversals } from './check-credits.ts'
import { checkEvents } from './check-events.ts'
import { checkLedger } from './check-ledger.ts'
import { checkPayments } from './check-payments.ts'
import { checkPayouts } from './check-payouts.ts'
import { checkRefunds } from './check-refunds.ts'
import { checkSettlements } from './check-settlements.ts'
import { checkSplits } from './check-splits.ts'
import { checkStatements } from './check-statements.ts'
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
  checkSplits,
  checkStatements,
  checkEvents,
]

// What was acknowledged may be gone: what is left must be right in itself, and no bank may pay twice.
const CHECKS_AFTER_LOSS: readonly Check[] = [checkLedger, checkPayouts]

type Given = {
  connectionString: string
  testimony: Testimony
  isFinal: boolean
  isLossy?: boolean
  ask?: Ask // Without it, only the tables are read.
}

export async function check({ connectionString, ...given }: Given): Promise<string[]> {
  const client = openBooks(connectionString)
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    return await checkBooks(client, given)
  } finally {
    await client.end().catch(() => {})
  }
}

// Every value as PostgreSQL writes it.
export function openBooks(connectionString: string): pg.Client {
  const client = new pg.Client({ connectionString, types: { getTypeParser: () => asText } })
  client.on('error', () => {})
  return client
}

// In the transaction that the connection is in.
export async function checkBooks(
  client: pg.Client,
  { ask, ...given }: Omit<Given, 'connectionString'>,
): Promise<string[]> {
  const rows = async (sql: string) => (await client.query(sql)).rows.map(withWords)
  const faults: string[] = []
  const books = { rows, ...given }
  if (ask) faults.push(...(await checkApi(books, ask)))
  for (const run of given.isLossy ? CHECKS_AFTER_LOSS : CHECKS) faults.push(...(await run(books)))
  return faults
}

function asText(value: string | null): string | null {
  return value
}

// Its own text of a truth value is a letter.
function withWords(row: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, WORDS[value ?? ''] ?? value ?? '']),
  )
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false' }
