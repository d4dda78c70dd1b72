// Prepares the database before a process serves: migrates, seeds, and refuses to start where
// serving would do harm. Safe to run in several processes at once.

import type { Config } from '#config/config.ts'
import { findClockProblem } from '#db/clock-check.ts'
import { migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { findLostSettings } from '#db/verify-settings.ts'
import { createClient, hasSandboxClient, SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { registerRanges } from '#domain/accounts/account-numbers.ts'
import { findModeOfMoney, recordMode } from '#domain/sandbox/database-mode.ts'
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
  checksClock?: boolean // Compares with the database's clock. Off in most tests, whose time is not real.
}

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
    const modeOfMoney = await findModeOfMoney(db)
    if (modeOfMoney !== config.mode) refuseMoneyOf(modeOfMoney)
    await registerRanges(db, config.banks)
    if (config.mode === 'live') await refuseSandbox(db, clock)
    else {
      await createClient(db, clock(), SANDBOX_CLIENT)
      await createSandboxUser(db, clock())
      const { data, hash } = config.secrets
      await createSandboxBankAccount(db, new Sealer(data, hash), clock())
    }
    // The documented secret identifies a sandbox that is older than recorded modes.
    const isSure = config.mode === 'live' || modeOfMoney !== 'unknown'
    if (isSure || (await hasSandboxClient(db, clock()))) await recordMode(db, clock(), config.mode)
  } finally {
    await db.end()
  }
}

function refuseMoneyOf(mode: 'sandbox' | 'live' | 'unknown' | 'none'): void {
  if (mode === 'sandbox') {
    throw new StartProblem('The database has money of the sandbox. Use a new one for live mode.')
  }
  if (mode === 'live') {
    throw new StartProblem('The database has real money. Use another one for the sandbox.')
  }
}

async function refuseSandbox(db: Pool, clock: Clock): Promise<void> {
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
