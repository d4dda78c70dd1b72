// Schemas of passkeys. What goes to the browser and comes back is WebAuthn's own JSON
// (PublicKeyCredentialCreationOptionsJSON, PublicKeyCredential.toJSON), of which we read these
// members; browsers may send more.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Passkey } from '#domain/access/passkeys.ts'
import { named, nullable, text } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'
import { Code, Password } from './user-presenters.ts'

function base64url(lengthMax: number, description: string) {
  return Type.String({
    pattern: `^[A-Za-z0-9_-]{1,${lengthMax}}$`,
    description,
    'x-says': `Must be base64url of at most ${lengthMax} characters.`,
  })
}

const CredentialId = base64url(1_400, 'Credential ID.') // 1,023 bytes at most.
const ClientData = base64url(4_000, 'What the browser says it asked for.')
const Kind = Type.Literal('public-key', { 'x-says': 'Must be public-key.' })
const object = { 'x-says': 'Must be a credential as the browser returns it.' }

export const Assertion = named(
  'PasskeyAssertion',
  {
    id: CredentialId,
    rawId: CredentialId,
    type: Kind,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        authenticatorData: base64url(4_000, 'What the device says.'),
        signature: base64url(4_000, 'By the passkey.'),
        userHandle: Type.Optional(base64url(100, 'The user, as the device knows them.')),
      },
      object,
    ),
  },
  object,
)

export const Attestation = named(
  'PasskeyAttestation',
  {
    id: CredentialId,
    rawId: CredentialId,
    type: Kind,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: base64url(20_000, 'The new public key.'),
        transports: Type.Optional(
          Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$', 'x-says': 'Must be a transport.' }), {
            maxItems: 10,
            'x-says': 'Must be a list of at most 10 items.',
          }),
        ),
      },
      object,
    ),
  },
  object,
)

// How a user confirms who they are: the session may be hijacked.
export const Confirmation = named(
  'IdentityConfirmation',
  {
    password: Type.Optional(Password),
    code: Type.Optional(Code),
    passkey: Type.Optional(Assertion),
  },
  { additionalProperties: false },
)

export const PasskeyName = text(100, 'What you call it, e.g. the device.')

const Descriptor = named('PasskeyDescriptor', {
  id: Type.String(),
  type: Type.String(),
  transports: Type.Optional(Type.Array(Type.String())),
})

export const CreationOptions = named('PasskeyCreationOptions', {
  challenge: Type.String({ description: 'Works once, for 5 minutes, in this session.' }),
  rp: named('PasskeyRelyingParty', { id: Type.String(), name: Type.String() }),
  user: named('PasskeyUser', {
    id: Type.String(),
    name: Type.String(),
    displayName: Type.String(),
  }),
  pubKeyCredParams: Type.Array(
    named('PasskeyAlgorithm', { type: Type.String(), alg: Type.Integer() }),
  ),
  timeout: Type.Integer({ description: 'In milliseconds.' }),
  attestation: Type.String(),
  excludeCredentials: Type.Array(Descriptor),
  authenticatorSelection: named('PasskeySelection', {
    residentKey: Type.String(),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.String(),
  }),
})

export const RequestOptions = named('PasskeyRequestOptions', {
  challenge: Type.String({ description: 'Works once, for 5 minutes.' }),
  rpId: Type.String(),
  timeout: Type.Integer({ description: 'In milliseconds.' }),
  userVerification: Type.String(),
  allowCredentials: Type.Array(Descriptor),
})

export const PasskeyBody = named('Passkey', {
  id: Type.String(),
  name: Type.String(),
  createdAt: Type.String(),
  usedAt: nullable('string', { description: 'Last use.' }),
})

export function presentPasskey(passkey: Passkey): Static<typeof PasskeyBody> {
  const { id, name, createdAt, usedAt } = passkey
  return { id, name, createdAt: timestamp(createdAt), usedAt: usedAt && timestamp(usedAt) }
}
