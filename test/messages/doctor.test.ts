// `manilla doctor` logs in at the mail server and connects to the SMS gateway, without sending anything.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { showMessages } from '#admin/database-commands.ts'
import { describeMessages, type MessagesState } from '../../cli/doctor-command.ts'
import { createTestDatabase } from '../support/database.ts'
import { startMailServer } from '../support/mail-server.ts'

test('the doctor signs in at the mail server, and says when it is refused or nothing is set', async () => {
  await using database = await createTestDatabase()
  const server = await startMailServer()
  const env = {
    MANILLA_SMTP_URL: `smtp://mailer:hunter2hunter2@127.0.0.1:${server.port}`,
    MANILLA_MAIL_FROM: 'Manilla <no-reply@pay.example>',
  }
  // The findings of the doctor's check of messages with these environment variables.
  const diagnose = async (settings: object) => {
    const { data } = await showMessages({ env: settings, db: database.pool } as never)
    return describeMessages(data as MessagesState).map(({ state, finding }) => ({ state, finding }))
  }

  assert.deepEqual(await diagnose(env), [
    { state: 'ok', finding: 'The mail server takes our credentials.' },
  ])
  const open = { ...env, MANILLA_SMTP_URL: `smtp://127.0.0.1:${server.port}` }
  assert.deepEqual(await diagnose(open), [
    { state: 'ok', finding: 'The mail server can be reached, without credentials.' },
  ])
  server.faults.push({ at: 'AUTH', answer: '535 5.7.8 wrong' })
  const [refused] = await diagnose(env)
  assert.equal(refused?.state, 'fail')
  assert.match(refused?.finding ?? '', /535 5\.7\.8/)
  await server.stop()
  assert.equal((await diagnose(env))[0]?.state, 'fail')
  assert.deepEqual(await diagnose({}), [{ state: 'warn', finding: 'No mail is sent.' }])
  assert.equal(server.mails.length, 0)
})

test('the doctor reaches the gateway without a message, also where no mail is set', async () => {
  await using database = await createTestDatabase()
  const methods: (string | undefined)[] = []
  // A gateway that records the method of each request and answers 405.
  const server = createServer((request, response) => {
    methods.push(request.method)
    response.writeHead(405).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  // The findings of the doctor's check of messages with a gateway and no mail server.
  const diagnose = async () => {
    const env = {
      MANILLA_MESSAGE_GATEWAY_URL: `http://127.0.0.1:${port}/send`,
      MANILLA_MESSAGE_GATEWAY_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    }
    const { data } = await showMessages({ env, db: database.pool } as never)
    return describeMessages(data as MessagesState).map(({ state, finding }) => ({ state, finding }))
  }

  const noMail = { state: 'warn', finding: 'No mail is sent.' }
  const reached = { state: 'ok', finding: 'The gateway of SMS and WhatsApp can be reached.' }
  assert.deepEqual(await diagnose(), [noMail, reached])
  assert.deepEqual(methods, ['HEAD'])
  await new Promise((resolve) => server.close(resolve))
  const [, refused] = await diagnose()
  assert.equal(refused?.state, 'fail')
  assert.match(refused?.finding ?? '', /could not be reached \(ECONNREFUSED\)/)
})
