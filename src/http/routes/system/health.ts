// /health: the process is up. /ready: it can do its work (the database answers, takes writes and is
// migrated), and is not about to stop. Within two seconds, whatever became of the database: a
// prober that hears nothing may take us for well.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { Deps } from '#http/deps.ts'

const RESPONSE_MAX_MS = 1_500

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
      const ready = !app.isDraining && (await inTime(isReady().catch(() => false)))
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
    },
  )
}

async function inTime(answer: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), RESPONSE_MAX_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
