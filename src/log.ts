// The log: one JSON object per line on standard output, or a readable line on a terminal. Code never logs a
// BVN, a credential or a payer’s account; redaction here is the second line of defence.
//
// Lines are redacted as finished text, so nesting, child loggers and formatting cannot bypass it.
// pino’s own `redact` misses deep fields and throws on a nested Buffer.

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'
import { currentSpan, type Span } from './trace-context.ts'

export type { Logger } from 'pino'

const HIDDEN = '[hidden]'
const CAUSES_MAX = 5 // An error may be its own cause.

// The names of secret fields, with any prefix: accessToken, client_secret, set-cookie…
const SECRET_NAME = [
  '[\\w-]*(?:bvn|nin|token|secrets?|password|authorization|cookie)',
  '(?:source|payer|sender|originator)_?account_?number',
  'database_?url',
  'connection_?string',
].join('|')

// Patterns for the value of a field: a text, a number or a flat list. There are two forms: plain JSON, and
// JSON inside a message, where every quote is escaped and an unescaped one ends the message. No pattern
// matches beyond that end. The bound of 1000 prevents quadratic time on a text full of open lists.
const NUMBER = '-?[0-9][0-9.eE+-]*'
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const LIST = String.raw`\[(?:${TEXT}|[^\]"])*\]`
const QUOTED_TEXT = String.raw`\\"(?:[^"\\]|\\[^"\\]|\\\\(?:\\["\\]|[^"\\]))*\\"`
const QUOTED_LIST = String.raw`\[(?:\\.|[^\]"\\]){0,1000}\]`
const SECRET_FIELD = new RegExp(`("(?:${SECRET_NAME})":)(?:${TEXT}|${NUMBER}|${LIST})`, 'gi')
const QUOTED_FIELD = new RegExp(
  String.raw`(\\"(?:${SECRET_NAME})\\"\s*:\s*)(?:${QUOTED_TEXT}|${NUMBER}|${QUOTED_LIST})`,
  'gi',
)

// Secrets recognisable by their form anywhere: webhook secrets, signed tokens, authorization
// headers, and database URLs with a password.
const SECRET_LOOK = new RegExp(
  [
    'whsec_[\\w+/=-]+',
    '\\beyJ[\\w-]+\\.[\\w-]*\\.[\\w-]*',
    '\\b(?:Bearer|Basic) [\\w.~+/=-]{8,}',
    '\\bpostgres(?:ql)?://[^\\s"\\\\]+',
  ].join('|'),
  'gi',
)

// Matches a Buffer in a finished line. Keys are stored as bytes, and bytes never belong in a log.
const BYTES = /\{(\\?")type\1:\1Buffer\1,\1data\1:\[[0-9,]*\]\}/g

// Creates the logger of the process: JSON lines, or readable text on a terminal. Removes secrets from every
// line. Tests pass a `destination` to read the lines.
export function createLogger({
  level,
  destination,
}: {
  level: string
  destination?: DestinationStream
}): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: (value: unknown) => describeError(value) },
    formatters: { level: (label: string) => ({ level: label }), log: describeErrors },
    hooks: { streamWrite: withoutSecrets },
    mixin: currentTrace,
  }
  if (destination) return pino(options, destination)
  return process.stdout.isTTY ? pino(options, prettyStream(process.stdout)) : pino(options)
}

const LIST_SHORT = 3

// Formats lines for people: time, message and fields on one line. Long lists are shown as their length.
export function prettyStream(destination: NodeJS.WritableStream): DestinationStream {
  return pretty({
    destination,
    hideObject: true,
    colorize: destination === process.stdout,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: (fields, messageKey) => {
      const facts = Object.entries(fields).filter(([name]) => !OWN_FIELDS.has(name))
      const texts = facts.map(([name, value]) => `${name}: ${textOf(value)}`)
      const message = String(fields[messageKey] ?? '')
      return texts.length === 0 ? message : `${message} (${texts.join(', ')})`
    },
  })
}

const OWN_FIELDS = new Set(['level', 'time', 'msg', 'err'])

// A list of more than three values is shown as its length.
function textOf(value: unknown): string {
  if (Array.isArray(value) && value.length > LIST_SHORT) return String(value.length)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

// Adds the trace id to each line that is logged within a span.
function currentTrace(): object {
  return traceFields(currentSpan())
}

export function traceFields(span: Span | undefined): { trace_id?: string } {
  return span ? { trace_id: span.traceId } : {}
}

// Hides secrets in the finished text of a line.
function withoutSecrets(line: string): string {
  return line
    .replace(BYTES, `$1${HIDDEN}$1`)
    .replace(SECRET_FIELD, `$1"${HIDDEN}"`)
    .replace(QUOTED_FIELD, `$1\\"${HIDDEN}\\"`)
    .replace(SECRET_LOOK, HIDDEN)
}

// Replaces each error in the fields of a line by its description: errors may be in any field, not only in
// `err`.
function describeErrors(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(fields).some((value) => value instanceof Error)) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, describeError(value)]),
  )
}

// Logs only the listed fields of an error, because a database error also has `detail`, `where` and `query`,
// which contain personal data from rows.
function describeError(error: unknown, causesLeft = CAUSES_MAX): unknown {
  if (!(error instanceof Error)) return error
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  const deeper = (inner: unknown) =>
    inner instanceof Error && causesLeft > 0 ? describeError(inner, causesLeft - 1) : undefined
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code,
    constraint,
    cause: deeper(error.cause),
    errors: error instanceof AggregateError ? error.errors.map(deeper) : undefined,
  }
}
