// Checks every response of the fuzzed service: the API's description documents it, it has the documented
// shape, and it reveals nothing about the service's internals (stack traces, SQL, names of libraries).

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import type { Description, Operation, Response } from './operations.ts'

type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>

// Text that no response may contain, such as a stack trace or a path of the source code.
const INSIDES = /node_modules|\n\s+at .+:\d+|\bfile:\/\/\/\S+\.[jt]s|\.[jt]s:\d+:\d+|\[object \w+\]/
// Words of libraries, the database and JavaScript that no refusal may contain. A success may contain them,
// because it may show text that a user once wrote.
const WORDS = [
  /fastify|typebox|\bajv\b|scrypt|\bjose\b|undici|FST_|ERR_|ECONN|unexpected token|at position \d/i,
  /pg_|postgres|\bsql\b|syntax error|relation "|constraint|violat|\bundefined\b|\bNaN\b/i,
]
// The shapes of a refusal: the product's API, Providus's, OAuth's and the rails'.
const FAMILIES = [
  /"isSuccessful":false/,
  /"requestSuccessful":false/,
  /"error":/,
  /"responseCode":"0[123]"/,
]

// Tells whether the body is the outcome of a credit or reversal. It counts as a success of the operation,
// even with a 4xx, or with a 503 that asks the bank to send a reversal again once its credit is known.
export function isOutcome(body: string): boolean {
  return /"outcome":"(?:rejected"|retry","code":"original_not_found")/.test(body)
}

export class AnswerChecks {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  readonly #shapes = new Map<object, ValidateFunction>()
  readonly #names: RegExp
  readonly #described: Record<string, Response>

  // `names` are the names of tables, columns and constraints. Only names with an underscore are checked,
  // because the other names are ordinary words that a user may have written.
  constructor(description: Description, names: readonly string[]) {
    this.#described = description.components.responses
    this.#ajv.addSchema({ ...description, $id: 'api' })
    const distinctiveNames = names.filter((name) => /^[a-z]+_[a-z_]+$/.test(name))
    this.#names = new RegExp(`\\b(?:${distinctiveNames.join('|')})\\b`)
  }

  // Returns a sentence for each fault of a response. `operation` is undefined if the request used another
  // method than the operation's; the shape is then not checked.
  faults(answer: Answer, operation: Operation | undefined): string[] {
    const { statusCode, headers, body } = answer
    const type = String(headers['content-type'] ?? '')
    const isRefusal = statusCode >= 400
    const leaks = [INSIDES, ...(isRefusal ? [...WORDS, this.#names] : [])].flatMap(
      (pattern) => pattern.exec(isRefusal ? withoutEcho(body) : body) ?? [],
    )
    const cookie = String(headers['set-cookie'] ?? '')
    const faults = [
      statusCode >= 500 && !isOutcome(body) && `answers ${statusCode}`,
      !headers['x-request-id'] && 'has no request id',
      leaks.length > 0 && `reveals ${leaks}`,
      isRefusal && !this.#isFamily(body) && 'is a refusal of no family',
      // One of the hostile texts tries to set the cookie a=b with a line break.
      /[\r\n]|a=b/.test(cookie) && `sets a cookie: ${cookie}`,
      statusCode === 429 && headers['retry-after'] === undefined && 'does not say how long to wait',
      operation && this.#shapeFault(operation, statusCode, type, body),
    ]
    return faults.filter((fault): fault is string => typeof fault === 'string')
  }

  #isFamily(body: string): boolean {
    return FAMILIES.some((family) => family.test(body)) || body.startsWith('<')
  }

  #shapeFault(operation: Operation, status: number, type: string, body: string): string | false {
    const response = operation.responses[status]
    const described = this.#described[response?.$ref?.split('/').at(-1) ?? ''] ?? response
    if (!described) return `answers ${status}, which is not described`
    const content = Object.entries(described.content ?? {})
    const [media] = type.split(';')
    const describedMedia = content.find(([name]) => name === media)
    if (!describedMedia) return `answers with ${type}, which is not described`
    const { schema } = describedMedia[1]
    if (!schema || media !== 'application/json') return false
    const validate = this.#validatorOf(schema)
    return validate(JSON.parse(body))
      ? false
      : `differs from its schema: ${this.#ajv.errorsText(validate.errors)}`
  }

  // Compiles a schema once. Its references point into the description, which is registered as `api`.
  #validatorOf(schema: object): ValidateFunction {
    const compiled = this.#shapes.get(schema)
    if (compiled) return compiled
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/')
    const shape = this.#ajv.compile(JSON.parse(text))
    this.#shapes.set(schema, shape)
    return shape
  }
}

// Removes the names of unknown fields, which a refusal repeats as they were sent, so that they do not count
// as leaks.
function withoutEcho(body: string): string {
  return body.replaceAll(/"field":"(?:[^"\\]|\\.)*"/g, '')
}
