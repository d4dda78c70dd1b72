// A worker is killed while it hands a mail to the mail server, and another one starts: the mail is sent at
// most once and not lost (I150).

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CLAIM_MS } from '#messages/send.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { type MailFault, startMailServer } from '../support/mail-server.ts'
import { logged, queue } from '../support/mailing.ts'
import { startTestService } from '../support/running-service.ts'

const CHILD = fileURLToPath(new URL('../support/mailing-child.ts', import.meta.url))
const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })

// Starts a worker process that sends all due messages once.
function startWorker() {
  const { connectionString } = bench.database
  const args = [CHILD, connectionString, `${server.port}`, `${bench.clock().getTime()}`]
  return spawn(process.execPath, args, { stdio: 'inherit' })
}

async function runWorker() {
  assert.deepEqual(await once(startWorker(), 'exit'), [0, null])
}

// Kills a worker while it waits for the server at one command, and runs others after its claim has ended.
// Returns the message's final state, and how many mails the server accepted. `fault` tells the command, and
// how the server then fails to respond.
async function killAt({ to, ...fault }: MailFault & { to: string }) {
  server.faults.push({ to, ...fault })
  const reference = await queue(bench, { to })
  const worker = startWorker()
  await until('the worker waits', () => server.hanging.length > 0)
  if (fault.at !== 'RCPT') {
    await until('it is committed', async () => (await logged(bench, reference)).state === 'sending')
  }
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  for (const { drop } of server.hanging.splice(0)) drop()
  bench.advance(CLAIM_MS + 1_000)
  await runWorker()
  bench.advance(CLAIM_MS)
  await runWorker()
  return { state: (await logged(bench, reference)).state, mails: count(to) }
}

const count = (address: string) => server.mails.filter(({ to }) => to === address).length

test('a mail whose worker died before handing it over is sent after the claim has ended', async () => {
  const end = await killAt({ to: 'ada@killed.example', at: 'RCPT', answer: 'hang' })
  assert.deepEqual(end, { state: 'sent', mails: 1 })
})

test('killed between the beginning and the final dot, the mail is unknown and not sent again', async () => {
  const end = await killAt({ to: 'bea@killed.example', at: 'DATA', answer: 'stall' })
  assert.deepEqual(end, { state: 'unknown', mails: 0 })
})

test('killed after the server accepted the mail, the mail is not sent again', async () => {
  const accepted = { at: 'DOT', accepts: true, answer: 'hang' } as const
  const end = await killAt({ to: 'cleo@killed.example', ...accepted })
  assert.deepEqual(end, { state: 'unknown', mails: 1 })
})
