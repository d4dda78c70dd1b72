// The time of clients with a test clock. Nearly all code runs in real time. Requests of a client
// with a test clock, and its due work, run inside `atClientTime`. There a client clock shows that
// client's time, and `dueNow` selects only that client's work.
//
// The asynchronous context carries the time, so that one place decides and no route can forget it.
// Tokens, sessions, rate limits, request ids and idempotency keys use the real clock.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from './clock.ts'
import type { ClientId } from './ids.ts'

export type ClientTime = { clientId: ClientId; now: Date }

// Selects the work that is due by `now`, of this client only or of all clients without a test clock.
export type Due = { now: Date; only?: ClientId | undefined }

const current = new AsyncLocalStorage<ClientTime>()

export function atClientTime<T>(time: ClientTime, work: () => T): T {
  return current.run(time, work)
}

export function clientClock(real: Clock): Clock {
  return () => current.getStore()?.now ?? real()
}

export function dueNow(clock: Clock): Due {
  const time = current.getStore()
  return { now: time?.now ?? clock(), only: time?.clientId }
}
