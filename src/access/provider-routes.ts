// /dashboard/api/session/provider: signs users in with the client's OpenID Connect provider.
// /dashboard/api/client/provider: sets the provider.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { accepted } from '#http/envelopes.ts'
import { publicAddress } from '#http/pages.ts'
import { type Call, resource } from '#http/resource.ts'
import { Deleted, named, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { checkTargetUrl } from '#ssrf-guard.ts'
import { CONFIRMATION_ERRORS, confirmIdentity, uncountConfirmation } from './credential-routes.ts'
import {
  beginProviderSignIn,
  completeProviderSignIn,
  finishProviderSignIn,
  PROVIDER_SIGN_IN_MS,
} from './provider-sign-in.ts'
import {
  findProvider,
  mayManageProvider,
  type Provider,
  type ProviderSettings,
  removeProvider,
  setProvider,
} from './providers.ts'
import {
  answerSignIn,
  callerOf,
  checkSecondFactor,
  LOGIN_RATE,
  SignedInView,
} from './sign-in-routes.ts'
import { Assertion, Code, Confirmation, RoleName } from './views.ts'

const PROVIDER_CALLBACK = '/dashboard/provider'
const ROLES_MAX = 50
const CALLBACK_PARAMETERS = ['code', 'state', 'iss', 'error'] as const
const Flag = { 'x-says': 'Must be true or false.' }
const strict = { additionalProperties: false }

// The provider sends the browser back to this address.
const redirectUriOf = ({ publicUrl, request }: Pick<Call, 'publicUrl' | 'request'>) =>
  `${publicAddress(publicUrl, request.server.server)}${PROVIDER_CALLBACK}`

const ProviderReturn = named(
  'ProviderReturn',
  {
    state: text(200, 'As sent back.'),
    code: Type.Optional(text(4_096, 'As sent back.')),
    iss: Type.Optional(text(2_048, 'As sent back.')),
    error: Type.Optional(text(200, 'As sent back.')),
  },
  strict,
)

export const providerSignIn = resource('/dashboard/api/session/provider', {
  tag: 'Dashboard',
  noun: 'sign-in',
  view: SignedInView,
  scopes: 'anyone',
})
  .route('POST', 'beginProviderSignIn', {
    summary: 'Start signing in with the client’s provider',
    description:
      'Sets a cookie that binds the sign-in to this browser, and returns the address at which the ' +
      'provider asks the user.',
    route: LOGIN_RATE,
    body: Type.Object(
      {
        clientId: text(200, 'The client whose provider it is, e.g. MAN0000001.'),
        isFresh: Type.Optional(
          Type.Boolean({
            description: 'Has the provider ask for the credentials again, to confirm who you are.',
            ...Flag,
          }),
        ),
      },
      strict,
    ),
    view: named('ProviderSignIn', { url: Type.String() }),
    errors: ['provider_not_found', 'provider_unavailable'],
    handle: async (call) => {
      const { clientId: clientCode, isFresh = false } = call.body
      const beginning = { clientCode, isFresh, redirectUri: redirectUriOf(call) }
      const { url, token } = await beginProviderSignIn(call, call.clock(), beginning)
      call.sessionCookies.beginSignIn(call.reply, token, PROVIDER_SIGN_IN_MS)
      return accepted('Continue at the provider', { url })
    },
  })
  .route('POST', 'completeProviderSignIn', {
    path: '/callback',
    summary: 'Finish signing in with the client’s provider',
    description:
      'With the parameters with which the provider sent the browser back. 401 code_needed or ' +
      'passkey_needed: you have a second factor here; send it to ' +
      '/dashboard/api/session/provider/second-factor.',
    route: LOGIN_RATE,
    body: ProviderReturn,
    view: SignedInView,
    errors: [
      'address_not_allowed',
      'code_needed',
      'passkey_needed',
      'provider_email_missing',
      'provider_role_missing',
      'provider_sign_in_expired',
      'provider_sign_in_failed',
      'provider_unavailable',
      'provider_user_unknown',
      'too_many_attempts',
      'too_many_users',
      'user_exists',
    ],
    handle: async (call) => {
      const { body, clock } = call
      const callback = new URL(redirectUriOf(call))
      for (const name of CALLBACK_PARAMETERS) {
        if (body[name] !== undefined) callback.searchParams.set(name, body[name])
      }
      const browser = { ...callerOf(call), token: requireToken(call), callback }
      return answerSignIn(call, await completeProviderSignIn(call, clock, browser))
    },
  })
  .route('POST', 'finishProviderSignIn', {
    path: '/second-factor',
    summary: 'Add the second factor to a sign-in with the provider',
    description: 'A code or a passkey, in the browser that the provider has sent back.',
    route: LOGIN_RATE,
    body: Type.Object(
      { code: Type.Optional(Code), passkey: Type.Optional(Assertion) },
      {
        additionalProperties: false,
        minProperties: 1,
        maxProperties: 1,
        'x-says': 'Must be an object with code or passkey.',
      },
    ),
    view: SignedInView,
    errors: [
      'address_not_allowed',
      'invalid_code',
      'invalid_passkey',
      'provider_sign_in_expired',
      'too_many_attempts',
    ],
    handle: async (call) => {
      const { code, passkey: assertion } = call.body
      const passkey = assertion && (await checkSecondFactor(call, assertion))
      const signIn = { ...callerOf(call), token: requireToken(call), code, passkey }
      return answerSignIn(call, await finishProviderSignIn(call, call.clock, signIn))
    },
  })

// Reads the cookie that beginProviderSignIn set: the browser that finishes a sign-in must be the one that
// began it.
function requireToken({
  sessionCookies,
  request,
}: Pick<Call, 'sessionCookies' | 'request'>): string {
  const token = sessionCookies.signInTokenOf(request)
  if (token === undefined) throw new Refusal('provider_sign_in_expired')
  return token
}

const RoleMapping = named(
  'SignInRoleMapping',
  { value: text(200, 'A value of the claim.'), role: RoleName },
  strict,
)

type ProviderDetail = Provider & { redirectUri: string }

const ProviderView = view('SignInProvider', (f: Fields<ProviderDetail>) => ({
  issuer: f.text('issuer'),
  providerClientId: f.text('providerClientId', 'Our client ID at the provider.'),
  redirectUri: f.text('redirectUri', 'Register it at the provider.'),
  roleClaim: f.textOrNull(
    'roleClaim',
    'The claim that decides the role. Null: roles are set here.',
  ),
  roles: f.as<readonly Static<typeof RoleMapping>[]>(Type.Array(RoleMapping), 'roles'),
  createsUsers: f.flag('createsUsers', 'False: only invited users sign in.'),
  trustsEmail: f.flag('trustsEmail', 'Also takes email addresses without email_verified.'),
  isEnforced: f.flag('isEnforced', 'Whether it is the only way in.'),
  updatedAt: f.time('updatedAt'),
}))

const ProviderRequest = Type.Object(
  {
    issuer: text(2_048, 'The issuer, e.g. https://login.example.com.'),
    providerClientId: text(500, 'Our client ID at the provider.'),
    clientSecret: Type.Optional(
      text(2_000, 'Stored encrypted, never shown. Omit it to keep the stored one.'),
    ),
    roleClaim: Type.Optional(
      Type.Union([text(200, 'The claim that decides the role, e.g. groups.'), Type.Null()]),
    ),
    roles: Type.Optional(
      Type.Array(RoleMapping, {
        maxItems: ROLES_MAX,
        description: 'In order: the first value that the claim has decides.',
        'x-says': `Must be a list of at most ${ROLES_MAX} items.`,
      }),
    ),
    createsUsers: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Adds users whom nobody invited, by default with the role support.',
        ...Flag,
      }),
    ),
    trustsEmail: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'For providers that verify all addresses and send no email_verified.',
        ...Flag,
      }),
    ),
    isEnforced: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Refuses passwords and passkeys, except those of owners with a second factor. You need ' +
          'a second factor yourself.',
        ...Flag,
      }),
    ),
    ...Confirmation.properties,
  },
  strict,
)

export const ownProvider = resource('/dashboard/api/client', {
  tag: 'Dashboard',
  noun: 'provider',
  view: ProviderView,
  scopes: 'session',
})
  .route('GET', 'getProvider', {
    path: '/provider',
    summary: 'Retrieve the sign-in provider of your client',
    description: 'For owners; in an operator client, for operators. Without its secret.',
    view: named('SignInProviderSettings', {
      redirectUri: Type.String({ description: 'Register it at the provider.' }),
      provider: Type.Union([ProviderView.schema, Type.Null()], {
        description: 'Null: users sign in with a password or a passkey.',
      }),
    }),
    handle: async (call) => {
      refuseNonAdministrators(call)
      const redirectUri = redirectUriOf(call)
      const stored = await findProvider(call.db, call.request.session.client.id)
      const provider = stored ? ProviderView.present({ ...stored, redirectUri }) : null
      return accepted('Sign-in provider retrieved successfully', { redirectUri, provider })
    },
  })
  .route('PUT', 'setProvider', {
    path: '/provider',
    summary: 'Set the sign-in provider of your client',
    description:
      'An OpenID Connect provider. You stand behind every user who signs in with it and has no ' +
      'second factor here. Confirm with your password, and a code or a passkey.',
    body: ProviderRequest,
    view: ProviderView,
    errors: [
      ...CONFIRMATION_ERRORS,
      'operators_only',
      'second_factor_needed',
      'too_many_attempts',
      'wrong_password',
    ],
    handle: async (call) => {
      const { db, sealer, clock, request } = call
      refuseNonAdministrators(call)
      const settings = readSettings(call)
      const confirm = await confirmIdentity(call)
      const provider = await withCaller(call, { request, pool: db }, async (tx) => {
        await confirm(tx) // Uses up the code or the passkey with which the user confirmed.
        return setProvider(tx, clock(), { session: request.session, sealer, settings })
      })
      await uncountConfirmation(call)
      const detail = { ...provider, redirectUri: redirectUriOf(call) }
      return accepted('Sign-in provider set successfully', ProviderView.present(detail))
    },
  })
  .act('removeProvider', {
    path: '/provider/remove',
    summary: 'Remove the sign-in provider of your client',
    description:
      'Ends the sessions that it opened. Users who never set a password need a reset. Confirm as ' +
      'for setting it.',
    body: Confirmation,
    isKeyed: false,
    view: Deleted,
    errors: [...CONFIRMATION_ERRORS, 'provider_not_found', 'too_many_attempts', 'wrong_password'],
    message: 'Sign-in provider removed successfully',
    prepare: (call) => {
      refuseNonAdministrators(call)
      return confirmIdentity(call)
    },
    run: async (tx, { prepared: confirm, now, request: { session } }) => {
      await confirm(tx)
      await removeProvider(tx, now, session)
      return { id: session.client.clientId }
    },
    after: uncountConfirmation,
  })

// Only owners, and operators in an operator client, may see or set the provider.
function refuseNonAdministrators({ request: { session } }: Pick<Call, 'request'>): void {
  if (!mayManageProvider(session.user.role, session.client)) throw new Refusal('role_not_allowed')
}

// Checks the rules that the schema cannot express: the issuer's address, and roles only together with
// roleClaim.
function readSettings({
  body,
  mode,
}: Pick<Call, 'mode'> & { body: Static<typeof ProviderRequest> }) {
  const { roleClaim = null, roles = [] } = body
  const faults: { field: string; message: string }[] = []
  const problem = checkTargetUrl(body.issuer, { mode })
  if (problem) faults.push({ field: 'issuer', message: problem })
  else if (new URL(body.issuer).search !== '') {
    faults.push({ field: 'issuer', message: 'Must not contain a query (?).' })
  }
  if ((roleClaim === null) !== (roles.length === 0)) {
    faults.push({ field: 'roles', message: 'Must be sent together with roleClaim.' })
  }
  if (faults.length > 0) throw new Refusal('invalid_request', faults)
  const settings: ProviderSettings = {
    issuer: body.issuer,
    providerClientId: body.providerClientId,
    clientSecret: body.clientSecret,
    roleClaim,
    roles,
    createsUsers: body.createsUsers ?? false,
    trustsEmail: body.trustsEmail ?? false,
    isEnforced: body.isEnforced ?? false,
  }
  return settings
}
