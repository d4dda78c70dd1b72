// The one place that begins and ends a transaction.
//
// Domain functions ask for a `Transaction`, so the type checker refuses a bare pool: no money
// can move half way.

import type pg from 'pg'
import { inSpan } from '#trace-context.ts'
import type { Queryable } from './pool.ts'
import { type Statement, StatementGroup, toStatement } from './statement-group.ts'
import { refuseUnconfirmed } from './unconfirmed-commits.ts'

declare const inTransaction: unique symbol
export type Transaction = Queryable & { readonly [inTransaction]: true }

const BEGIN = { name: 'begin', text: 'begin' }
const ALWAYS = [BEGIN]
const COMMIT = { name: 'commit', text: 'commit' }
const ATTEMPTS_MAX = 5
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const UNIQUE_VIOLATION = '23505'
const DAY_CLOSED = 'MN001' // Of our own: db/functions/post_inserted_transfers.sql.
const RETRYABLE = [SERIALIZATION_FAILURE, DEADLOCK_DETECTED, UNIQUE_VIOLATION, DAY_CLOSED]

const LOST =
  /connection (terminated|ended|error)|client has encountered|not queryable|timeout (expired|exceeded)/i

// What a transaction answers, and the last statements of it, which must all have been asked for
// already. They travel with the commit: the locks that they take are held for as long as the database
// works, not for as long as we take to get back to it.
export class PipelinedCommit<T> {
  readonly answer: T
  readonly statements: readonly Promise<unknown>[]

  constructor(answer: T, statements: readonly Promise<unknown>[]) {
    this.answer = answer
    this.statements = statements
  }
}

// A pool, or one connection that is kept. Behind a pooler it begins a transaction with its settings, and
// nothing is prepared (pooler.ts).
type Connects = {
  connect(): Promise<pg.PoolClient>
  opening?: readonly Statement[]
  undo?: string
}

type Work<T> = (tx: Transaction) => Promise<T | PipelinedCommit<T>>

// The work may run several times: after a deadlock, when somebody else inserted the same key first
// (the second look then finds it), or when the day it posts into was closed meanwhile (it then posts
// into the next). It must therefore have no effect outside the database.
export function withTransaction<T>(pool: Connects, work: Work<T>): Promise<T> {
  return inSpan('transaction', () => run(pool, work))
}

async function run<T>(pool: Connects, work: Work<T>): Promise<T> {
  const { opening, undo = 'rollback' } = pool
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect()
    const line = new Line(client, opening === undefined)
    try {
      // Not awaited: the first statement of the work goes with it. Should it fail, so does that
      // statement, and the rejection is heard there.
      for (const statement of opening ?? ALWAYS) void line.ask(statement)
      const result = await work(line as unknown as Transaction)
      await commit(line, result instanceof PipelinedCommit ? result.statements : [])
      refuseUnconfirmed(client)
      client.release()
      return result instanceof PipelinedCommit ? result.answer : result
    } catch (error) {
      await line.close()
      await rollback(client, undo)
      if (attempt === ATTEMPTS_MAX || !isRetryable(error)) throw error
    }
  }
}

async function commit(line: Line, last: readonly Promise<unknown>[]): Promise<void> {
  for (const statement of last) line.watch(statement)
  const committed = line.ask(COMMIT)
  void line.close() // A statement that came after it would be a transaction of its own.
  await pipeline(last)
  const { command } = await committed
  if (command !== 'COMMIT') throw new Error(`the commit was answered with ${command}`)
}

// The statements of one transaction. What is asked for within one turn of the event loop travels
// together, and when what travelled before it was answered: after a failure nothing is sent any more,
// above all no commit. It matters where the database knows nothing of the failure: a value that
// cannot be written, an error of our own between two statements, a transaction that never began.
class Line {
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

  query(asked: string | Statement, values?: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#isClosed) throw new Error('a statement came after the end of its transaction')
    return this.ask(toStatement(asked, values))
  }

  ask(statement: Statement): Promise<pg.QueryResult> {
    this.#group ??= new StatementGroup()
    this.#sending ??= this.#send()
    const answer = this.#group.add(this.#prepares ? statement : { ...statement, name: undefined })
    this.watch(answer)
    return answer
  }

  // If nothing awaits the result, a failure still fails the transaction, not the process.
  watch(statement: Promise<unknown>): void {
    statement.catch((error) => {
      this.#failure ??= error
    })
  }

  // Resolves when all that was asked for is answered: the connection may be used for something else.
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

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

// Sends statements that do not depend on one another in one go, and waits for all of them: a
// connection must be quiet before it is rolled back or given to somebody else.
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

// The server is gone, shutting down or refusing connections: nothing is wrong with the work, and
// it is safe to try again, though a commit may or may not have happened.
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  if (code && /^(08|57P0|53300|25P03)/.test(code)) return true
  if (code && /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EAI_)/.test(code)) return true
  return LOST.test(message ?? '')
}

// Nothing can be written at the moment, whatever it is: the disk is full, memory or connections are
// used up, the server is read-only (a standby after a failover), does not get its work done in time, or
// our clock is behind and the day it shows is closed. To try the items of a batch one by one would only
// add to it.
export function isUnavailable(error: unknown): boolean {
  if (isConnectionLost(error)) return true
  const { code } = error as { code?: string }
  return code !== undefined && /^(53|58|25006|57014|55P03|MN001)/.test(code)
}

// A connection that cannot even roll back is not returned to the pool.
async function rollback(client: pg.PoolClient, undo: string): Promise<void> {
  try {
    await client.query(undo)
    client.release()
  } catch (error) {
    client.release(error as Error)
  }
}

// What was read before a lock was had is no longer so, and locks are in the wrong order for what is: the
// work is done again from its beginning.
export class BeginAgain extends Error {
  readonly code = SERIALIZATION_FAILURE
}

function isRetryable(error: unknown): boolean {
  const code = (error as { code?: string }).code
  return code !== undefined && RETRYABLE.includes(code)
}
