// Signs notifications by Standard Webhooks 1.0, for the dialects that use it. It does not share code with
// the service, so that a mistake of either is noticed.

import { createHmac } from 'node:crypto'

// Returns the headers that identify, date and sign a message, by Standard Webhooks.
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
