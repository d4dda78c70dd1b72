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

// A caller of resumed(), who waits until a credit sent at or after `sinceMs` is acknowledged.
type Waiter = { sinceMs: number; resolve: (acknowledgedAtMs: number) => void }

export type Measure = { fault: string; outageMs: number; resumptionMs: number }

export class Availability {
  readonly measures: Measure[] = []
  #waiters: Waiter[] = []
  #isPulsing = false
  #pulsing: Promise<void> | undefined

  // The load reports every acknowledged credit here. Resolves the waiters that began to wait before this
  // credit was sent.
  readonly onCredit = (sentAtMs: number, acknowledgedAtMs: number): void => {
    const isOver = ({ sinceMs }: Waiter) => sentAtMs >= sinceMs
    const finishedWaiters = this.#waiters.filter(isOver)
    this.#waiters = this.#waiters.filter((waiter) => !isOver(waiter))
    for (const { resolve } of finishedWaiters) resolve(acknowledgedAtMs)
  }

  // Resolves when the service acknowledges a credit that was sent at `sinceMs` or later, with the time of the
  // acknowledgement.
  resumed(sinceMs: number): Promise<number> {
    return new Promise((resolve) => this.#waiters.push({ sinceMs, resolve }))
  }

  // Sends a pulse every 100 ms without waiting for the one before, so that a hanging request does not stop
  // the measurement.
  start(actor: Actor): void {
    this.#isPulsing = true
    this.#pulsing = (async () => {
      const pulsesInFlight = new Set<Promise<void>>()
      while (this.#isPulsing) {
        const sentPulse = pulse(actor).finally(() => pulsesInFlight.delete(sentPulse))
        pulsesInFlight.add(sentPulse)
        await sleep(EVERY_MS)
      }
      await Promise.all(pulsesInFlight)
    })()
  }

  async stop(): Promise<void> {
    this.#isPulsing = false
    await this.#pulsing
  }
}
