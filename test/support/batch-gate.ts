// For tests of the batcher: a `run` function that waits until the test releases each batch, and helpers that
// submit items and read their results.

import { setImmediate as turn } from 'node:timers/promises'
import type { Refusal } from '#errors.ts'
import type { QueueDelay } from '#hot-path/batcher.ts'
import { Batcher } from '#hot-path/batcher.ts'

export type Run = (items: readonly number[]) => Promise<readonly (string | Refusal)[]>

// The result of an item: "#7" for 7.
export const name = (item: number) => `#${item}`
export const names = async (items: readonly number[]) => items.map(name)
// The error of a connection that the database terminated (SQLSTATE 57P01).
export const lost = () => Object.assign(new Error('terminating connection'), { code: '57P01' })

// Each batch waits until the test releases it, so that the test decides which items arrive while a batch is
// being written. `letOne` releases the oldest batch, `letAll` every batch.
export function createGate(run: Run = names) {
  const batches: number[][] = []
  const waiting: (() => void)[] = []
  return {
    batches,
    run: async (items: readonly number[]) => {
      batches.push([...items])
      await new Promise<void>((resolve) => waiting.push(resolve))
      return run(items)
    },
    letOne: async () => {
      waiting.shift()?.()
      await turn()
    },
    letAll: async () => {
      while (waiting.length > 0) {
        waiting.shift()?.()
        await turn()
      }
    },
  }
}

type Limits = Partial<Record<'items' | 'inFlight' | 'queue' | 'gathers', number>>

// A batcher with small limits. `errors` are those that it reports.
export function createBatcher(run: Run, limits: Limits = {}, delay?: QueueDelay) {
  const { items: itemsMax = 10, inFlight: inFlightMax = 1, queue: queueMax = 100 } = limits
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const batcher = new Batcher<number, string | Refusal>({
    run,
    itemsMax,
    inFlightMax,
    gathers: limits.gathers ?? 0,
    queueMax,
    ...(delay ? { delay } : {}),
    onError,
  })
  return { batcher, errors }
}

export const submitEach = (batcher: Batcher<number, string | Refusal>, items: readonly number[]) =>
  Promise.allSettled(items.map((item) => batcher.submit(item)))

// The result of an item, or the code of the refusal that it got.
export const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? (result.reason as Refusal).code : result.value
