// /health: the process is up. /ready: it can do its work (the database answers and is migrated).

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { Deps } from '#http/deps.ts'

const Status = Type.Object({ status: Type.String() })

export const healthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { isReady }) => {
  const tags = ['Operations']

  app.get(
    '/health',
    {
      config: { rate: 'none' },
      schema: {
        operationId: 'health',
        tags,
        summary: 'Is the process up',
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
        summary: 'Can it do its work',
        response: { 200: Status, 503: Status },
      },
    },
    async (_request, reply) => {
      const ready = await isReady().catch(() => false)
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
    },
  )
}
