// Processes on one database that hold different data keys, and the rotation of those keys with a
// clock that moves while it waits.

import { randomUUID } from 'node:crypto'
import { reportKeys, syncKeys } from '#privacy/data-keys.ts'
import { type Progress, rotateKeys } from '#privacy/key-rotation.ts'
import { syncDataKeys } from '#privacy/workers.ts'
import { type DataKey, Sealer } from '#seal.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const NEVER = new AbortController().signal
const HASH_KEY = Buffer.alloc(32, 'h')

export const dataKey = (id: number, letter: string): DataKey => {
  return { id, key: Buffer.alloc(32, letter) }
}
export const OLD = dataKey(1, 'd') // The key of the test service.
export const NEW = dataKey(2, 'n')

// A service with these keys, on a database that only the first has sealed.
export async function startWithKeys(keys: readonly DataKey[]): Promise<Bench> {
  const texts = keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}`)
  const bench = await startTestService({ env: { MANILLA_DATA_KEYS: texts.join() } })
  await bench.db.query('update data_keys set cleared_at = added_at where not is_sealing')
  return bench
}

// A process that learns its keys when the test says so.
export async function startHolder(
  { db, clock }: Pick<Bench, 'db' | 'clock'>,
  keys: readonly DataKey[],
) {
  const sealer = new Sealer(keys, HASH_KEY)
  let set = keys
  const worker = await syncDataKeys({ db, clock, sealer, readKeys: () => set })
  return {
    sealer,
    beat: () => worker.round(NEVER),
    give: (more: readonly DataKey[]) => {
      set = more
    },
    stop: () => worker.stop?.(),
  }
}

// Does the same as the command; `pause` runs the others while it waits.
export async function rotate(
  bench: Bench,
  keys: readonly DataKey[],
  { pause = async () => {}, onProgress = () => {} }: Partial<Hooks> = {},
) {
  const { db: pool, clock } = bench
  const sealer = new Sealer(keys, HASH_KEY)
  const tick = async () => {
    bench.advance(1_000)
    await pause()
  }
  const [first] = keys as [DataKey]
  return rotateKeys({ pool, sealer, clock, pause: tick, onProgress }, first.id)
}

type Hooks = { pause: () => Promise<unknown>; onProgress: (progress: Progress) => void }

// A process that was seen just now and never again.
export async function leaveTrace(bench: Bench, keys: readonly DataKey[]): Promise<void> {
  const sealer = new Sealer(keys, HASH_KEY)
  await syncKeys(bench.db, bench.clock(), sealer)
  await reportKeys(bench.db, bench.clock(), { process: randomUUID(), sealer })
}
