// Fails a test file in which an operation answered with an error that its list lacks
// (src/http/reference/errors.ts), or with a status that its description lacks: so the
// reference names every error that a test knows.

import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '#errors.ts'
import { COMMON_ERRORS } from '#http/reference/errors.ts'

type Handled = { error?: unknown; request: { routeOptions: FastifyRequest['routeOptions'] } }

const undeclared = new Set<string>()
let isRandom = false

// For random tests, which must not fail because of a rare answer.
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

// Watches every app. No operation describes a bug or a disconnected caller.
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
