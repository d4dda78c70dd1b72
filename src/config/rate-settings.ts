// Rate limits, in requests per minute. A request counts in the most specific bucket. The sandbox
// limits are high, so that load tests measure the service.

import type { Parser } from './setting-parsers.ts'

export type RatePolicy = 'client' | 'simulate' | 'address' | 'initiate' | 'login' | 'rail'
export type Rates = Readonly<Record<RatePolicy, number>> // 0 means no limit.

const RATE_MAX = 60_000_000

export const RATES: Readonly<Record<'sandbox' | 'live', Rates>> = {
  live: {
    client: 60_000,
    simulate: 600,
    address: 3_000, // Many payers of one mobile network share an address.
    initiate: 300,
    login: 60,
    rail: 600_000,
  },
  sandbox: {
    client: 6_000_000,
    simulate: 60_000,
    address: 60_000,
    initiate: 6_000_000,
    login: 6_000,
    rail: 6_000_000,
  },
}

const NAMES = Object.keys(RATES.live)

// For example login=30,client=6000. Other limits keep their defaults.
export const rates: Parser<Partial<Rates>> = (text, report) => {
  const limits: Record<string, number> = {}
  text.split(',').forEach((entry, at) => {
    const [, name = '', digits = ''] = /^\s*([a-z]+)\s*=\s*([0-9]{1,8})\s*$/.exec(entry) ?? []
    const perMinute = Number(digits)
    if (!NAMES.includes(name) || digits === '' || perMinute > RATE_MAX || name in limits) {
      const right = `name=number, each name once: ${NAMES.join(', ')}`
      report(`entry ${at + 1} must be ${right}; at most ${RATE_MAX} per minute, 0 for no limit`)
    }
    limits[name] = perMinute
  })
  return limits
}
