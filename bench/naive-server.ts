// The naive way: the rail as one would write it without group commit. Same HTTP server, same
// signature, same parsing, same rows under the same constraints; but each request is a transaction
// of its own, on a connection from a pool, written with plain single-row statements.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { jsonFormat } from '#banks/formats/json.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { createPool } from '#db/pool.ts'
import { loadSecret, verify } from '#domain/webhooks/signature.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { type DataKey, Sealer } from '#seal.ts'
import { takeOneCredit } from './naive-credit.ts'

export type NaiveOrder = {
  connectionString: string
  connections: number
  dataKeys: readonly DataKey[]
  hashKey: Uint8Array
}

process.on('message', async (order: NaiveOrder) => {
  const { connectionString, connections: max } = order
  const db = createPool({ connectionString, max, onIdleError: () => {} })
  const deps = {
    sealer: new Sealer(order.dataKeys, order.hashKey),
    sharedAccounts: new SharedAccounts(db),
  }
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Params: { bankCode: string } }>('/rails/:bankCode/credits', async (request, reply) => {
    const body = request.body as Buffer
    const header = (name: string) => request.headers[name] as string
    const headers = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
    }
    if (verify({ secrets, headers, body, nowMs: Date.now() }) !== 'ok')
      return reply.code(401).send()
    const parsed = jsonFormat.parse(body)
    const item = 'items' in parsed ? parsed.items[0] : undefined
    if (!item?.ok) return reply.code(400).send()
    const credit = { ...item.credit, bankCode: request.params.bankCode }
    const outcome = await takeOneCredit(db, deps, credit)
    const { sessionId } = credit
    const answer = { sessionId, responseCode: '00', responseMessage: 'Taken', outcome } as const
    const { contentType, body: text } = jsonFormat.acknowledge([answer], false)
    return reply.type(contentType).send(text)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: (app.server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
