// Fails a test file in which an operation answered with an error that its list in
// src/http/reference/operation-errors.ts lacks: so the reference names every error that a test knows.

import { tracingChannel } from 'node:diagnostics_channel'
import { Refusal } from '#errors.ts'
import { COMMON_ERRORS, errorsOf } from '#http/reference/operation-errors.ts'

type Handled = { error?: unknown; request: { routeOptions: { schema?: { operationId?: string } } } }

const undeclared = new Set<string>()
let isRandom = false

// For tests that ask at random: what they meet by chance must not fail one run in ten.
export function askAtRandom(): void {
  isRandom = true
}

tracingChannel('fastify.request.handler').error.subscribe((message) => {
  const { error, request } = message as Handled
  const operationId = request.routeOptions.schema?.operationId
  if (!(error instanceof Refusal) || operationId === undefined) return
  if (COMMON_ERRORS.includes(error.code) || errorsOf(operationId).includes(error.code)) return
  undeclared.add(`${operationId}: ${error.code}`)
})

process.on('exit', () => {
  if (isRandom || undeclared.size === 0) return
  console.error(`operation-errors.ts lacks ${[...undeclared].join(', ')}`)
  process.exitCode = 1
})
