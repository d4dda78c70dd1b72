// Own passkeys: /dashboard/api/passkeys. Adding and removing one is confirmed with a passkey, or
// with the password and, where a second factor is enrolled, a code.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { dropPasskey, registerPasskey } from '#domain/access/manage-passkeys.ts'
import {
  checkAttestation,
  creationOptions,
  relyingParty,
  requestOptions,
} from '#domain/access/passkey-ceremonies.ts'
import { listPasskeys, renamePasskey } from '#domain/access/passkeys.ts'
import { finishTakeOver } from '#domain/access/take-over.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery } from '#http/lists.ts'
import { publicAddress } from '#http/public-url.ts'
import { ApiEnvelope, Deleted, named } from '#http/schemas.ts'
import type { PasskeyId } from '#ids.ts'
import { confirmIdentity, record } from './confirmations.ts'
import {
  Attestation,
  Confirmation,
  CreationOptions,
  PasskeyBody,
  PasskeyName,
  presentPasskey,
  RequestOptions,
} from './passkey-schemas.ts'
import { requireId, SESSION, tags } from './user-presenters.ts'

const PASSKEYS = '/dashboard/api/passkeys'
const strict = { additionalProperties: false }
const about = { tags, security: SESSION, querystring: NoQuery }
const Params = Type.Object({ id: Type.String() })

const NewPasskeyBody = named('NewPasskey', {
  passkey: PasskeyBody,
  recoveryCodes: Type.Array(Type.String(), {
    description:
      'With the first second factor only; else empty. Shown only once. Each can be used once ' +
      'instead of a passkey.',
  }),
})

export const passkeyRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listAndRename, deps)
  await app.register(confirming, deps)
  await app.register(adding, deps)
  await app.register(removing, deps)
}

const listAndRename: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.get(
    PASSKEYS,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'listPasskeys',
        summary: 'List your passkeys, newest first',
        description: 'With their names, and when each was last used.',
        response: { 200: ListEnvelope(PasskeyBody) },
      },
    },
    async ({ session }) => {
      const rows = await listPasskeys(db, session.user.id)
      const page = { rows, nextCursor: null }
      return listResponse('Passkeys retrieved successfully', page, presentPasskey)
    },
  )

  app.patch(
    `${PASSKEYS}/:id`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'renamePasskey',
        summary: 'Rename a passkey',
        description: 'The name is for you alone; the device keeps its own.',
        params: Params,
        body: Type.Object({ name: PasskeyName }, strict),
        response: { 200: ApiEnvelope(PasskeyBody) },
      },
    },
    async ({ session: { user }, params, body: { name } }) => {
      const id = requireId<PasskeyId>(params.id, 'passkey_not_found')
      const renamed = await withTransaction(db, async (tx) => {
        const { passkey, oldName } = await renamePasskey(tx, user.id, { id, name })
        const detail = { from: oldName, to: name }
        await record(tx, clock(), { visitor: user, action: 'user.rename_passkey', detail })
        return passkey
      })
      return accepted('Passkey renamed successfully', presentPasskey(renamed))
    },
  )
}

const confirming: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock, publicUrl } = deps

  app.post(
    `${PASSKEYS}/challenge`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'challengePasskey',
        summary: 'Start confirming with a passkey',
        description:
          'Returns the options for navigator.credentials.get, of one of your passkeys. Send what ' +
          'it returns as `passkey` with the change to confirm.',
        response: { 200: ApiEnvelope(RequestOptions) },
      },
    },
    async ({ session }) => {
      const party = relyingParty(publicAddress(publicUrl, app.server))
      const ceremony = { now: clock(), relyingParty: party }
      return accepted('Challenge created', await requestOptions(db, ceremony, session))
    },
  )
}

const adding: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, sessionCookies, clock, publicUrl, policy } = deps
  const ceremony = () => {
    const party = relyingParty(publicAddress(publicUrl, app.server))
    return { now: clock(), relyingParty: party }
  }

  app.post(
    PASSKEYS,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'beginPasskey',
        summary: 'Start adding a passkey',
        description:
          'With a passkey, or with your password and, where you have a second factor, a code. ' +
          'Returns the options for navigator.credentials.create.',
        body: Confirmation,
        response: { 200: ApiEnvelope(CreationOptions) },
      },
    },
    async (request) => {
      const { use, settle } = await confirmIdentity(deps, request, request.body)
      const options = await withTransaction(db, async (tx) => {
        await use(tx)
        return creationOptions(tx, ceremony(), request.session)
      })
      await settle()
      return accepted('Passkey registration started successfully', options)
    },
  )

  app.post(
    `${PASSKEYS}/confirm`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'confirmPasskey',
        summary: 'Add the passkey',
        description:
          'With what navigator.credentials.create returned. From then on it signs you in, and the ' +
          'password alone no longer does. You cannot approve requests for a while.',
        body: Type.Object({ name: PasskeyName, credential: Attestation }, strict),
        response: { 200: ApiEnvelope(NewPasskeyBody) },
      },
    },
    async ({ session, body: { name, credential } }, reply) => {
      const { sessionId } = session
      const attestation = { ...credential, clientExtensionResults: {} }
      const checked = await checkAttestation(db, ceremony(), { sessionId, credential: attestation })
      if (!checked) throw new Refusal('invalid_passkey')
      const { passkey, recoveryCodes } = await withTransaction(db, async (tx) => {
        const registered = await registerPasskey(
          tx,
          { now: clock(), sealer },
          { session, passkey: { ...checked, name } },
        )
        const detail = { passkey: name }
        await record(tx, clock(), { visitor: session.user, action: 'user.add_passkey', detail })
        const { user } = session
        await finishTakeOver(tx, clock(), { user, waitHours: policy.approverWaitHours })
        return registered
      })
      reply.header('cache-control', 'no-store')
      const data = { passkey: presentPasskey(passkey), recoveryCodes }
      return accepted('Passkey added successfully', data)
    },
  )
}

const removing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.post(
    `${PASSKEYS}/:id/remove`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'removePasskey',
        summary: 'Remove a passkey',
        description:
          'With a passkey, or with your password and a code. Ends all your other sessions.',
        params: Params,
        body: Confirmation,
        response: { 200: ApiEnvelope(Deleted) },
      },
    },
    async (request) => {
      const { session, params, body } = request
      const id = requireId<PasskeyId>(params.id, 'passkey_not_found')
      const { use, settle } = await confirmIdentity(deps, request, body)
      await withTransaction(db, async (tx) => {
        await use(tx)
        const detail = { passkey: await dropPasskey(tx, session, id) }
        await record(tx, clock(), { visitor: session.user, action: 'user.remove_passkey', detail })
      })
      await settle()
      return accepted('Passkey removed successfully', { id })
    },
  )
}
