// The service's URL and the credentials: from the flag, else the environment, else `manilla login`.
// The sandbox’s demo credentials are used on this machine only. A stored secret is sent only to the
// service that it was stored for.

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliProblem, EXIT } from './problems.ts'
import type { Terminal } from './terminal.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'
const DEMO = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }

type World = Pick<Terminal, 'env' | 'homeDir'>
type Credentials = { clientId: string; clientSecret: string }
export type Source = 'environment' | 'login' | 'demo'
type StoredCredentials = { url: string; services: Record<string, Credentials> }

export function configFolder({ env, homeDir }: World): string {
  return join(env.XDG_CONFIG_HOME || join(homeDir, '.config'), 'manilla')
}

export function credentialsFile(world: World): string {
  return join(configFolder(world), 'credentials.json')
}

export function chooseUrl(world: World, flag: string | undefined): string {
  return parseUrl(flag ?? (world.env.MANILLA_URL || readStored(world)?.url || DEFAULT_URL))
}

export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSound = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (!isSound || url.search || url.hash) {
    throw new CliProblem(
      `Not the URL of a service: ${text}. Give one such as ${DEFAULT_URL}.`,
      EXIT.usage,
    )
  }
  return url.href.replace(/\/+$/, '')
}

export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}

export function findCredentials(world: World, url: string): Credentials & { source: Source } {
  const { MANILLA_CLIENT_ID: clientId, MANILLA_CLIENT_SECRET: clientSecret } = world.env
  if (clientId && clientSecret) return { clientId, clientSecret, source: 'environment' }
  if (clientId || clientSecret) {
    const names = ['MANILLA_CLIENT_ID', 'MANILLA_CLIENT_SECRET']
    const [missing, present] = clientId ? names.reverse() : names
    const sentence = `${missing} is not set, but ${present} is. Set both, or neither.`
    throw new CliProblem(sentence, EXIT.credentials)
  }
  const stored = readStored(world)?.services[url]
  if (stored) return { ...stored, source: 'login' }
  if (isLoopback(url)) return { ...DEMO, source: 'demo' }
  const hint = `Run manilla login --url ${url}, or set MANILLA_CLIENT_ID and MANILLA_CLIENT_SECRET.`
  throw new CliProblem(`Not signed in to ${url}. ${hint}`, EXIT.credentials)
}

export function storeCredentials(world: World, url: string, credentials: Credentials): void {
  const services = { ...readStored(world)?.services, [url]: credentials }
  writeStored(world, { url, services })
}

export function removeCredentials(world: World, url: string): boolean {
  const stored = readStored(world)
  if (!stored?.services[url]) return false
  const { [url]: _, ...services } = stored.services
  const [next] = Object.keys(services)
  if (next) writeStored(world, { url: stored.url === url ? next : stored.url, services })
  else rmSync(credentialsFile(world))
  return true
}

function readStored(world: World): StoredCredentials | undefined {
  const file = credentialsFile(world)
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

function writeStored(world: World, stored: StoredCredentials): void {
  const file = credentialsFile(world)
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
