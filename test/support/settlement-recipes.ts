// Requests for another client's settlements, which test/access/route-isolation.test.ts sends; and requests
// about settlements that take an idempotency key, for test/records/keyed-operations.ts.

import type { Recipe } from './isolation-recipes.ts'
import { fund } from './payouts.ts'
import type { Bench, Call } from './running-service.ts'
import {
  CONFIRMED,
  closeSettlement,
  FAILED,
  HOLIDAYS,
  requestClosing,
  SETTINGS,
  SETTLEMENTS,
  setBankAccount,
  settleOf,
} from './settlements.ts'

const settlement = (more: string): Recipe => {
  return (things) => [{ url: `${SETTLEMENTS}/${things.settlementReference}${more}` }]
}
const act = (verb: string): Recipe => {
  return (things) => [{ url: `${SETTLEMENTS}/${things.settlementReference}/${verb}`, body: {} }]
}
const pages = (url: string): Recipe => {
  return (things) => [{ url }, { url: `${url}?limit=1&cursor=${things.cursors[url]}` }]
}
const put = (url: string, body: object): Call => ({ method: 'PUT', url, body })

const HOLIDAY = { name: 'Eid', status: 'confirmed', source: 'announced' }

export const SETTLEMENT_RECIPES: Record<string, Recipe> = {
  getSettlementSettings: () => [{ url: SETTINGS }],
  listSettlements: pages(SETTLEMENTS),
  getUpcomingSettlement: () => [{ url: `${SETTLEMENTS}/upcoming` }],
  getSettlement: settlement(''),
  listSettlementLines: settlement('/lines'),
  exportSettlement: settlement('.csv'),
  getSettlementStatement: settlement('.html'),
  approveSettlement: act('approve'),
  cancelSettlement: act('cancel'),
  closeSettlement: () => [{ url: SETTLEMENTS, body: {} }],
  setHoliday: () => [put(`${HOLIDAYS}/2031-01-01`, HOLIDAY)],
  removeHoliday: () => [{ method: 'DELETE', url: `${HOLIDAYS}/2031-01-01` }],
  setSettlementSettings: () => [put(SETTINGS, { schedule: 'manual' })],
  listHolidays: () => [{ url: HOLIDAYS }],
}

// Closes two settlements of the isolation test's client, so that the list has a second page; returns the
// first's reference.
export async function settlementThings(bench: Bench, token: string) {
  const references: string[] = []
  for (const amount of ['500', '600']) {
    await fund(bench, amount, { token })
    references.push((await requestClosing(bench, { token })).json().data.reference)
  }
  return { settlementReference: references[0] as string }
}

// Makes one event of each type about settlements and their payouts.
export async function settlementEvents(bench: Bench, { token, clientId }: Holder): Promise<void> {
  await setBankAccount(bench, { clientId })
  for (const outcome of [CONFIRMED, FAILED]) {
    await fund(bench, '100', { token })
    const { payouts } = (await requestClosing(bench, { token })).json().data
    await settleOf(bench, payouts[0].reference, outcome)
  }
}

type Holder = { token: string; clientId: string }

// Requests that take an idempotency key. `ask` makes a request that succeeds; `others` is the body of a
// different request to the same address.
export function settlementOperations(bench: Bench) {
  // A decision about a settlement that waits, because its bank account was not confirmed when it closed.
  const decideWaiting = async (verb: string) => {
    await setBankAccount(bench, { status: 'unconfirmed' })
    await fund(bench, '100')
    const { reference } = await closeSettlement(bench)
    await setBankAccount(bench)
    return { url: `${SETTLEMENTS}/${reference}/${verb}`, body: {} }
  }
  return [
    {
      name: 'closeSettlement',
      ask: async () => {
        await fund(bench, '100')
        return { url: SETTLEMENTS, body: {} }
      },
      others: () => ({ cutOff: '2020-01-01' }),
    },
    { name: 'approveSettlement', ask: () => decideWaiting('approve') },
    { name: 'cancelSettlement', ask: () => decideWaiting('cancel') },
  ]
}
