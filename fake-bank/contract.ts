// Checks every request, answer and notification against the provider's published interface
// (contracts/*.json). Connector and dialect must both satisfy the contract, so a misreading that they share
// is noticed. The check is stricter than the schemas: a field, query parameter or answer that the contract
// does not name is a violation.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Compile } from 'typebox/schema'

const FOLDER = join(import.meta.dirname, 'contracts')
const HTTP_OK = 200

type Schema = Readonly<Record<string, unknown>>

export type ContractCall = {
  call: string
  exists?: false // The provider has no such call.
  method?: string
  path?: string // A path with {parameters}, or one whole {parameter} for an address of ours.
  query?: Schema
  headers?: Readonly<Record<string, Schema>> // By name in lower case; required unless `optional`.
  request?: Schema
  sample?: unknown
  responses?: Readonly<Record<string, { schema: Schema; sample?: unknown }>>
  certainty: string
  notes?: readonly string[]
  source?: readonly string[]
}

type ContractDocument = {
  provider: string
  hosts: Readonly<Record<string, string>>
  $defs?: Readonly<Record<string, Schema>>
  errors: { statuses: readonly number[]; schema: Schema } // Common to every call.
  calls: readonly ContractCall[]
}

export type HttpRequest = {
  method: string
  url: string // Path and query.
  headers: Readonly<Record<string, unknown>>
  body: unknown // Undefined if there is none.
}

type HttpAnswer = { httpStatus: number; body: unknown }

// Reads a provider's contract. Connectors with Manilla's own format have none.
export function readContract(provider: string): ContractDocument | undefined {
  const path = join(FOLDER, `${provider}.json`)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

// One provider's contract. Each check returns its violations, one sentence each.
export class Contract {
  readonly document: ContractDocument
  readonly #validators = new Map<Schema, ReturnType<typeof Compile>>()

  constructor(document: ContractDocument) {
    this.document = document
  }

  checkRequest(request: HttpRequest): string[] {
    const line = lineOf(request)
    const calls = this.#callsAt(request)
    if (calls.length === 0) return [`${line} is in no contract`]
    return fewestFaults(calls.map((call) => this.#requestFaults(call, request))).map(
      (fault) => `${line}: ${fault}`,
    )
  }

  checkAnswer(request: Pick<HttpRequest, 'method' | 'url'>, answer: HttpAnswer): string[] {
    const line = `${lineOf(request)} answered ${answer.httpStatus}`
    const calls = this.#callsAt(request)
    const faults = calls.map((call) => this.#answerFaults(call, answer))
    return fewestFaults(faults).map((fault) => `${line}: ${fault}`)
  }

  // Checks the call that the provider makes to us, such as `webhook.credit`.
  checkNotification(name: string, { headers, body }: Omit<HttpRequest, 'method' | 'url'>) {
    const call = this.#find(name)
    if (!call?.request) return [`${name} is in no contract`]
    return [...this.#headerFaults(call, headers), ...this.#faults(call.request, body, 'body')].map(
      (fault) => `${name}: ${fault}`,
    )
  }

  // Checks our answer to a notification. Only answers with 200 are checked, because the provider treats any
  // other status as a failure.
  checkAcknowledgement(name: string, { httpStatus, body }: HttpAnswer): string[] {
    const schema = this.#find(name)?.responses?.[HTTP_OK]?.schema
    if (httpStatus !== HTTP_OK || !schema) return []
    return this.#faults(schema, body, 'body').map((fault) => `our answer to ${name}: ${fault}`)
  }

  #find(name: string): ContractCall | undefined {
    return this.document.calls.find(({ call }) => call === name)
  }

  // Returns the calls at a path; there are several if one path serves two purposes. Paths without parameters
  // come first.
  #callsAt({ method, url }: Pick<HttpRequest, 'method' | 'url'>): ContractCall[] {
    const path = url.split('?', 1)[0] as string
    const calls = this.document.calls.filter((call) => call.method === method)
    const exact = calls.filter((call) => call.path === path)
    return exact.length > 0
      ? exact
      : calls.filter((call) => pathPattern(call.path ?? '').test(path))
  }

  #requestFaults(call: ContractCall, { url, headers, body }: HttpRequest): string[] {
    const query = Object.fromEntries(new URL(url, 'http://bank').searchParams)
    return [
      ...this.#headerFaults(call, headers),
      ...this.#faults(call.query ?? NOTHING, query, 'query'),
      ...(call.request
        ? this.#faults(call.request, body ?? null, 'body')
        : isEmpty(body)
          ? []
          : ['body must be empty']),
    ]
  }

  #headerFaults(call: ContractCall, headers: HttpRequest['headers']): string[] {
    return Object.entries(call.headers ?? {}).flatMap(([name, schema]) => {
      const value = headers[name]
      if (value !== undefined) return this.#faults(schema, value, `header ${name}`)
      return schema.optional === true ? [] : [`header ${name} is missing`]
    })
  }

  #answerFaults(call: ContractCall, { httpStatus, body }: HttpAnswer): string[] {
    const { statuses, schema: error } = this.document.errors
    const schema =
      call.responses?.[httpStatus]?.schema ?? (statuses.includes(httpStatus) ? error : undefined)
    return schema ? this.#faults(schema, body, 'body') : ['no such answer is published']
  }

  // Validates a value. `place` begins each sentence: body, query or a header.
  #faults(schema: Schema, value: unknown, place: string): string[] {
    const validator = this.#validators.get(schema) ?? this.#compile(schema)
    const [, errors] = validator.Errors(value)
    return errors
      .filter(({ keyword }) => keyword !== 'boolean')
      .map(({ instancePath, message, params }) => {
        const names = 'additionalProperties' in params ? params.additionalProperties : undefined
        const fieldNames = Array.isArray(names) ? `: ${names.join(', ')}` : ''
        return `${place}${instancePath} ${message}${fieldNames}`
      })
  }

  #compile(schema: Schema): ReturnType<typeof Compile> {
    const $defs = withoutOtherFields(this.document.$defs ?? {})
    const validator = Compile({ ...(withoutOtherFields(schema) as object), $defs })
    this.#validators.set(schema, validator)
    return validator
  }
}

const NOTHING: Schema = { type: 'object', properties: {} }

// Records every violation, so that tests can assert on them.
export class ContractWatch {
  readonly violations: string[] = []
  readonly #contract: Contract | undefined

  constructor(provider: string) {
    const document = readContract(provider)
    this.#contract = document && new Contract(document)
  }

  record(check: (contract: Contract) => readonly string[]): void {
    if (this.#contract) this.violations.push(...check(this.#contract))
  }
}

// Returns the schema in which objects with named fields allow no other fields, so that a field that the
// contract does not name is a violation.
function withoutOtherFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutOtherFields)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, value]) => [name, withoutOtherFields(value)])
  const isNamed = 'properties' in schema && !('additionalProperties' in schema)
  return { ...Object.fromEntries(entries), ...(isNamed && { additionalProperties: false }) }
}

// Returns the pattern of a path such as /accounts/{number}, in which a parameter stands for any text.
function pathPattern(path: string): RegExp {
  const text = path.replace(/[.+*?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/?]+')
  return new RegExp(`^${text}$`)
}

function lineOf({ method, url }: Pick<HttpRequest, 'method' | 'url'>): string {
  return `${method} ${url.split('?', 1)[0]}`
}

// `faults` has a list of violations for each call that the request could be, because several calls may share
// a path. The call with the fewest violations is taken to be the one that was meant.
function fewestFaults(faults: readonly string[][]): string[] {
  return faults.reduce(
    (least, each) => (each.length < least.length ? each : least),
    faults[0] ?? [],
  )
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || body === ''
}
