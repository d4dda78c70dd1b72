// For tests of data keys: processes with different keys on one database, and the rotation of the keys with a
// clock that moves while the rotation waits.

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

// Starts a service with these data keys. Marks all keys except the sealing key as cleared, which means that
// no stored value is sealed with them.
export async function startWithKeys(keys: readonly DataKey[]): Promise<Bench> {
  const texts = keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}`)
  const bench = await startTestService({ env: { MANILLA_DATA_KEYS: texts.join() } })
  await bench.db.query('update data_keys set cleared_at = added_at where not is_sealing')
  return bench
}

// A process that reports its keys. `beat` is its regular round; `give` changes the keys that its next round
// reads.
export async function startHolder(
  { db, clock }: Pick<Bench, 'db' | 'clock'>,
  keys: readonly DataKey[],
) {
  const sealer = new Sealer(keys, HASH_KEY)
  let configuredKeys = keys
  const worker = await syncDataKeys({ db, clock, sealer, readKeys: () => configuredKeys })
  return {
    sealer,
    beat: () => worker.round(NEVER),
    give: (newKeys: readonly DataKey[]) => {
      configuredKeys = newKeys
    },
    stop: () => worker.stop?.(),
  }
}

// Rotates the data key as the operator command does. `pause` runs other processes whenever the rotation
// waits.
export async function rotate(
  bench: Bench,
  keys: readonly DataKey[],
  { pause = async () => {}, onProgress = () => {} }: Partial<Hooks> = {},
) {
  const { db: pool, clock } = bench
  const sealer = new Sealer(keys, HASH_KEY)
  // The rotation waits by the test's clock, and lets other processes run meanwhile.
  const tick = async () => {
    bench.advance(1_000)
    await pause()
  }
  const [first] = keys as [DataKey]
  return rotateKeys({ pool, sealer, clock, pause: tick, onProgress }, first.id)
}

type Hooks = { pause: () => Promise<unknown>; onProgress: (progress: Progress) => void }

// Leaves the trace of a process that reported its keys once and then died.
export async function leaveTrace(bench: Bench, keys: readonly DataKey[]): Promise<void> {
  const sealer = new Sealer(keys, HASH_KEY)
  await syncKeys(bench.db, bench.clock(), sealer)
  await reportKeys(bench.db, bench.clock(), { process: randomUUID(), sealer })
}
