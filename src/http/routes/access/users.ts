// /dashboard/api/users: the people of a client, managed by its owners and by operators.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, pageOf, readCursor, writeCursor } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  addUser,
  changeUserBy,
  clientToManage,
  getManageable,
  refuseRole,
  removeUserBy,
  resetPassword,
} from '#domain/access/manage-users.ts'
import { hashPassword, temporaryPassword } from '#domain/access/passwords.ts'
import type { SignedInSession } from '#domain/access/sessions.ts'
import { listUsers, sharedSalt } from '#domain/access/users.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, limitOf, listResponse, NoQuery, PageQuery, query } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, Email, IdempotencyHeaders, text } from '#http/schemas.ts'
import type { UserId } from '#ids.ts'
import {
  idOf,
  presentUser,
  RoleName,
  SESSION,
  tags,
  UserBody,
  UserWithPassword,
} from './user-presenters.ts'

const USERS = '/dashboard/api/users'

const ClientId = Type.Optional(text(200, 'Another client’s; for operators only.'))
const Params = Type.Object({ id: Type.String() })
const about = { tags, security: SESSION, querystring: NoQuery }

export const userRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listAndCreate, deps)
  await app.register(oneUser, deps)
  await app.register(resettingPassword, deps)
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
        summary: 'Users, newest first',
        querystring: query({ clientId: ClientId, ...PageQuery }),
        response: { 200: ListEnvelope(UserBody), '4xx': ApiFailure },
      },
    },
    async ({ session, query: asked }) => {
      const client = await clientToManage(db, administratorOf(session), asked.clientId)
      const list: List = { name: 'users', clientId: client.id, filters: {} }
      const beforeId = (readCursor(sealer, list, asked.cursor)?.[0] as UserId | undefined) ?? null
      const limit = limitOf(asked)
      const rows = await listUsers(db, client.id, { beforeId, limit: limit + 1 })
      const page = pageOf(rows, limit, ({ id }) => writeCursor(sealer, list, [id]))
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
        summary: 'Invite somebody user',
        description:
          'Answers with a temporary password to hand over. Only an operator makes operators, and ' +
          'only at a client that runs the service.',
        headers: IdempotencyHeaders,
        body: Type.Object(
          { email: Email, role: RoleName, clientId: ClientId },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(UserWithPassword), '4xx': ApiFailure },
      },
    },
    async (request, reply) => {
      const { session, body } = request
      const by = administratorOf(session)
      const { email, role } = body
      const client = await clientToManage(db, by, body.clientId)
      await refuseRole(db, by, { clientId: client.id, role })
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email))
      reply.header('cache-control', 'no-store')
      return withIdempotency(deps, { request, reply, by }, async (tx) => {
        const user = await addUser(tx, clock(), { by, client, email, role, passwordHash })
        const data = { ...presentUser(user), temporaryPassword: password }
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
        summary: 'Change a user’s role, disable or enable them',
        description:
          'Felt by the user’s next request; disabled, they are signed out. The last owner, or ' +
          'operator, keeps the role.',
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
        response: { 200: ApiEnvelope(UserBody), '4xx': ApiFailure },
      },
    },
    async ({ session, params, body }) => {
      const id = idOf<UserId>(params.id, 'user_not_found')
      const user = await withTransaction(db, (tx) =>
        changeUserBy(tx, clock(), { by: administratorOf(session), id, change: body }),
      )
      return accepted('User changed successfully', presentUser(user))
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
        description: 'What they did stays user the record of actions.',
        params: Params,
        response: { 200: ApiEnvelope(Type.Object({ id: Type.String() })), '4xx': ApiFailure },
      },
    },
    async ({ session, params }) => {
      const id = idOf<UserId>(params.id, 'user_not_found')
      await withTransaction(db, (tx) =>
        removeUserBy(tx, clock(), { by: administratorOf(session), id }),
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
        summary: 'Give a user a new temporary password',
        description: 'They are signed out everywhere, and no longer locked out.',
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object(
          {
            removeTotp: Type.Optional(
              Type.Boolean({
                description: 'For whoever lost the second factor, and the recovery codes.',
                'x-says': 'Must be true or false.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(UserWithPassword), '4xx': ApiFailure },
      },
    },
    async (request, reply) => {
      const { session, params, body } = request
      const by = administratorOf(session)
      const { id, email } = await getManageable(db, by, idOf<UserId>(params.id, 'user_not_found'))
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const reset = { id, passwordHash, removesTotp: body.removeTotp === true }
      reply.header('cache-control', 'no-store')
      return withIdempotency(deps, { request, reply, by }, async (tx) => {
        const user = await resetPassword(tx, clock(), { by, reset })
        const data = { ...presentUser(user), temporaryPassword: password }
        return accepted('Password reset successfully', data)
      })
    },
  )
}

function administratorOf({ user, client }: SignedInSession) {
  const { id: userId, email, role } = user
  return { actor: `user:${email}`, role, clientId: client.id, client, userId }
}
