// A webhook receiver with Fastify: verifies and answers at once, and processes each event once, in
// the background.
//
//   MANILLA_WEBHOOK_SECRET=whsec_… node fastify-receiver.js

import { verifyWebhook, WebhookVerificationError } from '@manilla/sdk'
import fastify from 'fastify'

const { MANILLA_WEBHOOK_SECRET, PORT = '3000' } = process.env

const app = fastify()
const seen = new Set() // A table with a unique key, in a real receiver.
const handled = []

// Bodies stay bytes, because the signature covers the body as it was sent.
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

app.post('/hook', async (request, reply) => {
  const event = await verifyWebhook(request.body, request.headers, MANILLA_WEBHOOK_SECRET)
  if (!seen.has(event.id)) {
    seen.add(event.id)
    setImmediate(() => handle(event))
  }
  return reply.code(204).send()
})

app.get('/handled', () => handled)

app.setErrorHandler((error, _request, reply) => {
  const isForged = error instanceof WebhookVerificationError
  return reply.code(isForged ? 400 : 500).send({ message: isForged ? error.message : 'Failed.' })
})

function handle(event) {
  switch (event.type) {
    case 'payment.successful':
      handled.push(`${event.data.merchantRef} is paid: ${event.data.amountPaid}`)
      break
    case 'collection.received':
      handled.push(`${event.data.accountName} now has ${event.data.accountBalance}`)
      break
    default: // Ignores other types, and those that a newer service adds.
  }
}

console.log(await app.listen({ host: '127.0.0.1', port: Number(PORT) }))
