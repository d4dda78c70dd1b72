// Limit profiles, as a client asks for them.

export const LIMIT_PROFILES = '/api/v1/limit-profiles'

export function profileBody(changes: object = {}) {
  return { code: 'tier-1', name: 'Tier 1', perDay: 50_000, balanceMax: 300_000, ...changes }
}
