// Whether the database has room to write. It answers reads, and says that it is writable, while not a byte
// is left.

import { type Monotonic, systemMonotonic } from '#monotonic.ts'
import type { Queryable } from './pool.ts'

const FULL = ['53100', '58030'] // disk_full, io_error
const CHECKED_FOR_MS = 1_000 // Anybody may ask for readiness, and as often as they like.

// A sentence while there is none.
export function watchDisk(
  db: Queryable,
  monotonic: Monotonic = systemMonotonic,
): () => Promise<string | undefined> {
  let last: { atMs: number; problem: Promise<string | undefined> } | undefined
  return () => {
    if (!last || monotonic() - last.atMs >= CHECKED_FOR_MS) {
      last = { atMs: monotonic(), problem: findProblem(db) }
    }
    return last.problem
  }
}

async function findProblem(db: Queryable): Promise<string | undefined> {
  try {
    await db.query({ name: 'require-disk-space', text: 'select require_disk_space()' })
    return undefined
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!FULL.includes(code)) throw error
    return `it cannot write: ${message}`
  }
}
