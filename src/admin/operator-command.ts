// Types of an operator command: its context, its answer and its problems. The command line loads this file to
// declare all commands. So this file imports only types, and the names of roles and scopes.

import type { Clock } from '#clock.ts'
import type { Environment } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'

export { ROLES, SCOPES } from '#access/permissions.ts'

export type Context = {
  db: Pool
  env: Environment // For commands that need more settings than the database's.
  clock: Clock
  actor: string // The operating system's user, for the audit log.
  showProgress(text: string): void // Shows one line on the terminal, in place of the last one.
}

export type FileContext = Omit<Context, 'db'>

type Cell = string | number | boolean | null | undefined
export type Field = readonly [name: string, value: Cell]
export type View =
  | string
  | { fields: readonly Field[] }
  | { columns: readonly string[]; rows: readonly (readonly Cell[])[] }

// `data` is the answer for programs (--json); `view` is the answer for people.
export type Answer = { data: unknown; view: View | readonly View[] }

export type Work = {
  (context: Context, options: never, subject: string): Promise<Answer>
  isOnFiles?: boolean // The command uses no database, or starts its own server.
  statementMaxMs?: number // The timeout of one statement, if longer than usual.
}

export type OperatorCommand = {
  load(): Promise<Work>
  options: object
  subject: string // The argument after the command's name, or ''.
}

// The command was called with wrong options.
export class UsageProblem extends Error {}

type ProblemDetails = { code?: string; isUnreachable?: boolean }

// An expected failure. Its message is for the person at the terminal.
export class AdminProblem extends Error {
  readonly code: string | undefined // The code of a refusal, as in the API.
  readonly isUnreachable: boolean

  constructor(message: string, { code, isUnreachable = false }: ProblemDetails = {}) {
    super(message)
    this.code = code
    this.isUnreachable = isUnreachable
  }
}
