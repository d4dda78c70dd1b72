// /api/v1/branding: what payers see of a client, and its name in account names.

import { type FastifyPluginAsyncTypebox, type TSchema, Type } from '@fastify/type-provider-typebox'
import type { Policy } from '#config/policy-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { type Branding, readBranding, setBranding } from '#domain/payments/branding.ts'
import { LOGO_BYTES_MAX, LOGO_SIDE_MAX, LOGO_SIDE_MIN, parseLogo } from '#domain/payments/logos.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import {
  ApiEnvelope,
  BEARER,
  digits,
  Email,
  named,
  nullable,
  text,
  webAddress,
} from '#http/schemas.ts'
import { DEFAULT_COLOUR } from './brand-colours.ts'
import { LogoBody, viewLogo } from './checkout-images.ts'

const BRANDING = '/api/v1/branding'
const NAME_MAX = 60
const LOGO_SAYS =
  `Must be a PNG, JPEG or WebP image in base64, of at most ${LOGO_BYTES_MAX / 1024} kB and ` +
  `${LOGO_SIDE_MIN} to ${LOGO_SIDE_MAX} pixels a side.`

// Came later than name and colour: left out, they stay as they are.
const later = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const BrandingRequest = named(
  'BrandingRequest',
  {
    name: Type.Union([text(NAME_MAX, 'Display name. Null: the client’s name.'), Type.Null()]),
    colour: Type.Union([
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: 'As #rrggbb; null for the default. Text on it stays readable.',
        examples: ['#0f5e4d'],
        'x-says': 'Must be a #rrggbb colour or null.',
      }),
      Type.Null(),
    ]),
    accountName: later(
      text(
        NAME_MAX,
        'Your name in account names, which banks show. In live mode the operator reviews it first. ' +
          'Null: the client’s name, without review.',
      ),
    ),
    supportEmail: later(Type.Unsafe<string>({ ...Email, description: 'Where payers get help.' })),
    supportPhone: later(
      digits(
        '^\\+?[0-9][0-9 ()-]{5,19}$',
        'Where payers get help.',
        'Must be a phone number of 6 to 20 digits, which may have + ( ) - and spaces.',
      ),
    ),
    supportUrl: later(webAddress('Where payers get help.')),
    logo: later(
      Type.String({
        minLength: 1,
        maxLength: Math.ceil(LOGO_BYTES_MAX / 3) * 4,
        description:
          `PNG, JPEG or WebP in base64, at most ${LOGO_BYTES_MAX / 1024} kB and ` +
          `${LOGO_SIDE_MAX} pixels a side. Null: none.`,
        'x-says': LOGO_SAYS,
      }),
    ),
  },
  { additionalProperties: false },
)

const BrandingBody = named('Branding', {
  name: Type.String(),
  colour: Type.String(),
  isOwnName: Type.Boolean({ description: 'False: the client’s name.' }),
  isOwnColour: Type.Boolean({ description: 'False: the default colour.' }),
  accountName: Type.String({ description: 'Your name in account names, as banks show it.' }),
  pendingAccountName: nullable('string', {
    description:
      'Your name in account names that waits for the operator’s review. Until it is approved, banks ' +
      'show accountName. Null: none.',
  }),
  isOwnAccountName: Type.Boolean({ description: 'False: the client’s name.' }),
  accountNameStyle: Type.String({
    description: 'How account names are composed, of {merchant} and {customer}.',
  }),
  supportEmail: nullable('string'),
  supportPhone: nullable('string'),
  supportUrl: nullable('string'),
  logo: LogoBody,
})

export const brandingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock, policy, mode } = deps
  const response = { 200: ApiEnvelope(BrandingBody) }
  const about = { tags: ['Branding'], security: BEARER, querystring: NoQuery, response }

  app.get(
    BRANDING,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        ...about,
        operationId: 'getBranding',
        summary: 'Retrieve branding',
        description: 'What payers see of you: name, colour, logo, support contact, account name.',
      },
    },
    async ({ client }) =>
      accepted(
        'Branding retrieved successfully',
        present(client, await readBranding(db, client.id), policy),
      ),
  )

  app.put(
    BRANDING,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'setBranding',
        summary: 'Update branding',
        description:
          'The checkout page shows it from the next load. Optional fields that you leave out stay ' +
          'as they are; null removes them. In live mode a new accountName waits for the operator’s ' +
          'review (pendingAccountName); in the sandbox it takes effect immediately.',
        body: BrandingRequest,
      },
    },
    async ({ client, actor, body }) => {
      const { logo: base64, colour, ...rest } = body
      const fields = { ...rest, colour: colour?.toLowerCase() ?? null }
      const logo = typeof base64 === 'string' ? getLogo(base64) : base64
      const branding = await withTransaction(db, (tx) =>
        setBranding(tx, clock(), { client, actor, fields, logo, mode }),
      )
      return accepted('Branding updated successfully', present(client, branding, policy))
    },
  )
}

function getLogo(base64: string) {
  const logo = parseLogo(base64)
  if (!logo) throw new Refusal('invalid_request', [{ field: 'logo', message: LOGO_SAYS }])
  return logo
}

function present(client: Client, branding: Branding, policy: Policy) {
  const { name, colour, accountName, logo } = branding
  return {
    ...branding,
    name: name ?? client.name,
    colour: colour ?? DEFAULT_COLOUR,
    isOwnName: name !== null,
    isOwnColour: colour !== null,
    accountName: accountName ?? client.name,
    isOwnAccountName: accountName !== null,
    accountNameStyle: policy.accountName,
    logo: viewLogo(logo),
  }
}
