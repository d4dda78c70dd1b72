// How somebody who is no operator would ask for the accounting of all clients.

import { FIRST_DAY, OPERATOR, REASON } from './accounting.ts'
import type { Recipe } from './isolation-recipes.ts'

const asked = (path: string): Recipe => {
  return () => [{ url: `${OPERATOR}/${path}` }]
}

export function accountingRecipes(): Record<string, Recipe> {
  return {
    listAccountingDays: asked('days'),
    closeDay: () => [{ url: `${OPERATOR}/days/${FIRST_DAY}/close`, body: REASON }],
    getJournal: asked(`journal?day=${FIRST_DAY}`),
    exportJournal: asked(`journal.csv?day=${FIRST_DAY}&detail=transfer`),
    printJournal: asked(`journal.html?day=${FIRST_DAY}`),
    getTrialBalance: asked('trial-balance'),
    exportTrialBalance: asked('trial-balance.csv'),
    printTrialBalance: asked('trial-balance.html'),
    getVatReport: asked('vat?month=2026-11'),
    exportVatReport: asked('vat.csv?month=2026-11'),
    printVatReport: asked('vat.html?month=2026-11'),
    getOperatorBalances: asked('balances'),
    exportOperatorBalances: asked('balances.csv'),
    getSuspenseAgeing: asked('suspense-ageing'),
    exportSuspenseAgeing: asked('suspense-ageing.csv'),
    printSuspenseAgeing: asked('suspense-ageing.html'),
  }
}

// Each time the next day, for days close in order.
export function accountingOperations() {
  let days = 0
  const next = () => `2026-10-${String(++days).padStart(2, '0')}`
  return [
    {
      name: 'closeDay',
      ask: async () => ({ url: `${OPERATOR}/days/${next()}/close`, body: REASON }),
      others: () => ({ reason: 'Otherwise.' }),
    },
  ]
}
