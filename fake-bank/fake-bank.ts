// Runs one simulated bank on its own port: the bank's side of one connector, and the control API. If the
// caller passes a clock, as tests do, the bank sends nothing until the caller calls `sendDue`. Otherwise it
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

// Starts a simulated bank. Disposing it closes its port.
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
  const contractWatch = new ContractWatch(dialect.connector)
  const notifier = new Notifier({
    contractWatch,
    origin: requireLoopback(options.notify),
    bankCode,
    dialect,
    speaker,
    clock,
    random: seededRandom(seed),
    faults: { ...NO_FAULTS, ...options.faults },
    batch: options.batch ?? 1,
  })
  // A caller with a clock of its own, such as a test, calls sendDue() instead.
  const pump = options.clock ? undefined : startPump(notifier, clock)
  const wakePump = () => pump?.wake()
  bank.payouts.report = (news) => {
    notifier.addPayout(news)
    wakePump()
  }
  const app = await buildApp({ bank, notifier, wakePump, speaker, contractWatch })
  const url = await app.listen({ host: HOST, port: options.port ?? 0 })
  return {
    url,
    bank,
    notifier,
    // Violations of the provider's contract, on either side.
    violations: contractWatch.violations as readonly string[],
    banksFile: banksFileOf({ bankCode, dialect, url, credentials }),
    // Simulates a transfer to an account. Returns undefined if the account is blocked.
    transfer(order: TransferOrder, fate?: Fate) {
      const transfer = bank.receive(order)
      if (transfer) notifier.add(transfer, fate)
      wakePump()
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

// Builds the HTTP server with two APIs: the bank's own, which `speaker` serves as the provider's
// documentation says, and the control API, by which tests and developers steer the bank. `contractWatch`
// checks every call of the bank's own API against the provider's published contract.
async function buildApp({
  speaker,
  contractWatch,
  ...controlContext
}: Parameters<typeof controlRoutes>[1] & { speaker: Speaker; contractWatch: ContractWatch }) {
  const { bank, notifier, wakePump } = controlContext
  // For the banks whose API lets Manilla ask for the notifications of a period again.
  const resend = (from: Date, to: Date) => {
    notifier.resend(from, to)
    wakePump()
  }
  const app = fastify({ forceCloseConnections: true })
  watchCalls(app, contractWatch)
  // Separate scopes: the bank's own API checks credentials, the control API has none.
  await app.register(async (scope) => controlRoutes(scope, controlContext))
  await app.register(async (scope) => speaker.serve(scope, { bank, resend }))
  return app
}

// Checks every call of the bank's API, and its answer, against the provider's published contract.
function watchCalls(app: FastifyInstance, contractWatch: ContractWatch): void {
  const isControl = (url: string) => url.startsWith('/control/')
  app.addHook('preHandler', async ({ method, url, headers, body }) => {
    if (isControl(url)) return
    contractWatch.record((contract) => contract.checkRequest({ method, url, headers, body }))
  })
  app.addHook('onSend', async ({ method, url }, reply, payload) => {
    if (isControl(url)) return
    const answer = { httpStatus: reply.statusCode, body: readJson(String(payload)) }
    contractWatch.record((contract) => contract.checkAnswer({ method, url }, answer))
  })
}

// Sends notifications by the machine's clock: sleeps until the next one is due, and sends it. `wake` must
// be called when an earlier one was queued.
function startPump(notifier: Notifier, clock: Clock) {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  // Sets the timer for the notification that is due first, instead of the timer that was set before.
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

// Finds the dialect of a connector. The error names the connectors that have one.
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

// Returns the dialect's credentials with the caller's in place of the defaults. Refuses unknown names.
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

// Returns the entry of a second bank, which issues the numbers of payments when this bank cannot.
function leasingBank(firstBankCode: string) {
  const code = firstBankCode === '058' ? '035' : '058'
  const { dynamic } = NUMBERS
  return { code, name: findBank(code)?.name ?? '', railSecrets: [SANDBOX_RAIL_SECRET], dynamic }
}
