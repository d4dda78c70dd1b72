// Bodies for limit profiles, and the requests for another client's profiles that
// test/access/route-isolation.test.ts sends.

import type { Recipe } from './isolation-recipes.ts'
import type { Call } from './running-service.ts'

export const LIMIT_PROFILES = '/api/v1/limit-profiles'

export const PROFILE_TERMS = {
  name: 'Profile',
  perCredit: null,
  perDay: null,
  balanceMax: null,
  tiers: [],
}

export function profileBody(changes: object = {}) {
  return { code: 'tier-1', name: 'Tier 1', perDay: 50_000, balanceMax: 300_000, ...changes }
}

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
export function profileRecipes(): Record<string, Recipe> {
  const profile = (call: Partial<Call>): Recipe => {
    return (things) => [{ url: `${LIMIT_PROFILES}/${things.limitProfile}`, ...call }]
  }
  return {
    getLimitProfile: profile({}),
    replaceLimitProfile: profile({ method: 'PUT', body: PROFILE_TERMS }),
    deleteLimitProfile: profile({ method: 'DELETE' }),
  }
}
