// Starts a fake bank API on loopback that gives the test's answers and records the requests. When it
// closes, it fails if a request violated the provider's contract.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BankCalls } from '#banks/connector.ts'
import { ContractWatch } from '../../fake-bank/contract.ts'
import { connect } from './connector-bench.ts'
import type { FullCase } from './full-cases.ts'

export type Asked = {
  line: string // Method, path and query.
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown> // Empty if there is none.
}

// An answer of the bank. A text body is sent unchanged, any other as JSON. 'silence' sends no answer.
export type Answer = { status?: number; body: unknown } | 'silence'

export type Script = (call: Asked) => Answer

// Starts the bank. By default it answers logins with a token, without asking the script, and accepts
// requests that must precede an order, such as creating the recipient.
export async function startScriptedBank(
  connectorCase: FullCase,
  script: Script,
  logIn = answeringLogins(connectorCase),
) {
  const calls: Asked[] = []
  const contractWatch = new ContractWatch(connectorCase.connector)
  const { login, beforeOrder } = connectorCase.api
  // Answers logins and preceding requests itself, and asks the script for all others.
  const answerOf = (call: Asked): Answer => {
    if (call.line === login?.line) return logIn(call)
    if (call.line !== beforeOrder?.line) return script(call)
    return { status: beforeOrder.status, body: beforeOrder.answer }
  }
  // Records each request, checks it against the contract of the connector, and answers it unless the script
  // is silent.
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const line = `${request.method} ${request.url}`
    const body = text === '' ? {} : JSON.parse(text)
    const call = { line, headers: request.headers, body }
    calls.push(call)
    const { method = '', url = '', headers } = request
    contractWatch.record((contract) =>
      contract.checkRequest({ method, url, headers, body: text === '' ? undefined : body }),
    )
    const answer = answerOf(call)
    if (answer === 'silence') return
    const { status = 200, body: sent } = answer
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof sent === 'string' ? sent : JSON.stringify(sent))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    asked: calls,
    baseUrl,
    calls: callsTo(connectorCase, baseUrl),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      assert.deepEqual(
        [...new Set(contractWatch.violations)],
        [],
        `${connectorCase.connector}: against the contract`,
      )
    },
  }
}

// Returns the calls of a connector that is configured for this address.
export function callsTo(
  connectorCase: FullCase,
  baseUrl: string,
  timeoutMs = 20_000,
): Required<BankCalls> {
  const settings = { ...connectorCase.settings, baseUrl, timeoutMs }
  const { connection, problems } = connect({ ...connectorCase, settings })
  if (!connection) throw new Error(problems.join('\n'))
  return connection.calls as Required<BankCalls>
}

// Returns a script that answers each login with the same token.
function answeringLogins({ api: { login } }: FullCase): Script {
  return () => ({ body: login?.answer('token-1') })
}
