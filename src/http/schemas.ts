// Schemas that several routes share. Validation, serialisation, TypeScript types and the OpenAPI description
// all come from them. `x-says` is the sentence that a caller gets for an invalid value.

import { type TProperties, type TSchema, Type } from '@fastify/type-provider-typebox'
import { ACCOUNT_NUMBER, BANK_CODE } from '#banks/nuban.ts'
import { AMOUNT_MAX_KOBO, formatKobo } from '#money.ts'
import { URL_LENGTH_MAX } from '#ssrf-guard.ts'

// A named schema appears once in the OpenAPI description, under this name, and is referenced everywhere else
// (schema-components.ts).
export function named<P extends TProperties>(name: string, fields: P, options: object = {}) {
  return Type.Object(fields, { $id: name, ...options })
}

// An object of a request: other fields than these are refused.
export function strictObject<P extends TProperties>(fields: P) {
  return Type.Object(fields, { additionalProperties: false })
}

// A named object of a request, such as its body: other fields than these are refused.
export function namedBody<P extends TProperties>(name: string, fields: P) {
  return named(name, fields, { additionalProperties: false })
}

// Options of an object with the fields to change, of which at least one is required.
export const SOME_CHANGE = {
  additionalProperties: false,
  minProperties: 1,
  'x-says': 'Must be an object with at least one field to change.',
} as const

// Text that is not blank, without control characters and unpaired surrogates, so that the database stores it
// exactly as it was sent.
const PLAIN_TEXT = '^(?=[\\s\\S]*\\S)[^\\p{Cc}\\p{Cs}]*$'

// A required text of the request. `x-says` is the error message for an invalid value.
export function text(lengthMax: number, description: string) {
  return Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: PLAIN_TEXT,
    description,
    'x-says': `Must be 1 to ${lengthMax} characters, not blank, without control characters.`,
  })
}

// Text with a pattern. `says` is the sentence that a caller gets for an invalid value.
export function digits(pattern: string, description: string, says: string) {
  return Type.String({ pattern, description, 'x-says': says })
}

export function wholeNumber(minimum: number, maximum: number, description: string) {
  const says = `Must be a whole number from ${minimum} to ${maximum}.`
  return Type.Integer({ minimum, maximum, description, 'x-says': says })
}

export function trueOrFalse(description: string) {
  return Type.Boolean({ description, 'x-says': 'Must be true or false.' })
}

export function accountNumber(description: string) {
  return digits(ACCOUNT_NUMBER, description, 'Must be 10 digits.')
}

export function bankCode(description: string) {
  return digits(BANK_CODE, description, 'Must be a bank code.')
}

// The CBN code, the NIP code or a provider's code of any institution.
export function institutionCode(description: string) {
  return digits('^[0-9]{3}(?:[0-9]{2,3})?$', description, 'Must be a bank code.')
}

export const REFERENCE =
  '^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$'

export function reference(description: string) {
  return digits(REFERENCE, description, 'Must be 32 hexadecimal digits, with or without dashes.')
}

export const Email = Type.String({
  maxLength: 254,
  // ASCII before the @: other addresses need SMTPUTF8 at every mail server on the way, which nobody can
  // promise.
  pattern: '^[!-?A-~]+@[^\\s@\\p{Cc}\\p{Cs}]+\\.[^\\s@.\\p{Cc}\\p{Cs}]+$',
  'x-says': 'Must be an email address, with Latin letters without accents before the @.',
})

// A URL of a merchant, such as that of a webhook. isWebAddress() of validation.ts checks it.
export function webAddress(description: string) {
  return Type.String({
    maxLength: URL_LENGTH_MAX,
    'x-web-address': true,
    description,
    'x-says':
      'Must be an absolute http or https URL (https in live mode), ' +
      `at most ${URL_LENGTH_MAX} characters, without spaces or control characters.`,
  })
}

export const AMOUNT_MAX = formatKobo(AMOUNT_MAX_KOBO)

// The same schema, described to callers as another: they need not know all that the service reads.
export function describedAs<T extends TSchema>(schema: T, described: object): T {
  return { ...schema, 'x-described': described }
}

// A JSON number or a numeric string. Described as a number, because many generators of clients refuse a
// value of two types.
export const Amount = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-described': { type: 'number', examples: [6000] },
  'x-money': true,
  description: 'Greater than 0, at most 10,000,000,000,000.00, with at most two decimals.',
  'x-says': `Must be greater than 0 and at most ${AMOUNT_MAX}, with at most two decimals.`,
})

// An amount, such as a fee, that may be zero.
export function amountOrZero(description?: string) {
  return Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-described': { type: 'number' },
    'x-money': 'or-zero',
    ...(description && { description }),
    'x-says': `Must be from 0 to ${AMOUNT_MAX}, with at most two decimals.`,
  })
}

// Rules for who may pay, and how much at a time. Money that breaks the rules is accepted and goes to
// suspense.
export const PayerRulesBody = named(
  'PayerRulesRequest',
  {
    minAmount: Type.Optional(Amount),
    maxAmount: Type.Optional(Amount),
    accounts: Type.Optional(
      Type.Array(
        Type.Object({
          accountNumber: accountNumber('Payer’s account number.'),
          bankCode: bankCode('Payer’s bank code.'),
        }),
        { maxItems: 50, 'x-says': 'Must be a list of at most 50 items.' },
      ),
    ),
    names: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 100,
          pattern: '^[^\\p{Cc}\\p{Cs}]*$',
          'x-says': 'Must be at least two words. A payer matches on any two, in any order.',
        }),
        { maxItems: 50, 'x-says': 'Must be a list of at most 50 items.' },
      ),
    ),
  },
  { 'x-says': 'Must be an object.' },
)

type Named = { string: string; number: number; integer: number }

export function nullable<T extends keyof Named>(type: T, options: object = {}) {
  return Type.Unsafe<Named[T] | null>({ type: [type, 'null'], ...options })
}

// A text that is one of these values, in responses.
export function oneOf<T extends string>(values: readonly T[], description?: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...(description && { description }) })
}

// A field of a request that accepts one of these values.
export function chosen<T extends string>(values: readonly T[], description?: string) {
  return { ...oneOf(values, description), 'x-says': `Must be one of ${values.join(', ')}.` }
}

// For requests without a body. An empty object is accepted.
export const NoBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  'x-says': 'Must be an empty object, or omitted.',
})

export const AnyObject = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

// One of the numbers of a payment or collection account.
export const BankNumber = named('BankNumber', {
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumber: Type.String(),
})

export const Shares = Type.Array(
  named('SplitShare', { subaccountCode: Type.String(), amount: Type.Number() }),
  { description: 'What subaccounts got of it, less what they gave back.' },
)

export const PAYMENT_STATES = 'Processing, PartPayment, Successful, Expired, Cancelled or Reversed.'
export const AMOUNT_POLICY = 'exact, allow_under or any.'

export const FieldError = named('FieldError', { field: Type.String(), message: Type.String() })
const FieldErrors = Type.Optional(Type.Array(FieldError))

// Described as an object that may be null: some generators have no type for null alone.
const AlwaysNull = describedAs(Type.Null(), { type: ['object', 'null'] })

const REFUSED = { description: 'Error: `code` is machine-readable, `message` is for people.' }

export const ApiFailure = named(
  'ApiFailure',
  {
    isSuccessful: Type.Literal(false),
    message: Type.String(),
    code: Type.String(),
    data: AlwaysNull,
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

export const PaymentFailure = named(
  'PaymentFailure',
  {
    requestSuccessful: Type.Literal(false),
    message: Type.String(),
    responseCode: Type.String(),
    code: Type.String(),
    responseData: AlwaysNull,
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

export const RailFailure = named(
  'RailFailure',
  {
    responseCode: Type.String({ description: '02 rejected, 03 retry.' }),
    responseMessage: Type.String(),
    code: Type.String(),
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

// OAuth errors (RFC 6749, section 5.2).
export const OAuthFailure = named(
  'OAuthFailure',
  { error: Type.String(), error_description: Type.String() },
  { description: 'Error, as OAuth 2.0 libraries read it.' },
)

// The success envelope of /api/… operations. Its schema is named after the schema of its data.
export function ApiEnvelope<T extends TSchema>(data: T) {
  const body = { isSuccessful: Type.Boolean(), message: Type.String(), data }
  return named(`${schemaName(data)}Response`, body, { description: 'Success.' })
}

const WarningBody = named('Warning', { field: Type.String(), message: Type.String() })

// The success envelope of the payment family (envelopes.ts).
export function PaymentEnvelope<T extends TSchema>(responseData: T) {
  const body = {
    requestSuccessful: Type.Boolean(),
    message: Type.String(),
    responseCode: Type.String(),
    responseData,
    warnings: Type.Optional(
      Type.Array(WarningBody, {
        description: 'Fields of the request that were ignored. Only where there are any.',
      }),
    ),
  }
  return named(`${schemaName(responseData)}Response`, body, { description: 'Success.' })
}

// Returns the name of a schema. A list without a name is named after its items, in the plural.
export function schemaName(schema: { $id?: string; items?: { $id?: string } }): string {
  const name = schema.$id ?? (schema.items && `${schemaName(schema.items)}s`)
  if (!name) throw new Error('a schema without a name')
  return name
}

export const Deleted = named('Deleted', { id: Type.String() })

export const Withdrawn = named('Withdrawn', { id: Type.Integer() })

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'A retry with the same key and body, for 24 hours, does nothing more and returns the ' +
        'original response. Creating an account or an advice returns the one that the first call ' +
        'created, as it is now.',
      'x-says': 'Must be 1 to 255 printable ASCII characters.',
    }),
  ),
})

export const BEARER = [{ bearer: [] }]
export const SESSION = [{ session: [] }]
