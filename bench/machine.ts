// The machine that a table was made on, in words: rates mean nothing without it.

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Pool } from '#db/pool.ts'

const SYNCS = 200

export async function describeMachine(db: Pool, folder: string): Promise<string[]> {
  const { rows } = await db.query<{ version: string; fsync: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync`,
  )
  const memory = Math.round(totalmem() / 1024 ** 3)
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${memory} GB, ` +
      `${type()} ${release()}`,
    `Node ${process.version}, PostgreSQL ${rows[0]?.version}, fsync ${rows[0]?.fsync}; ` +
      `8 kB written and synced to this disk in ${medianSyncMs(folder).toFixed(2)} ms`,
    'service, database and load generator share these cores',
  ]
}

function medianSyncMs(folder: string): number {
  const path = join(folder, 'sync-probe')
  const file = openSync(path, 'w')
  const page = Buffer.alloc(8192, 1)
  const times = Array.from({ length: SYNCS }, () => {
    const beganMs = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - beganMs
  })
  closeSync(file)
  rmSync(path)
  return times.sort((one, other) => one - other)[SYNCS / 2] as number
}
