// Runs an operator command on DATABASE_URL or the embedded database. For the embedded database, the command
// uses the socket of the running service, or starts the server for the duration of the command.

import { userInfo } from 'node:os'
import { BackupProblem } from '#backup/stored-backups.ts'
import { systemClock } from '#clock.ts'
import {
  ConfigProblem,
  type DatabaseSettings,
  databaseSettings,
  readEnvironment,
} from '#config/config.ts'
import { findSchemaProblem, MigrationProblem, migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { isConnectionLost } from '#db/transaction.ts'
import { EmbeddedProblem, findEmbedded, startEmbedded } from '#embedded/embedded.ts'
import { Refusal } from '#errors.ts'
import {
  AdminProblem,
  type Answer,
  type Context,
  type OperatorCommand,
  type Work,
} from './operator-command.ts'

const PROBLEMS = [ConfigProblem, EmbeddedProblem, BackupProblem, MigrationProblem]

// Runs the command in the name of the operating system's user. A command on files gets no database.
export function runCommand(
  command: OperatorCommand,
  showProgress: Context['showProgress'],
): Promise<Answer> {
  return perform(command, async (work) => {
    const env = readEnvironment()
    const actor = `cli:${userName()}`
    const context = { env, clock: systemClock, actor, showProgress } as Context
    if (work.isOnFiles) return work(context, command.options as never, command.subject)
    const place = { ...databaseSettings(env), statementMaxMs: work.statementMaxMs }
    return withDatabase(place, (db) =>
      work({ ...context, db }, command.options as never, command.subject),
    )
  })
}

// Loads a command and runs it with `run`. Rethrows expected failures as an AdminProblem or a UsageProblem.
// Other errors are bugs.
export async function perform(
  { load }: OperatorCommand,
  run: (work: Work) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run(await load())
  } catch (error) {
    throw describeProblem(error as Error & { code?: string })
  }
}

// Turns expected failures into an AdminProblem. SQLSTATE 28…, 3D… and 42501 mean that the database refuses
// the login, does not exist, or denies access.
function describeProblem(error: Error & { code?: string }): Error {
  if (error instanceof Refusal) {
    const fields = error.fields.map(({ field, message }) => ` ${field}: ${message}`)
    return new AdminProblem(`${error.message}${fields.join('')}`, { code: error.code })
  }
  if (PROBLEMS.some((problem) => error instanceof problem)) return new AdminProblem(error.message)
  if (isConnectionLost(error) || /^(28|3D|42501)/.test(error.code ?? '')) {
    const reason = error.code ?? error.message
    const message = `Cannot use the database (${reason}). Check DATABASE_URL.`
    return new AdminProblem(message, { isUnreachable: true })
  }
  return error
}

type Place = DatabaseSettings & { statementMaxMs?: number | undefined }

// Uses the configured database or the running embedded one. If neither exists, starts the embedded one for
// the command.
async function withDatabase<T>(place: Place, work: (db: Pool) => Promise<T>): Promise<T> {
  const running = place.databaseUrl ?? (await findEmbedded(place.dataDir))
  if (running) return withPool({ ...place, databaseUrl: running }, work)
  const server = await startEmbedded(place)
  try {
    // No other process uses this database, so migrating it is safe. A database that is already running may
    // serve processes of another version.
    await migrate(server.connectionString)
    return await withPool({ ...place, databaseUrl: server.connectionString }, work)
  } finally {
    await server.stop()
  }
}

// Runs `work` with connections to the database. Refuses a database whose schema is of another version.
async function withPool<T>(
  { databaseUrl, statementMaxMs }: Place & { databaseUrl: string },
  work: (db: Pool) => Promise<T>,
): Promise<T> {
  const limit = statementMaxMs === undefined ? {} : { statementMaxMs }
  const options = { connectionString: databaseUrl, max: 4, onIdleError: () => {} }
  const db = createPool({ ...options, ...limit })
  try {
    const problem = await findSchemaProblem(db)
    if (problem) {
      throw new AdminProblem(`The database schema does not match this version: ${problem}.`)
    }
    return await work(db)
  } finally {
    await db.end()
  }
}

// In a container, the user may have no name.
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`
  }
}
