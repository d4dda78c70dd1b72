// /dashboard/api/users: users of a client, managed by owners and operators.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
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
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { ApiEnvelope, Deleted, Email, IdempotencyHeaders, text } from '#http/schemas.ts'
import type { UserId } from '#ids.ts'
import {
  presentInvited,
  presentUser,
  RoleName,
  requireId,
  SESSION,
  tags,
  UserBody,
  UserWithPassword,
} from './user-presenters.ts'

const USERS = '/dashboard/api/users'

const ClientId = Type.Optional(text(200, 'Client to manage. Operators only; default: your own.'))
const Params = Type.Object({ id: Type.String() })
const about = { tags, security: SESSION, querystring: NoQuery }

export const userRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listAndCreate, deps)
  await app.register(oneUser, deps)
  await app.register(resettingPassword, deps)
  await app.register(vouching, deps)
}

const listAndCreate: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, sessionCookies, clock } = deps

  app.get(
    USERS,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'listUsers',
        summary: 'List users, newest first',
        description: 'Users of your client, with their roles.',
        querystring: query({ clientId: ClientId, ...PageQuery }),
        response: { 200: ListEnvelope(UserBody) },
      },
    },
    async ({ session, query: asked }) => {
      const client = await clientToManage(db, toAdministrator(session), asked.clientId)
      const list: List = { name: 'users', clientId: client.id, filters: {} }
      const beforeId = (readCursor(sealer, list, asked.cursor)?.[0] as UserId | undefined) ?? null
      const limit = parseLimit(asked)
      const rows = await listUsers(db, client.id, { beforeId, limit: limit + 1 })
      const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id]))
      return listResponse('Users retrieved successfully', page, presentUser)
    },
  )

  app.post(
    USERS,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'createUser',
        summary: 'Invite a user',
        description:
          'Returns a single-use link to hand over, and a temporary password instead of it. Until the ' +
          'user has opened the link and added a second factor, what they request counts as yours. ' +
          'Only operators can add operators, and only to an operator client; and finance users to ' +
          'such a client.',
        headers: IdempotencyHeaders,
        body: Type.Object(
          { email: Email, role: RoleName, clientId: ClientId },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(UserWithPassword) },
      },
    },
    async (request, reply) => {
      const { session, body } = request
      const by = toAdministrator(session)
      const { email, role } = body
      const client = await clientToManage(db, by, body.clientId)
      await refuseRole(db, by, { clientId: client.id, role })
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email))
      reply.header('cache-control', 'no-store')
      return withIdempotency(deps, { request, reply, by }, async (tx) => {
        const invited = await addUser(tx, clock(), { by, client, email, role, passwordHash })
        const data = presentInvited(invited, { ...deps, request, password })
        return accepted('User created successfully', data)
      })
    },
  )
}

const oneUser: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.patch(
    `${USERS}/:id`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'changeUser',
        summary: 'Update a user',
        description:
          'Changes the role, or disables or enables the user, from the next request on. Disabled ' +
          'users are signed out. The last owner or operator cannot be changed.',
        params: Params,
        body: Type.Object(
          {
            role: Type.Optional(RoleName),
            isActive: Type.Optional(Type.Boolean({ 'x-says': 'Must be true or false.' })),
          },
          {
            additionalProperties: false,
            minProperties: 1,
            'x-says': 'Must be an object with role or isActive.',
          },
        ),
        response: { 200: ApiEnvelope(UserBody) },
      },
    },
    async ({ session, params, body }) => {
      const id = requireId<UserId>(params.id, 'user_not_found')
      const user = await withTransaction(db, (tx) =>
        changeUserBy(tx, clock(), { by: toAdministrator(session), id, change: body }),
      )
      return accepted('User updated successfully', presentUser(user))
    },
  )

  app.delete(
    `${USERS}/:id`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'removeUser',
        summary: 'Delete a user',
        description: 'The audit log keeps their actions.',
        params: Params,
        response: { 200: ApiEnvelope(Deleted) },
      },
    },
    async ({ session, params }) => {
      const id = requireId<UserId>(params.id, 'user_not_found')
      await withTransaction(db, (tx) =>
        removeUserBy(tx, clock(), { by: toAdministrator(session), id }),
      )
      return accepted('User deleted successfully', { id })
    },
  )
}

const resettingPassword: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.post(
    `${USERS}/:id/reset-password`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'resetUserPassword',
        summary: 'Reset a user’s password',
        description:
          'Returns a single-use link and a temporary password, ends all sessions and lifts any ' +
          'lockout. The user counts as you until they have taken the account over again.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object(
          {
            removeTotp: Type.Optional(
              Type.Boolean({
                description: 'Also removes the second factor, for users who lost it.',
                'x-says': 'Must be true or false.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(UserWithPassword) },
      },
    },
    async (request, reply) => {
      const { session, params, body } = request
      const by = toAdministrator(session)
      const { id, email } = await getManageable(
        db,
        by,
        requireId<UserId>(params.id, 'user_not_found'),
      )
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const reset = { id, passwordHash, removesTotp: body.removeTotp === true }
      reply.header('cache-control', 'no-store')
      return withIdempotency(deps, { request, reply, by }, async (tx) => {
        const invited = await resetPassword(tx, clock(), { by, reset })
        const data = presentInvited(invited, { ...deps, request, password })
        return accepted('Password reset successfully', data)
      })
    },
  )
}

const vouching: FastifyPluginAsyncTypebox<Deps> = async (app, { db, sessionCookies, clock }) => {
  app.post(
    `${USERS}/:id/vouch`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'vouchForUser',
        summary: 'Vouch for a user',
        description:
          'Operators only, for users whose password they did not set and to whom they gave no ' +
          'access. From then on the user counts as a person of their own, whoever invited them.',
        params: Params,
        body: Type.Object(
          { note: text(500, 'How you know the person. Kept in the audit log.') },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(UserBody) },
      },
    },
    async ({ session, params, body }) => {
      const id = requireId<UserId>(params.id, 'user_not_found')
      const user = await withTransaction(db, (tx) =>
        vouchForUser(tx, clock(), { by: toAdministrator(session), id, note: body.note }),
      )
      return accepted('User vouched for successfully', presentUser(user))
    },
  )
}

function toAdministrator(session: SignedInSession) {
  const { user, client } = session
  const { id: userId, email, role } = user
  return { actor: `user:${email}`, role, clientId: client.id, client, userId, session }
}
