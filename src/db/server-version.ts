// The versions of PostgreSQL that the service supports. This is the only place that knows them; the section
// "PostgreSQL versions" of docs/operating.md repeats SUPPORTED_VERSIONS word for word.

import type { Queryable } from './pool.ts'

export const SUPPORTED_VERSIONS = 'PostgreSQL 15 or newer, except 18.0 to 18.4'

const OLDEST_MAJOR = 15
// In these versions a backend may read freed memory, and crash with all its siblings (docs/decisions/0023).
const CRASHING = { major: 18, lastMinor: 4 }

export type VersionProblem = { sentence: string; isRefused: boolean }

// Reads the version of the server, such as '17.10'.
export async function readServerVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  )
  const number = (rows[0] as { number: number }).number
  return `${Math.floor(number / 10_000)}.${number % 10_000}`
}

// Returns what is wrong with a version, or undefined. A version that may crash is refused in live mode only:
// a crash loses nothing, but it interrupts every request.
export function findVersionProblem(version: string, isLive: boolean): VersionProblem | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST_MAJOR) {
    const sentence = `The database server is PostgreSQL ${version}. Manilla needs ${SUPPORTED_VERSIONS}.`
    return { sentence, isRefused: true }
  }
  if (major !== CRASHING.major || minor > CRASHING.lastMinor) return undefined
  const sentence =
    `The database server is PostgreSQL ${version}, which may crash under load. Nothing is lost, but every ` +
    `connection breaks. Manilla needs ${SUPPORTED_VERSIONS}.`
  return { sentence, isRefused: isLive }
}
