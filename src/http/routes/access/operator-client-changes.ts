// /api/v1/operator/clients/{clientId}: changes to a client. Effective immediately in this process,
// within seconds in others.

import { Type } from '@fastify/type-provider-typebox'
import { makeSecret, OVERLAP_SECONDS_DEFAULT } from '#domain/access/client-secrets.ts'
import {
  changeClient,
  getClient,
  resumeClient,
  rotateClientSecret,
  suspendClient,
} from '#domain/access/manage-clients.ts'
import { decideAccountName } from '#domain/payments/account-name-reviews.ts'
import { Refusal } from '#errors.ts'
import { type Call, resource } from '#http/resource.ts'
import { named, text } from '#http/schemas.ts'
import {
  ClientDetailView,
  ClientFields,
  ClientName,
  ClientWithSecretView,
  RotationBody,
  requireClientId,
} from './client-presenters.ts'

const REASON_MAX = 500
const ReasonBody = Type.Object(
  {
    reason: Type.Optional(
      text(
        REASON_MAX,
        'Why. Kept in the audit log; operators see it while the client is suspended.',
      ),
    ),
    note: Type.Optional(text(REASON_MAX, 'The former name of reason, used where that is omitted.')),
  },
  { additionalProperties: false },
)
const AccountNameDecisionBody = named(
  'AccountNameDecisionRequest',
  {
    accountName: text(100, 'The name that you decide on: pendingAccountName as you saw it.'),
    reason: Type.Optional(text(REASON_MAX, 'Why. The client can read it in its audit log.')),
  },
  { additionalProperties: false },
)
type ClientCall = Call<{ clientId: typeof requireClientId }>

const refuseOwn = ({ client, params }: ClientCall) => {
  if (params.clientId === client.clientId) throw new Refusal('own_client')
}
const forget = ({ authentication, params }: ClientCall) => authentication.forget(params.clientId)

const SUSPENSION =
  'A suspended client cannot log in, and its tokens are revoked. No money leaves it: ' +
  'settlements, payouts, refunds and returns wait until it is resumed; what the bank has ' +
  'already is finished. Its accounts still receive money, its checkout pages work and its ' +
  'webhooks are delivered.'

const ACCOUNT_NAME =
  'Decides on pendingAccountName, the name in account names that the client chose in live ' +
  'mode. Banks show the former name until it is approved.'

export const clientChanges = resource('/api/v1/operator/clients', {
  tag: 'Operator',
  noun: 'client',
  view: ClientDetailView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
}).act('rotateClientSecret', {
  path: '/:clientId/rotate-secret',
  summary: 'Rotate a client secret',
  description:
    'The old secret stays valid during the overlap. An overlap of 0 revokes it immediately, ' +
    'with all tokens of the client.',
  body: RotationBody,
  view: ClientWithSecretView,
  errors: ['client_not_found'],
  message: 'Secret rotated successfully',
  prepare: makeSecret,
  run: async (tx, call) => {
    const { now, actor, userId, params, body, prepared: secret } = call
    const { overlapSeconds = OVERLAP_SECONDS_DEFAULT } = body
    const by = { now, actor, madeBy: { userId, clientId: call.clientId } }
    const rotation = { clientId: params.clientId, change: { secret, overlapSeconds } }
    return { ...(await rotateClientSecret(tx, by, rotation)), secret: secret.secret }
  },
  after: forget,
})

for (const [verb, change, summary, message] of [
  ['suspend', suspendClient, 'Suspend a client', 'Client suspended successfully'],
  ['resume', resumeClient, 'Resume a suspended client', 'Client resumed successfully'],
] as const) {
  clientChanges.act(`${verb}Client`, {
    path: `/:clientId/${verb}`,
    summary,
    description: SUSPENSION,
    body: ReasonBody,
    errors: verb === 'suspend' ? ['client_not_found', 'own_client'] : ['client_not_found'],
    message,
    parse: refuseOwn,
    run: (tx, call) => {
      const { params, body } = call
      const reason = body.reason ?? body.note ?? null
      return change(tx, call, { clientId: params.clientId, reason })
    },
    after: forget,
  })
}

for (const [decision, summary, message] of [
  ['approve', 'Approve a client’s account name', 'Account name approved successfully'],
  ['reject', 'Reject a client’s account name', 'Account name rejected successfully'],
] as const) {
  clientChanges.act(`${decision}AccountName`, {
    path: `/:clientId/account-name/${decision}`,
    summary,
    description: ACCOUNT_NAME,
    body: AccountNameDecisionBody,
    errors: ['account_name_not_pending', 'client_not_found'],
    message,
    run: async (tx, call) => {
      const { clientId } = call.params
      const { accountName, reason = null } = call.body
      await decideAccountName(tx, call, { clientId, decision, accountName, reason })
      return getClient(tx, call.now, clientId)
    },
  })
}

clientChanges.update('updateClient', {
  summary: 'Update a client',
  description: 'Omitted fields keep their value. Applies to tokens already issued.',
  body: Type.Object(
    { name: Type.Optional(ClientName), ...ClientFields },
    {
      additionalProperties: false,
      minProperties: 1,
      'x-says': 'Must be an object with at least one field to change.',
    },
  ),
  errors: ['client_not_found', 'own_client'],
  parse: (call) => {
    const { isOperator, scopes } = call.body
    if (isOperator === false || scopes?.includes('operator') === false) refuseOwn(call)
  },
  run: (tx, call) => changeClient(tx, call, { clientId: call.params.clientId, changes: call.body }),
  after: forget,
})
