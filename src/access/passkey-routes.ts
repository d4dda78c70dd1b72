// A user's own passkeys: /dashboard/api/passkeys.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { accepted } from '#http/envelopes.ts'
import { uuidKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Deleted } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { PasskeyId } from '#ids.ts'
import {
  CONFIRMATION_ERRORS,
  ceremonyOf,
  confirmIdentity,
  recordOwnAction,
  uncountConfirmation,
} from './credential-routes.ts'
import { finishTakeOver } from './invitations.ts'
import {
  checkAttestation,
  creationOptions,
  dropPasskey,
  listPasskeys,
  type Passkey,
  registerPasskey,
  renamePasskey,
  requestOptions,
} from './passkeys.ts'
import { Attestation, Confirmation, CreationOptions, PasskeyName, RequestOptions } from './views.ts'

const strict = { additionalProperties: false }

const PasskeyView = view('Passkey', (f: Fields<Passkey>) => ({
  id: f.text('id'),
  name: f.text('name'),
  createdAt: f.time('createdAt'),
  usedAt: f.timeOrNull('usedAt', 'Last use.'),
}))

type NewPasskey = { passkey: Passkey; recoveryCodes: string[] }

const NewPasskeyView = view('AddedPasskey', (f: Fields<NewPasskey>) => ({
  passkey: f.one(PasskeyView, 'passkey'),
  recoveryCodes: f.as<string[]>(
    Type.Array(Type.String(), {
      description:
        'With the first second factor only; else empty. Shown only once. Each can be used once ' +
        'instead of a passkey.',
    }),
    'recoveryCodes',
  ),
}))

export const passkeys = resource('/dashboard/api/passkeys', {
  tag: 'Dashboard',
  noun: 'passkey',
  view: PasskeyView,
  scopes: 'session',
  params: { id: uuidKey<PasskeyId>('passkey_not_found') },
})
  .list('listPasskeys', {
    summary: 'List your passkeys, newest first',
    description: 'With their names, and when each was last used.',
    isWhole: true,
    rows: (db, { request }) => listPasskeys(db, request.session.user.id),
  })
  .update('renamePasskey', {
    summary: 'Rename a passkey',
    description: 'The name is for you alone; the device keeps its own.',
    body: Type.Object({ name: PasskeyName }, strict),
    errors: ['passkey_not_found'],
    message: 'Passkey renamed successfully',
    run: async (tx, call) => {
      const { id } = call.params
      const { name } = call.body
      const { user } = call.request.session
      const { passkey, oldName } = await renamePasskey(tx, user.id, { id, name })
      await recordOwnAction(tx, call, 'user.rename_passkey', { from: oldName, to: name })
      return passkey
    },
  })
  .route('POST', 'challengePasskey', {
    path: '/challenge',
    summary: 'Start confirming with a passkey',
    description:
      'Returns the options for navigator.credentials.get, of one of your passkeys. Send what ' +
      'it returns as `passkey` with the change to confirm.',
    view: RequestOptions,
    handle: async (call) => {
      const { db: pool, request } = call
      const options = await withCaller(call, { request, pool }, (tx) =>
        requestOptions(tx, ceremonyOf(call), request.session),
      )
      return accepted('Challenge created', options)
    },
  })
  .create('beginPasskey', {
    summary: 'Start adding a passkey',
    description:
      'With a passkey, or with your password and, where you have a second factor, a code. ' +
      'Returns the options for navigator.credentials.create.',
    body: Confirmation,
    isKeyed: false,
    view: CreationOptions,
    errors: [...CONFIRMATION_ERRORS, 'wrong_password', 'too_many_attempts'],
    message: 'Passkey registration started successfully',
    prepare: confirmIdentity,
    run: async (tx, call) => {
      await call.prepared(tx)
      return creationOptions(tx, ceremonyOf(call), call.request.session)
    },
    after: uncountConfirmation,
  })
  .act('confirmPasskey', {
    path: '/confirm',
    summary: 'Add the passkey',
    description:
      'With what navigator.credentials.create returned. From then on it signs you in, and the ' +
      'password alone no longer does. You cannot approve requests for a while.',
    body: Type.Object({ name: PasskeyName, credential: Attestation }, strict),
    isKeyed: false,
    view: NewPasskeyView,
    errors: ['invalid_passkey', 'passkey_exists', 'too_many_passkeys'],
    message: 'Passkey added successfully',
    // Runs outside the transaction, so that the challenge is used up even if the passkey is refused.
    prepare: async (call) => {
      const credential = { ...call.body.credential, clientExtensionResults: {} }
      const { sessionId } = call.request.session
      const checked = await checkAttestation(call.db, ceremonyOf(call), { sessionId, credential })
      if (!checked) throw new Refusal('invalid_passkey')
      return checked
    },
    run: async (tx, call) => {
      const { now, prepared, policy, request } = call
      const { name } = call.body
      const { session } = request
      const added = { session, passkey: { ...prepared, name } }
      const registered = await registerPasskey(tx, call, added)
      await recordOwnAction(tx, call, 'user.add_passkey', { passkey: name })
      await finishTakeOver(tx, now, { user: session.user, waitHours: policy.approverWaitHours })
      return registered
    },
  })
  .act('removePasskey', {
    path: '/:id/remove',
    summary: 'Remove a passkey',
    description: 'With a passkey, or with your password and a code. Ends all your other sessions.',
    body: Confirmation,
    isKeyed: false,
    view: Deleted,
    errors: [...CONFIRMATION_ERRORS, 'wrong_password', 'passkey_not_found', 'too_many_attempts'],
    message: 'Passkey removed successfully',
    prepare: confirmIdentity,
    run: async (tx, call) => {
      const { id } = call.params
      await call.prepared(tx)
      const passkey = await dropPasskey(tx, call.request.session, id)
      await recordOwnAction(tx, call, 'user.remove_passkey', { passkey })
      return { id }
    },
    after: uncountConfirmation,
  })
