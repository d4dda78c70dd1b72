// Schemas and views of clients, for operators.

import { Type } from '@fastify/type-provider-typebox'
import { OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '#domain/access/client-secrets.ts'
import type { ClientDetail, ClientEntry } from '#domain/access/manage-clients.ts'
import { SCOPES, type Scope } from '#domain/access/scopes.ts'
import type { DailyUsage } from '#domain/reports/client-usage.ts'
import { Refusal } from '#errors.ts'
import { digits, named, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'

export const CLIENTS = '/api/v1/operator/clients'
const ENTRIES_MAX = 100

const listOf = <T>(items: object, says: string, description: string) =>
  Type.Unsafe<T[] | null>({
    type: ['array', 'null'],
    minItems: 1,
    maxItems: ENTRIES_MAX,
    uniqueItems: true,
    items,
    description,
    'x-says': says,
  })

// What may be set of a client, when it is made and later.
export const ClientFields = {
  scopes: Type.Optional(
    Type.Unsafe<Scope[]>({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: {
        type: 'string',
        enum: [...SCOPES],
        'x-says': `Must be one of ${SCOPES.join(', ')}.`,
      },
      description:
        'Permissions. returns:read, returns:write, accounting:read, accounting:write and operator, ' +
        'which includes accounting, are for operators. Default: all others; all for an operator.',
      'x-says': 'Must be a non-empty list of distinct scopes.',
    }),
  ),
  merchantCodes: Type.Optional(
    listOf<string>(
      text(64, 'A merchantCode.'),
      `Must be null or a list of 1 to ${ENTRIES_MAX} distinct merchant codes.`,
      'Restricts the client to accounts with these merchantCodes. Null: no restriction.',
    ),
  ),
  allowedAddresses: Type.Optional(
    listOf<string>(
      text(64, 'An IP address or CIDR range, e.g. 10.0.0.0/8.'),
      `Must be null or a list of 1 to ${ENTRIES_MAX} distinct IP addresses or CIDR ranges.`,
      'IP allowlist. Null: any address.',
    ),
  ),
  isOperator: Type.Optional(
    Type.Boolean({
      description: 'Whether it operates the service: manages clients and unidentified money.',
      'x-says': 'Must be true or false.',
    }),
  ),
}

export const RotationBody = named(
  'SecretRotationRequest',
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS_MAX,
        default: OVERLAP_SECONDS_DEFAULT,
        'x-says': `Must be a whole number from 0 to ${OVERLAP_SECONDS_MAX}.`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const ClientName = text(100, 'Merchant name shown to payers.')
export const ClientParams = Type.Object({ clientId: Type.String() })

export const ClientId = digits(
  '^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$',
  'Login ID. Generated when omitted.',
  'Must be 3 to 40 letters, digits, - or _.',
)

const TextList = Type.Unsafe<readonly string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string' },
})

export const ClientView = view('Client', (f: Fields<ClientEntry>) => ({
  clientId: f.text('clientId'),
  name: f.text('name'),
  isActive: f.flag('isActive', 'False: suspended.'),
  suspendedAt: f.timeOrNull('suspendedAt', 'Null: it is not suspended, or not recorded.'),
  suspensionReason: f.textOrNull('suspensionReason', 'Why it is suspended, if a reason was given.'),
  accountName: f.text('accountName', 'Its name in account names, as banks show it.'),
  pendingAccountName: f.textOrNull(
    'pendingAccountName',
    'The name in account names that the client chose and that waits for your review.',
  ),
  isOperator: f.flag('isOperator'),
  scopes: f.as<readonly string[]>(Type.Array(Type.String()), 'scopes'),
  merchantCodes: f.as<readonly string[] | null>(TextList, 'merchantCodes'),
  allowedAddresses: f.as<readonly string[] | null>(TextList, 'allowedAddresses'),
  createdAt: f.time('createdAt'),
}))

const SecretView = view('ClientSecret', (f: Fields<ClientDetail['secrets'][number]>) => ({
  keyId: f.text('keyId', 'Prefix of the secret; empty for legacy secrets.'),
  createdAt: f.time('createdAt'),
  retiresAt: f.timeOrNull('retiresAt', 'Null for the current secret.'),
  usedAt: f.timeOrNull('usedAt', 'Last login with this secret, to the hour.'),
}))

export const ClientDetailView = view('ClientDetail', (f: Fields<ClientDetail>) => ({
  ...ClientView.fields,
  secrets: f.list(SecretView, 'secrets', 'Active secrets, current one first.'),
}))

export const ClientWithSecretView = view(
  'ClientWithSecret',
  (f: Fields<ClientDetail & { secret: string }>) => ({
    ...ClientDetailView.fields,
    secret: f.text('secret', 'Shown only once.'),
  }),
)

const DayView = view('ClientUsageDay', (f: Fields<DailyUsage>) => ({
  from: f.time('from', 'Start of the day (West Africa Time).'),
  accounts: f.integer('accounts', 'Collection accounts created.'),
  advices: f.integer('advices', 'Advices created.'),
  payments: f.integer('payments', 'Payments initiated.'),
  credits: f.integer('credits', 'Credits booked or assigned.'),
  gross: f.naira('grossKobo', 'Gross amount of these credits.'),
  webhooks: f.integer('webhooks', 'Webhooks delivered for events of that day.'),
}))

type Usage = { clientId: string; days: DailyUsage[] }

export const UsageView = view('ClientUsage', (f: Fields<Usage>) => ({
  clientId: f.text('clientId'),
  days: f.list(DayView, 'days', 'Today last.'),
}))

// PostgreSQL rejects these characters.
export function requireClientId(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw new Refusal('client_not_found')
  return text
}
