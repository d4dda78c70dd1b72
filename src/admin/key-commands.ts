// `manilla admin rotate-keys`: replaces the key that personal data and secrets are sealed with,
// while the service runs (domain/privacy/rotate-data-key.ts).
//
// Where the keys are in secrets.json, the new one is made here; where they are in the environment,
// it is the operator who has put it first in MANILLA_DATA_KEYS, here and for every process.

import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '#config/config.ts'
import { addDataKey, readDataKeys } from '#config/secrets-file.ts'
import type { Pool } from '#db/pool.ts'
import { KeyProblem, readKeys } from '#domain/privacy/data-keys.ts'
import { countByKey, type Progress, rotateKeys } from '#domain/privacy/rotate-data-key.ts'
import { type DataKey, Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { columns } from './command-line.ts'
import { PlaceProblem } from './database-place.ts'

const LOOK_MS = 500
const LOCK = `hashtext('rotate-keys')`

export const keyCommands: readonly AdminCommand[] = [
  {
    name: 'rotate-keys',
    summary: 'Replace the data key: everything is sealed anew while the service runs.',
    options: [{ name: 'check', about: 'Only count what is sealed with which key.' }],
    run: (context, given) => (given.flag('check') ? counted(context) : rotated(context)),
  },
]

async function rotated(context: Context) {
  const { db, env, clock } = context
  return alone(db, async () => {
    const config = loadConfig(env, 'serve')
    const { areDataKeysStored, hash } = config.secrets
    const keys = areDataKeysStored ? await wantedKeys(db, config.dataDir) : config.secrets.data
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
    const done = `Everything is sealed with data key ${first.id}: ${resealed} values anew.`
    const text = cleared.length === 0 ? done : `${done}\n${dropWords(cleared)}`
    return { data: { sealingKey: first.id, resealed, mayBeDropped: cleared }, text }
  })
}

function dropWords(cleared: readonly number[]): string {
  const [keys, them] = cleared.length === 1 ? ['Key', 'it'] : ['Keys', 'them']
  return (
    `${keys} ${cleared.join(', ')} may be dropped from MANILLA_DATA_KEYS. ` +
    `Backups of before still need ${them}.`
  )
}

// A rotation that was begun is finished before another one begins.
async function wantedKeys(db: Pool, dataDir: string): Promise<readonly DataKey[]> {
  const keys = readDataKeys(dataDir)
  const known = await readKeys(db)
  const first = known.find(({ id }) => id === keys[0]?.id)
  const isFinished = first?.isSealing && known.every((key) => key.isSealing || key.isCleared)
  return isFinished ? addDataKey(dataDir) : keys
}

// Two at once would each wait for the other's key. The lock goes with the connection, also when we
// are killed.
async function alone<T>(db: Pool, work: () => Promise<T>): Promise<T> {
  const holder = await db.connect()
  try {
    const { rows } = await holder.query(`select pg_try_advisory_lock(${LOCK}) as held`)
    if (!rows[0].held) throw new PlaceProblem('A rotation of the keys is running already.')
    return await work()
  } catch (error) {
    throw error instanceof KeyProblem ? new PlaceProblem(error.message) : error
  } finally {
    holder.release(true)
  }
}

async function counted({ db }: Context) {
  const known = await readKeys(db)
  const counts = await countByKey(db)
  const ids = [...new Set([...known.map(({ id }) => id), ...counts.keys()])].sort((a, b) => a - b)
  const keys = ids.map((id) => {
    const isSealing = known.some((key) => key.id === id && key.isSealing)
    return { id, isSealing, values: counts.get(id) ?? 0 }
  })
  const lines = keys.map(({ id, isSealing, values }) => {
    return [`key ${id}`, `${values} values${isSealing ? ', seals' : ''}`] as const
  })
  return { data: { keys }, text: columns(lines).join('\n') || 'No key is known yet.' }
}

// A line for every column once it is done, and one for every kind of wait.
function progressTo(stream: NodeJS.WritableStream): (progress: Progress) => void {
  let last = ''
  return (progress) => {
    const line = lineOf(progress)
    if (line !== last) stream.write(`${line}\n`)
    last = line
  }
}

function lineOf(progress: Progress): string {
  if (progress.step === 'sealing') {
    const { table, column, seen, resealed } = progress
    return `${table}.${column}: ${seen} looked at, ${resealed} sealed anew`
  }
  const { processes, until } = progress
  const what = until === 'opens' ? 'hold the new key' : 'seal with the new key'
  return `waiting for ${processes} running ${processes === 1 ? 'process' : 'processes'} to ${what}`
}
