// /health: liveness. /ready: readiness (database reachable, writable and migrated; not draining).
// Both respond within two seconds, whatever the state of the database.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { Deps } from '#http/deps.ts'
import { named } from '#http/schemas.ts'

const RESPONSE_MAX_MS = 1_500

const Status = named('HealthStatus', { status: Type.String() })

export const healthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { isReady, patience = 1 } = deps
  const mostMs = patience * RESPONSE_MAX_MS
  const tags = ['Operations']

  app.get(
    '/health',
    {
      config: { rate: 'none' },
      schema: {
        operationId: 'health',
        tags,
        summary: 'Liveness',
        description:
          'Answers while the process runs, whatever the database does. For liveness probes.',
        response: { 200: Status },
      },
    },
    async () => ({ status: 'up' }),
  )

  app.get(
    '/ready',
    {
      config: { rate: 'none' },
      schema: {
        operationId: 'ready',
        tags,
        summary: 'Readiness',
        description:
          'Answers 200 when the service can serve requests, 503 while it cannot: starting, ' +
          'draining, or without its database. For load balancers.',
        response: { 200: Status, 503: Status },
      },
    },
    async (_request, reply) => {
      const ready =
        !app.isDraining &&
        (await inTime(
          isReady().catch(() => false),
          mostMs,
        ))
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
    },
  )
}

async function inTime(answer: Promise<boolean>, mostMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), mostMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
