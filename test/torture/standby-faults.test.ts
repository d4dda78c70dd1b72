// The faults of a primary and its standby in `npm run torture`: each leaves a complete pair, with
// everything committed on both.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPool } from '#db/pool.ts'
import { STANDBY_FAULTS } from '../../torture/faults/standby-faults.ts'
import { startPair } from '../../torture/pair.ts'
import { seededRandom } from '../../torture/random.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { chooseParent } from '../support/server.ts'
import type { Server } from '../support/standby.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const WRITERS = 4
const TRIED = ['switchover', 'primary-killed', 'primary-isolated', 'standby-killed']

const folder = closeAfterTests(createTempFolder(await chooseParent()))
const pair = closeAfterTests(await startPair(folder.path, { standbyMs: 20 }))
const pool = createPool({ connectionString: pair.url(), max: WRITERS, onIdleError: () => {} })
closeAfterTests({ [Symbol.asyncDispose]: () => pool.end() })
await pair.primary.server.query('create table written (id integer)', 'manilla')
await pair.requireStandby()

const random = seededRandom(1)
const committed: number[] = []
let last = 0

// Inserts numbers until `isOver`, each once. A number counts as committed only if its insert succeeded.
async function write(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const id = ++last
    await pool.query('insert into written values ($1)', [id]).then(
      () => committed.push(id),
      () => sleep(20),
    )
  }
}

// The committed numbers that this server does not have.
async function lostIn(server: Server): Promise<number[]> {
  const rows = await server.query('select id from written', 'manilla')
  const ids = new Set(rows.map(({ id }) => id))
  return committed.filter((id) => !ids.has(id))
}

for (const name of TRIED) {
  test(`${name}: nothing is lost, and the pair is whole again`, async () => {
    const fault = STANDBY_FAULTS.find((each) => each.name === name)
    assert(fault)
    let isOver = false
    const writing = Array.from({ length: WRITERS }, () => write(() => isOver))
    // Waits until the writers have committed this many more numbers.
    const waitForCommits = async (count: number) => {
      const target = committed.length + count
      await until(`${count} more are committed`, () => committed.length >= target)
    }
    await waitForCommits(20)

    const injected = await fault.inject({ pair }, random)
    await sleep(injected.lastsMs)
    await injected.heal()
    await waitForCommits(20)
    await injected.settle?.()
    await waitForCommits(1)
    isOver = true
    await Promise.all(writing)

    assert.deepEqual(await lostIn(pair.primary.server), [])
    await until('the standby has replayed all', async () => {
      return (await lostIn(pair.standby.server)).length === 0
    })
    await until('it is synchronous again', async () => {
      const [row] = await pair.primary.server.query('select sync_state from pg_stat_replication')
      return row?.sync_state === 'sync'
    })
  })
}
