// How often one caller may ask, in requests a minute. Each request counts in one bucket: the most
// special one that its endpoint and its caller have. The sandbox is generous on purpose: a load
// test of it must measure the service and not its limits.

import type { Parser } from './setting-parsers.ts'

export type RatePolicy = 'client' | 'simulate' | 'address' | 'initiate' | 'login' | 'rail'
export type Rates = Readonly<Record<RatePolicy, number>> // 0: as many as come.

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

// Such as login=30,client=6000: those that are not named keep their default.
export const rates: Parser<Partial<Rates>> = (text, report) => {
  const given: Record<string, number> = {}
  text.split(',').forEach((entry, at) => {
    const [, name = '', digits = ''] = /^\s*([a-z]+)\s*=\s*([0-9]{1,8})\s*$/.exec(entry) ?? []
    const perMinute = Number(digits)
    if (!NAMES.includes(name) || digits === '' || perMinute > RATE_MAX || name in given) {
      const right = `name=number, each name once: ${NAMES.join(', ')}`
      report(`entry ${at + 1} must be ${right}; at most ${RATE_MAX} a minute, 0 for no limit`)
    }
    given[name] = perMinute
  })
  return given
}
