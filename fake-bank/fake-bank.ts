// One simulated bank on its own port: the other side of one connector, and the control API. If the caller
// passes a clock, as tests do, the bank sends nothing until the caller calls `sendDue`. Otherwise the bank
// follows the machine's clock.

import fastify, { type FastifyInstance } from 'fastify'
import { findBank } from '#banks/directory.ts'
import { type Clock, systemClock } from '#clock.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { type Kobo, kobo } from '#money.ts'
import { Bank, type Fees, type TransferOrder } from './bank.ts'
import { ContractWatch } from './contract.ts'
import { controlRoutes } from './control.ts'
import { type Dialect, readJson, type Speaker } from './dialect.ts'
import { DIALECTS, findDialect } from './dialects.ts'
import { type Fate, type Faults, NO_FAULTS, seededRandom } from './faults.ts'
import { Notifier } from './notifier.ts'

const HOST = '127.0.0.1'
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const NUMBERS = {
  static: { from: 100_000_000, to: 499_999_999 },
  dynamic: { from: 500_000_000, to: 899_999_999 },
}

export type FakeBankOptions = {
  connector: string
  bankCode: string
  notify: string // Where Manilla listens.
  port?: number | undefined // Default: any free port.
  credentials?: Readonly<Record<string, string>> | undefined
  clock?: Clock | undefined
  seed?: number | undefined
  faults?: Partial<Faults> | undefined
  fees?: Partial<Fees> | undefined
  openingKobo?: Kobo | undefined
  batch?: number | undefined // Transfers in one notification. Default 1.
}

export type FakeBank = Awaited<ReturnType<typeof startFakeBank>>

export async function startFakeBank(options: FakeBankOptions) {
  const { bankCode, clock = systemClock, seed = 1 } = options
  const dialect = requireDialect(options.connector)
  const credentials = readCredentials(dialect, options.credentials ?? {})
  const speaker = dialect.speak({ bankCode, clock, credentials })
  const bank = new Bank({
    bankCode,
    clock,
    fees: { flatKobo: kobo(0n), basisPoints: 0n, ...options.fees },
    openingKobo: options.openingKobo ?? kobo(0n),
  })
  const watch = new ContractWatch(dialect.connector)
  const notifier = new Notifier({
    watch,
    origin: requireLoopback(options.notify),
    bankCode,
    dialect,
    speaker,
    clock,
    random: seededRandom(seed),
    faults: { ...NO_FAULTS, ...options.faults },
    batch: options.batch ?? 1,
  })
  const pump = options.clock ? undefined : startPump(notifier, clock)
  const changed = () => pump?.wake()
  bank.payouts.report = (news) => {
    notifier.addPayout(news)
    changed()
  }
  const app = await buildApp({ bank, notifier, changed, speaker, watch })
  const url = await app.listen({ host: HOST, port: options.port ?? 0 })
  return {
    url,
    bank,
    notifier,
    // Violations of the provider's contract, on either side.
    violations: watch.violations as readonly string[],
    banksFile: banksFileOf({ bankCode, dialect, url, credentials }),
    // Returns undefined if the account is blocked.
    transfer(order: TransferOrder, fate?: Fate) {
      const transfer = bank.receive(order)
      if (transfer) notifier.add(transfer, fate)
      changed()
      return transfer
    },
    // Sets the service's address, for a service that starts after its bank.
    notifyAt(origin: string) {
      notifier.origin = requireLoopback(origin)
    },
    sendDue: () => notifier.sendDue(),
    async [Symbol.asyncDispose]() {
      pump?.stop()
      await app.close()
      await notifier.close()
    },
  }
}

async function buildApp({
  speaker,
  watch,
  ...controlled
}: Parameters<typeof controlRoutes>[1] & { speaker: Speaker; watch: ContractWatch }) {
  const { bank, notifier, changed } = controlled
  const resend = (from: Date, to: Date) => {
    notifier.resend(from, to)
    changed()
  }
  const app = fastify({ forceCloseConnections: true })
  watchCalls(app, watch)
  // Separate scopes: the bank's own API checks credentials, the control API has none.
  await app.register(async (scope) => controlRoutes(scope, controlled))
  await app.register(async (scope) => speaker.serve(scope, { bank, resend }))
  return app
}

function watchCalls(app: FastifyInstance, watch: ContractWatch): void {
  const isControl = (url: string) => url.startsWith('/control/')
  app.addHook('preHandler', async ({ method, url, headers, body }) => {
    if (isControl(url)) return
    watch.record((contract) => contract.checkRequest({ method, url, headers, body }))
  })
  app.addHook('onSend', async ({ method, url }, reply, payload) => {
    if (isControl(url)) return
    const answer = { httpStatus: reply.statusCode, body: readJson(String(payload)) }
    watch.record((contract) => contract.checkAnswer({ method, url }, answer))
  })
}

// Wakes up when the next notification is due.
function startPump(notifier: Notifier, clock: Clock) {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const wake = () => {
    clearTimeout(timer)
    const dueMs = notifier.nextDueMs()
    if (isStopped || dueMs === undefined) return
    timer = setTimeout(
      () => void notifier.sendDue().then(wake),
      Math.max(0, dueMs - clock().getTime()),
    )
  }
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
  }
  return { wake, stop }
}

function requireDialect(connector: string): Dialect {
  const dialect = findDialect(connector)
  if (dialect) return dialect
  const known = DIALECTS.map((each) => each.connector).join(', ')
  throw new Error(`--connector "${connector}" is unknown; allowed: ${known}`)
}

// Refuses an address that is not this machine's. The bank's signatures are real, so it must not report money
// to any other service.
function requireLoopback(notify: string): string {
  const url = URL.parse(notify)
  if (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)) return url.origin
  throw new Error('--notify must be an http URL on this machine, such as http://localhost:8080')
}

function readCredentials(dialect: Dialect, credentials: Readonly<Record<string, string>>) {
  const known = Object.keys(dialect.credentials)
  const unknown = Object.keys(credentials).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(
      `connector ${dialect.connector} has no credential ${unknown}; it has: ${known.join(', ')}`,
    )
  }
  const defaults = Object.entries(dialect.credentials).map(([name, { value }]) => [name, value])
  return { ...(Object.fromEntries(defaults) as Record<string, string>), ...credentials }
}

// Returns the settings that Manilla needs: the entry in the banks file and the secrets that it names. If this
// bank issues no numbers for payments, adds another bank that does.
function banksFileOf({
  bankCode,
  dialect,
  url,
  credentials,
}: {
  bankCode: string
  dialect: Dialect
  url: string
  credentials: Readonly<Record<string, string>>
}) {
  const settings: Record<string, string> = {
    ...(dialect.hasApi ? { baseUrl: url } : {}),
    ...dialect.settings,
  }
  const secrets: Record<string, string> = {}
  const env: Record<string, string> = {}
  for (const [name, { variable }] of Object.entries(dialect.credentials)) {
    const value = credentials[name] as string
    if (variable === undefined) settings[name] = value
    else {
      secrets[name] = variable
      env[variable] = value
    }
  }
  const name = findBank(bankCode)?.name ?? `Bank ${bankCode}`
  const entry = {
    code: bankCode,
    name,
    connector: dialect.connector,
    settings,
    secrets,
    ...(dialect.numbers ? { numbers: dialect.numbers } : NUMBERS),
  }
  return { entry, others: dialect.numbers ? [leasingBank(bankCode)] : [], env }
}

function leasingBank(otherThan: string) {
  const code = otherThan === '058' ? '035' : '058'
  const { dynamic } = NUMBERS
  return { code, name: findBank(code)?.name ?? '', railSecrets: [SANDBOX_RAIL_SECRET], dynamic }
}
