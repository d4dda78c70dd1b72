import { tracingChannel } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { Refusal } from '#errors.ts'

type Handled = { error?: unknown; request: { routeOptions: { schema?: { operationId?: string } } } }

tracingChannel('fastify.request.handler').error.subscribe((message) => {
  const { error, request } = message as Handled
  const operationId = request.routeOptions.schema?.operationId
  if (error instanceof Refusal && operationId) appendFileSync('/tmp/errs.txt', `${operationId} ${error.code}\n`)
})
