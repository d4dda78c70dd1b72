// Watches all requests of a test file. The file fails if an operation responds with an error code that it
// does not declare (`errors`), or with a status that its schema lacks. This keeps the API reference
// complete.

import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '#errors.ts'
import { COMMON_ERRORS } from '#http/reference/errors.ts'

type Handled = { error?: unknown; request: { routeOptions: FastifyRequest['routeOptions'] } }

const undeclared = new Set<string>()
let isRandom = false

// Switches the check off for random tests, which must not fail because they found a rare response.
export function askAtRandom(): void {
  isRandom = true
}

tracingChannel('fastify.request.handler').error.subscribe((message) => {
  const { error, request } = message as Handled
  const { schema, config } = request.routeOptions
  const operationId = schema?.operationId
  if (!(error instanceof Refusal) || operationId === undefined) return
  const declared = config.errors ?? []
  if (COMMON_ERRORS.includes(error.code) || declared.includes(error.code)) return
  undeclared.add(`${operationId}: ${error.code}`)
})

type Described = { operationId?: string; response?: object; 'x-failures'?: readonly number[] }

// Checks the status of each response of every app. Leaves out bugs (500) and disconnected callers, which no
// operation describes.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onResponse', async ({ routeOptions, refusalCode }, { statusCode }) => {
    const schema = (routeOptions.schema ?? {}) as Described
    if (!schema.operationId || statusCode === 500 || refusalCode === 'invalid_http') return
    const described = [...Object.keys(schema.response ?? {}), ...(schema['x-failures'] ?? [])]
    if (described.some((status) => Number(status) === statusCode)) return
    undeclared.add(`${schema.operationId}: ${statusCode} (${refusalCode})`)
  })
})

process.on('exit', () => {
  if (isRandom || undeclared.size === 0) return
  console.error(`src/http/reference/ does not describe ${[...undeclared].join(', ')}`)
  process.exitCode = 1
})
