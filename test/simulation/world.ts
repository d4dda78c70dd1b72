// The real side of a simulation: two services on one database, as two processes would be, which can be
// restarted or cut off from the database.

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

// This bank has so few numbers that they run out, and become free again after their quarantine.
export const SMALL_BANK = '058'
const BANKS = [
  { code: '035', name: 'Wema Bank', serials: 400_000 },
  { code: SMALL_BANK, name: 'Guaranty Trust Bank', serials: 60 },
  { code: '101', name: 'Providus Bank', serials: 400_000 },
]
export const BANK_CODES = BANKS.map((bank) => bank.code)

// The shape of Fastify's `inject` answer.
export type Reply = Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'json'>

// A running service as a simulation uses it: two services in this process, or the program as other processes.
export type World = {
  db: Pool
  // Whether the clock cannot be moved, so that the model cannot predict what depends on the time.
  isTimeless: boolean
  now(): number
  wait(ms: number): void
  expire(): Promise<void>
  complaints(): string // Errors logged since the last call.
  newModel(now?: number): Model
  call(client: string | null, url: string, body?: unknown, method?: 'PATCH'): Promise<Reply>
  report(path: string, body: unknown): Promise<Reply>
  // Submits credits that a requery or a statement found. Absent where the service is another process.
  take?(credits: readonly IncomingCredit[]): ReturnType<Service['writers']['credits']['submitAll']>
}

export type MovedWorld = Awaited<ReturnType<typeof startWorld>>

// Starts both services. Requests go to them in turn.
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
    // Runs the expiry worker until no payment is due.
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
    // One service stops in an orderly way, while the other continues, and a new one takes its place.
    async restart() {
      const old = services.shift() as Service
      services.push(await start())
      await old.close()
    },
    // Breaks all database connections in the middle of the services' work, as if all processes died, and
    // starts new services.
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

// Returns a function for a client's token, which is renewed before it expires.
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

// A model of this world in which nothing has happened yet.
export function newModel(now: number): Model {
  const numbersAt = new Map(BANKS.map(({ code, serials }) => [code, serials]))
  const books = new Books(now, QUARANTINE_DAYS * DAY_MS, numbersAt)
  for (const name of CLIENTS) books.clients.set(name, new Client(name, name === OPERATOR))
  return new Model(books)
}

// The environment of a service of this world. Writes its banks to a file in the folder.
export function settingsIn(folder: string): Record<string, string> {
  const path = join(folder, 'banks.json')
  // Each bank has 100,000 permanent numbers and `serials` numbers for payments.
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

// Starts a service with the banks of the simulation.
async function startBench() {
  using folder = createTempFolder()
  return await startTestService({ env: settingsIn(folder.path) })
}
