// Whose time it is. Nearly all code runs in real time; a request of a client with a test clock, and the
// work that falls due for it, run inside `atClientTime`, where a client clock shows that client's time
// and `dueNow` takes that client's work alone.
//
// Carried by the asynchronous context: one place decides, and no route can forget to ask. Tokens,
// sessions, rate limits, request ids and idempotency keys are given the real clock instead.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from './clock.ts'
import type { ClientId } from './ids.ts'

export type ClientTime = { clientId: ClientId; now: Date }

// What is due by then: of this client alone, or of everybody without a test clock.
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
