// The database's own limit: the same rows written by one connection, in batches, with no HTTP and
// no JSON. A process of its own, so that its CPU is told apart. With batches of one it times a
// single commit.

import { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { takeCredits } from '#domain/credits/take-credits.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { type DataKey, Sealer } from '#seal.ts'
import { feedCredit, incoming } from './bank-feed.ts'
import { type FeedOrder, latencyOf, type Report } from './load.ts'

export type BatchOrder = {
  connectionString: string
  dataKeys: readonly DataKey[]
  hashKey: Uint8Array
  batchSize: number
  warmUpMs: number
  measureMs: number
  feed: FeedOrder
  bankCode: string
}

process.on('message', (order: BatchOrder) => {
  run(order).then(
    (message) => process.send?.(message),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))

async function run(order: BatchOrder): Promise<Report> {
  const { connectionString, batchSize, warmUpMs, measureMs } = order
  const pool = createBatchPool({ connectionString, max: 1, onIdleError: () => {} })
  const sealer = new Sealer(order.dataKeys, order.hashKey)
  const sharedAccounts = new SharedAccounts(
    createBatchPool({ connectionString, max: 1, onIdleError: () => {} }),
  )
  const feed = { ...order.feed, startMs: Date.now() }
  let made = 0
  let acknowledged = 0
  let failed = 0
  const latencies: number[] = []

  const nextBatch = () =>
    Array.from({ length: batchSize }, () => incoming(feedCredit(feed, made++), order.bankCode))
  let ahead = nextBatch()

  // The next batch is made up while the database is busy with this one, so it costs no time.
  async function writeUntil(endMs: number): Promise<number> {
    let items = 0
    while (performance.now() < endMs) {
      const credits: readonly IncomingCredit[] = ahead
      const beganMs = performance.now()
      const written = withTransaction(pool, (tx) =>
        takeCredits(tx, { sealer, sharedAccounts, bankTimeMaxAgeMs: 0, now: new Date() }, credits),
      )
      setImmediate(() => {
        ahead = nextBatch()
      })
      const answers = await written
      latencies.push(performance.now() - beganMs)
      const taken = answers.filter((answer) => answer.status === 'taken').length
      items += taken
      failed += credits.length - taken
    }
    acknowledged += items
    return items
  }

  await writeUntil(performance.now() + warmUpMs)
  latencies.length = 0
  process.send?.({ at: 'warm' } satisfies Report)
  const beganMs = performance.now()
  const items = await writeUntil(beganMs + measureMs)
  const seconds = (performance.now() - beganMs) / 1000
  process.send?.({ at: 'measured' } satisfies Report)
  const latency = latencyOf(Float32Array.from(latencies))
  await pool.end()
  const failures = { count: failed, first: 'not taken' }
  return { at: 'done', acknowledged, failures, items, seconds, latency }
}
