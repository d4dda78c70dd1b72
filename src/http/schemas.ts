// Shapes shared by several routes. One source for validation, serialisation, types and OpenAPI.

import { Type } from '@fastify/type-provider-typebox'

// Not blank, no control characters, no half of a surrogate pair: what is stored is exactly what
// was sent.
const PLAIN_TEXT = '^(?=[\\s\\S]*\\S)[^\\p{Cc}\\p{Cs}]*$'

export function text(lengthMax: number, description: string) {
  return Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: PLAIN_TEXT,
    description,
    'x-says': `Must be text of 1 to ${lengthMax} characters, not blank, without control characters.`,
  })
}

export function digits(pattern: string, description: string, says: string) {
  return Type.String({ pattern, description, 'x-says': says })
}

const REFERENCE =
  '^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$'

export function reference(description: string) {
  return digits(REFERENCE, description, 'Must be 32 hexadecimal digits, with or without dashes.')
}

export const Email = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+\\.[^\\s@.\\p{Cc}\\p{Cs}]+$',
  'x-says': 'Must be an email address.',
})

export function webAddress(description: string) {
  return Type.String({
    'x-web-address': true,
    description,
    'x-says': 'Must be an absolute http or https address (https in live).',
  })
}

// A JSON number or a numeric string.
export const Amount = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  'x-money': true,
  description: 'More than 0, at most two decimals, at most 1,000,000,000.00.',
  examples: ['6000.00'],
  'x-says': 'Must be greater than 0 and at most 1000000000.00, with at most two decimals.',
})

// Who may pay, and how much at a time; money from anybody else is taken and suspended.
export const PayerRulesBody = Type.Object(
  {
    minAmount: Type.Optional(Amount),
    maxAmount: Type.Optional(Amount),
    accounts: Type.Optional(
      Type.Array(
        Type.Object({
          accountNumber: digits('^[0-9]{10}$', 'A payer’s account.', 'Must be 10 digits.'),
          bankCode: digits('^[0-9]{3}(?:[0-9]{2})?$', 'Its bank.', 'Must be a bank code.'),
        }),
        { maxItems: 50, 'x-says': 'Must be a list of at most 50.' },
      ),
    ),
    names: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 100,
          pattern: '^[^\\p{Cc}\\p{Cs}]*$',
          'x-says': 'Must be at least two words: a payer matches two of them, in any order.',
        }),
        { maxItems: 50, 'x-says': 'Must be a list of at most 50.' },
      ),
    ),
  },
  { 'x-says': 'Must be an object.' },
)

type Named = { string: string; number: number }

export function nullable<T extends keyof Named>(type: T, options: object = {}) {
  return Type.Unsafe<Named[T] | null>({ type: [type, 'null'], ...options })
}

// Of an advice, wherever one is shown.
export const AdviceFields = {
  adviceReference: Type.String(),
  merchantRef: nullable('string'),
  amount: Type.Number(),
  currency: Type.String(),
  narration: nullable('string'),
  status: Type.String(),
  customerId: nullable('string'),
  customerFullName: Type.String(),
  merchantName: Type.String(),
  paymentUrl: Type.String(),
  channels: Type.Array(Type.String()),
  charge: Type.Number(),
  customerCharge: Type.Number(),
  merchantCharge: Type.Number(),
  vatCharge: Type.Number(),
  callBackUrl: Type.String(),
  notificationUrl: nullable('string'),
  amountPolicy: Type.String(),
  expiresInSeconds: Type.Integer(),
  paymentReference: nullable('string'),
  createdAt: Type.String(),
}

const FieldErrors = Type.Optional(
  Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
)

const REFUSED = { description: 'Error: `code` says machine, `message` what to is for people.' }

export const ApiFailure = Type.Object(
  {
    isSuccessful: Type.Literal(false),
    message: Type.String(),
    code: Type.String(),
    data: Type.Null(),
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

export const PaymentFailure = Type.Object(
  {
    requestSuccessful: Type.Literal(false),
    message: Type.String(),
    responseCode: Type.String(),
    code: Type.String(),
    responseData: Type.Null(),
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

export const RailFailure = Type.Object(
  {
    responseCode: Type.String({ description: '02 rejected, 03 try again.' }),
    responseMessage: Type.String(),
    code: Type.String(),
    errors: FieldErrors,
    requestId: Type.String(),
  },
  REFUSED,
)

export function ApiEnvelope<T extends Parameters<typeof Type.Array>[0]>(data: T) {
  const body = { isSuccessful: Type.Boolean(), message: Type.String(), data }
  return Type.Object(body, { description: 'Success.' })
}

export function PaymentEnvelope<T extends Parameters<typeof Type.Array>[0]>(responseData: T) {
  return Type.Object(
    {
      requestSuccessful: Type.Boolean(),
      message: Type.String(),
      responseCode: Type.String(),
      responseData,
    },
    { description: 'Success.' },
  )
}

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: 'Send people again with the same key and body, and get the same answer (24 h).',
      'x-says': 'Must be 1 to 255 printable ASCII characters.',
    }),
  ),
})

export const BEARER = [{ bearer: [] }]
