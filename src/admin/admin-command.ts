// The context of an operator command.

import type { Clock } from '#clock.ts'
import type { Environment } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import type { Command } from './command-line.ts'

export type Context = {
  db: Pool
  env: Environment // For commands that need more than the database settings.
  clock: Clock
  actor: string // The operating system's user, for the audit log.
}

export type AdminCommand = Command<Context>

export type FileContext = Omit<Context, 'db'>
export type FileCommand = Command<FileContext>
