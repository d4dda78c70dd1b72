// An endpoint, and whether it is healthy, failing, paused by its circuit breaker, or disabled.

import type { Schemas } from '../../api.ts'

export type Endpoint = Schemas['WebhookEndpointWithHealth']

export function stateOf({ isActive, health }: Pick<Endpoint, 'isActive' | 'health'>) {
  if (!isActive) return { name: 'off', tone: 'bad' } as const
  if (health.pausedUntil && new Date(health.pausedUntil) > new Date()) {
    return { name: 'paused', tone: 'bad' } as const
  }
  if (health.failures > 0) return { name: 'failing', tone: 'warn' } as const
  return { name: 'on', tone: 'good' } as const
}
