// Runs transactions: the only code that begins and ends them. Also classifies database errors, and holds
// locks for work outside a transaction.
//
// Functions that move money take a `Transaction`, so the type checker refuses a bare pool, and a failure can
// never leave money half moved.
//
// Nothing is written to a server that is not the noted one (I210). Every transaction begins with a check of
// the server's identity, sent with its first statement. If the database was moved, the transaction is rolled
// back, the move is settled (db/functions/settle_moved_database.sql), and the transaction runs again.

import type pg from 'pg'
import { inSpan } from '#trace-context.ts'
import { REQUIRE_KNOWN_DATABASE } from './moved-database.ts'
import { BEGIN, type Pool, type Queryable, refuseUnconfirmed } from './pool.ts'
import { type Statement, StatementGroup, toStatement } from './statement-group.ts'

declare const inTransaction: unique symbol
export type Transaction = Queryable & { readonly [inTransaction]: true }

const ALWAYS = [{ name: 'begin', text: BEGIN }]
const COMMIT = { name: 'commit', text: 'commit' }
const REQUIRE_KNOWN = { name: 'require-known-database', text: REQUIRE_KNOWN_DATABASE }
const SETTLE_MOVED = 'select settle_moved_database()'
const ATTEMPTS_MAX = 5
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const UNIQUE_VIOLATION = '23505'
const PERIOD_CLOSED = 'MN001' // Raised by db/functions/post_inserted_transfers.sql.
const DATABASE_MOVED = 'MN003' // Raised by db/functions/settle_moved_database.sql.
const RETRYABLE = [
  SERIALIZATION_FAILURE,
  DEADLOCK_DETECTED,
  UNIQUE_VIOLATION,
  PERIOD_CLOSED,
  DATABASE_MOVED,
]

const LOST =
  /connection (terminated|ended|error)|client has encountered|not queryable|timeout (expired|exceeded)/i

// The result of a transaction, and its last statements, which must already have been issued. They are sent
// together with the commit, so that the transaction does not hold their locks during a round trip.
export class PipelinedCommit<T> {
  readonly answer: T
  readonly statements: readonly Promise<unknown>[]

  constructor(answer: T, statements: readonly Promise<unknown>[]) {
    this.answer = answer
    this.statements = statements
  }
}

// A pool, or one reserved connection. `opening` is sent instead of `BEGIN`, and then no statement
// is prepared: behind a pooler it carries the settings (pool.ts), and hot-path/staging.ts opens a savepoint
// with it. `undo` is sent instead of `rollback`.
type Connects = {
  connect(): Promise<pg.PoolClient>
  opening?: readonly Statement[]
  undo?: string
}

type Work<T> = (tx: Transaction) => Promise<T | PipelinedCommit<T>>

type Beginning = {
  isReadOnly?: boolean // Repeatable read: all reads see the same snapshot.
  lockedTable?: string | undefined // Also repeatable read. Only one such transaction runs at a time.
  mayBeMoved?: boolean // Does not check the server: for what settles a move itself, or has no schema yet.
}

// Returns the statements that begin a transaction. The first query takes the snapshot. LOCK TABLE takes none,
// so a transaction that waited for the lock sees the commits that it waited for. The settings of a pooled
// connection and the check of the server are queries, so they come last.
function beginningOf(opening: readonly Statement[], beginning: Beginning): Statement[] {
  const { isReadOnly, lockedTable, mayBeMoved } = beginning
  const [begin, ...settings] = opening
  const snapshot = 'begin isolation level repeatable read'
  if (isReadOnly) return [{ text: `${snapshot}, read only` }, ...settings]
  const checks = mayBeMoved ? settings : [...settings, REQUIRE_KNOWN]
  if (!lockedTable) return [begin as Statement, ...checks]
  const lock = { text: `lock table ${lockedTable} in share row exclusive mode` }
  return [{ text: snapshot }, lock, ...checks]
}

// Runs the work in a transaction and commits it. The work may run several times: after a deadlock, after
// another transaction inserted the same key (the retry finds it), or after its accounting day or month was
// closed (the retry posts into the next). So it must have no effect outside the database.
export function withTransaction<T>(
  pool: Connects,
  work: Work<T>,
  beginning: Beginning = {},
): Promise<T> {
  return inSpan('transaction', () => run(pool, work, beginning))
}

// Runs the transaction until an attempt succeeds or fails for a reason that a retry cannot help. `opening`
// and `undo` of the pool replace the statements `begin` and `rollback`.
async function run<T>(pool: Connects, work: Work<T>, beginning: Beginning): Promise<T> {
  const { opening, undo = 'rollback' } = pool
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect()
    // With `opening`, no statement is prepared under a name.
    const sender = new StatementSender(client, opening === undefined)
    try {
      // Not awaited: it is sent with the first statement of the work, which fails if this fails.
      for (const statement of beginningOf(opening ?? ALWAYS, beginning)) void sender.ask(statement)
      const result = await work(sender as unknown as Transaction)
      await commit(sender, result instanceof PipelinedCommit ? result.statements : [])
      refuseUnconfirmed(client)
      client.release()
      return result instanceof PipelinedCommit ? result.answer : result
    } catch (error) {
      await sender.close()
      await rollback(client, undo)
      if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error
      if (codeOf(error) === DATABASE_MOVED) await settleMove(pool)
    }
  }
}

// Settles the move of the database, in a transaction of its own. Behind a savepoint it is part of the outer
// transaction.
async function settleMove(pool: Connects): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(SETTLE_MOVED)
    client.release()
  } catch (error) {
    client.release(error as Error)
    throw error
  }
}

// Sends the commit together with the last statements of the transaction, and waits for all of them.
async function commit(
  sender: StatementSender,
  lastStatements: readonly Promise<unknown>[],
): Promise<void> {
  for (const statement of lastStatements) sender.noteFailure(statement)
  const committed = sender.ask(COMMIT)
  void sender.close() // A statement after the commit would be a separate transaction.
  await pipeline(lastStatements)
  const { command } = await committed
  // PostgreSQL answers ROLLBACK if a statement of the transaction had failed.
  if (command !== 'COMMIT') throw new Error(`the commit was answered with ${command}`)
}

// Sends the statements of one transaction; the work uses it as its `tx`. Statements of one turn of the event
// loop are sent together, after the previous group was answered. After a failure nothing more is sent, above
// all no commit. The database may not know of the failure: a value that cannot be serialised, an error in our
// code between two statements, or a transaction that never began.
class StatementSender {
  readonly #client: pg.PoolClient
  readonly #prepares: boolean
  #group: StatementGroup | undefined
  #sending: Promise<void> | undefined
  #failure: Error | undefined
  #isClosed = false

  constructor(client: pg.PoolClient, prepares: boolean) {
    this.#client = client
    this.#prepares = prepares
  }

  query(statement: string | Statement, values?: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#isClosed) throw new Error('a statement came after the end of its transaction')
    return this.ask(toStatement(statement, values))
  }

  // Adds a statement to the group that is sent next. Also used for our own statements: begin and commit.
  ask(statement: Statement): Promise<pg.QueryResult> {
    this.#group ??= new StatementGroup()
    this.#sending ??= this.#send()
    const answer = this.#group.add(this.#prepares ? statement : { ...statement, name: undefined })
    this.noteFailure(answer)
    return answer
  }

  // If no caller awaits the statement, its failure still fails the transaction, but not the process.
  noteFailure(statement: Promise<unknown>): void {
    statement.catch((error) => {
      this.#failure ??= error
    })
  }

  // Resolves when every statement is answered and the connection is free.
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  // Sends one group after another. Waits a tick, so that all statements of this turn join the group.
  async #send(): Promise<void> {
    while (this.#group) {
      await new Promise<void>((resolve) => process.nextTick(resolve))
      const group = this.#group
      this.#group = undefined
      if (this.#failure) group.refuse(this.#failure)
      else await group.send(this.#client)
    }
    this.#sending = undefined
  }
}

// Sends independent statements together and waits for all of them: a connection must be quiet before it is
// rolled back or released.
export async function pipeline<const T extends readonly unknown[]>(
  statements: {
    [K in keyof T]: Promise<T[K]>
  },
): Promise<T> {
  const results = await Promise.allSettled(statements)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never
}

// Returns whether the server is gone, shutting down or refusing connections: by the class of the SQLSTATE (08
// connection error, 57P0 shutdown, 53300 too many connections, 25P03 idle for too long), by the system's
// error code, or by the driver's message. Retrying is safe, although the transaction may have been committed.
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  if (code && /^(08|57P0|53300|25P03)/.test(code)) return true
  if (code && /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EAI_)/.test(code)) return true
  return LOST.test(message ?? '')
}

// Returns whether the database accepts no writes at the moment: resources are used up (SQLSTATE 53) or the
// disk fails (58), the server is read-only, such as a standby after a failover (25006), or too slow (57014,
// 55P03), or our clock is behind, so that the transfer falls into a day or month that is already closed
// (MN001), or the database was moved (MN003). Retrying the items of a batch one by one would then only add to
// the load.
export function isUnavailable(error: unknown): boolean {
  if (isConnectionLost(error)) return true
  const { code } = error as { code?: string }
  return code !== undefined && /^(53|58|25006|57014|55P03|MN001|MN003)/.test(code)
}

// Rolls back and releases the connection. If the rollback fails, the connection does not return to the pool.
async function rollback(client: pg.PoolClient, undo: string): Promise<void> {
  try {
    await client.query(undo)
    client.release()
  } catch (error) {
    client.release(error as Error)
  }
}

// Thrown if rows changed before they were locked, so that locks would be taken out of order. The transaction
// then starts again.
export class BeginAgain extends Error {
  readonly code = SERIALIZATION_FAILURE
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

// Returns whether running the transaction again may succeed.
function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && RETRYABLE.includes(code)
}

// A lock for work that uses other connections. PostgreSQL frees the lock when the process is killed. A
// transaction holds it, because a pooler shares sessions. The transaction has no snapshot, so it does not
// delay vacuum.
type Lock = {
  lock: string // The argument of PostgreSQL's functions: `hashtext('what'), hashtext($1)`.
  values?: readonly unknown[]
}

// Checks that the process still holds the lock: the promise rejects if the lock was lost.
export type StillHeld = () => Promise<void>

// Runs the work while holding the lock. Returns undefined at once if another process has the lock. The work
// may call `stillHeld` to make sure that the lock is not lost.
export async function withHeldLock<T>(
  db: Pool,
  { lock, values = [] }: Lock,
  work: (stillHeld: StillHeld) => Promise<T>,
): Promise<T | undefined> {
  const holder = await db.connect()
  let failure: Error | undefined
  try {
    await holder.query(`${BEGIN}; set local idle_in_transaction_session_timeout = 0`)
    const text = `select pg_try_advisory_xact_lock(${lock}) as taken`
    const { rows } = await holder.query(text, [...values])
    if (rows[0]?.taken === false) return undefined
    // An empty query fails if the connection, and with it the lock, is lost.
    return await work(async () => void (await holder.query('select')))
  } finally {
    await holder.query('rollback').catch((error) => {
      failure = error
    })
    holder.release(failure)
  }
}
