// A service whose webhooks are dispatched and delivered on demand, on the test's clock, to real receivers
// that record their requests.

import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { bankNames } from '#banks/directory.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId, EndpointId } from '#ids.ts'
import type { Logger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import { Sealer } from '#seal.ts'
import { createEndpoint } from '#webhooks/endpoints.ts'
import { getOrCreateSecret } from '#webhooks/secrets.ts'
import { Deliverer, type DelivererDeps, dispatchEventsRound } from '#webhooks/workers.ts'
import { httpReceiver } from '../webhooks/receivers.ts'
import { patientBatchPool } from './database.ts'
import { type ServiceOptions, startTestService } from './running-service.ts'

const NEVER = new AbortController().signal
const ROUNDS_MAX = 1_000 // More than any test needs.

const DELIVERIES = `
  select e.type, d.url, v.kind, v.url as "sentTo", v.state, v.attempts,
         v.next_attempt_at as "nextAttemptAt"
    from deliveries v join destinations d on d.id = v.destination_id
    join events e on e.id = v.event_id order by e.sequence, d.id`
const ATTEMPTS = `
  select attempt, status, error, response_start as "responseStart" from delivery_attempts
   order by attempted_at, destination_id, attempt`

export type ReceivedWebhook = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  json: Body
}
type Body = { id: string; type: string; sequence: number; data: Record<string, unknown> }
export type WebhookBench = Awaited<ReturnType<typeof startWebhookBench>>

// Starts a receiver of webhooks, which records its requests. It responds with 200 or, if the test gives
// `answer`, as that function does.
export async function listener(
  answer?: (response: ServerResponse, webhook: ReceivedWebhook) => void,
) {
  const webhooks: ReceivedWebhook[] = []
  const receiver = await httpReceiver(async (request, response) => {
    const body = await text(request)
    const entry = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      json: JSON.parse(body),
    }
    webhooks.push(entry)
    if (answer) answer(response, entry)
    else response.end('taken')
  })
  return Object.assign(receiver, {
    received: webhooks,
    types: () => webhooks.map(({ json }) => json.type),
  })
}

// Starts the service. `dispatch` queues deliveries of new events, `deliver` sends deliveries until none is
// due, and `run` does both. `newDeliverer` makes another worker that sends webhooks, without random delays,
// which the bench stops at its end. `clientId` reads the internal id of a client.
export async function startWebhookBench(options: ServiceOptions = {}) {
  const bench = await startTestService(options)
  const { connectionString } = bench.database
  const webhookPool = patientBatchPool(connectionString, 8)
  const { config, clock, db } = bench
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  const log = bench.service.app.log as Logger
  const rendering = {
    mode: config.mode,
    nameBank: bankNames(config.banks),
    nameStyle: config.policy.accountName,
  }
  const deliverers: { stop(): Promise<void> }[] = []
  const newDeliverer = (more: Partial<DelivererDeps> = {}) => {
    const deps = {
      webhookPool,
      sealer,
      rendering,
      clock,
      log,
      notifier: new Notifier(),
      random: () => 0,
    }
    const deliverer = new Deliverer({ ...deps, ...more })
    deliverers.push(deliverer)
    return deliverer
  }
  const deliverer = newDeliverer()
  const dispatchRound = dispatchEventsRound({ webhookPool, clock, log, notifier: new Notifier() })
  const clientId = async (name = 'MAN0000001') => {
    const { rows } = await db.query('select id from clients where client_id = $1', [name])
    return rows[0].id as ClientId
  }
  const dispatch = async () => {
    while ((await dispatchRound(NEVER)).more);
  }
  const deliver = async (by = deliverer) => {
    for (let round = 1; round === 1 || (await isDue(db, clock())); round++) {
      assert(round <= ROUNDS_MAX, 'a due delivery is never sent')
      await by.round(NEVER)
      await by.idle()
    }
  }

  return {
    ...bench,
    sealer,
    rendering,
    webhookPool,
    newDeliverer,
    clientId,
    dispatch,
    deliver,
    run: () => dispatch().then(() => deliver()),
    async addEndpoint(url: string, eventTypes: string[] | null = null, client?: string) {
      const owner = await clientId(client)
      const terms = { url, eventTypes: eventTypes as never }
      return withTransaction(db, (tx) => createEndpoint(tx, clock(), { clientId: owner, ...terms }))
    },
    async secret(endpointId: EndpointId | null = null, client?: string) {
      const owner = { clientId: await clientId(client), endpointId }
      return getOrCreateSecret(db, { sealer, now: clock() }, owner)
    },
    deliveries: async () => (await db.query(DELIVERIES)).rows,
    attempts: async () => (await db.query(ATTEMPTS)).rows,
    async [Symbol.asyncDispose]() {
      for (const startedDeliverer of deliverers) await startedDeliverer.stop()
      await webhookPool.end()
      await bench[Symbol.asyncDispose]()
    },
  }
}

// Whether a delivery can be sent now.
async function isDue(db: Queryable, now: Date): Promise<boolean> {
  const { rows } = await db.query(
    `select from destinations d join deliveries v on v.destination_id = d.id
      where v.state = 'pending' and v.next_attempt_at <= $1 and d.disabled_at is null
        and (v.leased_until is null or v.leased_until <= $1)
        and (d.paused_until is null or d.paused_until <= $1) limit 1`,
    [now],
  )
  return rows.length > 0
}

// Verifies a webhook's signature as a receiver does: with the public package `standardwebhooks`, over the raw
// body. Does not check the signed time, because the package reads the machine's clock and not the test's.
export function verifies(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const id = String(headers['webhook-id'])
  const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  const expected = new Webhook(secret).sign(id, signedAt, body)
  return String(headers['webhook-signature']).split(' ').includes(expected)
}
