// Sends several statements together, with one Sync at the end, and returns their results. The driver alone
// sends a Sync per statement, and each Sync costs both sides a write, a read and a wake-up. For a transaction
// with a single credit, that costs more than the work itself.
//
// The database runs the statements in order. Each has its own snapshot and sees the writes of earlier ones.
// When one fails, the database does not run those after it, and they fail with the same error.
//
// The prepared statements of groups have separate names, because the driver keeps its own list of prepared
// statements. After a failure, neither list knows which statements the other has prepared.

import pg from 'pg'
import driver from 'pg/lib/utils.js'

export type Statement = {
  name?: string | undefined
  text: string
  values?: readonly unknown[]
  copy?: Buffer // The rows of a COPY (hot-path/copy-rows.ts).
}

// Accepts the driver's forms: a text and its values, or an object.
export function toStatement(statement: string | Statement, values?: readonly unknown[]): Statement {
  return typeof statement === 'string' ? { text: statement, values: values ?? [] } : statement
}

type Row = Record<string, unknown>
type Field = { name: string; dataTypeID: number }
type Column = { name: string; parse: (text: string) => unknown }
// The columns of a prepared statement. They never change, so the database describes each statement once per
// connection.
type Shape = { text: string; columns: readonly Column[] }

// A statement of the group, with the result so far.
type PendingStatement = {
  name: string | undefined
  text: string
  values: (string | Buffer | null)[]
  copy: Buffer | undefined
  shape: Shape
  rows: Row[]
  command: string // The database's summary of the result, such as INSERT 0 5.
  misread: Error | undefined // Set if the result arrived but could not be parsed.
  resolve: (result: pg.QueryResult) => void
  reject: (error: Error) => void
}

// The driver's own types lack these members.
type CopyConnection = { sendCopyFromChunk: (rows: Buffer) => void; endCopyFrom: () => void }
type DriverConnection = pg.Connection & { parsedStatements: Record<string, string> }

const shapesOf = new WeakMap<pg.Connection, Map<string, Shape>>()
// Returns the name under which a group prepares a statement. The prefix separates it from the driver's names.
const preparedName = (name: string | undefined) => (name === undefined ? '' : `group:${name}`)

// A group of statements. It acts as a `pg.Query`, because a pipelined connection accepts nothing else.
export class StatementGroup extends pg.Query {
  readonly #waiting: PendingStatement[] = []
  // The columns that this group asks the database for, by statement name. Kept only if the group succeeds.
  readonly #described = new Map<string, Shape>()
  #currentIndex = 0 // The index of the statement that the database answers now.
  #end: () => void = () => {} // Resolves the promise of send().

  constructor() {
    super('')
  }

  // Resolves when every statement has succeeded or failed.
  send(client: pg.ClientBase): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve
      client.query(this)
    })
  }

  // Fails every statement of the group with this error. Call it instead of `send`, never after it.
  refuse(error: Error): void {
    for (const waiting of this.#waiting) waiting.reject(error)
  }

  // Adds a statement. The result arrives after send().
  async add({ name, text, values = [], copy }: Statement): Promise<pg.QueryResult> {
    const parameters = values.map(driver.prepareValue)
    return new Promise((resolve, reject) => {
      const shape = { text, columns: [] }
      const answer = { shape, rows: [], command: '', misread: undefined }
      this.#waiting.push({ name, text, values: parameters, copy, ...answer, resolve, reject })
    })
  }

  // The driver calls `submit` when the group may be sent, and the methods below for each response.
  override submit = (connection: pg.Connection): Error | null => {
    const sharedName = this.#findSharedName(connection)
    if (sharedName) return new Error(`two statements are called ${sharedName}`)
    const { stream } = connection
    stream.cork()
    for (const waiting of this.#waiting) this.#write(connection, waiting)
    connection.sync()
    stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#current.shape.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: pg.types.getTypeParser(dataTypeID, 'text'),
    }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const current = this.#current
    try {
      current.rows.push(readRow(current.shape, fields))
    } catch (error) {
      current.misread = error as Error // Throwing it here would end the process.
    }
  }

  handleCopyInResponse(): void {} // The rows were sent with the statement.

  handleCommandComplete({ text }: { text: string }): void {
    this.#current.command = text
    this.#currentIndex++
  }

  handleEmptyQuery(): void {
    this.#currentIndex++
  }

  // Statements before the failed one have been answered. The database skips those after it.
  handleError(error: Error): void {
    const culprit = this.#waiting[this.#currentIndex]
    if (culprit) Object.assign(error, { statement: culprit.name ?? culprit.text })
    for (const [index, waiting] of this.#waiting.entries()) {
      if (index < this.#currentIndex) settleStatement(waiting)
      else waiting.reject(error)
    }
    this.#end()
  }

  // Every statement has succeeded.
  handleReadyForQuery(connection: pg.Connection): void {
    storeShapes(connection, this.#described)
    for (const waiting of this.#waiting) settleStatement(waiting)
    this.#end()
  }

  get #current(): PendingStatement {
    return this.#waiting[this.#currentIndex] as PendingStatement
  }

  // Finds a name that two texts of the group share: it would run the wrong statement.
  #findSharedName(connection: pg.Connection): string | undefined {
    const texts = new Map<string, string>()
    for (const { name, text } of this.#waiting) {
      if (name === undefined) continue
      const earlierText = shapesOf.get(connection)?.get(name)?.text ?? texts.get(name)
      if (earlierText !== undefined && earlierText !== text) return name
      texts.set(name, text)
    }
    return undefined
  }

  // Sends one statement: first its text, unless the connection has prepared it, then its values.
  #write(connection: pg.Connection, waiting: PendingStatement): void {
    const { text, values } = waiting
    const name = preparedName(waiting.name)
    const preparedShape = this.#findShape(connection, waiting.name)
    if (preparedShape) {
      waiting.shape = preparedShape
    } else {
      // Closes the name first: a group that failed may have prepared it, which is not recorded here.
      if (waiting.name !== undefined) {
        connection.close({ type: 'S', name }, true)
        this.#described.set(waiting.name, waiting.shape)
      }
      connection.parse({ name, text, types: [] }, true)
      connection.describe({ type: 'S', name }, true)
    }
    connection.bind({ statement: name, values }, true)
    connection.execute(null, true)
    if (waiting.copy) this.#writeCopy(connection, waiting.copy)
  }

  // Sends the rows of a COPY. If a statement before it failed, the database drops these messages, as it drops
  // all others.
  #writeCopy(connection: pg.Connection, rows: Buffer): void {
    const driverConnection = connection as unknown as CopyConnection
    driverConnection.sendCopyFromChunk(rows)
    driverConnection.endCopyFrom()
  }

  #findShape(connection: pg.Connection, name: string | undefined): Shape | undefined {
    if (name === undefined) return undefined
    return shapesOf.get(connection)?.get(name) ?? this.#described.get(name)
  }
}

// Parses the fields of a row by the types of its columns.
function readRow({ columns }: Shape, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < fields.length; index++) {
    const { name, parse } = columns[index] as Column
    const text = fields[index] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

// Remembers the columns of statements that the connection has now prepared.
function storeShapes(connection: pg.Connection, described: ReadonlyMap<string, Shape>): void {
  if (described.size === 0) return
  const shapes = shapesOf.get(connection) ?? new Map<string, Shape>()
  shapesOf.set(connection, shapes)
  for (const [name, shape] of described) shapes.set(name, shape)
}

// Drops all prepared statements, those of groups and of the driver. The connection must be idle.
export function forgetPrepared(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: DriverConnection }
  shapesOf.delete(connection)
  connection.parsedStatements = {}
  client.query('deallocate all').catch(() => {}) // If the connection is lost, its next query fails anyway.
}

// Gives the caller of a statement its result, or the error that occurred while its rows were parsed.
function settleStatement(waiting: PendingStatement): void {
  if (waiting.misread) waiting.reject(waiting.misread)
  else waiting.resolve(toResult(waiting))
}

// Makes the result as the driver would. The row count is the last word of, for example, INSERT 0 5.
function toResult({ command: summary, rows }: PendingStatement): pg.QueryResult {
  const [command = ''] = summary.split(' ', 1)
  const count = /(?<!\d)\d+$/.exec(summary)
  return { command, rows, rowCount: count ? Number(count[0]) : null, oid: 0, fields: [] }
}
