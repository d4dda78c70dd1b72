// The link to the database: reset, stalled, half open, slow.

import { aWhile, type Fault, nothing } from './fault.ts'

export const PROXY_FAULTS: readonly Fault[] = [
  {
    name: 'proxy-reset',
    async inject({ link }) {
      link.reset()
      return { lastsMs: 0, heal: nothing }
    },
  },
  {
    name: 'proxy-stall',
    async inject({ link }, random) {
      link.stall()
      return { lastsMs: aWhile(random), heal: async () => link.heal() }
    },
  },
  {
    name: 'proxy-half-open',
    async inject({ link }, random) {
      link.halfOpen()
      return { lastsMs: aWhile(random), heal: async () => link.heal() }
    },
  },
  {
    name: 'proxy-slow',
    async inject({ link }, random) {
      const ms = random.integer(20, 300)
      link.slow(ms)
      return { detail: `${ms} ms`, lastsMs: aWhile(random), heal: async () => link.heal() }
    },
  },
]
