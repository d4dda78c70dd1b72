// A service that is stopped under load: every request on an open connection is answered, each answer
// announces the end of its connection, and no connection is cut.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { logIn, startChild } from './support/child-service.ts'
import { isRunning, until } from './support/embedded-bench.ts'
import { accountBody } from './support/fixtures.ts'
import { createTempFolder } from './support/temp-folder.ts'

const CONNECTIONS = 20
const BEFORE = 40 // How many answers must arrive before the test stops the service.

type Answer = { status: number; close: boolean; body: string }

test('SIGTERM under load: every request is answered, and told to go elsewhere next time', async () => {
  using folder = createTempFolder()
  await using service = await startChild({ folder: folder.path })
  const token = await logIn(service.url)
  const answers: Answer[] = []

  const clients = Array.from({ length: CONNECTIONS }, () =>
    requestUntilClosed(service.url, token, answers),
  )
  await until('requests are answered', () => answers.length >= BEFORE)
  const ready = await beginReady(service.url)
  service.child.kill('SIGTERM')
  await service.says('"msg":"shutting down"')
  const readiness = await ready.finish()
  await Promise.all(clients)
  const code = await service.closed

  for (const { status, body } of answers) {
    assert.equal(status, 200, body)
    assert.equal(JSON.parse(body).isSuccessful, true)
  }
  assert.equal(answers.filter(({ close }) => close).length, CONNECTIONS)
  assert.match(readiness, /^HTTP\/1\.1 503 /)
  assert.equal(code, 0)
  await until('no process is left', () => !service.processes.some(isRunning))
})

// Opens a connection before the stop, because the service accepts none later, and sends a request to /ready
// except for its last byte. `finish` sends this byte and returns the answer.
async function beginReady(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text
  })
  socket.write('GET /ready HTTP/1.1\r\nhost: localhost\r\n\r')
  return {
    async finish(): Promise<string> {
      socket.write('\n')
      await once(socket, 'close')
      return answer
    },
  }
}

// Sends requests on one connection until an answer announces that it is the last. A cut connection would
// reject.
async function requestUntilClosed(url: string, token: string, answers: Answer[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify(accountBody())
  for (;;) {
    const answer = await send(agent, `${url}/api/v1/accounts/static`, { token, body })
    answers.push(answer)
    if (answer.close) break
  }
  agent.destroy()
}

// Sends a request, and returns the answer and whether it announces the end of the connection.
function send(
  agent: Agent,
  url: string,
  { token, body }: { token?: string; body?: string } = {},
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    // Collects the body of the answer, and resolves when it is complete.
    const sent = request(url, { agent, method, headers }, (message: IncomingMessage) => {
      let text = ''
      message.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      message.on('end', () => {
        const close = message.headers.connection === 'close'
        resolve({ status: message.statusCode ?? 0, close, body: text })
      })
      message.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
