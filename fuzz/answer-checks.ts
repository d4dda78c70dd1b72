// Checks that hold for every answer: the description documents it, it has the documented shape, and
// it reveals nothing of how the service is made.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import type { Description, Operation, Response } from './operations.ts'

type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>

// Must not appear in any answer.
const INSIDES = /node_modules|\n\s+at .+:\d+|\bfile:\/\/\/\S+\.[jt]s|\.[jt]s:\d+:\d+|\[object \w+\]/
// Must not appear in a refusal. A success may show text that a user once wrote.
const WORDS = [
  /fastify|typebox|\bajv\b|scrypt|\bjose\b|undici|FST_|ERR_|ECONN|unexpected token|at position \d/i,
  /pg_|postgres|\bsql\b|syntax error|relation "|constraint|violat|\bundefined\b|\bNaN\b/i,
]
const FAMILIES = [
  /"isSuccessful":false/,
  /"requestSuccessful":false/,
  /"error":/,
  /"responseCode":"0[123]"/,
]

// The outcome of a credit or reversal is no failure of the operation, even with a 4xx, or with a
// 503 where the bank must send a reversal again once its credit is known.
export function isOutcome(body: string): boolean {
  return /"outcome":"(?:rejected"|retry","code":"original_not_found")/.test(body)
}

export class AnswerChecks {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  readonly #shapes = new Map<object, ValidateFunction>()
  readonly #names: RegExp
  readonly #described: Record<string, Response>

  // `names` are those of tables, columns and constraints. Only names that no person would write are
  // checked.
  constructor(description: Description, names: readonly string[]) {
    this.#described = description.components.responses
    this.#ajv.addSchema({ ...description, $id: 'api' })
    const telling = names.filter((name) => /^[a-z]+_[a-z_]+$/.test(name))
    this.#names = new RegExp(`\\b(?:${telling.join('|')})\\b`)
  }

  // `operation` is undefined if the request used another method.
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
    const own = operation.responses[status]
    const described = this.#described[own?.$ref?.split('/').at(-1) ?? ''] ?? own
    if (!described) return `answers ${status}, which is not described`
    const content = Object.entries(described.content ?? {})
    const [media] = type.split(';')
    const found = content.find(([name]) => name === media)
    if (!found) return `answers with ${type}, which is not described`
    const schema = found[1].schema
    if (!schema || media !== 'application/json') return false
    const isRight = this.#shapeOf(schema)
    return isRight(JSON.parse(body))
      ? false
      : `differs from its schema: ${this.#ajv.errorsText(isRight.errors)}`
  }

  #shapeOf(schema: object): ValidateFunction {
    const known = this.#shapes.get(schema)
    if (known) return known
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/')
    const shape = this.#ajv.compile(JSON.parse(text))
    this.#shapes.set(schema, shape)
    return shape
  }
}

// A refusal repeats the name of an unknown field as it was sent.
function withoutEcho(body: string): string {
  return body.replaceAll(/"field":"(?:[^"\\]|\\.)*"/g, '')
}
