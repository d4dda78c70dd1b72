// What a command of the operator is given.

import type { Clock } from '#clock.ts'
import type { Environment } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import type { Command } from './command-line.ts'

export type Context = {
  db: Pool
  env: Environment // For commands that need more settings than where the database is.
  clock: Clock
  actor: string // Who types, for the audit log.
}

export type AdminCommand = Command<Context>

// Of one that opens what it needs by itself.
export type FileContext = Omit<Context, 'db'>
export type FileCommand = Command<FileContext>
