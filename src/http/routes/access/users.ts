// /dashboard/api/users: users of a client, managed by owners and operators.

import { Type } from '@fastify/type-provider-typebox'
import {
  addUser,
  changeUserBy,
  clientToManage,
  getManageable,
  refuseRole,
  removeUserBy,
  resetPassword,
  vouchForUser,
} from '#domain/access/manage-users.ts'
import { hashPassword, temporaryPassword } from '#domain/access/passwords.ts'
import type { SignedInSession } from '#domain/access/sessions.ts'
import { listUsers, sharedSalt } from '#domain/access/users.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { type Call, resource } from '#http/resource.ts'
import { Deleted, Email, text } from '#http/schemas.ts'
import type { UserId } from '#ids.ts'
import {
  InvitedUserView,
  presentInvited,
  RoleName,
  requireId,
  UserView,
} from './user-presenters.ts'

const ClientId = Type.Optional(text(200, 'Client to manage. Operators only; default: your own.'))
const Flag = { 'x-says': 'Must be true or false.' }

export const users = resource('/dashboard/api/users', {
  tag: 'Dashboard',
  noun: 'user',
  view: UserView,
  scopes: 'session',
  params: { id: (text: string) => requireId<UserId>(text, 'user_not_found') },
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
      'Returns a single-use link to hand over, and a temporary password instead of it. Until the ' +
      'user has opened the link and added a second factor, what they request counts as yours. ' +
      'Only operators can add operators, and only to an operator client; and finance users to ' +
      'such a client.',
    body: Type.Object(
      { email: Email, role: RoleName, clientId: ClientId },
      { additionalProperties: false },
    ),
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
      call.reply.header('cache-control', 'no-store')
      return withIdempotency(call, { ...call, by, pool: db }, async (tx) => {
        const invited = await addUser(tx, call.clock(), { by, client, email, role, passwordHash })
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
    run: (tx, call) => changeUserBy(tx, call.now, { ...aboutOne(call), change: call.body }),
  })
  .remove('removeUser', {
    summary: 'Delete a user',
    description: 'The audit log keeps their actions.',
    view: Deleted,
    errors: ['last_of_role', 'user_not_found'],
    run: async (tx, call) => {
      await removeUserBy(tx, call.now, aboutOne(call))
      return { id: call.params.id }
    },
  })
  .route('POST', 'resetUserPassword', {
    path: '/:id/reset-password',
    summary: 'Reset a user’s password',
    description:
      'Returns a single-use link and a temporary password, ends all sessions and lifts any ' +
      'lockout. The user counts as you until they have taken the account over again.',
    body: Type.Object(
      {
        removeTotp: Type.Optional(
          Type.Boolean({
            description: 'Also removes the second factor, for users who lost it.',
            ...Flag,
          }),
        ),
      },
      { additionalProperties: false },
    ),
    isKeyed: true,
    view: InvitedUserView,
    errors: ['user_not_found'],
    handle: async (call) => {
      const { db, body } = call
      const { by } = aboutOne(call)
      const { id, email } = await getManageable(db, by, call.params.id)
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const reset = { id, passwordHash, removesTotp: body.removeTotp === true }
      call.reply.header('cache-control', 'no-store')
      return withIdempotency(call, { ...call, by, pool: db }, async (tx) => {
        const invited = await resetPassword(tx, call.clock(), { by, reset })
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
    body: Type.Object(
      { note: text(500, 'How you know the person. Kept in the audit log.') },
      { additionalProperties: false },
    ),
    isKeyed: false,
    errors: ['user_not_found', 'user_password_temporary', 'voucher_not_independent'],
    message: 'User vouched for successfully',
    run: (tx, call) => vouchForUser(tx, call.now, { ...aboutOne(call), note: call.body.note }),
  })

type UserCall = Pick<Call<{ id: (text: string) => UserId }>, 'request' | 'params'>

function aboutOne({ request, params }: UserCall) {
  return { by: toAdministrator(request.session), id: params.id }
}

function toAdministrator(session: SignedInSession) {
  const { user, client } = session
  const { id: userId, email, role } = user
  return { actor: `user:${email}`, role, clientId: client.id, client, userId, session }
}
