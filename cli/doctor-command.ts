// `manilla doctor`: lists problems with their remedies. Changes nothing. Each check of the service needs
// the checks before it.

import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { type Options, print, type Run, type Service } from './command-context.ts'
import { chooseUrl, credentialsFile, isLoopback } from './credentials.ts'
import { loadDatabase, loadMessages } from './operator-commands.ts'
import { describeFailure, EXIT, type ExitCode, reasonOf } from './problems.ts'
import { type Color, paint, plain } from './table.ts'

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
        return `${mark}  ${name.padEnd(12)}  ${plain(finding)}${remedy ? ` ${plain(remedy)}` : ''}`
      })
      const exitCode = failed?.exitCode ?? (failed ? EXIT.refused : EXIT.done)
      print(run, options, { data: { checks }, text: lines.join('\n'), exitCode })
    })
}

async function checkService(run: Run, options: Options): Promise<Check[]> {
  const url = chooseUrl(run.terminal, options.url)
  const checks = [checkNode(process.version), checkUrl(url)]
  const health = await look(run, `${url}/health`)
  checks.push(checkReach(url, health))
  if (!('response' in health) || !health.response.ok) return checks
  checks.push(await checkVersion(run, url), checkClock(run.terminal.now(), health.response))
  checks.push(checkReady(await look(run, `${url}/ready`)))
  return [...checks, ...(await checkClient(run, options))]
}

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  const [least = 0, then = 0] = NODE_MIN
  const isFine = major > least || (major === least && minor >= then)
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

type Look = { response: Response } | { reason: string }

async function look({ terminal }: Run, url: string): Promise<Look> {
  const signal = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return { response: await terminal.fetch(url, { signal, redirect: 'manual' }) }
  } catch (error) {
    terminal.interrupted.throwIfAborted()
    const isLate = (error as Error).name === 'TimeoutError'
    return { reason: isLate ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error) }
  }
}

function checkReach(url: string, health: Look): Check {
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
  const answer = await look(run, `${url}/openapi.json`)
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

export function checkClock(now: Date, { headers }: Response): Check {
  const name = 'Clock'
  const theirs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(theirs)) {
    return { state: 'warn', name, finding: 'The service does not tell its time.' }
  }
  const seconds = Math.round(Math.abs(now.getTime() - theirs) / 1000)
  if (seconds <= CLOCK_SECONDS_MAX) {
    return { state: 'ok', name, finding: `${seconds} s from the service's.` }
  }
  const remedy = 'Synchronise this machine and the service’s (NTP): signatures depend on it.'
  return { state: 'warn', name, finding: `${seconds} s from the service's.`, remedy }
}

function checkReady(ready: Look): Check {
  const name = 'Database'
  if ('response' in ready && ready.response.ok) {
    return { state: 'ok', name, finding: 'Reachable, writable and migrated.' }
  }
  const finding = 'The service is not ready: it starts, stops, or cannot use its database.'
  const remedy = 'See its log, DATABASE_URL, and manilla migrate.'
  return { state: 'fail', name, finding, remedy, exitCode: EXIT.unreachable }
}

async function checkClient(run: Run, options: Options): Promise<Check[]> {
  let service: Service
  try {
    service = run.connect(options)
    const { manilla, clientId, source } = service
    const signal = run.terminal.interrupted
    await unlessForbidden(manilla.request('get', '/api/v1/limits', { signal }))
    const from = { environment: 'the environment', login: 'manilla login', demo: 'the sandbox' }
    const finding = `Signed in as ${clientId} (from ${from[source]}).`
    const signedIn: Check = { state: 'ok', name: 'Credentials', finding }
    const checks = [signedIn, ...checkFile(run), await checkEndpoints(service, signal)]
    return [...checks, await checkAlerts(service, signal)]
  } catch (error) {
    run.terminal.interrupted.throwIfAborted()
    const failure = describeFailure(error, { url: run.url, isInterrupted: false })
    if (!failure) throw error
    const { sentence: finding, exitCode } = failure
    return [{ state: 'fail', name: 'Credentials', finding, exitCode }]
  }
}

// Returns undefined if the client lacks the scope.
async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if ((error as { status?: number }).status === 403) return undefined
    throw error
  }
}

function checkFile({ terminal }: Run): Check[] {
  const file = credentialsFile(terminal)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & 0o077) === 0) return []
  const finding = `${file} can be read by others.`
  return [{ state: 'warn', name: 'Credentials', finding, remedy: `Run chmod 600 ${file}.` }]
}

async function checkEndpoints({ manilla }: Service, signal: AbortSignal): Promise<Check> {
  const name = 'Webhooks'
  const endpoints = await unlessForbidden(
    manilla.request('get', '/api/v1/webhook-endpoints', { signal }),
  )
  if (!endpoints) return { state: 'warn', name, finding: 'Not checked: needs webhooks:read.' }
  const failing = endpoints.filter(({ isActive, health }) => !isActive || health.failingSince)
  const remedy = 'See why in the dashboard under Webhooks, then manilla events list --undelivered.'
  if (failing.length === 0) {
    // Includes the URLs of accounts and payments, which are not endpoints.
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

// The output of src/admin/database-commands.ts.
type DatabaseState = {
  hosts: { host: string; state: string; reason?: string; isUsed: boolean }[]
  isSynchronous: boolean
  synchronousCommit: string
  synchronousStandbyNames: string
  standbys: number
}

// Checks the database like `manilla admin database`. Only on the service's own machine, where DATABASE_URL is
// set.
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

export function describeMessages({ mail, gateway }: MessagesState): Check[] {
  const name = 'Messages'
  const lack: Check[] = mail
    ? []
    : [{ state: 'warn', name, finding: 'No mail is sent.', remedy: NO_MAIL }]
  const found: [string, Sending][] = [
    [mail?.isSignedIn ? SIGNED_IN : 'The mail server can be reached, without credentials.', mail],
    ['The gateway of SMS and WhatsApp can be reached.', gateway],
  ]
  const results = found.flatMap(([finding, sending]): Check[] => {
    if (!sending) return []
    const { problem } = sending
    if (!problem) return [{ state: 'ok', name, finding }]
    const remedy = 'Correct the setting; messages wait meanwhile (docs/messages.md).'
    return [{ state: 'fail', name, finding: `${problem}.`, remedy }]
  })
  return [...lack, ...results]
}

export function describeDatabase(database: DatabaseState): Check[] {
  return [describeHosts(database), describeReplication(database)]
}

function describeHosts({ hosts }: DatabaseState): Check {
  const name = 'Hosts'
  const finding = hosts
    .map(({ host, state, reason, isUsed }) => {
      return `${host} is ${state}${reason ? ` (${reason})` : ''}${isUsed ? ' and used' : ''}`
    })
    .join('; ')
  const written = hosts.filter(({ state }) => state === 'writable')
  if (written.length > 1) {
    const remedy = 'Two servers take writes: stop the one that was replaced, at once.'
    return { state: 'fail', name, finding: `${finding}.`, remedy }
  }
  const isWhole = hosts.every(({ state }) => state !== 'unreachable')
  if (written.length === 1 && isWhole) return { state: 'ok', name, finding: `${finding}.` }
  const remedy = isWhole ? 'Promote one.' : 'While a host is away, one less may fail.'
  const state = written.length === 1 ? 'warn' : 'fail'
  return { state, name, finding: `${finding}.`, remedy }
}

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
