// Requests to the operator's reconciliation routes, which test/access/route-isolation.test.ts sends as a
// client that is not the operator; and requests about differences that take an idempotency key, for
// test/records/keyed-operations.ts.

import { addLineDifference, RECONCILIATION } from './differences.ts'
import type { Recipe } from './isolation-recipes.ts'
import { makeUser, userIdOf } from './people.ts'
import type { Bench, Call } from './running-service.ts'

const DIFFERENCE = `${RECONCILIATION}/1`
const NOTE = { action: 'note', reason: 'Explained.' }
const AJE = `${RECONCILIATION}/adjusting-entries/AJE000000000000001`
const ENTRY = { differenceId: 1, account: 'shortfall', amount: -5, reason: 'Explained.' }
const NOBODY = { owner: 'nobody' }

const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })

const get = (path: string): Recipe => {
  return () => [{ url: `${RECONCILIATION}${path}` }]
}
const DAY = 'bankCode=058&day=2026-11-14'

export const RESOLUTION_RECIPES: Record<string, Recipe> = {
  getDailyProof: get(`?${DAY}`),
  listDailyProofs: get('/days'),
  getReconciliationAgeing: get('/ageing'),
  listReconciledLines: get(`/lines?${DAY}`),
  listReconciledItems: get(`/items?${DAY}`),
  listDifferences: get('/differences'),
  listReconcilingItems: get('/reconciling-items'),
  listAdjustingEntries: get('/adjusting-entries'),
  getAdjustingEntry: get('/adjusting-entries/AJE000000000000001'),
  requestAdjustingEntry: () => [post(`${RECONCILIATION}/adjusting-entries`, ENTRY)],
  approveAdjustingEntry: () => [post(`${AJE}/approve`)],
  rejectAdjustingEntry: () => [post(`${AJE}/reject`, { reason: 'No.' })],
  withdrawAdjustingEntry: () => [post(`${AJE}/withdraw`)],
  getDifference: get('/1'),
  resolveDifference: () => [post(`${DIFFERENCE}/resolve`, NOTE)],
  resolveDifferences: () => [post(`${RECONCILIATION}/resolve`, { ids: [1], ...NOTE })],
  assignDifference: () => [post(`${DIFFERENCE}/assign`, NOBODY)],
  assignDifferences: () => [post(`${RECONCILIATION}/assign`, { ids: [1], ...NOBODY })],
  listDifferenceOwners: get('/owners'),
  approveResolution: () => [post(`${DIFFERENCE}/approve`)],
  rejectResolution: () => [post(`${DIFFERENCE}/reject`, { reason: 'No.' })],
  withdrawResolution: () => [post(`${DIFFERENCE}/withdraw`)],
}

// Requests that take an idempotency key. `ask` makes a request that succeeds; `others` is the body of a
// different request to the same address.
export function resolutionOperations(bench: Bench) {
  // Adds a difference: a fee of 5 naira that only the statement has.
  const addDifferenceOfFee = async () => {
    const line = { amount: -5, kind: 'fee' } as const
    return (await addLineDifference(bench, { kind: 'unexplained_debit', line })).id
  }
  const newOperatorId = async () => userIdOf(bench, await makeUser(bench, { role: 'operator' }))
  const book = { ...NOTE, action: 'book' }
  return [
    {
      name: 'resolveDifference',
      ask: async () => ({
        url: `${RECONCILIATION}/${await addDifferenceOfFee()}/resolve`,
        body: book,
      }),
      others: () => NOTE,
    },
    {
      name: 'resolveDifferences',
      ask: async () => ({
        url: `${RECONCILIATION}/resolve`,
        body: { ids: [await addDifferenceOfFee(), await addDifferenceOfFee()], ...book },
      }),
      others: () => ({ ids: [1], ...NOTE }),
    },
    {
      name: 'assignDifference',
      ask: async () => ({
        url: `${RECONCILIATION}/${await addDifferenceOfFee()}/assign`,
        body: { owner: await newOperatorId() },
      }),
      others: () => NOBODY,
    },
    {
      name: 'assignDifferences',
      ask: async () => ({
        url: `${RECONCILIATION}/assign`,
        body: {
          ids: [await addDifferenceOfFee(), await addDifferenceOfFee()],
          owner: await newOperatorId(),
        },
      }),
      others: () => ({ ids: [1], ...NOBODY }),
    },
  ]
}
