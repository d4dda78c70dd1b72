// Accounting requests of a user who is not an operator.

import { FIRST_DAY, OPERATOR, REASON } from './accounting.ts'
import type { Recipe } from './isolation-recipes.ts'

const get = (path: string): Recipe => {
  return () => [{ url: `${OPERATOR}/${path}` }]
}

export function accountingRecipes(): Record<string, Recipe> {
  return {
    listAccountingDays: get('days'),
    closeDay: () => [{ url: `${OPERATOR}/days/${FIRST_DAY}/close`, body: REASON }],
    getJournal: get(`journal?day=${FIRST_DAY}`),
    exportJournal: get(`journal.csv?day=${FIRST_DAY}&detail=transfer`),
    printJournal: get(`journal.html?day=${FIRST_DAY}`),
    getTrialBalance: get('trial-balance'),
    exportTrialBalance: get('trial-balance.csv'),
    printTrialBalance: get('trial-balance.html'),
    getVatReport: get('vat?month=2026-11'),
    exportVatReport: get('vat.csv?month=2026-11'),
    printVatReport: get('vat.html?month=2026-11'),
    getOperatorBalances: get('balances'),
    exportOperatorBalances: get('balances.csv'),
    getSuspenseAgeing: get('suspense-ageing'),
    exportSuspenseAgeing: get('suspense-ageing.csv'),
    printSuspenseAgeing: get('suspense-ageing.html'),
  }
}

// A later day each time, because days close in order.
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
