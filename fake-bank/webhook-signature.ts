// Signs by Standard Webhooks 1.0, for the connectors that use it.

import { createHmac } from 'node:crypto'

export function signedHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  }
}
