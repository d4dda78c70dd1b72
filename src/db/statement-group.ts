// Groups statements: sent together, answered together, with one Sync at the end. The driver sends a
// Sync per statement, and each costs both sides a write, a read and a wake-up: for a transaction
// with a single credit, more than the work itself.
//
// The database runs them in order, each with its own snapshot, seeing what earlier ones wrote. When
// one fails, those after it are not run: all of them fail with its error.
//
// Prepared statements of a group have names of their own. The driver keeps its own list of prepared
// statements, and neither knows the state of the other's after a failed round.

import pg from 'pg'
import driver from 'pg/lib/utils.js'

export type Statement = {
  name?: string | undefined
  text: string
  values?: readonly unknown[]
  copy?: Buffer // The rows of a COPY (copy-rows.ts).
}

// As the driver is asked: a text and its values, or both in one.
export function toStatement(asked: string | Statement, values?: readonly unknown[]): Statement {
  return typeof asked === 'string' ? { text: asked, values: values ?? [] } : asked
}

type Row = Record<string, unknown>
type Field = { name: string; dataTypeID: number }
type Column = { name: string; parse: (text: string) => unknown }
// Of a prepared statement. The database never changes what one answers with, so it is described once.
type Shape = { text: string; columns: readonly Column[] }

type Waiting = {
  name: string | undefined
  text: string
  values: (string | Buffer | null)[]
  copy: Buffer | undefined
  shape: Shape
  rows: Row[]
  command: string // As the database sums it up: INSERT 0 5.
  misread: Error | undefined // Its answer came, and is not understood.
  resolve: (result: pg.QueryResult) => void
  reject: (error: Error) => void
}

// What the driver's own types leave out.
type CopyConnection = { sendCopyFromChunk: (rows: Buffer) => void; endCopyFrom: () => void }
type DriverConnection = pg.Connection & { parsedStatements: Record<string, string> }

const shapesOf = new WeakMap<pg.Connection, Map<string, Shape>>()
const nameThere = (name: string | undefined) => (name === undefined ? '' : `group:${name}`)

// A `pg.Query`, since a connection that is pipelined takes nothing else.
export class StatementGroup extends pg.Query {
  readonly #waiting: Waiting[] = []
  readonly #described = new Map<string, Shape>()
  #at = 0
  #end: () => void = () => {}

  constructor() {
    super({ text: '' })
  }

  // Resolves when nothing of it will be answered any more, well or badly.
  send(client: pg.ClientBase): Promise<void> {
    return new Promise((resolve) => {
      this.#end = resolve
      client.query(this)
    })
  }

  // Instead of sending it.
  refuse(error: Error): void {
    for (const waiting of this.#waiting) waiting.reject(error)
  }

  async add({ name, text, values = [], copy }: Statement): Promise<pg.QueryResult> {
    const given = values.map(driver.prepareValue)
    return new Promise((resolve, reject) => {
      const shape = { text, columns: [] }
      const answer = { shape, rows: [], command: '', misread: undefined }
      this.#waiting.push({ name, text, values: given, copy, ...answer, resolve, reject })
    })
  }

  // Called by the driver, as are the methods below: when its turn has come, and for each answer.
  override submit = (connection: pg.Connection): Error | null => {
    const mistaken = this.#findMistaken(connection)
    if (mistaken) return new Error(`two statements are called ${mistaken}`)
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
      current.misread = error as Error // Thrown here, it would end the process.
    }
  }

  handleCopyInResponse(): void {} // The rows were sent with the statement.

  handleCommandComplete({ text }: { text: string }): void {
    this.#current.command = text
    this.#at++
  }

  handleEmptyQuery(): void {
    this.#at++
  }

  handleError(error: Error): void {
    const culprit = this.#waiting[this.#at]
    if (culprit) Object.assign(error, { statement: culprit.name ?? culprit.text })
    for (const [index, waiting] of this.#waiting.entries()) {
      if (index < this.#at) settle(waiting)
      else waiting.reject(error)
    }
    this.#end()
  }

  handleReadyForQuery(connection: pg.Connection): void {
    storeKeys(connection, this.#described)
    for (const waiting of this.#waiting) settle(waiting)
    this.#end()
  }

  get #current(): Waiting {
    return this.#waiting[this.#at] as Waiting
  }

  // By name alone the wrong one of two would be run.
  #findMistaken(connection: pg.Connection): string | undefined {
    const texts = new Map<string, string>()
    for (const { name, text } of this.#waiting) {
      if (name === undefined) continue
      const known = shapesOf.get(connection)?.get(name)?.text ?? texts.get(name)
      if (known !== undefined && known !== text) return name
      texts.set(name, text)
    }
    return undefined
  }

  #write(connection: pg.Connection, waiting: Waiting): void {
    const { text, values } = waiting
    const name = nameThere(waiting.name)
    const known = this.#findShape(connection, waiting.name)
    if (known) {
      waiting.shape = known
    } else {
      // One that was prepared by a group that failed is unknown here, and is there all the same.
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

  // Not asked for yet. Should the database never get to it, it drops these messages, as it drops all
  // that come after a failure.
  #writeCopy(connection: pg.Connection, rows: Buffer): void {
    const driven = connection as unknown as CopyConnection
    driven.sendCopyFromChunk(rows)
    driven.endCopyFrom()
  }

  #findShape(connection: pg.Connection, name: string | undefined): Shape | undefined {
    if (name === undefined) return undefined
    return shapesOf.get(connection)?.get(name) ?? this.#described.get(name)
  }
}

function readRow({ columns }: Shape, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < fields.length; index++) {
    const { name, parse } = columns[index] as Column
    const text = fields[index] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

function storeKeys(connection: pg.Connection, described: ReadonlyMap<string, Shape>): void {
  if (described.size === 0) return
  const shapes = shapesOf.get(connection) ?? new Map<string, Shape>()
  shapesOf.set(connection, shapes)
  for (const [name, shape] of described) shapes.set(name, shape)
}

// Of a connection that is not in use: all that was prepared there, by a group or by the driver.
export function forgetPrepared(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: DriverConnection }
  shapesOf.delete(connection)
  connection.parsedStatements = {}
  client.query('deallocate all').catch(() => {}) // A lost connection tells its user.
}

function settle(waiting: Waiting): void {
  if (waiting.misread) waiting.reject(waiting.misread)
  else waiting.resolve(toResult(waiting))
}

function toResult({ command: words, rows }: Waiting): pg.QueryResult {
  const [command = ''] = words.split(' ', 1)
  const count = /\d+$/.exec(words)
  return { command, rows, rowCount: count ? Number(count[0]) : null, oid: 0, fields: [] }
}
