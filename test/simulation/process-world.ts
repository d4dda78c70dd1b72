// A world of the simulation whose service is the real program: two HTTP processes on one port, which share
// the connections. It uses the machine's clock, so the simulation cannot let time pass.

import assert from 'node:assert/strict'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { systemClock } from '#clock.ts'
import { startChild } from '../support/child-service.ts'
import { createTestDatabase } from '../support/database.ts'
import { signedHeaders } from '../support/rail.ts'
import { addClient } from '../support/running-service.ts'
import { SECRETS } from '../support/settings.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { CLIENT_SECRETS, CLIENTS, newModel, type Reply, settingsIn, type World } from './world.ts'

const PROCESSES = 2

// Starts the program, on a private database.
export async function startProcessWorld() {
  const folder = createTempFolder()
  const database = await createTestDatabase()
  const env = {
    ...SECRETS,
    ...settingsIn(folder.path),
    DATABASE_URL: database.connectionString,
    MANILLA_PROCESSES: `${PROCESSES}`,
  }
  const service = await startChild({ folder: folder.path, env })
  await addClients(database.pool)
  const tokens = new Map<string, string>()

  async function ask(path: string, init: RequestInit): Promise<Reply> {
    const response = await fetch(`${service.url}${path}`, init)
    const body = await response.text()
    return { statusCode: response.status, body, json: () => JSON.parse(body) }
  }
  // Logs in as the client at the first call, and then returns the same token.
  async function tokenOf(clientId: string): Promise<string> {
    const known = tokens.get(clientId)
    if (known) return known
    const body = JSON.stringify({ clientId, clientSecret: CLIENT_SECRETS[clientId] })
    const headers = { 'content-type': 'application/json' }
    const answer = await ask('/api/Account/login', { method: 'POST', headers, body })
    const token: string = answer.json().access_token
    assert(token, `${clientId} cannot log in`)
    tokens.set(clientId, token)
    return token
  }

  const world: World = {
    db: database.pool,
    isTimeless: true,
    now: () => systemClock().getTime(),
    wait: () => assert.fail('time cannot be moved here'),
    expire: async () => {}, // The workers do it by themselves; nothing expires so soon.
    complaints: () => '',
    newModel: (now = systemClock().getTime()) => newModel(now),
    async call(client, url, body, method) {
      return ask(url, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(client === null ? {} : { authorization: `Bearer ${await tokenOf(client)}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    },
    report(path, body) {
      const text = JSON.stringify(body)
      const headers = signedHeaders({ clock: systemClock }, text)
      return ask(`/rails/${path}`, { method: 'POST', headers, body: text })
    },
  }
  return {
    ...world,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

// Inserts the simulation's clients except the sandbox's, which exists.
async function addClients(db: World['db']): Promise<void> {
  for (const clientId of CLIENTS.filter((name) => name !== SANDBOX_CLIENT.clientId)) {
    const secret = CLIENT_SECRETS[clientId] as string
    await addClient(db, systemClock(), { clientId, secret })
  }
}
