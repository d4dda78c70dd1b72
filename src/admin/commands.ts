// All admin commands, in help order. One file per group of commands.

import type { Clock } from '#clock.ts'
import type { Environment } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { clientCommands } from './client-commands.ts'
import type { Command } from './command-line.ts'
import { erasureCommands } from './erasure-commands.ts'
import { keyCommands } from './key-commands.ts'
import { userCommands } from './user-commands.ts'

export type Context = {
  db: Pool
  env: Environment // For commands that need more settings than where the database is.
  clock: Clock
  actor: string // For the audit log.
}

export type AdminCommand = Command<Context>

export const COMMANDS: readonly AdminCommand[] = [
  ...clientCommands,
  ...userCommands,
  ...erasureCommands,
  ...keyCommands,
]
