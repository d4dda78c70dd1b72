// Requests for another client's settlements; and each POST about them, with something to do.

import type { Recipe } from './isolation-recipes.ts'
import { fund } from './payouts.ts'
import type { Bench, Call } from './running-service.ts'
import {
  CONFIRMED,
  close,
  closed,
  FAILED,
  HOLIDAYS,
  SETTINGS,
  SETTLEMENTS,
  setBankAccount,
  settleOf,
} from './settlements.ts'

const one = (more: string): Recipe => {
  return (of) => [{ url: `${SETTLEMENTS}/${of.settlementReference}${more}` }]
}
const act = (verb: string): Recipe => {
  return (of) => [{ url: `${SETTLEMENTS}/${of.settlementReference}/${verb}`, body: {} }]
}
const pages = (url: string): Recipe => {
  return (of) => [{ url }, { url: `${url}?limit=1&cursor=${of.cursors[url]}` }]
}
const put = (url: string, body: object): Call => ({ method: 'PUT', url, body })

const HOLIDAY = { name: 'Eid', status: 'confirmed', source: 'announced' }

export const SETTLEMENT_RECIPES: Record<string, Recipe> = {
  getSettlementSettings: () => [{ url: SETTINGS }],
  listSettlements: pages(SETTLEMENTS),
  getUpcomingSettlement: () => [{ url: `${SETTLEMENTS}/upcoming` }],
  getSettlement: one(''),
  listSettlementLines: one('/lines'),
  exportSettlement: one('.csv'),
  getSettlementStatement: one('.html'),
  approveSettlement: act('approve'),
  cancelSettlement: act('cancel'),
  closeSettlement: () => [{ url: SETTLEMENTS, body: {} }],
  setHoliday: () => [put(`${HOLIDAYS}/2031-01-01`, HOLIDAY)],
  removeHoliday: () => [{ method: 'DELETE', url: `${HOLIDAYS}/2031-01-01` }],
  setSettlementSettings: () => [put(SETTINGS, { schedule: 'manual' })],
  listHolidays: () => [{ url: HOLIDAYS }],
}

// The client's own settlements: two, so that a page of one has a next.
export async function settlementThings(bench: Bench, token: string) {
  const references: string[] = []
  for (const amount of ['500', '600']) {
    await fund(bench, amount, { token })
    references.push((await close(bench, { token })).json().data.reference)
  }
  return { settlementReference: references[0] as string }
}

// One of each type of event about settlements and their payouts.
export async function settlementEvents(bench: Bench, { token, clientId }: Holder): Promise<void> {
  await setBankAccount(bench, { clientId })
  for (const outcome of [CONFIRMED, FAILED]) {
    await fund(bench, '100', { token })
    const { payouts } = (await close(bench, { token })).json().data
    await settleOf(bench, payouts[0].reference, outcome)
  }
}

type Holder = { token: string; clientId: string }

export function settlementOperations(bench: Bench) {
  const held = async (verb: string) => {
    await setBankAccount(bench, { status: 'unconfirmed' })
    await fund(bench, '100')
    const { reference } = await closed(bench)
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
    { name: 'approveSettlement', ask: () => held('approve') },
    { name: 'cancelSettlement', ask: () => held('cancel') },
  ]
}
