// The real side of a simulation: two services on one database, like two processes, that can be
// restarted or cut off; and every operation of the model as its HTTP request.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import { expirePaymentsRound } from '#credits/workers.ts'
import type { Pool } from '#db/pool.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { createLogger } from '#log.ts'
import { createService, type Service } from '#wiring.ts'
import { patientBatchPool } from '../support/database.ts'
import { Model } from '../support/model.ts'
import { Books } from '../support/model-books.ts'
import { Client } from '../support/model-places.ts'
import { BUSY_FACTOR } from '../support/patience.ts'
import { signedHeaders } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

export const OPERATOR = 'MAN0000001'
export const CLIENTS = [OPERATOR, 'MAN0000002']
export const CLIENT_SECRETS: Record<string, string> = {
  [OPERATOR]: 'sandbox-secret',
  MAN0000002: 's3cret',
}

const QUARANTINE_DAYS = 1
const DAY_MS = 86_400_000
const COMPLAINTS_MAX = 5
const TOKEN_MS = 20 * 3_600_000 // A token lives for a day here.

// One bank has so few numbers that they run out, and come back.
export const SMALL_BANK = '058'
const BANKS = [
  { code: '035', name: 'Wema Bank', serials: 400_000 },
  { code: SMALL_BANK, name: 'Guaranty Trust Bank', serials: 60 },
  { code: '101', name: 'Providus Bank', serials: 400_000 },
]
export const BANK_CODES = BANKS.map((bank) => bank.code)

// The shape of Fastify's `inject` answer.
export type Reply = Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'json'>

// The parts of a service that a simulation needs, wherever it runs.
export type World = {
  db: Pool
  // Its clock cannot be moved, so the model cannot predict anything that depends on the time.
  isTimeless: boolean
  now(): number
  wait(ms: number): void
  expire(): Promise<void>
  complaints(): string // Errors logged since the last call.
  newModel(now?: number): Model
  call(client: string | null, url: string, body?: unknown, method?: 'PATCH'): Promise<Reply>
  report(path: string, body: unknown): Promise<Reply>
  // Credits that no bank reports: findings of a requery or a statement. Absent where a service is a
  // process.
  take?(credits: readonly IncomingCredit[]): ReturnType<Service['writers']['credits']['submitAll']>
}

export type MovedWorld = Awaited<ReturnType<typeof startWorld>>

export async function startWorld() {
  const bench = await startBench()
  await bench.newClient('MAN0000002')
  const { db, clock, config, database } = bench
  const { connectionString } = database
  const complaints: string[] = []
  const destination = { write: (line: string) => void complaints.push(line) }
  const log = createLogger({ level: 'error', destination })
  const start = () => createService({ config, connectionString, clock, log, patience: BUSY_FACTOR })
  const services: Service[] = [await start(), await start()]
  let turn = 0
  const tokenOf = tokensOf(bench)

  const next = () => services[++turn % services.length] as Service
  const inject = (request: InjectOptions) => next().app.inject(request)

  const world: World = {
    db,
    isTimeless: false,
    now: () => clock().getTime(),
    wait: bench.advance,
    complaints: () => complaints.splice(0).slice(-COMPLAINTS_MAX).join(''),
    newModel: (now = clock().getTime()) => newModel(now),
    async call(client: string | null, url: string, body?: unknown, method?: 'PATCH') {
      return inject({
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        url,
        headers: client === null ? {} : { authorization: `Bearer ${await tokenOf(client)}` },
        ...(body === undefined ? {} : { payload: body as object }),
      })
    },
    report(path: string, body: unknown) {
      const payload = JSON.stringify(body)
      const headers = signedHeaders(bench, payload)
      return inject({ method: 'POST', url: `/rails/${path}`, headers, payload })
    },
    take: (credits) => next().writers.credits.submitAll(credits),
    // A worker that starts, works until nothing is left, and stops.
    async expire() {
      const batchPool = patientBatchPool(connectionString, 1)
      const sharedAccounts = new SharedAccounts(db)
      const round = expirePaymentsRound({ batchPool, sharedAccounts, clock })
      while ((await round(new AbortController().signal)).more);
      await batchPool.end()
    },
  }
  return {
    ...world,
    // One process stops in good order while the other continues; a new one takes its place.
    async restart() {
      const old = services.shift() as Service
      services.push(await start())
      await old.close()
    },
    // As if all processes died: their connections break in the middle of their work.
    async cut() {
      await db.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await Promise.all(services.splice(0).map((service) => service.close()))
      services.push(await start(), await start())
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(services.map((service) => service.close()))
      await bench[Symbol.asyncDispose]()
    },
  }
}

// Logs in again before a token expires.
function tokensOf({ clock, login }: Bench) {
  const tokens = new Map<string, { token: string; atMs: number }>()
  return async (client: string): Promise<string> => {
    const atMs = clock().getTime()
    const known = tokens.get(client)
    if (known && atMs - known.atMs < TOKEN_MS) return known.token
    const token = await login(client, CLIENT_SECRETS[client])
    assert(token, `${client} cannot log in`)
    tokens.set(client, { token, atMs })
    return token
  }
}

export function newModel(now: number): Model {
  const numbersAt = new Map(BANKS.map(({ code, serials }) => [code, serials]))
  const books = new Books(now, QUARANTINE_DAYS * DAY_MS, numbersAt)
  for (const name of CLIENTS) books.clients.set(name, new Client(name, name === OPERATOR))
  return new Model(books)
}

// The settings of a service of this world; its banks are in a file in the folder.
export function settingsIn(folder: string): Record<string, string> {
  const path = join(folder, 'banks.json')
  const banks = BANKS.map(({ code, name, serials }, at) => {
    const base = 100_000_000 * (at + 1)
    return {
      code,
      name,
      static: { from: base, to: base + 99_999 },
      dynamic: { from: base + 100_000, to: base + 100_000 + serials - 1 },
      railSecrets: [SANDBOX_RAIL_SECRET],
    }
  })
  writeFileSync(path, JSON.stringify(banks))
  return {
    MANILLA_BANKS_FILE: path,
    MANILLA_QUARANTINE_DAYS: `${QUARANTINE_DAYS}`,
    MANILLA_TOKEN_TTL_SECONDS: '86400',
  }
}

async function startBench() {
  using folder = createTempFolder()
  return await startTestService({ env: settingsIn(folder.path) })
}
