// `npx manilla admin …` and `npx manilla export …`: operator commands, run directly on the database.
// Results go to standard output, errors to standard error; exit code 0, 1 (refused or failed) or 2
// (usage).

import { userInfo } from 'node:os'
import { systemClock } from '#clock.ts'
import { ConfigProblem, databaseSettings, readEnvironment } from '#config/config.ts'
import { isConnectionLost } from '#db/transaction.ts'
import { EmbeddedProblem } from '#embedded/embedded.ts'
import { Refusal } from '#errors.ts'
import { AdminProblem, withDatabase } from './admin-database.ts'
import { parseCommand, UsageProblem } from './command-line.ts'
import { COMMANDS } from './commands.ts'

const [REFUSED, MISUSED] = [1, 2]

async function main(): Promise<void> {
  const chosen = parseCommand(COMMANDS, process.argv.slice(2))
  if ('help' in chosen) return say(chosen.help)
  const env = readEnvironment()
  const { command, given, isJson } = chosen
  const { statementMaxMs } = command
  const place = { ...databaseSettings(env), statementMaxMs }
  const { data, text } = await withDatabase(place, (db) =>
    command.run({ db, env, clock: systemClock, actor: `cli:${userName()}` }, given),
  )
  say(isJson ? JSON.stringify(data, null, 2) : text)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

// Container users may have no name.
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`
  }
}

// Undefined for unexpected errors: a bug, printed in full.
function describeStartProblem(error: Error & { code?: string }): string | undefined {
  if (error instanceof Refusal) {
    const fields = error.fields.map(({ field, message }) => `\n- ${field}: ${message}`)
    return `${error.message}${fields.join('')}`
  }
  const isOurs = [UsageProblem, ConfigProblem, EmbeddedProblem, AdminProblem].some(
    (problem) => error instanceof problem,
  )
  if (isOurs) return error.message
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
