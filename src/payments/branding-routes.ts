// /api/v1/branding: a client's branding on the checkout page, and its name in account names.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import type { Client } from '#access/permissions.ts'
import type { Policy } from '#config/policy-settings.ts'
import { invalidField } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { digits, Email, namedBody, text, webAddress } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  type Branding,
  LOGO_BYTES_MAX,
  LOGO_SIDE_MAX,
  LOGO_SIDE_MIN,
  parseLogo,
  readBranding,
  setBranding,
} from './branding.ts'
import { DEFAULT_COLOUR, LogoBody, viewLogo } from './checkout-views.ts'

const NAME_MAX = 60
const LOGO_SAYS =
  `Must be a PNG, JPEG or WebP image in base64, of at most ${LOGO_BYTES_MAX / 1024} kB and ` +
  `${LOGO_SIDE_MIN} to ${LOGO_SIDE_MAX} pixels a side.`

// A field that keeps its value if it is omitted, and is removed if it is null.
const optionalOrNull = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

const BrandingRequest = namedBody('BrandingRequest', {
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
  accountName: optionalOrNull(
    text(
      NAME_MAX,
      'Your name in account names, which banks show. In live mode the operator reviews it first. ' +
        'Null: the client’s name, without review.',
    ),
  ),
  supportEmail: optionalOrNull(
    Type.Unsafe<string>({ ...Email, description: 'Where payers get help.' }),
  ),
  supportPhone: optionalOrNull(
    digits(
      '^\\+?[0-9][0-9 ()-]{5,19}$',
      'Where payers get help.',
      'Must be a phone number of 6 to 20 digits, which may have + ( ) - and spaces.',
    ),
  ),
  supportUrl: optionalOrNull(webAddress('Where payers get help.')),
  logo: optionalOrNull(
    Type.String({
      minLength: 1,
      maxLength: Math.ceil(LOGO_BYTES_MAX / 3) * 4,
      description:
        `PNG, JPEG or WebP in base64, at most ${LOGO_BYTES_MAX / 1024} kB and ` +
        `${LOGO_SIDE_MAX} pixels a side. Null: none.`,
      'x-says': LOGO_SAYS,
    }),
  ),
})

type Context = { client: Client; policy: Policy }

const BrandingView = view('Branding', (f: Fields<Branding, Context>) => ({
  name: f.text(({ name }, { client }) => name ?? client.name),
  colour: f.text(({ colour }) => colour ?? DEFAULT_COLOUR),
  isOwnName: f.flag(({ name }) => name !== null, 'False: the client’s name.'),
  isOwnColour: f.flag(({ colour }) => colour !== null, 'False: the default colour.'),
  accountName: f.text(
    ({ accountName }, { client }) => accountName ?? client.name,
    'Your name in account names, as banks show it.',
  ),
  pendingAccountName: f.textOrNull(
    'pendingAccountName',
    'Your name in account names that waits for the operator’s review. Until it is approved, banks ' +
      'show accountName. Null: none.',
  ),
  isOwnAccountName: f.flag(({ accountName }) => accountName !== null, 'False: the client’s name.'),
  accountNameStyle: f.text(
    (_, { policy }) => policy.accountName,
    'How account names are composed, of {merchant} and {customer}.',
  ),
  supportEmail: f.textOrNull('supportEmail'),
  supportPhone: f.textOrNull('supportPhone'),
  supportUrl: f.textOrNull('supportUrl'),
  logo: f.as(LogoBody, ({ logo }) => viewLogo(logo)),
}))

export const branding = resource('/api/v1/branding', {
  tag: 'Branding',
  noun: 'branding',
  view: BrandingView,
  scopes: { read: 'accounts:read', write: 'accounts:write' },
})
  .get('getBranding', {
    path: '',
    summary: 'Retrieve branding',
    description: 'What payers see of you: name, colour, logo, support contact, account name.',
    run: (db, { clientId }) => readBranding(db, clientId),
  })
  .replace('setBranding', {
    path: '',
    summary: 'Update branding',
    description:
      'The checkout page shows it from the next load. Optional fields that you leave out stay ' +
      'as they are; null removes them. In live mode a new accountName waits for the operator’s ' +
      'review (pendingAccountName); in the sandbox it takes effect immediately.',
    body: BrandingRequest,
    parse: ({ body: { logo, colour, ...otherFields } }) => ({
      fields: { ...otherFields, colour: colour?.toLowerCase() ?? null },
      logo: typeof logo === 'string' ? requireLogo(logo) : logo,
    }),
    run: (tx, { client, actor, mode, now, input }) =>
      setBranding(tx, now, { client, actor, mode, ...input }),
  })

// Parses a logo, and refuses an image that is not accepted.
function requireLogo(base64: string) {
  const logo = parseLogo(base64)
  if (!logo) throw invalidField('logo', LOGO_SAYS)
  return logo
}
