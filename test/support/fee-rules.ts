// The operator's calls on fee rules, and the requests for another client's rules that
// test/access/route-isolation.test.ts sends.

import type { Recipe } from './isolation-recipes.ts'
import type { Bench, Call } from './running-service.ts'

export const FEE_RULES = '/api/v1/operator/fee-rules'

// The body of a fee rule: 1% of each credit, but 300 naira at the most, borne by the merchant.
export function feeRuleBody(changes: object = {}) {
  return {
    clientId: 'MAN0000001',
    code: 'standard',
    basis: 'credit',
    bps: 100,
    cap: 300,
    bearer: 'merchant',
    ...changes,
  }
}

export function createFeeRule(bench: Bench, changes: object = {}, more: Partial<Call> = {}) {
  return bench.call({ url: FEE_RULES, body: feeRuleBody(changes), ...more })
}

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
export function feeRecipes(): Record<string, Recipe> {
  return {
    listOwnFeeRules: () => [{ url: '/api/v1/fee-rules' }],
    listFeeRules: (things) => [
      { url: FEE_RULES },
      { url: `${FEE_RULES}?clientId=${things.clientId}` },
    ],
    withdrawFeeRule: () => [{ method: 'DELETE', url: `${FEE_RULES}/1` }],
    createFeeRule: (things) => [
      { url: FEE_RULES, body: feeRuleBody({ clientId: things.clientId }) },
    ],
  }
}
