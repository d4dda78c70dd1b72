// GET /api/v1/events/stream: live events (SSE).

import { createHash } from 'node:crypto'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { readEventsAfter, sequenceEnds } from '#domain/webhooks/event-list.ts'
import { Refusal } from '#errors.ts'
import { bearerToken } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { openEventStream } from '#http/event-streams.ts'
import { query } from '#http/lists.ts'
import { BEARER, digits } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { EventFeeds, type Frame } from './event-feeds.ts'
import { eventPresenter } from './event-presenters.ts'

const LastEventId = Type.Optional(
  digits(
    '^[0-9]{1,18}$',
    'Resume after this sequence. The header takes precedence.',
    'Must be a whole number.',
  ),
)
const DESCRIPTION =
  'Server-sent events: `id` is the sequence, `event` the type, `data` the body as delivered to ' +
  'webhooks. Starts with new events, or after Last-Event-ID. Every 15 seconds an event `beat` without ' +
  'an `id` follows as a heartbeat; ignore it, and any event you do not know. A token or user may ' +
  'have 10 open (too_many_streams). Slow readers and expired tokens are disconnected; ' +
  'reconnect with Last-Event-ID to resume without loss.'

export const eventStreamRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, log, authentication } = deps
  const show = eventPresenter(deps)
  const feeds = new EventFeeds({ read: readFrames, log })
  // Before the server stops taking connections, which waits for those that are open.
  app.addHook('preClose', () => feeds.stop())

  app.get(
    '/api/v1/events/stream',
    {
      exposeHeadRoute: false, // It would never end.
      onRequest: authentication.requires('webhooks:read'),
      config: { isStream: true },
      schema: {
        operationId: 'streamEvents',
        tags: ['Events'],
        summary: 'Stream events',
        description: DESCRIPTION,
        security: BEARER,
        querystring: query({ lastEventId: LastEventId }),
        headers: Type.Object({ 'last-event-id': LastEventId }),
        response: {
          200: { content: { 'text/event-stream': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const { client, withoutAlerts } = request
      const ends = await sequenceEnds(db, client.id)
      const holder = holderOf(request)
      if (!feeds.hasRoom(client.id, holder)) throw new Refusal('too_many_streams')
      const given = request.headers['last-event-id'] ?? request.query.lastEventId
      const after = given === undefined ? ends.last : clamped(BigInt(given), ends)
      const isAllowed = () =>
        authentication.identifyIdly(request, 'webhooks:read').then(
          (again) => again.withoutAlerts === withoutAlerts,
          (error) => !(error instanceof Refusal),
        )

      const socket = openEventStream(reply, after)
      if (!socket) return // Gone while we looked.
      feeds.listen({ clientId: client.id, holder, after, socket, isAllowed, withoutAlerts })
    },
  )

  async function readFrames(clientId: ClientId, after: bigint, limit: number): Promise<Frame[]> {
    const events = await readEventsAfter(db, clientId, { sequence: after, limit })
    const bodies = await show(db, events)
    return events.map(({ sequence, type, isVisible }, at) => ({
      sequence,
      isAlert: type === 'alert.raised',
      text: isVisible
        ? `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(bodies[at])}\n\n`
        : '',
    }))
  }
}

// A user, or a token of the client: not kept itself.
function holderOf({ actor, isPerson, headers }: FastifyRequest): string {
  if (isPerson) return actor
  return createHash('sha256')
    .update(bearerToken(headers.authorization) ?? '')
    .digest('hex')
}

// Beyond retention, resume with the oldest event.
function clamped(given: bigint, { last, dropped }: { last: bigint; dropped: bigint }): bigint {
  if (given > last) return last
  return given < dropped ? dropped : given
}
