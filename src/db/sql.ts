// Helpers for SQL text: names of prepared statements, array parameters, and column names in camelCase.
//
// Statements whose text depends on the request, such as lists with filters, have names too. Planning one
// takes several times as long as running it. PostgreSQL plans a named statement once per connection, as soon
// as it finds that one plan serves all values. So the text contains the limit, which bounds the plan, but no
// values.
//
// A plan takes memory on every connection, so only NAMES_MAX texts have a name: those used repeatedly and
// most recently. With limits and filters, clients can produce more texts than that, but they cannot take the
// name of a list in use. A text that lost its name stays prepared until forgetEvicted (pool.ts) drops it. A
// name depends on its text alone, because statements of many processes may share a connection.

import { createHash } from 'node:crypto'
import pg, { type QueryConfig } from 'pg'

const NAMES_MAX = 50
const NAMED_AFTER_USES = 5
const COUNTED_MAX = 1_000
const DIGITS = 16

const names = new Map<string, string>() // By text, the most recently used last.
const uses = new Map<string, number>()
let evictions = 0

// Hides a parameter's value from the planner. If it sees the length of an array or the size of a range, a
// plan for these values looks cheaper than a generic one, and PostgreSQL plans every time, which takes
// ten times as long as running it. Use it only if one plan is right for all values.
export function unseen(parameter: string): string {
  return `(select ${parameter})`
}

// Gives the statement a name if its text is used often enough. A use moves the name to the end of the map,
// because earnName() evicts the first one.
export function namedByText(text: string, values: unknown[]): QueryConfig {
  const name = names.get(text) ?? earnName(text)
  if (name) {
    names.delete(text)
    names.set(text, name)
  }
  return name ? { name, text, values } : { text, values }
}

// Names a list unless it has a time window. A list with a window is planned each time, because the right plan
// depends on how much of the table the window covers.
export function namedUnlessWindow(
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
  text: string,
  values: unknown[],
): QueryConfig {
  return from || to ? { text, values } : namedByText(text, values)
}

// Counts a use of a text without a name. At the fifth use, returns a name for it and evicts the name used
// longest ago if there are too many.
function earnName(text: string): string | undefined {
  const count = (uses.get(text) ?? 0) + 1
  if (count < NAMED_AFTER_USES) {
    if (uses.size >= COUNTED_MAX) uses.clear()
    uses.set(text, count)
    return undefined
  }
  uses.delete(text)
  if (names.size >= NAMES_MAX) {
    names.delete(names.keys().next().value as string)
    evictions++
  }
  return `composed-${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`
}

// Returns how often all NAMES_MAX names have been given to other texts. When the number grows, forgetEvicted
// (pool.ts) drops the prepared statements that have lost their names.
export function nameGeneration(): number {
  return Math.floor(evictions / NAMES_MAX)
}

// Returns an array of texts as SQL, for texts that are part of the statement instead of a parameter.
export function quotedArray(values: readonly string[]): string {
  return `array[${values.map((value) => pg.escapeLiteral(value)).join(', ')}]::text[]`
}

// The functions below build array parameters for set-wise statements (`unnest($1::bigint[], …)`), because the
// driver's encoder took a tenth of the time of a credit. The arrays fit columns of any type. Credits
// themselves are written by binary COPY instead (hot-path/copy-rows.ts).

export function numberArray(values: readonly (bigint | number | null)[]): string {
  return arrayText(values, String)
}

// Builds an array of texts that need no quoting: our own references, codes and names, and times in ISO 8601.
export function plainArray(values: readonly (string | null)[]): string {
  return arrayText(values, (value) => value)
}

// Builds an array of any texts, each quoted.
export function textArray(values: readonly (string | null)[]): string {
  return arrayText(values, (value) =>
    value.includes('"') || value.includes('\\')
      ? `"${value.replace(/["\\]/g, '\\$&')}"`
      : `"${value}"`,
  )
}

export function bytesArray(values: readonly (Buffer | null)[]): string {
  return arrayText(values, (value) => `"\\\\x${value.toString('hex')}"`)
}

// Builds the text of a PostgreSQL array, such as {1,2,NULL}.
function arrayText<T>(values: readonly (T | null)[], encode: (value: T) => string): string {
  let text = '{'
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    const value = values[index] as T | null
    text += value === null ? 'NULL' : encode(value)
  }
  return `${text}}`
}

// Columns are snake_case in SQL and camelCase in code: `select raised_at, count(*) as open_alerts` returns
// rows of `raisedAt` and `openAlerts`. Every pool of this folder uses this client.
//
// The names come with the description of a result, so renaming them costs nothing per row.

type Description = { fields: { name: string }[] }
type Driver = pg.Client & { _handleRowDescription(description: Description): void }

const DriverClient = pg.Client as unknown as new (config?: pg.ClientConfig) => Driver
const camelNames = new Map<string, string>() // By column name.

export class NamingClient extends DriverClient {
  override _handleRowDescription(description: Description): void {
    for (const field of description.fields) field.name = toCamel(field.name)
    super._handleRowDescription(description)
  }
}

// Returns the camelCase name of a column. Each name is converted once per process.
function toCamel(column: string): string {
  let name = camelNames.get(column)
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    camelNames.set(column, name)
  }
  return name
}
