// For tests of requeries: a bank that speaks our own bank API over real HTTP, and a service that queries it
// on demand. The test decides which transfers the bank has, and whether it answers.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import { planRequeriesRound, requeryTransfersRound } from '#requery/workers.ts'
import { Sealer } from '#seal.ts'
import { startWithBanks } from './bank-calls.ts'
import { patientBatchPool } from './database.ts'
import { newSessionId } from './rail.ts'
import type { Bench } from './running-service.ts'

export const BANK = '035'
const API_KEY = 'test-bank-key'
const KEY_NAME = 'TEST_BANK_KEY'
const NEVER = new AbortController().signal

export type BankTransfer = {
  sessionId: string
  accountNumber: string
  amount: string
  transactionTime: string
}

// How the bank answers: correctly, with 500, never, or with 202 (still processing).
export type Mood = 'well' | 'failing' | 'silent' | 'in_progress'

// Starts the bank. `asked` records the URL of each request.
export async function startBank({ pageSize = 100 } = {}) {
  const transfers: Record<string, unknown>[] = []
  const urls: URL[] = []
  const state = { mood: 'well' as Mood, inFlight: 0, inFlightMost: 0 }
  const unanswered: ServerResponse[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bank')
    urls.push(url)
    state.inFlight++
    state.inFlightMost = Math.max(state.inFlightMost, state.inFlight)
    response.on('close', () => state.inFlight--)
    if (request.headers.authorization !== `Bearer ${API_KEY}`) return answer(response, 401, {})
    if (state.mood === 'silent') return void unanswered.push(response)
    if (state.mood === 'failing') return answer(response, 500, {})
    if (state.mood === 'in_progress') return answer(response, 202, {})
    // The path is /transfers for a list, or /transfers/<session id> for one transfer.
    const [, , sessionId] = url.pathname.split('/')
    if (sessionId === undefined) return answer(response, 200, list(url))
    const transfer = transfers.find((item) => item.sessionId === decodeURIComponent(sessionId))
    answer(response, transfer ? 200 : 404, transfer ?? {})
  })

  // A page of the transfers of a period, and of one account number if the query names it.
  function list({ searchParams }: URL) {
    const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '']
    const number = searchParams.get('accountNumber')
    const start = Number(searchParams.get('cursor') ?? 0)
    const matching = transfers.filter(
      ({ accountNumber, transactionTime: time }) =>
        (number === null || accountNumber === number) && String(time) >= from && String(time) <= to,
    )
    const hasMore = matching.length > start + pageSize
    return {
      data: matching.slice(start, start + pageSize),
      nextCursor: hasMore ? String(start + pageSize) : null,
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    transfers,
    asked: urls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const response of unanswered) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export type TestBank = Awaited<ReturnType<typeof startBank>>

const RANGES = {
  static: { from: 100_000_000, to: 100_999_999 },
  dynamic: { from: 200_000_000, to: 200_999_999 },
}

type Options = { settings?: object; env?: Record<string, string>; pageSize?: number }

// Starts the bank and a service that is connected to it.
export async function startRequeryBench({ settings = {}, env = {}, pageSize = 100 }: Options = {}) {
  const bank = await startBank({ pageSize })
  const connected = {
    code: BANK,
    ...RANGES,
    settings: { baseUrl: bank.url, timeoutMs: 20_000, ...settings },
    secrets: { apiKey: KEY_NAME },
  }
  const bench = await startWithBanks([connected], { [KEY_NAME]: API_KEY, ...env })
  const rounds = requeryRounds(bench)
  return {
    ...bench,
    bank,
    ...rounds,
    // Adds a transfer to the bank, which does not notify the service.
    transfer(accountNumber: string, amount: string, changes: object = {}): BankTransfer {
      const transactionTime = bench.clock().toISOString()
      const details = { accountNumber, amount, transactionTime, ...changes }
      const newTransfer = { sessionId: newSessionId(), ...details }
      bank.transfers.push(newTransfer)
      return newTransfer
    },
    async [Symbol.asyncDispose]() {
      await rounds.close()
      await bench[Symbol.asyncDispose]()
      await bank[Symbol.asyncDispose]()
    },
  }
}

export type RequeryBench = Awaited<ReturnType<typeof startRequeryBench>>

type Twin = Pick<Bench, 'config' | 'service' | 'database' | 'clock'>

// The rounds of the requery workers, run on demand: `plan` decides what to ask, `ask` queries the bank.
export function requeryRounds(
  { config, service, database, clock }: Twin,
  { connections = connectBanks(bankConfigurations(config)), bankCode = BANK } = {},
) {
  const { connectionString } = database
  const batchPool = patientBatchPool(connectionString, 2)
  const { data, hash } = config.secrets
  const deps = {
    db: service.db,
    batchPool,
    clock,
    sealer: new Sealer(data, hash),
    submitCredits: service.writers.credits.submitAll.bind(service.writers.credits),
  }
  const { graceSeconds } = config.policy
  const connection = connections.get(bankCode)
  if (!connection) throw new Error('the bank is not connected')
  const plan = planRequeriesRound({ ...deps, bankConnections: connections, graceSeconds })
  const ask = requeryTransfersRound(deps, { bankCode, connection })
  return {
    deps,
    connection,
    plan: () => plan(NEVER),
    askOnce: () => ask(NEVER),
    // Queries until nothing is due, or until the rate limit ends the round.
    async ask(): Promise<void> {
      while ((await ask(NEVER)).more);
    },
    close: () => batchPool.end(),
  }
}

// The stored requeries, by default of every reason.
export async function requeriesOf({ db }: Pick<Bench, 'db'>, reason?: string) {
  const { rows } = await db.query<{
    id: bigint
    reason: string
    state: string
    subject: string
    attempts: number
    dueAt: Date
    newCredits: number
  }>(
    `select id, reason, state, subject, attempts, due_at as "dueAt", new_credits as "newCredits"
       from requeries where $1::text is null or reason = $1 order by id`,
    [reason ?? null],
  )
  return rows
}
