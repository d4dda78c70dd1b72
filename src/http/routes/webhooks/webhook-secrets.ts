// Signing secrets: /api/v1/webhook-secret for notificationUrl and callBackUrl; each endpoint has
// its own.

import { getSecret, rotateSecret } from '#domain/webhooks/signing-secrets.ts'
import { getEndpoint, lockUnlessForAlerts } from '#domain/webhooks/webhook-endpoints.ts'
import { resource } from '#http/resource.ts'
import { NoBody, named } from '#http/schemas.ts'
import { requireEndpointId, Secret } from './webhook-presenters.ts'

const secrets = {
  tag: 'Webhooks',
  noun: 'webhook secret',
  view: named('SigningSecret', { secret: Secret }),
  scopes: { read: 'webhooks:write', write: 'webhooks:write' },
} as const

const rotation = {
  description:
    'The old secret keeps signing for 24 hours, beside the new one. At most three old ones do at a time.',
  body: NoBody,
  message: 'Webhook secret rotated successfully',
}

export const webhookSecret = resource('/api/v1/webhook-secret', secrets)
  .get('getWebhookSecret', {
    path: '',
    summary: 'Retrieve the signing secret for notificationUrl and callBackUrl',
    description:
      'Verify the signature of every notification with it (docs/webhooks.md). Rotate it if ' +
      'it leaks.',
    run: async (db, { clientId, sealer, now }) => ({
      secret: await getSecret(db, { sealer, now }, { clientId, endpointId: null }),
    }),
  })
  .act('rotateWebhookSecret', {
    ...rotation,
    path: '/rotate',
    summary: 'Rotate the signing secret for notificationUrl and callBackUrl',
    run: async (tx, { clientId, sealer, now }) => ({
      secret: await rotateSecret(tx, { sealer, now }, { clientId, endpointId: null }),
    }),
  })

export const endpointSecrets = resource('/api/v1/webhook-endpoints', {
  ...secrets,
  params: { id: requireEndpointId },
}).act('rotateWebhookEndpointSecret', {
  ...rotation,
  path: '/:id/rotate-secret',
  summary: 'Rotate the signing secret of a webhook endpoint',
  errors: ['endpoint_not_found'],
  run: async (tx, { clientId, params, withoutAlerts, sealer, now }) => {
    if (withoutAlerts) await lockUnlessForAlerts(tx, clientId, params.id)
    await getEndpoint(tx, clientId, params.id)
    const owner = { clientId, endpointId: params.id }
    return { secret: await rotateSecret(tx, { sealer, now }, owner) }
  },
})
