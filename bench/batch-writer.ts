// The database's own limit: the same rows written by one connection, in batches, with no HTTP and
// no JSON. A process of its own, so that its CPU is told apart. With batches of one it times a
// single commit.

import { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { IncomingCredit } from '#domain/credit-judgement.ts'
import { takeCredits } from '#domain/credits.ts'
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
  const latencies: number[] = []

  async function writeUntil(endMs: number): Promise<number> {
    let items = 0
    while (performance.now() < endMs) {
      const credits: IncomingCredit[] = []
      while (credits.length < batchSize) credits.push(incoming(feedCredit(feed, made++), order.bankCode))
      const beganMs = performance.now()
      const answers = await withTransaction(pool, (tx) =>
        takeCredits(tx, { sealer, sharedAccounts, now: new Date() }, credits),
      )
      latencies.push(performance.now() - beganMs)
      items += answers.filter((answer) => answer.status === 'taken').length
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
  const failures = { count: made - acknowledged, first: 'not taken' }
  return { at: 'done', acknowledged, failures, items, seconds, latency }
}
