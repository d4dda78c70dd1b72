// Limit profiles: the client's own calls, and requests for another client's.

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

export function profileRecipes(): Record<string, Recipe> {
  const profile = (call: Partial<Call>): Recipe => {
    return (of) => [{ url: `${LIMIT_PROFILES}/${of.limitProfile}`, ...call }]
  }
  return {
    getLimitProfile: profile({}),
    replaceLimitProfile: profile({ method: 'PUT', body: PROFILE_TERMS }),
    deleteLimitProfile: profile({ method: 'DELETE' }),
  }
}
