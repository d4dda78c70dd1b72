// A child process with the HTTP references of the bench. `/` is an empty Fastify route. `/rails` is the
// naive service: the same signature, parsing, rows and constraints as the real one, but without group
// commit. Each request is its own transaction on a pooled connection.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { jsonFormat } from '#banks/manilla/notifications.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { takeCredits } from '#credits/take.ts'
import { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { AMOUNT_MAX_KOBO } from '#money.ts'
import { type DataKey, Sealer } from '#seal.ts'
import { loadSecret, verify } from '#standard-webhooks.ts'

type Settings = { connectionString: string; data: readonly DataKey[]; hash: Uint8Array }

const CONNECTIONS = 10 // The size of the service's own pool.

process.on('message', async ({ connectionString, data, hash }: Settings) => {
  const pool = createBatchPool({ connectionString, max: CONNECTIONS, onIdleError: () => {} })
  const deps = { sealer: new Sealer(data, hash), sharedAccounts: new SharedAccounts(pool) }
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.get('/', async () => ({ isSuccessful: true }))
  app.post<{ Params: { bankCode: string } }>('/rails/:bankCode/credits', async (request, reply) => {
    const body = request.body as Buffer
    const read = (name: string) => request.headers[`webhook-${name}`] as string
    const headers = { id: read('id'), timestamp: read('timestamp'), signature: read('signature') }
    const [now, parsed] = [new Date(), jsonFormat.parse(body)]
    const item = 'items' in parsed ? parsed.items[0] : undefined
    const verdict = verify({ secrets, headers, body, nowMs: now.getTime() })
    if (verdict !== 'ok' || !item?.ok) return reply.code(400).send()
    const credits = [{ ...item.credit, bankCode: request.params.bankCode }]
    const [answer] = await withTransaction(pool, (tx) =>
      takeCredits(
        tx,
        { ...deps, bankTimeMaxAgeMs: 0, suspiciousKobo: AMOUNT_MAX_KOBO, now },
        credits,
      ),
    )
    if (answer?.status !== 'taken') return reply.code(500).send()
    const { sessionId } = item.credit
    const success = { responseCode: '00', responseMessage: 'Taken', outcome: 'booked' } as const
    const { contentType, body: text } = jsonFormat.acknowledge([{ sessionId, ...success }], {
      batch: false,
    })
    return reply.type(contentType).send(text)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: (app.server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
