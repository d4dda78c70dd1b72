// A webhook handler for edge runtimes. It takes a Request, returns a Response and uses no Node APIs.

import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@manilla/sdk'

export type Env = {
  WEBHOOK_SECRET: string
  // The runtime's durable storage.
  markPaid(order: string, amount: number): Promise<void>
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.method !== 'POST') return new Response('Not allowed', { status: 405 })
    try {
      const body = await request.arrayBuffer()
      await handle(await verifyWebhook(body, request.headers, env.WEBHOOK_SECRET), env)
      return new Response(null, { status: 204 })
    } catch (error) {
      // The runtime answers 5xx, and the service sends the event again.
      if (!(error instanceof WebhookVerificationError)) throw error
      return new Response(error.message, { status: 400 })
    }
  },
}

// Marks an order as paid when its payment is successful, and ignores all other events.
async function handle(event: WebhookEvent, env: Env): Promise<void> {
  if (event.type !== 'payment.successful') return
  const { merchantRef, amountPaid } = event.data
  if (merchantRef !== null) await env.markPaid(merchantRef, amountPaid)
}
