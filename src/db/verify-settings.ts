// Asks a new connection, at start, whether it has the settings that it was given (I81): a pooler may drop
// them without a word, and the service would work, without its timeouts and by the wrong plans.

import { BATCH_STATEMENT_MAX_MS, deadlines } from './deadlines.ts'
import { createBatchPool, PLANNER_SETTINGS } from './pool.ts'
import { isPooled, parametersOf, type Settings, wantedSettings } from './pooler.ts'
import { withTransaction } from './transaction.ts'

const PROTOCOL_VIOLATION = '08P01' // With which PgBouncer refuses a parameter that it does not know.

// In one sentence, for the operator; undefined if all is well.
export async function findLostSettings(
  connectionString: string,
  patience?: number,
): Promise<string | undefined> {
  try {
    const lost = await compareSettings(connectionString, patience)
    return lost.length > 0 ? describe(lost.join(', '), connectionString) : undefined
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== PROTOCOL_VIOLATION) throw error
    return describe(message, connectionString)
  }
}

async function compareSettings(connectionString: string, patience?: number): Promise<string[]> {
  const limits = deadlines({ statementMaxMs: BATCH_STATEMENT_MAX_MS, patience })
  const given = { connectionString, ...limits }
  const wanted = Object.entries(wantedSettings(given, PLANNER_SETTINGS))
  const chosen = parametersOf(connectionString) // By the operator, in the address itself.
  const pool = createBatchPool({ connectionString, max: 1, patience, onIdleError: () => {} })
  try {
    const found = await withTransaction(pool, async (tx): Promise<Settings> => {
      const { rows } = await tx.query<{ name: string; setting: string }>(
        'select name, setting from pg_settings where name = any ($1)',
        [wanted.map(([name]) => name)],
      )
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
    })
    return wanted
      .filter(([name, value]) => !chosen.has(name) && found[name] !== value)
      .map(([name, value]) => `${name} is ${found[name]} instead of ${value}`)
  } finally {
    await pool.end()
  }
}

function describe(lost: string, connectionString: string): string {
  const remedy = isPooled(connectionString)
    ? 'Remove such parameters from DATABASE_URL.'
    : 'If DATABASE_URL leads to a transaction pooler, add pooler=transaction to it.'
  return `This connection does not keep its settings: ${lost}. ${remedy}`
}
