// Health checks. Readiness: a process may take requests if the database is writable and has disk space, its
// schema fits this build, and its clock agrees with ours. Also checks at start that connections keep their
// settings, and reads whether commits wait for a standby.

import { type Clock, MINUTE_MS, type Monotonic, systemMonotonic } from '#clock.ts'
import type { Logger } from '#log.ts'
import { BATCH_STATEMENT_MAX_MS, deadlines } from './deadlines.ts'
import { findSchemaProblem } from './migrate.ts'
import {
  createBatchPool,
  isPooled,
  isWritable,
  PLANNER_SETTINGS,
  type Pool,
  parametersOf,
  type Queryable,
  type Settings,
  wantedSettings,
} from './pool.ts'
import { withTransaction } from './transaction.ts'

const FULL = ['53100', '58030'] // disk_full, io_error
const CHECKED_FOR_MS = 1_000 // One result serves all readiness requests of a second: they may be frequent.

// Returns a function that tests whether the database can write. It returns a sentence for the operator if the
// disk is full, else undefined. A database with a full disk still answers reads and reports itself writable,
// so only a write shows the problem.
function watchDisk(
  db: Queryable,
  monotonic: Monotonic = systemMonotonic,
): () => Promise<string | undefined> {
  let last: { atMs: number; problem: Promise<string | undefined> } | undefined
  return () => {
    if (!last || monotonic() - last.atMs >= CHECKED_FOR_MS) {
      last = { atMs: monotonic(), problem: findDiskFullProblem(db) }
    }
    return last.problem
  }
}

// Tries to write, and returns the reason if the disk is full.
async function findDiskFullProblem(db: Queryable): Promise<string | undefined> {
  try {
    await db.query({ name: 'require-disk-space', text: 'select require_disk_space()' })
    return undefined
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!FULL.includes(code)) throw error
    return `it cannot write: ${message}`
  }
}

type ReadinessOptions = { probes: Pool; log: Logger; isClockRight: ClockCheck }

// Returns the readiness probe of a process. It logs a reason only when the reason changes.
export function watchReadiness(options: ReadinessOptions): () => Promise<boolean> {
  const { probes: pool, log, isClockRight } = options
  const findDiskProblem = watchDisk(pool)
  let lastProblem: string | undefined
  return async () => {
    const problem = (await isWritable(pool))
      ? ((await findSchemaProblem(pool)) ?? (await findDiskProblem()))
      : 'it is read-only'
    if (problem && problem !== lastProblem)
      log.error({ problem }, 'not ready because of the database')
    lastProblem = problem
    return problem === undefined && isClockRight()
  }
}

// Compares the clock of this process with the database's. A process with a wrong clock must not take
// decisions that cannot be undone, such as expiring a payment or dropping partitions. A difference of more
// than five minutes is wrong; signatures and closed days have the same limit.
//
// If service and database share a machine whose clock is stepped, the two agree, but rows from before the
// step look older or younger than they are. The monotonic clock reveals a step. Workers then decide nothing
// by age until as much time has passed as the step was long, or the clock is stepped back.

export const SKEW_MAX_MS = 5 * MINUTE_MS
export const STEP_MAX_MS = MINUTE_MS

export type ClockCheck = () => Promise<boolean>

// Returns how far our clock is ahead of the database's clock.
export async function readSkewMs(db: Queryable, clock: Clock): Promise<number> {
  const before = clock().getTime()
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  const after = clock().getTime()
  const databaseMs = (rows[0] as { now: Date }).now.getTime()
  // The database read its clock during the query, so a time between `before` and `after` counts as equal.
  if (databaseMs < before) return before - databaseMs
  return databaseMs > after ? after - databaseMs : 0
}

// Returns whether the difference is too large for decisions that cannot be undone.
export function isSkewed(skewMs: number): boolean {
  return Math.abs(skewMs) > SKEW_MAX_MS
}

// Returns a sentence for the operator, or undefined if the clock of this process is right. A process whose
// clock is days ahead would drop partitions that are still needed, and one with a wrong clock refuses the
// signature of every bank.
export async function findClockProblem(db: Queryable, clock: Clock): Promise<string | undefined> {
  const skewMs = await readSkewMs(db, clock)
  if (!isSkewed(skewMs)) return undefined
  const minutes = Math.round(Math.abs(skewMs) / MINUTE_MS)
  const side = skewMs > 0 ? 'ahead of' : 'behind'
  return `The clock of this machine is ${minutes} minutes ${side} the database server's. Set it right.`
}

// Returns a check whether our clock agrees with that of the database. It logs every change of its result.
export function createClockCheck(db: Queryable, clock: Clock, log: Logger): ClockCheck {
  let wasRight = true
  return async () => {
    const skewMs = await readSkewMs(db, clock)
    const isRight = !isSkewed(skewMs)
    if (wasRight && !isRight) log.error({ skewMs }, 'the clock differs from the database’s')
    if (!wasRight && isRight) log.info('the clock is right again')
    wasRight = isRight
    return isRight
  }
}

type Clocks = { clock: Clock; monotonic: Monotonic; log: Logger }

// Returns a check whether ages are reliable: the clock has not been stepped recently. A step shows as a
// change of the difference between the clock and the monotonic clock. After a step, the check fails until as
// much time has passed as the step was long, or until the clock is stepped back.
export function createStepCheck({ clock, monotonic, log }: Clocks): () => boolean {
  const readOffset = () => clock().getTime() - monotonic()
  let trustedOffsetMs = readOffset()
  let step: { offsetMs: number; seenAtMs: number } | undefined
  return () => {
    const offsetMs = readOffset()
    const stepMs = Math.abs(offsetMs - trustedOffsetMs)
    if (stepMs > STEP_MAX_MS) {
      if (!step || Math.abs(offsetMs - step.offsetMs) > STEP_MAX_MS) {
        step = { offsetMs, seenAtMs: monotonic() }
        log.error(
          { stepMs: offsetMs - trustedOffsetMs },
          'the clock was stepped: nothing is decided by age',
        )
      }
      if (monotonic() - step.seenAtMs < stepMs) return false
    }
    if (step) log.info('ages are believed again')
    step = undefined
    trustedOffsetMs = offsetMs
    return true
  }
}

type Options = { checksClock?: boolean | undefined; clock: Clock; log: Logger }

// Returns the clock check of a process, or one that always succeeds if the settings disable it.
export function clockCheckOf({ checksClock, clock, log }: Options, db: Queryable): ClockCheck {
  return checksClock ? createClockCheck(db, clock, log) : async () => true
}

// Returns the check for workers that decide by age, such as expiry: the clock is right and was not stepped.
export function ageCheckOf(
  options: Options & { monotonic: Monotonic },
  isClockRight: ClockCheck,
): ClockCheck {
  if (!options.checksClock) return isClockRight
  const isSteady = createStepCheck(options)
  return async () => isSteady() && isClockRight()
}

// Checks at start that a new connection has its settings (I81). A pooler may drop them silently, and the
// service would work without timeouts and with the wrong plans.

const PROTOCOL_VIOLATION = '08P01' // PgBouncer's error for a parameter that it does not know.

// Checks the settings of a new connection. Returns the problem as one sentence for the operator, or
// undefined.
export async function findLostSettings(
  connectionString: string,
  patience?: number,
): Promise<string | undefined> {
  try {
    const lost = await compareSettings(connectionString, patience)
    return lost.length > 0 ? describeLostSettings(lost.join(', '), connectionString) : undefined
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== PROTOCOL_VIOLATION) throw error
    return describeLostSettings(message, connectionString)
  }
}

// Returns each setting that a new connection lost or changed. Leaves out settings that the operator set in
// DATABASE_URL.
async function compareSettings(connectionString: string, patience?: number): Promise<string[]> {
  const limits = deadlines({ statementMaxMs: BATCH_STATEMENT_MAX_MS, patience })
  const config = { connectionString, ...limits }
  const settings = Object.entries(wantedSettings(config, PLANNER_SETTINGS))
  const inAddress = parametersOf(connectionString) // The operator set these in DATABASE_URL itself.
  const pool = createBatchPool({ connectionString, max: 1, patience, onIdleError: () => {} })
  try {
    const actual = await withTransaction(
      pool,
      async (tx): Promise<Settings> => {
        const { rows } = await tx.query<{ name: string; setting: string }>(
          'select name, setting from pg_settings where name = any ($1)',
          [settings.map(([name]) => name)],
        )
        return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
      },
      { mayBeMoved: true },
    )
    return settings
      .filter(([name, value]) => !inAddress.has(name) && actual[name] !== value)
      .map(([name, value]) => `${name} is ${actual[name]} instead of ${value}`)
  } finally {
    await pool.end()
  }
}

// Returns the problem with its remedy, as one sentence for the operator.
function describeLostSettings(lost: string, connectionString: string): string {
  const remedy = isPooled(connectionString)
    ? 'Remove such parameters from DATABASE_URL.'
    : 'If DATABASE_URL leads to a transaction pooler, add pooler=transaction to it.'
  return `This connection does not keep its settings: ${lost}. ${remedy}`
}

// Acknowledged work survives the loss of the server only if a standby has it before the commit returns. Two
// settings of PostgreSQL decide that:
//
//   synchronous_standby_names   names one or more standbys; if empty, a commit waits for none
//   synchronous_commit          on, remote_apply: the standby has flushed the commit; remote_write: the
//                               standby has received it, and loses it if it crashes at the same moment;
//                               local, off: a commit waits for no standby

export type Replication = {
  isSynchronous: boolean
  synchronousCommit: string
  synchronousStandbyNames: string
  standbys: number // How many standbys follow now. Only a monitoring role may see their names.
}

// The values of synchronous_commit with which a commit waits until a standby is safe.
const SAFE_COMMIT_LEVELS = ['on', 'remote_apply', 'remote_write']

// Reads synchronous_commit and synchronous_standby_names, and whether a commit therefore waits for a standby.
export async function readReplication(db: Queryable): Promise<Replication> {
  const { rows } = await db.query<Omit<Replication, 'isSynchronous'>>(
    `select current_setting('synchronous_commit') as synchronous_commit,
            current_setting('synchronous_standby_names') as synchronous_standby_names,
            (select count(*)::int from pg_stat_replication) as standbys`,
  )
  const [replication] = rows as [Omit<Replication, 'isSynchronous'>]
  const isWaiting = SAFE_COMMIT_LEVELS.includes(replication.synchronousCommit)
  return { ...replication, isSynchronous: isWaiting && replication.synchronousStandbyNames !== '' }
}
