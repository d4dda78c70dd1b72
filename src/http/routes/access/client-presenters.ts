// Schemas and presenters of clients, for operators.

import { Type } from '@fastify/type-provider-typebox'
import { OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '#domain/access/client-secrets.ts'
import type { ClientDetail, ClientEntry } from '#domain/access/manage-clients.ts'
import { SCOPES, type Scope } from '#domain/access/scopes.ts'
import type { DailyUsage } from '#domain/reports/client-usage.ts'
import { Refusal } from '#errors.ts'
import { digits, named, nullable, text } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

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

const ClientShown = {
  clientId: Type.String(),
  name: Type.String(),
  isActive: Type.Boolean({ description: 'False: suspended.' }),
  suspendedAt: nullable('string', { description: 'Null: it is not suspended, or not recorded.' }),
  suspensionReason: nullable('string', {
    description: 'Why it is suspended, if a reason was given.',
  }),
  accountName: Type.String({ description: 'Its name in account names, as banks show it.' }),
  pendingAccountName: nullable('string', {
    description: 'The name in account names that the client chose and that waits for your review.',
  }),
  isOperator: Type.Boolean(),
  scopes: Type.Array(Type.String()),
  merchantCodes: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
  }),
  allowedAddresses: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
  }),
  createdAt: Type.String(),
}

const SecretsShown = Type.Array(
  named('ClientSecret', {
    keyId: Type.String({ description: 'Prefix of the secret; empty for legacy secrets.' }),
    createdAt: Type.String(),
    retiresAt: nullable('string', { description: 'Null for the current secret.' }),
    usedAt: nullable('string', { description: 'Last login with this secret, to the hour.' }),
  }),
  { description: 'Active secrets, current one first.' },
)

export const ClientBody = named('Client', ClientShown)
export const ClientDetailBody = named('ClientDetail', { ...ClientShown, secrets: SecretsShown })
export const ClientWithSecretBody = named('ClientWithSecret', {
  ...ClientShown,
  secrets: SecretsShown,
  secret: Type.String({ description: 'Shown only once.' }),
})

export const UsageBody = named('ClientUsage', {
  clientId: Type.String(),
  days: Type.Array(
    named('ClientUsageDay', {
      from: Type.String({ description: 'Start of the day (West Africa Time).' }),
      accounts: Type.Integer({ description: 'Collection accounts created.' }),
      advices: Type.Integer({ description: 'Advices created.' }),
      payments: Type.Integer({ description: 'Payments initiated.' }),
      credits: Type.Integer({ description: 'Credits booked or assigned.' }),
      gross: Type.Number({ description: 'Gross amount of these credits.' }),
      webhooks: Type.Integer({ description: 'Webhooks delivered for events of that day.' }),
    }),
    { description: 'Today last.' },
  ),
})

export function presentClient(client: ClientEntry) {
  return {
    clientId: client.clientId,
    name: client.name,
    isActive: client.isActive,
    suspendedAt: client.suspendedAt && timestamp(client.suspendedAt),
    suspensionReason: client.suspensionReason,
    accountName: client.accountName,
    pendingAccountName: client.pendingAccountName,
    isOperator: client.isOperator,
    scopes: [...client.scopes],
    merchantCodes: client.merchantCodes && [...client.merchantCodes],
    allowedAddresses: client.allowedAddresses && [...client.allowedAddresses],
    createdAt: timestamp(client.createdAt),
  }
}

export function presentClientDetail(client: ClientDetail) {
  const secrets = client.secrets.map(({ keyId, createdAt, retiresAt, usedAt }) => ({
    keyId,
    createdAt: timestamp(createdAt),
    retiresAt: retiresAt && timestamp(retiresAt),
    usedAt: usedAt && timestamp(usedAt),
  }))
  return { ...presentClient(client), secrets }
}

export function presentDay({ from, grossKobo, ...counts }: DailyUsage) {
  return { ...counts, from: timestamp(from), gross: toNaira(grossKobo) }
}

// PostgreSQL rejects these characters.
export function requireClientId(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw new Refusal('client_not_found')
  return text
}
