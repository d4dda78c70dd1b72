// All admin commands, in help order. One file per group of commands.

import type { AdminCommand } from './admin-command.ts'
import { archiveCommands } from './archive-commands.ts'
import { clientCommands } from './client-commands.ts'
import { databaseCommands } from './database-commands.ts'
import { erasureCommands } from './erasure-commands.ts'
import { exportCommands } from './export-commands.ts'
import { keyCommands } from './key-commands.ts'
import { payoutCommands } from './payout-commands.ts'
import { statementCommands } from './statement-commands.ts'
import { userCommands } from './user-commands.ts'

export const COMMANDS: readonly AdminCommand[] = [
  ...clientCommands,
  ...userCommands,
  ...erasureCommands,
  ...keyCommands,
  ...payoutCommands,
  ...statementCommands,
  ...databaseCommands,
  ...exportCommands,
  ...archiveCommands,
]
