// Requests to the operator's accounting routes, which test/access/route-isolation.test.ts sends as a client
// that is not the operator; and accounting requests with an idempotency key.

import { FIRST_DAY, OPERATOR, REASON } from './accounting.ts'
import type { Recipe } from './isolation-recipes.ts'

const get = (path: string): Recipe => {
  return () => [{ url: `${OPERATOR}/${path}` }]
}

const RATE = { tax: 'vat', percent: 7.5, effectiveFrom: '2030-01-01', source: 'A law' }
const DETAILS = { legalName: 'A', address: 'B', tin: '01234567-0001' }

// For each operation, the requests that name another client's objects (isolation-recipes.ts).
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
    getWithholdingTax: get('withholding-tax?month=2026-11'),
    exportWithholdingTax: get('withholding-tax.csv?month=2026-11'),
    printWithholdingTax: get('withholding-tax.html?month=2026-11'),
    getStampDuty: get('stamp-duty?month=2026-11'),
    exportStampDuty: get('stamp-duty.csv?month=2026-11'),
    printStampDuty: get('stamp-duty.html?month=2026-11'),
    listTaxRates: get('tax-rates'),
    addTaxRate: () => [{ url: `${OPERATOR}/tax-rates`, body: RATE }],
    getTaxSettings: (things) => [{ url: `${OPERATOR}/clients/${things.clientId}/tax-settings` }],
    setTaxSettings: (things) => [
      { method: 'PUT', url: `${OPERATOR}/clients/${things.clientId}/tax-settings`, body: DETAILS },
    ],
    listClientVatInvoices: get('vat-invoices'),
    getClientVatInvoice: get('vat-invoices/INV000001'),
    printClientVatInvoice: get('vat-invoices/INV000001.html'),
    issueVatInvoices: () => [{ url: `${OPERATOR}/vat-invoices`, body: { month: '2026-10' } }],
    listVatInvoices: () => [{ url: '/api/v1/vat-invoices' }],
    getVatInvoice: () => [{ url: '/api/v1/vat-invoices/INV000001' }],
    printVatInvoice: () => [{ url: '/api/v1/vat-invoices/INV000001.html' }],
    getSuspenseEscalation: get('suspense-escalation'),
    setSuspenseEscalation: () => [
      { method: 'PUT', url: `${OPERATOR}/suspense-escalation`, body: { days: 30 } },
    ],
    getOperatorBalances: get('balances'),
    exportOperatorBalances: get('balances.csv'),
    getSuspenseAgeing: get('suspense-ageing'),
    exportSuspenseAgeing: get('suspense-ageing.csv'),
    printSuspenseAgeing: get('suspense-ageing.html'),
    getMonth: get('months/2026-11'),
    getMonthPack: get('months/2026-11/pack'),
    closeMonth: () => [{ url: `${OPERATOR}/months/2026-11/close`, body: REASON }],
    requestMonthReopening: () => [{ url: `${OPERATOR}/months/2026-11/reopen`, body: REASON }],
    approveMonthReopening: () => [{ url: `${OPERATOR}/months/2026-11/reopen/1/approve`, body: {} }],
    rejectMonthReopening: () => [
      { url: `${OPERATOR}/months/2026-11/reopen/1/reject`, body: REASON },
    ],
    ...holdRecipes(),
    withdrawMonthReopening: () => [
      { url: `${OPERATOR}/months/2026-11/reopen/1/withdraw`, body: {} },
    ],
  }
}

// Requests about holds on another client's money.
function holdRecipes(): Record<string, Recipe> {
  const hold = `${OPERATOR}/holds/HLD000000000001`
  return {
    listHolds: get('holds'),
    getHold: () => [{ url: hold }],
    placeHold: (things) => [
      {
        url: `${OPERATOR}/holds`,
        body: { target: 'client', clientId: things.clientId, reason: 'Reported' },
      },
    ],
    listHoldRequests: get('holds/requests'),
    releaseHold: () => [{ url: `${hold}/release`, body: REASON }],
    forfeitHold: () => [{ url: `${hold}/forfeit`, body: REASON }],
    approveHoldRequest: () => [{ url: `${hold}/approve`, body: {} }],
    rejectHoldRequest: () => [{ url: `${hold}/reject`, body: REASON }],
    withdrawHoldRequest: () => [{ url: `${hold}/withdraw`, body: {} }],
  }
}

// Accounting requests that take an idempotency key. `ask` makes a request that succeeds; `others` is the
// body of a different request to the same address.
export function accountingOperations() {
  let days = 0
  // A later day each time, because days close in order.
  const nextDay = () => `2026-10-${String(++days).padStart(2, '0')}`
  return [
    {
      name: 'closeDay',
      ask: async () => ({ url: `${OPERATOR}/days/${nextDay()}/close`, body: REASON }),
      others: () => ({ reason: 'Otherwise.' }),
    },
    {
      // A month before the days that the operation closeDay closes.
      name: 'issueVatInvoices',
      ask: async () => ({ url: `${OPERATOR}/vat-invoices`, body: { month: '2026-09' } }),
      others: () => ({ month: '2026-08' }),
    },
    {
      name: 'addTaxRate',
      ask: async () => ({ url: `${OPERATOR}/tax-rates`, body: RATE }),
      others: () => ({ ...RATE, source: 'Another law' }),
    },
  ]
}
