// Before a process serves: migrates and seeds the database, and refuses to go on where serving would do
// harm. Safe to run in several processes at once.

import type { Config } from '#config/config.ts'
import { findClockProblem } from '#db/clock-check.ts'
import { migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { findLostSettings } from '#db/verify-settings.ts'
import { createClient, hasSandboxClient, SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { registerRanges } from '#domain/accounts/account-numbers.ts'
import { createSandboxBankAccount } from '#domain/sandbox/sandbox-bank-account.ts'
import { createSandboxUser, hasSandboxUser, SANDBOX_USER } from '#domain/sandbox/sandbox-user.ts'
import { maintainPartitionsRound } from '#workers/maintain-partitions.ts'
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'
import { Sealer } from './seal.ts'

export type StartOptions = {
  config: Config
  connectionString: string
  clock: Clock
  log: Logger
  patience?: number // deadlines.ts
  checksClock?: boolean // Against the database's. Where time is real: not in most tests.
}

// A start-up problem the operator can fix.
export class StartProblem extends Error {}

export async function prepareDatabase(options: StartOptions) {
  const { config, connectionString, clock, log, patience } = options
  const lost = await findLostSettings(connectionString, patience)
  if (lost) throw new StartProblem(lost)
  const applied = await migrate(connectionString, undefined, (holder) =>
    log.info({ holder }, 'waiting for another process that migrates the database'),
  )
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  const db = createPool({ connectionString, max: 1, patience, onIdleError: () => {} })
  try {
    const problem = options.checksClock ? await findClockProblem(db, clock) : undefined
    if (problem) throw new StartProblem(problem)
    await maintainPartitionsRound({ db, clock, log })()
    await registerRanges(db, config.banks)
    if (config.mode === 'live') await refuseSandbox(db, clock)
    else {
      await createClient(db, clock(), SANDBOX_CLIENT)
      await createSandboxUser(db, clock())
      const { data, hash } = config.secrets
      await createSandboxBankAccount(db, new Sealer(data, hash), clock())
    }
  } finally {
    await db.end()
  }
}

async function refuseSandbox(db: Pool, clock: Clock): Promise<void> {
  if (await hasSimulatedMoney(db)) {
    throw new StartProblem(
      'The database has money that was simulated in the sandbox. Use a new database for live mode.',
    )
  }
  if (await hasSandboxClient(db, clock())) {
    throw new StartProblem(
      `Client ${SANDBOX_CLIENT.clientId} still has the documented sandbox secret. Rotate it.`,
    )
  }
  if (await hasSandboxUser(db)) {
    throw new StartProblem(
      `User ${SANDBOX_USER.email} still has the documented sandbox password. Delete it.`,
    )
  }
}

// And no other: it would be paid out for real. One that went live long ago goes on.
async function hasSimulatedMoney(db: Pool): Promise<boolean> {
  const { rowCount } = await db.query('select from clients where client_id = $1', [
    SANDBOX_CLIENT.clientId,
  ])
  if (rowCount === 0) return false // The sandbox never ran on it.
  const { rows } = await db.query<{ isSo: boolean }>(
    // In this order: of real money, one of the first credits tells.
    `select not exists (select from all_credits c
                         where source <> 'sandbox'
                           and not exists (select from sandbox_reports r
                                            where r.session_id = c.session_id))
        and exists (select from all_credits where source = 'sandbox') as "isSo"`,
  )
  return rows[0]?.isSo === true
}
