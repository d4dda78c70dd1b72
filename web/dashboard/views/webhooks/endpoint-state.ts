// An endpoint, and whether it is healthy, failing, paused by its circuit breaker, or disabled.

export type Condition = {
  failures: number
  failingSince: string | null
  pausedUntil: string | null
  disabledWhy: string | null
}
export type Endpoint = {
  id: string
  url: string
  eventTypes: string[] | null
  isActive: boolean
  createdAt: string
  updatedAt: string
  health: Condition
}

export function stateOf({ isActive, health }: Pick<Endpoint, 'isActive' | 'health'>) {
  if (!isActive) return { name: 'off', tone: 'bad' } as const
  if (health.pausedUntil && new Date(health.pausedUntil) > new Date()) {
    return { name: 'paused', tone: 'bad' } as const
  }
  if (health.failures > 0) return { name: 'failing', tone: 'warn' } as const
  return { name: 'on', tone: 'good' } as const
}
