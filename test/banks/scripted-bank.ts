// A bank's API on loopback, answering as the test says, and remembering what it was asked.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BankCalls } from '#banks/connector.ts'
import { connect } from './connector-bench.ts'
import type { FullCase } from './full-cases.ts'

export type Asked = {
  line: string // Method, path and query.
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown> // Empty without one.
}

// Text is sent as it is, anything else as JSON. 'silence': never answered.
export type Answer = { status?: number; body: unknown } | 'silence'

export type Script = (asked: Asked) => Answer

export async function startScriptedBank(each: FullCase, script: Script) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const line = `${request.method} ${request.url}`
    const body = text === '' ? {} : JSON.parse(text)
    const call = { line, headers: request.headers, body }
    asked.push(call)
    const answer = script(call)
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
    asked,
    baseUrl,
    calls: callsTo(each, baseUrl),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function callsTo(each: FullCase, baseUrl: string, timeoutMs = 20_000): Required<BankCalls> {
  const settings = { ...each.settings, baseUrl, timeoutMs }
  const { connection, problems } = connect({ ...each, settings })
  if (!connection) throw new Error(problems.join('\n'))
  return connection.calls as Required<BankCalls>
}

// A login where the connector has one, and otherwise the same answer to everything.
export function afterLogin(answer: Answer): Script {
  return ({ line }) => {
    if (line === 'POST /api/v1/auth/login') {
      return { body: { requestSuccessful: true, responseBody: { accessToken: 'token-1' } } }
    }
    if (line === 'POST /v1/auth/token/issue') {
      return { body: { code: '00', data: { access_token: 'token-1' } } }
    }
    return answer
  }
}
