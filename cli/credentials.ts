// Finds the service's URL and the credentials: first in the flag, then in the environment, then in the file
// of `manilla login`. The sandbox's demo credentials are used only for a service on this machine. A stored
// secret is sent only to the service that it was stored for.

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliProblem, EXIT } from './problems.ts'
import type { Terminal } from './terminal.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'
const DEMO = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }

type Surroundings = Pick<Terminal, 'env' | 'homeDir'>
type Credentials = { clientId: string; clientSecret: string }
export type Source = 'environment' | 'login' | 'demo'
type StoredCredentials = { url: string; services: Record<string, Credentials> }

export function configFolder({ env, homeDir }: Surroundings): string {
  return join(env.XDG_CONFIG_HOME || join(homeDir, '.config'), 'manilla')
}

export function credentialsFile(surroundings: Surroundings): string {
  return join(configFolder(surroundings), 'credentials.json')
}

// Chooses the service: by --url, else MANILLA_URL, else the latest login, else this machine's own service.
export function chooseUrl(surroundings: Surroundings, flag: string | undefined): string {
  return parseUrl(
    flag ?? (surroundings.env.MANILLA_URL || readStored(surroundings)?.url || DEFAULT_URL),
  )
}

// Refuses a URL with credentials, a query or a fragment, and drops slashes at the end.
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttpUrl = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (!isHttpUrl || url.search || url.hash) {
    throw new CliProblem(
      `Not the URL of a service: ${text}. Give one such as ${DEFAULT_URL}.`,
      EXIT.usage,
    )
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}

// Finds the credentials for a service: those of the environment, else those of a login, else the sandbox's
// own if the service runs on this machine. Throws if there are none, or if only one of the two environment
// variables is set.
export function findCredentials(
  surroundings: Surroundings,
  url: string,
): Credentials & { source: Source } {
  const { MANILLA_CLIENT_ID: clientId, MANILLA_CLIENT_SECRET: clientSecret } = surroundings.env
  if (clientId && clientSecret) return { clientId, clientSecret, source: 'environment' }
  if (clientId || clientSecret) {
    const names = ['MANILLA_CLIENT_ID', 'MANILLA_CLIENT_SECRET']
    const [missing, present] = clientId ? names.reverse() : names
    const sentence = `${missing} is not set, but ${present} is. Set both, or neither.`
    throw new CliProblem(sentence, EXIT.credentials)
  }
  const stored = readStored(surroundings)?.services[url]
  if (stored) return { ...stored, source: 'login' }
  if (isLoopback(url)) return { ...DEMO, source: 'demo' }
  const hint = `Run manilla login --url ${url}, or set MANILLA_CLIENT_ID and MANILLA_CLIENT_SECRET.`
  throw new CliProblem(`Not signed in to ${url}. ${hint}`, EXIT.credentials)
}

// Stores the credentials of one service, which becomes the default service.
export function storeCredentials(
  surroundings: Surroundings,
  url: string,
  credentials: Credentials,
): void {
  const services = { ...readStored(surroundings)?.services, [url]: credentials }
  writeStored(surroundings, { url, services })
}

// Removes the credentials of one service. If it was the default, another stored service becomes the
// default; the last one takes the file with it.
export function removeCredentials(surroundings: Surroundings, url: string): boolean {
  const stored = readStored(surroundings)
  if (!stored?.services[url]) return false
  const { [url]: _, ...services } = stored.services
  const [remainingUrl] = Object.keys(services)
  if (remainingUrl)
    writeStored(surroundings, { url: stored.url === url ? remainingUrl : stored.url, services })
  else rmSync(credentialsFile(surroundings))
  return true
}

// Reads the file of `manilla login`. Returns undefined if nobody has signed in yet. A file that cannot be
// read is a problem for the user to solve.
function readStored(surroundings: Surroundings): StoredCredentials | undefined {
  const file = credentialsFile(surroundings)
  try {
    const { url, services } = JSON.parse(readFileSync(file, 'utf8')) as StoredCredentials
    if (typeof url === 'string' && typeof services === 'object') return { url, services }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code) throw new CliProblem(`Cannot read ${file} (${code}).`, EXIT.credentials)
  }
  throw new CliProblem(`${file} is damaged. Delete it and run manilla login.`, EXIT.credentials)
}

function writeStored(surroundings: Surroundings, stored: StoredCredentials): void {
  const file = credentialsFile(surroundings)
  try {
    writePrivately(file, `${JSON.stringify(stored, null, 2)}\n`)
  } catch (error) {
    throw new CliProblem(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`)
  }
}

// Writes atomically, readable by the owner only. An interruption leaves the old file.
export function writePrivately(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const newFile = `${file}.${process.pid}.new`
  writeFileSync(newFile, text, { mode: 0o600 })
  chmodSync(newFile, 0o600) // writeFileSync does not change the mode of an existing file.
  renameSync(newFile, file)
}
