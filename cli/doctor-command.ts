// `manilla doctor`: lists problems with their remedies. Changes nothing. Each check of the service needs
// the checks before it.

import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { type Options, print, type Run, type Service } from './command-context.ts'
import { chooseUrl, credentialsFile, isLoopback } from './credentials.ts'
import { loadDatabase, loadMessages } from './operator-commands.ts'
import { describeFailure, EXIT, type ExitCode, reasonOf } from './problems.ts'
import { type Color, cleanText, paint } from './table.ts'

const NODE_MIN = [24, 12]
const TIMEOUT_MS = 5_000
const CLOCK_SECONDS_MAX = 30 // Webhook signatures tolerate 300.
const VERSION_BYTES_MAX = 4_096

type Check = {
  state: 'ok' | 'warn' | 'fail'
  name: string
  finding: string
  remedy?: string
  exitCode?: ExitCode
}

const COLORS: Record<Check['state'], Color> = { ok: 'green', warn: 'yellow', fail: 'red' }

export function addDoctorCommand(program: Command, run: Run): void {
  program
    .command('doctor')
    .description(
      'Diagnose: Node, the service and its database, clocks, credentials, webhooks, alerts; with ' +
        'DATABASE_URL, also the database hosts, their replication and the mail server. Exit code 0 ' +
        'when nothing fails.',
    )
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const [service, database, messages] = await Promise.all([
        checkService(run, options),
        checkDatabase(run),
        checkMessages(run),
      ])
      const checks = [...service, ...database, ...messages]
      const failed = checks.find(({ state }) => state === 'fail')
      const lines = checks.map(({ state, name, finding, remedy }) => {
        const mark = paint(run.terminal, COLORS[state], state.padEnd(4))
        return `${mark}  ${name.padEnd(12)}  ${cleanText(finding)}${remedy ? ` ${cleanText(remedy)}` : ''}`
      })
      const exitCode = failed?.exitCode ?? (failed ? EXIT.refused : EXIT.done)
      print(run, options, { data: { checks }, text: lines.join('\n'), exitCode })
    })
}

// Checks the service through its API. Without an answer to /health, the later checks would only repeat that
// the service cannot be reached.
async function checkService(run: Run, options: Options): Promise<Check[]> {
  const url = chooseUrl(run.terminal, options.url)
  const checks = [checkNode(process.version), checkUrl(url)]
  const health = await probe(run, `${url}/health`)
  checks.push(checkReach(url, health))
  if (!('response' in health) || !health.response.ok) return checks
  checks.push(await checkVersion(run, url), checkClock(run.terminal.now(), health.response))
  checks.push(checkReady(await probe(run, `${url}/ready`)))
  return [...checks, ...(await checkClient(run, options))]
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = NODE_MIN
  const isFine = major > minMajor || (major === minMajor && minor >= minMinor)
  const name = 'Node'
  if (isFine) return { state: 'ok', name, finding: version }
  const remedy = `Install ${NODE_MIN.join('.')} or newer, or run npm ci --include=optional.`
  return { state: 'fail', name, finding: `${version} is too old.`, remedy }
}

function checkUrl(url: string): Check {
  const name = 'URL'
  if (url.startsWith('https:') || isLoopback(url)) return { state: 'ok', name, finding: url }
  const remedy = 'Secrets can be read on the way. Use https.'
  return { state: 'warn', name, finding: `${url} is not encrypted.`, remedy }
}

type Probe = { response: Response } | { reason: string }

// Requests a URL, which may fail: the reason is then a finding of the doctor.
async function probe({ terminal }: Run, url: string): Promise<Probe> {
  const signal = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return { response: await terminal.fetch(url, { signal, redirect: 'manual' }) }
  } catch (error) {
    terminal.interrupted.throwIfAborted()
    const isLate = (error as Error).name === 'TimeoutError'
    return { reason: isLate ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error) }
  }
}

function checkReach(url: string, health: Probe): Check {
  const name = 'Service'
  const exitCode = EXIT.unreachable
  if ('reason' in health) {
    const finding = `Cannot reach ${url} (${health.reason}).`
    const remedy = 'Start it with manilla start, or set MANILLA_URL.'
    return { state: 'fail', name, finding, remedy, exitCode }
  }
  const { ok, status } = health.response
  if (ok) return { state: 'ok', name, finding: 'It answers.' }
  const finding = `${url} does not answer like Manilla (HTTP ${status}).`
  return { state: 'fail', name, finding, remedy: 'Check the URL.', exitCode }
}

// Checks the version of the service. It is at the start of the API description, so the rest is not read.
async function checkVersion(run: Run, url: string): Promise<Check> {
  const name = 'Version'
  const answer = await probe(run, `${url}/openapi.json`)
  let text = ''
  if ('response' in answer && answer.response.ok) {
    for await (const bytes of answer.response.body ?? []) {
      text += Buffer.from(bytes).toString('utf8')
      if (text.length > VERSION_BYTES_MAX) break
    }
  }
  const version = /"version":\s*"([^"]+)"/.exec(text)?.[1]
  if (version) return { state: 'ok', name, finding: `API ${version}` }
  return { state: 'warn', name, finding: 'The service does not tell its version.' }
}

// Compares the clocks by the Date header of a response.
export function checkClock(now: Date, { headers }: Response): Check {
  const name = 'Clock'
  const serviceTimeMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(serviceTimeMs)) {
    return { state: 'warn', name, finding: 'The service does not tell its time.' }
  }
  const seconds = Math.round(Math.abs(now.getTime() - serviceTimeMs) / 1000)
  if (seconds <= CLOCK_SECONDS_MAX) {
    return { state: 'ok', name, finding: `${seconds} s from the service's.` }
  }
  const remedy = 'Synchronise this machine and the service’s (NTP): signatures depend on it.'
  return { state: 'warn', name, finding: `${seconds} s from the service's.`, remedy }
}

// /ready answers once the service can use its database.
function checkReady(ready: Probe): Check {
  const name = 'Database'
  if ('response' in ready && ready.response.ok) {
    return { state: 'ok', name, finding: 'Reachable, writable and migrated.' }
  }
  const finding = 'The service is not ready: it starts, stops, or cannot use its database.'
  const remedy = 'See its log, DATABASE_URL, and manilla migrate.'
  return { state: 'fail', name, finding, remedy, exitCode: EXIT.unreachable }
}

// Checks the credentials with the first request, then all that needs them.
async function checkClient(run: Run, options: Options): Promise<Check[]> {
  let service: Service
  try {
    service = run.connect(options)
    const { manilla, clientId, source } = service
    const signal = run.terminal.interrupted
    // Only tests the credentials: any request needs a token, and the answer is not used.
    await unlessForbidden(manilla.request('get', '/api/v1/limits', { signal }))
    const sourceNames = {
      environment: 'the environment',
      login: 'manilla login',
      demo: 'the sandbox',
    }
    const finding = `Signed in as ${clientId} (from ${sourceNames[source]}).`
    const signedIn: Check = { state: 'ok', name: 'Credentials', finding }
    const checks = [signedIn, ...checkCredentialsFile(run), await checkEndpoints(service, signal)]
    return [...checks, await checkAlerts(service, signal)]
  } catch (error) {
    run.terminal.interrupted.throwIfAborted()
    const failure = describeFailure(error, { url: run.url, isInterrupted: false })
    if (!failure) throw error
    const { sentence: finding, exitCode } = failure
    return [{ state: 'fail', name: 'Credentials', finding, exitCode }]
  }
}

// Returns undefined if the client lacks the scope, because the doctor then skips this check.
async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if ((error as { status?: number }).status === 403) return undefined
    throw error
  }
}

// Warns if other users of this machine may read the stored secret.
function checkCredentialsFile({ terminal }: Run): Check[] {
  const file = credentialsFile(terminal)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & 0o077) === 0) return []
  const finding = `${file} can be read by others.`
  return [{ state: 'warn', name: 'Credentials', finding, remedy: `Run chmod 600 ${file}.` }]
}

// Warns about endpoints that fail or are switched off, and about other failing destinations.
async function checkEndpoints({ manilla }: Service, signal: AbortSignal): Promise<Check> {
  const name = 'Webhooks'
  const endpoints = await unlessForbidden(
    manilla.request('get', '/api/v1/webhook-endpoints', { signal }),
  )
  if (!endpoints) return { state: 'warn', name, finding: 'Not checked: needs webhooks:read.' }
  const failing = endpoints.filter(({ isActive, health }) => !isActive || health.failingSince)
  const remedy = 'See why in the dashboard under Webhooks, then manilla events list --undelivered.'
  if (failing.length === 0) {
    // The overview also counts failing URLs of accounts and payments, which are no registered endpoints.
    const overview = await unlessForbidden(manilla.request('get', '/api/v1/overview', { signal }))
    const count = overview?.failingWebhooks ?? 0
    const finding = `${count} ${count === 1 ? 'destination fails' : 'destinations fail'}.`
    if (count > 0) return { state: 'warn', name, finding, remedy }
    return { state: 'ok', name, finding: acceptingText(endpoints.length) }
  }
  const urls = failing.map(({ url }) => url).join(', ')
  return { state: 'warn', name, finding: `${failing.length} failing or off: ${urls}.`, remedy }
}

function acceptingText(endpoints: number): string {
  if (endpoints === 0) return 'No endpoints.'
  return endpoints === 1 ? '1 endpoint accepts events.' : `${endpoints} endpoints accept events.`
}

// Shows the first open alert with its remedy; only operators see alerts.
async function checkAlerts({ manilla }: Service, signal: AbortSignal): Promise<Check> {
  const name = 'Alerts'
  const query = { open: 'true' } as never
  const alerts = await unlessForbidden(
    manilla.request('get', '/api/v1/operator/alerts', { query, signal }),
  )
  if (!alerts) return { state: 'ok', name, finding: 'Not checked: for operators.' }
  const [first] = alerts
  if (!first) return { state: 'ok', name, finding: 'None.' }
  const more = alerts.length > 1 ? ` (and ${alerts.length - 1} more)` : ''
  return { state: 'warn', name, finding: `${first.title}${more}.`, remedy: first.remedy }
}

// The data that src/admin/database-commands.ts returns.
type DatabaseState = {
  hosts: { host: string; state: string; reason?: string; isUsed: boolean }[]
  version: string
  versionProblem: { sentence: string; isRefused: boolean } | null
  isSynchronous: boolean
  synchronousCommit: string
  synchronousStandbyNames: string
  standbys: number
}

// Checks the database hosts like `manilla admin database`, on the service's own machine, where DATABASE_URL
// is set.
async function checkDatabase({ terminal }: Run): Promise<Check[]> {
  if (!terminal.env.DATABASE_URL) return []
  try {
    const { data } = await terminal.operate({ load: loadDatabase, options: {}, subject: '' })
    return describeDatabase(data as DatabaseState)
  } catch (error) {
    const failure = describeFailure(error, { url: undefined, isInterrupted: false })
    if (!failure) throw error
    const { sentence: finding } = failure
    return [{ state: 'fail', name: 'Hosts', finding, exitCode: EXIT.unreachable }]
  }
}

// Tries the mail server and the message gateway from the service's own machine, where DATABASE_URL is set.
async function checkMessages({ terminal }: Run): Promise<Check[]> {
  if (!terminal.env.DATABASE_URL) return []
  try {
    const { data } = await terminal.operate({ load: loadMessages, options: {}, subject: '' })
    return describeMessages(data as MessagesState)
  } catch (error) {
    const failure = describeFailure(error, { url: undefined, isInterrupted: false })
    if (!failure) throw error
    return [{ state: 'fail', name: 'Messages', finding: failure.sentence }]
  }
}

type Sending = { problem: string | null } | null
export type MessagesState = {
  mail: { problem: string | null; isSignedIn: boolean } | null // Whether the setting has credentials.
  gateway: Sending
}

const SIGNED_IN = 'The mail server takes our credentials.'
const NO_MAIL =
  'Set MANILLA_SMTP_URL and MANILLA_MAIL_FROM, or invitations and alerts reach nobody in live mode.'

// One line for each channel that is set up, and a warning if mail is not.
export function describeMessages({ mail, gateway }: MessagesState): Check[] {
  const name = 'Messages'
  const missingMail: Check[] = mail
    ? []
    : [{ state: 'warn', name, finding: 'No mail is sent.', remedy: NO_MAIL }]
  const channels: [string, Sending][] = [
    [mail?.isSignedIn ? SIGNED_IN : 'The mail server can be reached, without credentials.', mail],
    ['The gateway of SMS and WhatsApp can be reached.', gateway],
  ]
  // A channel that is not set up has no check.
  const results = channels.flatMap(([finding, sending]): Check[] => {
    if (!sending) return []
    const { problem } = sending
    if (!problem) return [{ state: 'ok', name, finding }]
    const remedy = 'Correct the setting; messages wait meanwhile (docs/messages.md).'
    return [{ state: 'fail', name, finding: `${problem}.`, remedy }]
  })
  return [...missingMail, ...results]
}

export function describeDatabase(database: DatabaseState): Check[] {
  return [describeHosts(database), describeVersion(database), describeReplication(database)]
}

// The version that the database server in use has.
function describeVersion({ version, versionProblem }: DatabaseState): Check {
  const name = 'PostgreSQL'
  if (!versionProblem) return { state: 'ok', name, finding: `${version}.` }
  const { sentence: finding, isRefused } = versionProblem
  const remedy = 'See docs/operating.md, PostgreSQL versions.'
  return { state: isRefused ? 'fail' : 'warn', name, finding, remedy }
}

// Exactly one host must be writable. With two, both take writes that the other lacks.
function describeHosts({ hosts }: DatabaseState): Check {
  const name = 'Hosts'
  const finding = hosts
    .map(({ host, state, reason, isUsed }) => {
      return `${host} is ${state}${reason ? ` (${reason})` : ''}${isUsed ? ' and used' : ''}`
    })
    .join('; ')
  const writableHosts = hosts.filter(({ state }) => state === 'writable')
  if (writableHosts.length > 1) {
    const remedy = 'Two servers take writes: stop the one that was replaced, at once.'
    return { state: 'fail', name, finding: `${finding}.`, remedy }
  }
  const areAllReachable = hosts.every(({ state }) => state !== 'unreachable')
  if (writableHosts.length === 1 && areAllReachable)
    return { state: 'ok', name, finding: `${finding}.` }
  const remedy = areAllReachable ? 'Promote one.' : 'While a host is away, one less may fail.'
  const state = writableHosts.length === 1 ? 'warn' : 'fail'
  return { state, name, finding: `${finding}.`, remedy }
}

// With synchronous replication and no standby, commits wait forever. Without it, a failover may lose work.
function describeReplication(database: DatabaseState): Check {
  const { hosts, isSynchronous, synchronousCommit, synchronousStandbyNames, standbys } = database
  const name = 'Replication'
  const following = standbys === 1 ? '1 standby follows' : `${standbys} standbys follow`
  const settings =
    `synchronous_commit is ${synchronousCommit}, ` +
    `synchronous_standby_names ${synchronousStandbyNames || 'empty'}`
  if (isSynchronous && standbys > 0) {
    return { state: 'ok', name, finding: `Synchronous (${settings}); ${following}.` }
  }
  if (isSynchronous) {
    const finding = `Synchronous (${settings}), and no standby follows: nothing can be written.`
    return { state: 'fail', name, finding, remedy: 'Start a standby.' }
  }
  if (hosts.length < 2 && standbys === 0) return { state: 'ok', name, finding: 'No standby.' }
  const finding = `Not synchronous (${settings}); ${following}.`
  const remedy = 'A failover may lose acknowledged work: docs/operating.md, High availability.'
  return { state: 'warn', name, finding, remedy }
}
