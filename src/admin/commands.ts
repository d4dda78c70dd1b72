// Every command of the operator, in the order that the help shows them. A family of commands is a
// file; what it exports is listed here and nowhere else.

import type { AdminCommand } from './admin-command.ts'
import { clientCommands } from './client-commands.ts'
import { erasureCommands } from './erasure-commands.ts'
import { keyCommands } from './key-commands.ts'
import { userCommands } from './user-commands.ts'

export const COMMANDS: readonly AdminCommand[] = [
  ...clientCommands,
  ...userCommands,
  ...erasureCommands,
  ...keyCommands,
]
