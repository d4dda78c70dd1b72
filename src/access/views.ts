// Schemas and presenters of users, invitations, passwords, codes and passkeys.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '#http/deps.ts'
import { publicAddress } from '#http/pages.ts'
import { named, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { INVITATION_PATH } from './invitations.ts'
import type { InvitedUser } from './manage-users.ts'
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './passwords.ts'
import { ROLES, type Role } from './permissions.ts'
import type { LinkMail, User } from './users.ts'

// The password's content is not validated: it either matches or does not.
export const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  'x-says': 'Must be 1 to 1000 characters.',
})

export const NewPassword = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description:
    `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters, not a common password, not ` +
    'derived from the email address.',
  'x-says': `Must be ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
})

export const Code = Type.String({
  pattern: '^[0-9A-Za-z\\s-]{6,40}$',
  description: 'Six-digit code from the authenticator app, or a recovery code.',
  'x-says': 'Must be six digits or a recovery code.',
})

// The token of a link. It is sent in the body: URLs are logged by proxies.
export const LinkToken = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'The part of the link after #.',
  'x-says': 'Must be the token of a link.',
})

export const RoleName = Type.Unsafe<Role>({
  type: 'string',
  enum: [...ROLES],
  'x-says': `Must be one of ${ROLES.join(', ')}.`,
})

export const UserView = view('User', (f: Fields<User>) => ({
  id: f.text('id'),
  email: f.text('email'),
  role: f.oneOf('role', ROLES, 'What the user may do.'),
  isActive: f.flag('isActive'),
  isPasswordTemporary: f.flag('isPasswordTemporary', 'Must be changed at the next sign-in.'),
  hasTotp: f.flag('hasTotp', 'Whether an authenticator app is the second factor.'),
  hasPasskey: f.flag('hasPasskey', 'Whether the user has a passkey.'),
  countsFrom: f.timeOrNull(
    'ownFrom',
    'From when on they count as a person of their own. Null: they have not taken the account ' +
      'over, and what they request counts as made by whoever set their password.',
  ),
  createdAt: f.time('createdAt'),
  signedInAt: f.timeOrNull('signedInAt', 'Last sign-in.'),
  mailProblem: f.textOrNull(
    'mailProblem',
    'Why the last message to the user was not accepted. Null: it was, or none was sent.',
  ),
}))

type UserWithPassword = User & {
  password: string | null
  link: string | null
  expiresAt: Date
  isMailed: boolean
}

export const InvitedUserView = view('UserWithPassword', (f: Fields<UserWithPassword>) => ({
  ...UserView.fields,
  temporaryPassword: f.textOrNull(
    'password',
    'Shown only once. Valid for 72 hours; must be changed at the first sign-in. Null: the link was mailed.',
  ),
  invitationLink: f.textOrNull(
    'link',
    'Shown only once. Works once, for 72 hours: the user chooses their own password. Null: it was ' +
      'mailed to the user, and nobody else gets it.',
  ),
  invitationExpiresAt: f.time('expiresAt'),
  isMailed: f.flag(
    'isMailed',
    'Whether the link was mailed to the user. In a sandbox, it is also shown.',
  ),
}))

type Inviting = Pick<Deps, 'publicUrl' | 'mode' | 'mailsUsers' | 'sealer'> & {
  request: FastifyRequest
}

// Returns the means to mail links to users, or undefined without a mail server. The token is in the fragment,
// which browsers never send to a server.
export function linkMailOf({
  publicUrl,
  mailsUsers,
  sealer,
  request,
}: Inviting): LinkMail | undefined {
  const address = publicAddress(publicUrl, request.server.server)
  const linkOf = (token: string) => `${address}${INVITATION_PATH}#${token}`
  return mailsUsers ? { sealer, linkOf } : undefined
}

// In live mode, shows no link or password if the link was mailed, so that only the user can take the account
// over. The sandbox always shows both.
export function presentInvited(
  { user, invitation: { token, expiresAt } }: InvitedUser,
  { publicUrl, mode, mailsUsers: isMailed, request, password }: Inviting & { password: string },
) {
  if (isMailed && mode === 'live') {
    return InvitedUserView.present({ ...user, password: null, link: null, expiresAt, isMailed })
  }
  const link = `${publicAddress(publicUrl, request.server.server)}${INVITATION_PATH}#${token}`
  return InvitedUserView.present({ ...user, password, link, expiresAt, isMailed })
}

// Schemas of passkeys. The service and the browser exchange WebAuthn's own JSON
// (PublicKeyCredentialCreationOptionsJSON, PublicKeyCredential.toJSON). The service reads only these members;
// browsers may send more.

// The schema of a binary value in base64url. `x-says` is the error message for any other text.
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

// The fields with which a user confirms their identity before a change, because an attacker may have hijacked
// the session.
export const Confirmation = namedBody('IdentityConfirmation', {
  password: Type.Optional(Password),
  code: Type.Optional(Code),
  passkey: Type.Optional(Assertion),
})

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
