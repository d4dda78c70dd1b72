// `npx manilla admin …`, `export …`, `backup`, `restore` and `verify`: operator commands that run
// directly on the database or on files. Results go to standard output, errors to standard error.
// The exit code is 0, 1 (refused or failed) or 2 (usage).

import { userInfo } from 'node:os'
import { BackupProblem } from '#backup/backup-problem.ts'
import { systemClock } from '#clock.ts'
import {
  ConfigProblem,
  databaseSettings,
  type Environment,
  readEnvironment,
} from '#config/config.ts'
import { MigrationProblem } from '#db/migrate.ts'
import { isConnectionLost } from '#db/transaction.ts'
import { EmbeddedProblem } from '#embedded/embedded.ts'
import { Refusal } from '#errors.ts'
import type { FileContext } from './admin-command.ts'
import { AdminProblem, withDatabase } from './admin-database.ts'
import { BACKUP_COMMANDS } from './backup-commands.ts'
import { type Answer, parseCommand, UsageProblem } from './command-line.ts'
import { COMMANDS } from './commands.ts'

const [REFUSED, MISUSED] = [1, 2]

const PROBLEMS = [
  UsageProblem,
  ConfigProblem,
  EmbeddedProblem,
  AdminProblem,
  BackupProblem,
  MigrationProblem,
]

async function main(): Promise<void> {
  const words = process.argv.slice(2)
  const isOnFiles = BACKUP_COMMANDS.some(({ name }) => name === words[0])
  return isOnFiles ? runOnFiles(words) : runOnDatabase(words)
}

async function runOnDatabase(words: readonly string[]): Promise<void> {
  const parsed = parseCommand(COMMANDS, words)
  if ('help' in parsed) return say(parsed.help)
  const env = readEnvironment()
  const { command, args, isJson } = parsed
  const { statementMaxMs } = command
  const place = { ...databaseSettings(env), statementMaxMs }
  const answer = await withDatabase(place, (db) => command.run({ db, ...contextOf(env) }, args))
  print(answer, isJson)
}

async function runOnFiles(words: readonly string[]): Promise<void> {
  const parsed = parseCommand(BACKUP_COMMANDS, words)
  if ('help' in parsed) return say(parsed.help)
  const { command, args, isJson } = parsed
  print(await command.run(contextOf(readEnvironment()), args), isJson)
}

function contextOf(env: Environment): FileContext {
  return { env, clock: systemClock, actor: `cli:${userName()}` }
}

function print({ data, text }: Answer, isJson: boolean): void {
  say(isJson ? JSON.stringify(data, bigintAsNumber, 2) : text)
}

// Large values become text, because a number would be rounded.
function bigintAsNumber(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString()
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

// Users in containers may have no name.
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`
  }
}

// Undefined for unexpected errors: bugs, which are printed in full.
function describeStartProblem(error: Error & { code?: string }): string | undefined {
  if (error instanceof Refusal) {
    const fields = error.fields.map(({ field, message }) => `\n- ${field}: ${message}`)
    return `${error.message}${fields.join('')}`
  }
  if (PROBLEMS.some((problem) => error instanceof problem)) return error.message
  if (isConnectionLost(error) || /^(28|3D|42501)/.test(error.code ?? '')) {
    return `Cannot use the database (${error.code ?? error.message}). Check DATABASE_URL.`
  }
  return undefined
}

main().catch((error) => {
  const problem = describeStartProblem(error)
  if (problem) process.stderr.write(`${problem}\n`)
  else console.error(error)
  process.exitCode = error instanceof UsageProblem ? MISUSED : REFUSED
})
