// A bank that reserves, renames and blocks accounts over HTTP, and fails as the test says. It is the other
// side of src/banks/manilla/connector.ts.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refillNumberPoolsRound, sendBankChangesRound } from '#accounts/workers.ts'
import { connectBanks } from '#banks/connectors.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import { createLogger } from '#log.ts'
import type { Round } from '#workers/loop.ts'
import { startWithBanks } from './bank-calls.ts'
import type { Bench } from './running-service.ts'

export type BankCall = { method: string; path: string; body: Record<string, unknown> }

// How the bank reacts to a call: with the test's response, by breaking the connection, by staying silent, or
// as usual.
type Behaviour = (
  call: BankCall,
) => { status: number; body: object } | 'break' | 'hang' | 'as usual' | Promise<'as usual'>

const API_KEY = 'the-key-of-the-bank'

export type ReservingBank = Awaited<ReturnType<typeof startReservingBank>>

// Starts a bank whose account numbers start with `prefix`.
export async function startReservingBank(prefix = '91') {
  const calls: BankCall[] = []
  const byReference = new Map<unknown, string>()
  const accounts = new Map<string, { name: unknown; isActive: boolean }>()
  let behaviour: Behaviour = () => 'as usual'

  // Reserves a number, the same one for the same reference; or renames or blocks an account.
  function answerAsUsual({ method, path, body }: BankCall): { status: number; body: object } {
    if (method === 'POST' && path === '/accounts') {
      const next = `${prefix}${String(accounts.size + 1).padStart(10 - prefix.length, '0')}`
      const accountNumber = byReference.get(body.reference) ?? next
      byReference.set(body.reference, accountNumber)
      accounts.set(accountNumber, { name: body.accountName, isActive: true })
      return { status: 200, body: { accountNumber, accountName: body.accountName } }
    }
    const account = accounts.get(path.slice('/accounts/'.length))
    if (method !== 'PATCH' || !account) return { status: 404, body: {} }
    if (body.accountName !== undefined) account.name = body.accountName
    if (body.isActive !== undefined) account.isActive = body.isActive === true
    return { status: 200, body: {} }
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const call = {
      method: String(request.method),
      path: String(request.url),
      body: JSON.parse(text),
    }
    calls.push(call)
    const isAuthorized = request.headers.authorization === `Bearer ${API_KEY}`
    const reaction = isAuthorized ? await behaviour(call) : { status: 401, body: {} }
    if (reaction === 'hang') return
    if (reaction === 'break') return void response.destroy()
    const { status, body } = reaction === 'as usual' ? answerAsUsual(call) : reaction
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    accounts,
    answerAsUsual,
    behave: (next: Behaviour) => {
      behaviour = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Pool = { static?: number; dynamic?: number; accountName?: string }

// The service's settings for the bank. `pool` says how many reserved numbers to keep ready.
export function reservingSettings(code: string, bank: ReservingBank, pool: Pool) {
  return {
    code,
    numbers: 'reserved' as const,
    pool,
    settings: { baseUrl: bank.url, timeoutMs: 2_000 },
    secrets: { apiKey: 'BANK_API_KEY' },
  }
}

type Others = Parameters<typeof startWithBanks>[0]

const WITH_RANGES: Others = [
  {
    code: '058',
    static: { from: 300_000_000, to: 300_000_999 },
    dynamic: { from: 400_000_000, to: 400_000_999 },
  },
]

// Starts a service with two banks: 035 reserves its numbers and issues the collection accounts; 058 has
// ranges of numbers.
export function startWithReserving(bank: ReservingBank, pool: Pool, others = WITH_RANGES) {
  return startWithBanks([reservingSettings('035', bank, pool), ...others], {
    BANK_API_KEY: API_KEY,
  })
}

async function runUntilNothingIsDue(round: Round): Promise<void> {
  while ((await round(new AbortController().signal)).more);
}

// The dependencies of the workers for bank numbers.
function workerDeps({ config, service, clock }: Bench) {
  const bankConnections = connectBanks(bankConfigurations(config))
  const log = createLogger({ level: 'silent' })
  const nameStyle = config.policy.accountName
  return { db: service.db, clock, log, banks: config.banks, bankConnections, nameStyle }
}

// Runs the worker that reserves numbers until the pools are full.
export const refillPools = (bench: Bench) =>
  runUntilNothingIsDue(refillNumberPoolsRound(workerDeps(bench)))
// Runs the worker that tells the bank of renamed and blocked accounts.
export const sendBankChanges = (bench: Bench) =>
  runUntilNothingIsDue(sendBankChangesRound(workerDeps(bench)))

// How many reserved numbers of a bank are in each state, by "purpose state".
export async function poolStates({ db }: Pick<Bench, 'db'>, bankCode = '035') {
  const { rows } = await db.query<{ name: string; count: number }>(
    `select purpose || ' ' || state as name, count(*)::int as count from reserved_numbers
      where bank_code = $1 group by 1 order by 1`,
    [bankCode],
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

// The alerts that are not cleared, as "kind subject".
export async function standingAlerts({ db }: Pick<Bench, 'db'>): Promise<string[]> {
  const { rows } = await db.query<{ alert: string }>(
    `select kind || ' ' || subject as alert from alerts where cleared_at is null order by 1`,
  )
  return rows.map(({ alert }) => alert)
}
