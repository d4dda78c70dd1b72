// Reads and writes the secrets that a sandbox generates at its first start, in <dataDir>/secrets.json.
//
// The file is created atomically and only once: it is written under another name, fsynced, then linked, which
// fails if another process was first. Without the file, sealed data would be unreadable, so both the file and
// its directory are fsynced.

import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '#durable-files.ts'
import { type DataKey, dataKeys, KEY_BYTES, KEY_ID_MAX } from './setting-parsers.ts'

export const SECRET_NAMES = [
  'MANILLA_TOKEN_SECRETS',
  'MANILLA_DATA_KEYS',
  'MANILLA_HASH_KEY',
] as const

export type SecretTexts = { readonly [name in (typeof SECRET_NAMES)[number]]: string }

export function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

// Reads the file. Returns undefined if there is none. Throws if it cannot be read or parsed.
export function findSecrets(dataDir: string): SecretTexts | undefined {
  let text: string
  try {
    text = fs.readFileSync(secretsPath(dataDir), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  return parseSecrets(text)
}

// Generates the secrets and writes the file. If another process was faster, returns the secrets of that
// process.
export function makeSecrets(dataDir: string): SecretTexts {
  makeFolder(dataDir)
  const temporaryPath = join(dataDir, `.secrets-${randomUUID()}`)
  try {
    writeDurably(temporaryPath, `${JSON.stringify(freshSecrets(), null, 2)}\n`)
    linkUnlessThere(temporaryPath, secretsPath(dataDir))
  } finally {
    fs.rmSync(temporaryPath, { force: true })
  }
  syncFolder(dataDir)
  const secrets = findSecrets(dataDir)
  if (!secrets) throw new Error('it disappeared after it was written')
  return secrets
}

// Reads the data keys of the file, newest first. Reads the file each time, because a rotation adds keys while
// the service runs.
export function readDataKeys(dataDir: string): readonly DataKey[] {
  const problems: string[] = []
  const keys = dataKeys(findSecrets(dataDir)?.MANILLA_DATA_KEYS ?? '', (sentence) =>
    problems.push(sentence),
  )
  if (problems.length > 0 || !keys) throw new Error(`MANILLA_DATA_KEYS ${problems[0]}`)
  return keys
}

// Adds a new data key as the first one, and replaces the whole file. The file is on disk before any process
// can use the key. Key ids are one byte, so after 255 they start again at 1, and skip ids in use.
export function addDataKey(dataDir: string): readonly DataKey[] {
  const secrets = findSecrets(dataDir)
  if (!secrets) throw new Error('it does not exist')
  const usedIds = readDataKeys(dataDir).map(({ id }) => id)
  const newest = usedIds[0] as number
  const candidateIds = Array.from(
    { length: KEY_ID_MAX },
    (_, index) => ((newest + index) % KEY_ID_MAX) + 1,
  )
  const id = candidateIds.find((candidate) => !usedIds.includes(candidate))
  if (!id) throw new Error(`it has ${KEY_ID_MAX} data keys; remove unused ones`)
  const texts = {
    ...secrets,
    MANILLA_DATA_KEYS: `${id}:${freshKey()},${secrets.MANILLA_DATA_KEYS}`,
  }
  const temporaryPath = join(dataDir, `.secrets-${randomUUID()}`)
  try {
    writeDurably(temporaryPath, `${JSON.stringify(texts, null, 2)}\n`)
    fs.renameSync(temporaryPath, secretsPath(dataDir))
  } finally {
    fs.rmSync(temporaryPath, { force: true })
  }
  syncFolder(dataDir)
  return readDataKeys(dataDir)
}

// Generates one secret of each kind. The first data key has the id 1.
function freshSecrets(): SecretTexts {
  return {
    MANILLA_TOKEN_SECRETS: freshKey(),
    MANILLA_DATA_KEYS: `1:${freshKey()}`,
    MANILLA_HASH_KEY: freshKey(),
  }
}

function freshKey(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}

// Parses the file, and throws if it lacks a secret.
function parseSecrets(text: string): SecretTexts {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // Does not show the parser's message, because it quotes the text, which is secret.
    throw new Error('it is not valid JSON')
  }
  const fields = (content ?? {}) as Record<string, unknown>
  const missing = SECRET_NAMES.filter((name) => typeof fields[name] !== 'string' || !fields[name])
  if (missing.length > 0) throw new Error(`it lacks ${missing.join(', ')}`)
  return fields as SecretTexts
}

// Creates the data directory. Sets the mode regardless of the umask, because the embedded database may run as
// another user, which must be able to enter the directory. The secret files in it have stricter modes.
function makeFolder(dataDir: string): void {
  if (fs.mkdirSync(dataDir, { recursive: true }) !== undefined) fs.chmodSync(dataDir, 0o755)
}

// Gives the file its final name, unless another process was first.
function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
