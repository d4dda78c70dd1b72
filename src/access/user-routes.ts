// /dashboard/api/users: users of a client, managed by owners and operators.
// /dashboard/api/invitation: a user takes over an account with a single-use link.
// /dashboard/api/client/user-addresses: the addresses from which the users of a client may sign in.

import { Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { uuidKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import { Deleted, Email, named, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { UserId } from '#ids.ts'
import { CONFIRMATION_ERRORS, confirmIdentity, uncountConfirmation } from './credential-routes.ts'
import { acceptInvitation, findInvitation, type Invitation } from './invitations.ts'
import {
  addUser,
  changeUserBy,
  clientToManage,
  getManageable,
  refuseRole,
  removeUserBy,
  resetPassword,
  vouchForUser,
} from './manage-users.ts'
import { hashPassword, temporaryPassword } from './passwords.ts'
import { isProviderEnforced, mayManageProvider } from './providers.ts'
import {
  findUserAddresses,
  meetDevice,
  openSession,
  type SignedInSession,
  setUserAddresses,
  type UserAddresses,
} from './sessions.ts'
import { markSignIn } from './sign-in.ts'
import { LOGIN_RATE } from './sign-in-routes.ts'
import { hashChosenPassword, listUsers, sharedSalt } from './users.ts'
import {
  Confirmation,
  InvitedUserView,
  LinkToken,
  linkMailOf,
  NewPassword,
  presentInvited,
  RoleName,
  UserView,
} from './views.ts'

const ClientId = Type.Optional(text(200, 'Client to manage. Operators only; default: your own.'))
const Flag = { 'x-says': 'Must be true or false.' }

export const users = resource('/dashboard/api/users', {
  tag: 'Dashboard',
  noun: 'user',
  view: UserView,
  scopes: 'session',
  params: { id: uuidKey<UserId>('user_not_found') },
})
  .list('listUsers', {
    summary: 'List users, newest first',
    description: 'Users of your client, with their roles.',
    filters: { clientId: ClientId },
    hasTextIds: true,
    errors: ['client_not_found'],
    rows: async (db, { request, query, after, limit }) => {
      const client = await clientToManage(db, toAdministrator(request.session), query.clientId)
      return listUsers(db, client.id, { beforeId: after, limit })
    },
  })
  .route('POST', 'createUser', {
    summary: 'Invite a user',
    description:
      'Mails the user a single-use link. Without a mail server, returns the link to hand over, and a ' +
      'temporary password instead of it. Until the user has opened the link and added a second ' +
      'factor, what they request counts as yours. Only operators can ' +
      'add operators, and only to an operator client; and finance users to such a client.',
    body: strictObject({ email: Email, role: RoleName, clientId: ClientId }),
    isKeyed: true,
    view: InvitedUserView,
    errors: ['client_not_found', 'operators_only', 'user_exists'],
    handle: async (call) => {
      const { db, body, request } = call
      const { email, role } = body
      const by = toAdministrator(request.session)
      const client = await clientToManage(db, by, body.clientId)
      await refuseRole(db, by, { clientId: client.id, role })
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email))
      return withIdempotency(call, { ...call, by, pool: db }, async (tx) => {
        const mail = linkMailOf(call)
        const adding = { by, client, email, role, passwordHash, mail }
        const invited = await addUser(tx, call.clock(), adding)
        return accepted('User created successfully', presentInvited(invited, { ...call, password }))
      })
    },
  })
  .update('changeUser', {
    summary: 'Update a user',
    description:
      'Changes the role, or disables or enables the user, from the next request on. Disabled ' +
      'users are signed out. The last owner or operator cannot be changed.',
    body: Type.Object(
      { role: Type.Optional(RoleName), isActive: Type.Optional(Type.Boolean(Flag)) },
      {
        additionalProperties: false,
        minProperties: 1,
        'x-says': 'Must be an object with role or isActive.',
      },
    ),
    errors: ['last_of_role', 'user_not_found'],
    run: (tx, call) => changeUserBy(tx, call.now, { ...targetOf(call), change: call.body }),
  })
  .remove('removeUser', {
    summary: 'Delete a user',
    description: 'The audit log keeps their actions.',
    view: Deleted,
    errors: ['last_of_role', 'user_not_found'],
    run: async (tx, call) => {
      await removeUserBy(tx, call.now, targetOf(call))
      return { id: call.params.id }
    },
  })
  .route('POST', 'resetUserPassword', {
    path: '/:id/reset-password',
    summary: 'Reset a user’s password',
    description:
      'Mails the user a single-use link, or returns it with a temporary password where no mail server is ' +
      'set. Ends all sessions, removes passkeys and lifts any lockout. The user counts as you until ' +
      'they have taken the account over again.',
    body: strictObject({
      removeTotp: Type.Optional(
        Type.Boolean({
          description: 'Also removes the second factor, for users who lost it.',
          ...Flag,
        }),
      ),
    }),
    isKeyed: true,
    view: InvitedUserView,
    errors: ['user_not_found'],
    handle: async (call) => {
      const { db, body } = call
      const { by } = targetOf(call)
      const { id, email } = await getManageable(db, by, call.params.id)
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const reset = { id, passwordHash, removesTotp: body.removeTotp === true }
      return withIdempotency(call, { ...call, by, pool: db }, async (tx) => {
        const mail = linkMailOf(call)
        const invited = await resetPassword(tx, call.clock(), { by, reset, mail })
        return accepted(
          'Password reset successfully',
          presentInvited(invited, { ...call, password }),
        )
      })
    },
  })
  .act('vouchForUser', {
    path: '/:id/vouch',
    summary: 'Vouch for a user',
    description:
      'Operators only, for users whose password they did not set and to whom they gave no ' +
      'access. From then on the user counts as a person of their own, whoever invited them.',
    body: strictObject({ note: text(500, 'How you know the person. Kept in the audit log.') }),
    isKeyed: false,
    errors: ['user_not_found', 'user_password_temporary', 'voucher_not_independent'],
    message: 'User vouched for successfully',
    run: (tx, call) => vouchForUser(tx, call.now, { ...targetOf(call), note: call.body.note }),
  })

type UserCall = Pick<Call<{ id: (text: string) => UserId }>, 'request' | 'params'>

// The user whom the path names, and the administrator who changes them.
function targetOf({ request, params }: UserCall) {
  return { by: toAdministrator(request.session), id: params.id }
}

// The signed-in user, as the administrator that manage-users.ts expects.
function toAdministrator(session: SignedInSession) {
  const { user, client } = session
  const { id: userId, email, role } = user
  return { actor: `user:${email}`, role, clientId: client.id, client, userId, session }
}

const InvitationView = view('Invitation', (f: Fields<Invitation>) => ({
  email: f.text('email'),
  clientName: f.text('clientName'),
  expiresAt: f.time('expiresAt'),
}))

export const invitations = resource('/dashboard/api/invitation', {
  tag: 'Dashboard',
  noun: 'invitation',
  view: InvitationView,
  scopes: 'anyone',
})
  .route('POST', 'openInvitation', {
    summary: 'Look at an invitation',
    description: 'Whose account the link is for. Does not use it up.',
    route: LOGIN_RATE,
    body: strictObject({ token: LinkToken }),
    errors: ['invitation_invalid'],
    handle: async (call) => {
      const invitation = await getInvitation(call, call.body.token)
      return accepted('Invitation retrieved successfully', InvitationView.present(invitation))
    },
  })
  .route('POST', 'acceptInvitation', {
    path: '/accept',
    summary: 'Take over an account',
    description:
      'Uses the link up and sets your password. Signs you in, unless you have a second factor: ' +
      'then sign in with it. Without one, add one: only then do you count as a person of your ' +
      'own.',
    route: LOGIN_RATE,
    body: strictObject({ token: LinkToken, password: NewPassword }),
    view: named('AcceptedInvitation', {
      email: Type.String(),
      isSignedIn: Type.Boolean({
        description: 'False: sign in with your second factor, or with your organisation.',
      }),
    }),
    errors: ['address_not_allowed', 'invitation_invalid'],
    handle: async (call) => {
      const { db, clock, policy, request, reply } = call
      const { token, password } = call.body
      const { userId, email } = await getInvitation(call, token)
      const passwordHash = await hashChosenPassword(db, { id: userId, email }, password)
      const from = { address: request.ip, userAgent: request.headers['user-agent'] }
      const waitHours = policy.approverWaitHours
      // Signs the user in at once, unless a second factor or the client's provider is still needed. Mails
      // nothing about the device (`mail: undefined`).
      const opened = await withTransaction(db, async (tx) => {
        const now = clock()
        const acceptance = { token, passwordHash, waitHours, address: request.ip }
        const { user, hasSecondFactor } = await acceptInvitation(tx, now, acceptance)
        const isSignedIn = !hasSecondFactor && !(await isProviderEnforced(tx, user.clientId))
        if (!isSignedIn) return undefined
        await markSignIn(tx, now, user.id)
        const device = { ...from, user, token: call.sessionCookies.deviceTokenOf(request) }
        return {
          token: await openSession(tx, now, { user, from }),
          deviceToken: await meetDevice(tx, now, { ...device, mail: undefined }),
        }
      })
      if (opened) {
        call.sessionCookies.begin(reply, opened.token)
        call.sessionCookies.keepDevice(reply, opened.deviceToken)
      }
      return accepted('Password set successfully', { email, isSignedIn: opened !== undefined })
    },
  })

async function getInvitation({ db, clock }: Deps, token: string): Promise<Invitation> {
  const invitation = await findInvitation(db, clock(), token)
  if (!invitation) throw new Refusal('invitation_invalid')
  return invitation
}

const ADDRESSES_MAX = 100

const UserAddressesView = view('UserAddresses', (f: Fields<UserAddresses>) => ({
  addresses: f.as<readonly string[] | null>(
    Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: 'In CIDR notation. Null: any address.',
    }),
    'addresses',
  ),
}))

export const userAddresses = resource('/dashboard/api/client', {
  tag: 'Dashboard',
  noun: 'user addresses',
  view: UserAddressesView,
  scopes: 'session',
})
  .get('getUserAddresses', {
    path: '/user-addresses',
    summary: 'Retrieve the addresses from which your users may sign in',
    description: 'For owners; in an operator client, for operators.',
    message: 'Addresses retrieved successfully',
    run: (db, call) => {
      refuseNonAdministrators(call)
      return findUserAddresses(db, call.request.session.client.id)
    },
  })
  .replace('setUserAddresses', {
    path: '/user-addresses',
    summary: 'Set the addresses from which your users may sign in',
    description:
      'Applies at once, to open sessions too. The list must include your own address. Confirm with your ' +
      'password, and a code or a passkey. If you have lost every address, the operator removes the list.',
    body: strictObject({
      addresses: Type.Union(
        [
          Type.Array(text(64, 'An IP address or CIDR range, e.g. 10.0.0.0/8.'), {
            maxItems: ADDRESSES_MAX,
          }),
          Type.Null(),
        ],
        {
          description: 'Null or none: any address.',
          'x-says': `Must be null or a list of at most ${ADDRESSES_MAX} IP addresses or CIDR ranges.`,
        },
      ),
      ...Confirmation.properties,
    }),
    message: 'Addresses set successfully',
    errors: [...CONFIRMATION_ERRORS, 'too_many_attempts', 'wrong_password'],
    prepare: (call) => {
      refuseNonAdministrators(call)
      return confirmIdentity(call)
    },
    run: async (tx, { prepared: confirm, now, actor, body, request }) => {
      await confirm(tx)
      const { id: clientId, clientId: clientCode } = request.session.client
      const by = { actor, address: request.ip }
      return setUserAddresses(tx, now, { clientId, clientCode, addresses: body.addresses, by })
    },
    after: uncountConfirmation,
  })

// Only owners, and operators in an operator client, may see or set the addresses.
function refuseNonAdministrators({ request: { session } }: Pick<Call, 'request'>): void {
  if (!mayManageProvider(session.user.role, session.client)) throw new Refusal('role_not_allowed')
}
