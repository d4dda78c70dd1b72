// /dashboard/api/session: signing in and out, with a password or with a passkey alone.
// /dashboard/api/sessions: where a user is signed in.
// /dashboard/api/password-reset: a user who forgot the password gets a link by e-mail and chooses a new one.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { uuidKey } from '#http/path-keys.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { type Call, resource } from '#http/resource.ts'
import { Email, named, namedBody, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { ceremonyOf, recordOwnAction } from './credential-routes.ts'
import { checkAssertion, requestOptions } from './passkeys.ts'
import {
  acceptReset,
  countResetRequest,
  findReset,
  type PasswordReset,
  requestReset,
} from './password-resets.ts'
import { type Client, grantedScopes } from './permissions.ts'
import {
  endSession,
  endUserSessions,
  listSessions,
  type Session,
  type SessionUser,
  type SignedInSession,
} from './sessions.ts'
import {
  checkPasskey,
  checkPassword,
  finishPasskeySignIn,
  finishSignIn,
  type SignInOutcome,
} from './sign-in.ts'
import { hashChosenPassword } from './users.ts'
import { Assertion, Code, LinkToken, NewPassword, Password, RequestOptions } from './views.ts'

const SessionView = view('Session', (f: Fields<Session, Pick<Call, 'request'>>) => ({
  id: f.text('id'),
  address: f.text('address'),
  userAgent: f.text('userAgent'),
  isCurrent: f.flag(
    ({ id }, { request }) => id === request.session.sessionId,
    'Whether this is the session of this request.',
  ),
  createdAt: f.time('createdAt'),
  seenAt: f.time('seenAt', 'To the minute.'),
  expiresAt: f.time('expiresAt'),
}))

type ViewContext = Pick<Deps, 'sessionCookies' | 'mode'>

const SignedInUserView = view('SignedInUser', (f: Fields<SessionUser, ViewContext>) => ({
  id: f.text('id'),
  email: f.text('email'),
  hasTotp: f.flag('hasTotp'),
  mustChangePassword: f.flag(
    'isPasswordTemporary',
    'The password must be changed before anything else.',
  ),
}))

const SignedInClientView = view('SignedInClient', (f: Fields<Client, ViewContext>) => ({
  clientId: f.text('clientId'),
  name: f.text('name'),
  isOperator: f.flag('isOperator'),
  mode: f.oneOf((_, { mode }) => mode, ['sandbox', 'live'], 'Which kind of service this is.'),
}))

type WithToken = SignedInSession & { token: string }

export const SignedInView = view('SignedInSession', (f: Fields<WithToken, ViewContext>) => ({
  user: f.one(SignedInUserView, 'user'),
  role: f.text(({ user }) => user.role),
  scopes: f.as<string[]>(Type.Array(Type.String()), ({ user, client }) => [
    ...grantedScopes(user.role, client),
  ]),
  throughProvider: f.flag(
    'throughProvider',
    'Whether the provider of the client opened the session. A fresh sign-in with it then confirms ' +
      'who you are, instead of the password.',
  ),
  client: f.one(SignedInClientView, 'client'),
  csrfToken: f.text(
    ({ token }, { sessionCookies }) => sessionCookies.csrfTokenOf(token),
    'Send as x-csrf-token with every POST, PUT, PATCH and DELETE.',
  ),
}))

const SignInRequest = namedBody('SignInRequest', {
  email: Email,
  password: Password,
  code: Type.Optional(Code),
  passkey: Type.Optional(Assertion),
  clientId: Type.Optional(text(200, 'Required for users of several clients.')),
})

const Ended = named('EndedSessions', { ended: Type.Integer() })
export const LOGIN_RATE = { config: { rate: 'login' } } as const

export const sessions = resource('/dashboard/api', {
  tag: 'Dashboard',
  noun: 'session',
  view: SessionView,
  scopes: 'session',
  params: { id: uuidKey<string>('session_not_found') },
})
  .route('POST', 'signIn', {
    path: '/session',
    scope: 'anyone',
    route: LOGIN_RATE,
    summary: 'Sign in',
    description:
      'Sets the session cookie: `__Host-manilla_session` over https, `manilla_session` over ' +
      'plain http. 401 code_needed: retry with a code; passkey_needed: with a passkey or a ' +
      'code. 429 too_many_attempts: after 10 failures per email address, or 100 in total, from ' +
      'one IP address within 15 minutes; see Retry-After.',
    body: SignInRequest,
    view: SignedInView,
    errors: [
      'address_not_allowed',
      'client_id_needed',
      'code_needed',
      'invalid_code',
      'invalid_passkey',
      'invalid_sign_in',
      'passkey_needed',
      'password_expired',
      'provider_sign_in_needed',
      'too_many_attempts',
    ],
    handle: async (call) => {
      const { db, sealer, clock } = call
      const { passkey: assertion, ...credentials } = call.body
      // Checked before the password, even if the password turns out wrong: the time of the response must not
      // show whether the password was right, and every attempt uses up its challenge.
      const passkey = assertion && (await checkSecondFactor(call, assertion))
      const signIn = { ...credentials, passkey, ...callerOf(call) }
      const checked = await checkPassword(db, clock(), signIn)
      const outcome = await withTransaction(db, (tx) =>
        finishSignIn(tx, { sealer, now: clock() }, { signIn, checked }),
      )
      return answerSignIn(call, outcome)
    },
  })
  .get('getSession', {
    path: '/session',
    scope: 'any_session',
    summary: 'Retrieve the current session',
    description: 'The user, its role and scopes, and the CSRF token of the session.',
    view: SignedInView,
    run: async (_, { request, sessionCookies }) => ({
      ...request.session,
      token: sessionCookies.tokenOf(request) as string,
    }),
  })
  .remove('signOut', {
    path: '/session',
    scope: 'any_session',
    summary: 'Sign out',
    description: 'Ends the current session.',
    view: Ended,
    message: 'Signed out successfully',
    run: async (tx, call) => {
      const { user, sessionId } = call.request.session
      await endSession(tx, user.id, sessionId)
      await recordOwnAction(tx, call, 'user.sign_out')
      return { ended: 1 }
    },
    after: ({ sessionCookies, reply }) => sessionCookies.end(reply),
  })
  .list('listSessions', {
    path: '/sessions',
    summary: 'List your sessions',
    description: 'Where you are signed in, with device and time.',
    isWhole: true,
    rows: (db, { now, request }) => listSessions(db, now, request.session.user.id),
  })
  .remove('signOutEverywhere', {
    path: '/sessions',
    scope: 'any_session',
    summary: 'End all your sessions',
    description: 'Ends every session of yours, this one included.',
    view: Ended,
    message: 'Signed out successfully',
    run: async (tx, call) => {
      const ended = await endUserSessions(tx, call.request.session.user.id)
      await recordOwnAction(tx, call, 'user.sign_out', { sessions: ended })
      return { ended }
    },
    after: ({ sessionCookies, reply }) => sessionCookies.end(reply),
  })
  .remove('endSession', {
    path: '/sessions/:id',
    summary: 'End one of your sessions',
    description: 'That device is signed out at once.',
    view: Ended,
    errors: ['session_not_found'],
    message: 'Signed out successfully',
    run: async (tx, call) => {
      const { id } = call.params
      const wasThere = await endSession(tx, call.request.session.user.id, id)
      if (!wasThere) throw new Refusal('session_not_found')
      await recordOwnAction(tx, call, 'user.sign_out', { session: id })
      return { ended: 1 }
    },
  })
  .route('POST', 'challengeSignIn', {
    path: '/session/passkey/challenge',
    scope: 'anyone',
    route: LOGIN_RATE,
    summary: 'Start signing in with a passkey',
    description:
      'Returns the options for navigator.credentials.get. What that returns signs in alone ' +
      '(POST /dashboard/api/session/passkey), or as the second factor with a password.',
    view: RequestOptions,
    handle: async (call) =>
      accepted('Challenge created', await requestOptions(call.db, ceremonyOf(call))),
  })
  .route('POST', 'signInWithPasskey', {
    path: '/session/passkey',
    scope: 'anyone',
    route: LOGIN_RATE,
    summary: 'Sign in with a passkey',
    description:
      'Sets the session cookie, as signing in with a password does. 429 too_many_attempts: ' +
      'after 10 failures per passkey, or 100 in total, from one IP address within 15 minutes.',
    body: strictObject({ passkey: Assertion }),
    view: SignedInView,
    errors: [
      'address_not_allowed',
      'invalid_passkey',
      'provider_sign_in_needed',
      'too_many_attempts',
    ],
    handle: async (call) => {
      const credential = { ...call.body.passkey, clientExtensionResults: {} }
      const signIn = { ...callerOf(call), credential }
      const checked = await checkPasskey(call.db, ceremonyOf(call), signIn)
      const outcome = await withTransaction(call.db, (tx) =>
        finishPasskeySignIn(tx, call.clock(), { signIn, checked }),
      )
      return answerSignIn(call, outcome)
    },
  })

// Checks a passkey that accompanies a password or a sign-in with a provider.
export function checkSecondFactor(call: Call, assertion: Static<typeof Assertion>) {
  const credential = { ...assertion, clientExtensionResults: {} }
  return checkAssertion(call.db, ceremonyOf(call), { use: { purpose: 'sign_in' }, credential })
}

// The browser that signs in: its address, user agent and cookies.
export function callerOf({ sessionCookies, request, mailsUsers, sealer }: Call) {
  const { ip, headers } = request
  return {
    address: ip,
    caller: rateLimitKey(ip),
    userAgent: headers['user-agent'],
    oldToken: sessionCookies.tokenOf(request),
    deviceToken: sessionCookies.deviceTokenOf(request),
    mail: mailsUsers ? { sealer } : undefined,
  }
}

// Sends the response to every kind of sign-in: sets the cookies of session and device, or throws the refusal.
export async function answerSignIn(call: Call, outcome: SignInOutcome) {
  if ('refused' in outcome) throw refusalFor(outcome)
  const { token, deviceToken } = outcome
  call.sessionCookies.begin(call.reply, token)
  call.sessionCookies.keepDevice(call.reply, deviceToken)
  const session = await call.sessionCookies.find(token, call.request.ip)
  if (!session) throw new Refusal('session_needed') // The user was removed this very moment.
  return accepted('Signed in successfully', SignedInView.present({ ...session, token }, call))
}

// Turns a refused sign-in into an error response. `choices` are the client ids among which the user must
// choose.
function refusalFor(outcome: Extract<SignInOutcome, { refused: unknown }>): Refusal {
  const { refused, choices, retryAfterSeconds } = outcome
  if (!choices) return new Refusal(refused, [], retryAfterSeconds)
  return new Refusal(refused, [{ field: 'clientId', message: `One of ${choices.join(', ')}.` }])
}

const strict = { additionalProperties: false }

const PasswordResetView = view('PasswordReset', (f: Fields<PasswordReset>) => ({
  email: f.text('email'),
  clientName: f.text('clientName'),
}))

export const passwordResets = resource('/dashboard/api/password-reset', {
  tag: 'Dashboard',
  noun: 'password reset',
  view: PasswordResetView,
  scopes: 'anyone',
})
  .route('POST', 'requestPasswordReset', {
    path: '/request',
    summary: 'Ask for a link to reset your password',
    description:
      'The answer is the same for every address. A user with this address gets a link by email, one an ' +
      'hour at most. 429 too_many_attempts: after 5 requests for one email address within an hour, or ' +
      '20 from one IP address within 15 minutes.',
    route: LOGIN_RATE,
    body: Type.Object({ email: Email }, strict),
    view: named('RequestedPasswordReset', {
      isRequested: Type.Boolean({
        description: 'Always true, whether there is such a user or not.',
      }),
    }),
    errors: ['too_many_attempts'],
    handle: async ({ db, clock, body, request: { ip } }) => {
      const attempt = { email: body.email, address: ip, caller: rateLimitKey(ip) }
      await countResetRequest(db, clock(), attempt)
      await withTransaction(db, (tx) => requestReset(tx, clock(), attempt))
      return accepted('Password reset requested successfully', { isRequested: true })
    },
  })
  .route('POST', 'openPasswordReset', {
    path: '/open',
    summary: 'Look at a password reset',
    description: 'Whose password the link resets. Does not use it up.',
    route: LOGIN_RATE,
    body: Type.Object({ token: LinkToken }, strict),
    errors: ['reset_invalid'],
    handle: async ({ db, clock, body }) => {
      const reset = await findReset(db, clock(), body.token)
      if (!reset) throw new Refusal('reset_invalid')
      return accepted('Password reset retrieved successfully', PasswordResetView.present(reset))
    },
  })
  .route('POST', 'acceptPasswordReset', {
    path: '/accept',
    summary: 'Choose a new password',
    description:
      'Uses the link up, sets the password and ends all sessions. Opens none: sign in with the new ' +
      'password, and with your second factor if you have one.',
    route: LOGIN_RATE,
    body: Type.Object({ token: LinkToken, password: NewPassword }, strict),
    view: named('AcceptedPasswordReset', { email: Type.String() }),
    errors: ['address_not_allowed', 'reset_invalid'],
    handle: async (call) => {
      const { db, clock, sealer, mailsUsers, request } = call
      const { token, password } = call.body
      const reset = await findReset(db, clock(), token)
      if (!reset) throw new Refusal('reset_invalid')
      const { id, email } = reset
      const passwordHash = await hashChosenPassword(db, { id, email }, password)
      const mail = mailsUsers ? { sealer } : undefined
      await withTransaction(db, (tx) =>
        acceptReset(tx, clock(), { token, passwordHash, address: request.ip, mail }),
      )
      return accepted('Password set successfully', { email })
    },
  })
