// `manilla listen`: every event reaches the handler once and in order, even if the service or the command
// is killed in between.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forwardEvent } from '../../cli/forward-event.ts'
import { ListenPosition } from '../../cli/listen-command.ts'
import { verifyWebhook } from '../../sdk/src/sdk.ts'
import { startChild } from '../support/child-service.ts'
import { createCli } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { accountBody, dataOf } from '../support/fixtures.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { listener } from '../support/webhook-bench.ts'
import { closedPort } from '../webhooks/receivers.ts'

// This service creates the events. `listen` first connects to another process on the same database.
const bench = closeAfterTests(await startTestService())
const url = `http://127.0.0.1:${await closedPort()}`
const cli = closeAfterTests(createCli({ MANILLA_URL: url }))

// Creates accounts, each of which makes an event.
async function makeEvents(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const answer = await bench.call({ url: '/api/v1/accounts/static', body: accountBody() })
    assert.equal(answer.statusCode, 200, answer.body)
  }
}

// Starts a service process on the same database, at the address that `listen` knows.
function startService(folder: string) {
  const env = {
    ...SECRETS,
    DATABASE_URL: bench.database.connectionString,
    PORT: new URL(url).port,
  }
  return startChild({ folder, role: 'api', env })
}

test('a service killed and started again: no event is lost, none comes twice, all are signed', async () => {
  using folder = createTempFolder()
  await using handler = await listener()
  const sequences = () => handler.received.map(({ json }) => json.sequence)
  await makeEvents(1) // Before anybody listens.
  await using first = await startService(folder.path)
  const words = ['listen', '--forward-to', handler.url]

  using listening = cli.start(words)
  await until('it listens', () => listening.output.err.includes('Listening'))
  await makeEvents(2)
  await until('two are forwarded', () => handler.received.length === 2)
  await first.stop('SIGKILL')
  await makeEvents(3)
  await until('the loss is told', () => listening.output.err.includes('Connection lost'))
  await bench.service.app.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
  await until('the three that were missed', () => handler.received.length === 5)
  await makeEvents(1)
  await until('and live again', () => handler.received.length === 6)
  listening.press()
  const { exitCode, out, err } = await listening.ended
  await makeEvents(2) // While nobody listens.
  using again = cli.start(words)
  await until('what happened since', () => handler.received.length === 8)
  again.press()
  await again.ended
  // The stored position is that of an earlier installation. A newly installed service counts its events
  // from 1 again.
  const stored = { url, clientId: 'MAN0000001', forwardTo: handler.url }
  new ListenPosition({ env: { XDG_CONFIG_HOME: cli.folder }, homeDir: '' }, stored).write(99)
  using anew = cli.start(words)
  await until('all from the first', () => handler.received.length === 17)
  anew.press()

  assert.deepEqual(sequences(), [2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(exitCode, 130)
  assert.match(out, /account\.created +#2 {2}200 {2}\d+ ms {2}[\w-]{36}\n/)
  assert.match(err, /Connected again; no event was missed\.\nStopped after event 7\. 6 accepted, 0/)
  assert.match((await again.ended).err, /beginning with 2 missed/)
  assert.match((await anew.ended).err, /beginning with 9 missed/)
  const secret = dataOf(await bench.call({ url: '/api/v1/webhook-secret' })).secret
  for (const { body, headers } of handler.received) {
    assert.equal((await verifyWebhook(body, headers, secret)).type, 'account.created')
  }
  assert.equal((await cli.run('listen', '--print-secret')).out, `${secret}\n`)
})

test('a handler that fails is tried again, then reported; one that is away is waited for', async () => {
  let answers = [500, 200, 500, 500]
  await using handler = await listener((response) => {
    response.statusCode = answers.shift() ?? 200
    response.end()
  })
  const waiting: string[] = []
  const retried: string[] = []
  const forward = (to: string, interrupted = new AbortController().signal) =>
    forwardEvent(
      {
        terminal: { fetch, now: () => new Date(), interrupted } as never,
        url: to,
        secret: `whsec_${Buffer.alloc(32, 's').toString('base64')}`,
        attemptsMax: 2,
        retryMs: [1],
        onWaiting: (_event, reason) => void waiting.push(reason),
        onRetry: (_event, reason) => void retried.push(reason),
      },
      { id: 'e1', type: 'payment.successful', sequence: 1 },
    )

  const mended = await forward(handler.url)
  const failed = await forward(handler.url)
  const leaving = new AbortController()
  const away = forward(`http://127.0.0.1:${await closedPort()}`, leaving.signal)
  await until('it waits', () => waiting.length === 1)
  leaving.abort()

  assert.deepEqual([mended?.isAccepted, mended?.status, mended?.attempts], [true, 200, 2])
  assert.deepEqual([failed?.isAccepted, failed?.error, failed?.attempts], [false, 'HTTP 500', 2])
  assert.equal(await away, undefined)
  assert.deepEqual(waiting, ['connection refused'])
  assert.deepEqual(retried, ['HTTP 500', 'HTTP 500'])
  answers = []
})
