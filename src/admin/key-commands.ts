// `manilla admin rotate-keys`: rotates the data key while the service runs
// (domain/privacy/rotate-data-key.ts).
//
// This command generates keys in secrets.json. The operator adds keys in the environment, at the
// start of MANILLA_DATA_KEYS of every process.

import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '#config/config.ts'
import { addDataKey, readDataKeys } from '#config/secrets-file.ts'
import { withHeldLock } from '#db/held-lock.ts'
import type { Pool } from '#db/pool.ts'
import { KeyProblem, readKeys } from '#domain/privacy/data-keys.ts'
import { countByKey, type Progress, rotateKeys } from '#domain/privacy/rotate-data-key.ts'
import { type DataKey, Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { AdminProblem } from './admin-database.ts'
import { columns } from './command-line.ts'

const LOOK_MS = 500
const LOCK = `hashtext('rotate-keys')`

export const keyCommands: readonly AdminCommand[] = [
  {
    name: 'rotate-keys',
    summary: 'Rotate the data key and re-encrypt all data, online.',
    options: [{ name: 'check', about: 'Only count values by key.' }],
    run: (context, args) => (args.flag('check') ? countKeys(context) : rotate(context)),
  },
]

async function rotate(context: Context) {
  const { db, env, clock } = context
  return alone(db, async () => {
    const config = loadConfig(env, 'serve')
    const { areDataKeysStored, hash } = config.secrets
    const keys = areDataKeysStored ? await targetKeys(db, config.dataDir) : config.secrets.data
    const [first] = keys as [DataKey]
    const { resealed, cleared } = await rotateKeys(
      {
        pool: db,
        sealer: new Sealer(keys, hash),
        clock,
        pause: () => wait(LOOK_MS),
        onProgress: progressTo(process.stderr),
      },
      first.id,
    )
    const summary = `All data is encrypted with data key ${first.id} (${resealed} values re-encrypted).`
    const text = cleared.length === 0 ? summary : `${summary}\n${dropWords(cleared)}`
    return { data: { sealingKey: first.id, resealed, mayBeDropped: cleared }, text }
  })
}

function dropWords(cleared: readonly number[]): string {
  const [keys, them] = cleared.length === 1 ? ['Key', 'it'] : ['Keys', 'them']
  return (
    `${keys} ${cleared.join(', ')} can be removed from MANILLA_DATA_KEYS. ` +
    `Older backups and archives still need ${them}.`
  )
}

// Finishes an interrupted rotation before it starts a new one.
async function targetKeys(db: Pool, dataDir: string): Promise<readonly DataKey[]> {
  const keys = readDataKeys(dataDir)
  const stored = await readKeys(db)
  const first = stored.find(({ id }) => id === keys[0]?.id)
  const isFinished = first?.isSealing && stored.every((key) => key.isSealing || key.isCleared)
  return isFinished ? addDataKey(dataDir) : keys
}

// Concurrent rotations would deadlock.
async function alone<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  try {
    const result = await withHeldLock(db, { lock: LOCK }, async () => ({ answer: await work() }))
    if (!result) throw new AdminProblem('A key rotation is already in progress.')
    return result.answer
  } catch (error) {
    throw error instanceof KeyProblem ? new AdminProblem(error.message) : error
  }
}

async function countKeys({ db }: Context) {
  const stored = await readKeys(db)
  const counts = await countByKey(db)
  const ids = [...new Set([...stored.map(({ id }) => id), ...counts.keys()])].sort((a, b) => a - b)
  const keys = ids.map((id) => {
    const isSealing = stored.some((key) => key.id === id && key.isSealing)
    return { id, isSealing, values: counts.get(id) ?? 0 }
  })
  const lines = keys.map(({ id, isSealing, values }) => {
    return [`key ${id}`, `${values} values${isSealing ? ', current' : ''}`] as const
  })
  return { data: { keys }, text: columns(lines).join('\n') || 'No keys yet.' }
}

// Writes one line per finished column and per kind of wait.
function progressTo(stream: NodeJS.WritableStream): (progress: Progress) => void {
  let last = ''
  return (progress) => {
    const line = formatProgress(progress)
    if (line !== last) stream.write(`${line}\n`)
    last = line
  }
}

function formatProgress(progress: Progress): string {
  if (progress.step === 'sealing') {
    const { table, column, seen, resealed } = progress
    return `${table}.${column}: ${seen} scanned, ${resealed} re-encrypted`
  }
  const { processes, until } = progress
  const what = until === 'opens' ? 'load the new key' : 'encrypt with the new key'
  return `waiting for ${processes} running ${processes === 1 ? 'process' : 'processes'} to ${what}`
}
