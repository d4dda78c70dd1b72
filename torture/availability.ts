// Measures how long the service was unavailable. A pulse sends one credit every tenth of a second, whether or
// not earlier ones were answered. For every fault it records
//
//   outage       from its injection to the first acknowledgement of a credit sent after it
//   resumption   from its healing to the first acknowledgement of a credit sent after that
//
// If another process can answer during a fault, the outage is some milliseconds.

import { setTimeout as sleep } from 'node:timers/promises'
import { pulse } from './bank-actions.ts'
import type { Actor } from './client-calls.ts'

const EVERY_MS = 100

type Waiter = { sinceMs: number; resolve: (acknowledgedAtMs: number) => void }

export type Measure = { fault: string; outageMs: number; resumptionMs: number }

export class Availability {
  readonly measures: Measure[] = []
  #waiters: Waiter[] = []
  #isPulsing = false
  #pulsing: Promise<void> | undefined

  readonly onCredit = (sentAtMs: number, acknowledgedAtMs: number): void => {
    const [met, unmet] = [this.#waiters.filter(isMet), this.#waiters.filter((one) => !isMet(one))]
    this.#waiters = unmet
    for (const { resolve } of met) resolve(acknowledgedAtMs)
    function isMet({ sinceMs }: Waiter): boolean {
      return sentAtMs >= sinceMs
    }
  }

  // Resolves with the time when the service acknowledges the first credit sent from this moment on.
  resumed(sinceMs: number): Promise<number> {
    return new Promise((resolve) => this.#waiters.push({ sinceMs, resolve }))
  }

  start(actor: Actor): void {
    this.#isPulsing = true
    this.#pulsing = (async () => {
      const sent = new Set<Promise<void>>()
      while (this.#isPulsing) {
        const one = pulse(actor).finally(() => sent.delete(one))
        sent.add(one)
        await sleep(EVERY_MS)
      }
      await Promise.all(sent)
    })()
  }

  async stop(): Promise<void> {
    this.#isPulsing = false
    await this.#pulsing
  }
}
