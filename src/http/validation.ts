// Request validation: reports every invalid field at once, one sentence each. A schema may provide
// its own in `x-says`.

import type { FastifySchemaValidationError } from 'fastify'
import { checkTargetUrl, URL_LENGTH_MAX } from '#domain/webhooks/ssrf-guard.ts'
import type { FieldError } from '#errors.ts'
import { AMOUNT_MAX_KOBO, koboOf } from '#money.ts'

type Mode = 'sandbox' | 'live'
type AjvLike = { addKeyword: (definition: object) => unknown }

export function validatorOptions(mode: Mode) {
  return {
    customOptions: {
      allErrors: true,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      verbose: true, // Brings each error its schema, and so its sentence.
      strict: false,
    },
    plugins: [
      (ajv: AjvLike) => {
        ajv.addKeyword({
          keyword: 'x-money',
          validate: (kind: unknown, value: unknown) =>
            isAmount(value) || (kind === 'or-zero' && koboOf(value) === 0n),
        })
        ajv.addKeyword({
          keyword: 'x-web-address',
          type: 'string',
          validate: (_: unknown, value: string) => isWebAddress(value, mode),
        })
        ajv.addKeyword({
          keyword: 'x-has-name',
          type: 'object',
          validate: (fields: string[], value: Record<string, unknown>) =>
            fields.some((field) => typeof value[field] === 'string' && value[field] !== ''),
        })
        return ajv
      },
    ] as never,
  }
}

export function isAmount(value: unknown): boolean {
  const kobo = koboOf(value)
  return kobo !== undefined && kobo > 0n && kobo <= AMOUNT_MAX_KOBO
}

// A fragment is for the browser, and is left out when the address is called; but all of it is stored.
function isWebAddress(value: string, mode: Mode): boolean {
  if (value.length > URL_LENGTH_MAX || !value.isWellFormed()) return false
  if (/[\x00-\x20\x7f]/.test(value)) return false
  const hashAt = value.indexOf('#')
  return checkTargetUrl(hashAt < 0 ? value : value.slice(0, hashAt), { mode }) === null
}

type AjvError = FastifySchemaValidationError & {
  parentSchema?: { 'x-says'?: string }
  data?: unknown
}

// One sentence a field: the first that is wrong with it.
export function fieldErrors(
  errors: readonly FastifySchemaValidationError[],
  context: string | undefined,
): FieldError[] {
  const byField = new Map<string, string>()
  for (const error of errors as AjvError[]) {
    const field = fieldName(error, context ?? 'body')
    if (!byField.has(field)) byField.set(field, sentence(error))
  }
  return [...byField].map(([field, message]) => ({ field, message }))
}

function fieldName({ instancePath, keyword, params }: AjvError, context: string): string {
  const path = instancePath.split('/').slice(1)
  if (keyword === 'required') path.push(String(params.missingProperty))
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty))
  return path.length === 0 ? context : path.join('.').slice(0, 100)
}

function sentence({ keyword, message, parentSchema }: AjvError): string {
  if (keyword === 'required') return 'Required.'
  if (keyword === 'additionalProperties') return 'Unknown field.'
  const says = parentSchema?.['x-says']
  if (says) return says
  return message ? `${message.charAt(0).toUpperCase()}${message.slice(1)}.` : 'Invalid.'
}
