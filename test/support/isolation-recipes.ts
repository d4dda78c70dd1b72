// Requests for another client's data on every route: each operation of the OpenAPI with the calls that
// name it, or with the reason why there are none.

import { accountingRecipes } from './accounting-recipes.ts'
import { CLIENTS } from './clients.ts'
import { controlRecipes } from './control-recipes.ts'
import { feeRecipes } from './fee-rules.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  BY_ADVICE,
  BY_PAYMENT,
  INITIATE,
  SIMULATE,
} from './fixtures.ts'
import { DESK_RECIPES } from './isolation-desk.ts'
import { STATEMENT_RECIPES } from './isolation-statements.ts'
import type { Things } from './isolation-world.ts'
import { LIMIT_PROFILES, profileBody, profileRecipes } from './limit-profiles.ts'
import { PAYOUT_FILE_RECIPES, PAYOUT_MAKING, PAYOUT_RECIPES } from './payout-recipes.ts'
import { REFUND_RECIPES } from './refund-recipes.ts'
import { REPORT_RECIPES } from './report-recipes.ts'
import { RESOLUTION_RECIPES } from './resolution-recipes.ts'
import type { Call } from './running-service.ts'
import { SPLITS, SUBACCOUNTS, splitRecipes, subaccountBody } from './splits.ts'
import { BANK_STATEMENT_RECIPES } from './statement-recipes.ts'
import { SUSPENSE } from './suspense-desk.ts'
import { ENDPOINTS } from './webhook-journeys.ts'

export type Recipe = (of: Things) => Call[]

const FIRST_RETURN = '/api/v1/operator/returns/RTN000000000001'
const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })
const keyed = (key: string, call: Call): Call => ({ ...call, headers: { 'idempotency-key': key } })

// The whole list, each filter, and the cursor of another client's page.
function list(url: string, filters: (of: Things) => Record<string, string> = () => ({})): Recipe {
  return (of) => [
    { url },
    ...Object.entries(filters(of)).map(([name, value]) => ({
      url: `${url}?${new URLSearchParams({ [name]: value })}`,
    })),
    ...(of.cursors[url] ? [{ url: `${url}?limit=1&cursor=${of.cursors[url]}` }] : []),
  ]
}

const references = (of: Things) => [
  of.paymentReference,
  of.paymentReference.replaceAll('-', '').toUpperCase(),
  of.adviceReference,
  of.merchantRef,
  of.sessionId,
  of.itemSession,
  of.paymentNumber,
  of.accountNumber,
  of.additionalNumber,
]

const byReference = (url: (reference: string) => Call): Recipe => {
  return (of) => references(of).map((reference) => url(encodeURIComponent(reference)))
}

const accountFilters = (of: Things) => ({
  merchantId: of.merchantId,
  merchantCode: of.merchantCode,
  email: of.email,
  bvn: of.bvn,
  nin: of.nin,
  name: of.accountName,
})
const creditFilters = (of: Things) => ({
  sessionId: of.sessionId,
  accountNumber: of.accountNumber,
  paymentReference: of.paymentReference,
  adviceReference: of.adviceReference,
  merchantRef: of.merchantRef,
})
const credits = (of: Things) => [of.creditId, of.sessionId, of.itemSession]
const account = (path: string, body?: object, method?: Call['method']): Recipe => {
  return (of) =>
    [of.accountNumber, of.additionalNumber, of.paymentNumber].map((number) => {
      const url = `${ACCOUNTS}/${number}${path}`
      return { url, ...(body ? { method: method ?? 'POST', body } : {}) }
    })
}
const event = (path: string, body?: object): Recipe => {
  return (of) => [{ url: `/api/v1/events/${of.eventId}${path}`, ...(body ? { body } : {}) }]
}
const endpoint = (path: string, call: Partial<Call> = {}): Recipe => {
  return (of) => [{ url: `${ENDPOINTS}/${of.endpointId}${path}`, ...call }]
}
const client = (path: string, call: Partial<Call> = {}): Recipe => {
  return (of) => [{ url: `${CLIENTS}/${of.clientId}${path}`, ...call }]
}
const user = (path: string, call: Partial<Call>): Recipe => {
  return (of) => [{ url: `/dashboard/api/users/${of.userId}${path}`, ...call }]
}

const ACCOUNT_RECIPES: Record<string, Recipe> = {
  listCollectionAccounts: list(ACCOUNTS, accountFilters),
  exportCollectionAccounts: list(`${ACCOUNTS}.csv`, accountFilters),
  summarizeCollectionAccounts: () => [{ url: `${ACCOUNTS}/summary` }],
  getCollectionAccount: account(''),
  getCollectionAccountDetails: account('/details'),
  updateCollectionAccount: account('', { email: 'new@example.com' }, 'PATCH'),
  deactivateCollectionAccount: account('/deactivate', {}),
  verifyCollectionAccount: account('/verify', {}),
  activateCollectionAccount: account('/activate', {}),
  setDefaultCollectionAccount: account('/default', {}),
  addCollectionAccountNumber: account('/numbers', { bankCode: '101' }),
  eraseCollectionAccount: account('/erase', { reason: 'Asked for.' }),
  listLimitProfiles: list(LIMIT_PROFILES),
  getCollectionCeilings: () => [{ url: '/api/v1/collection-ceilings' }],
  getClientCollectionCeilings: client('/collection-ceilings'),
  setClientCollectionCeilings: client('/collection-ceilings', {
    method: 'PUT',
    body: { tiers: [] },
  }),
  ...profileRecipes(),
  getAccountTimeline: account('/timeline'),
  listMerchantBalances: list('/api/v1/balances/merchants'),
  getOverview: list('/api/v1/overview'),
  getOverviewBreakdown: list('/api/v1/overview/breakdown'),
  getOverviewPeriod: list('/api/v1/overview/period?from=2026-11-01&to=2026-12-01'),
  listCredits: list('/api/v1/credits', creditFilters),
  summarizeCredits: (of) => [
    { url: '/api/v1/credits/summary' },
    { url: `/api/v1/credits/summary?accountNumber=${of.accountNumber}` },
  ],
  exportCredits: list('/api/v1/credits.csv', creditFilters),
  getCredit: (of) => credits(of).map((id) => ({ url: `/api/v1/credits/${id}` })),
  getCreditTimeline: (of) => credits(of).map((id) => ({ url: `/api/v1/credits/${id}/timeline` })),
  listSuspense: list(SUSPENSE),
  summarizeSuspense: list(`${SUSPENSE}/summary`),
  exportSuspense: list(`${SUSPENSE}.csv`),
  getSuspense: (of) => [{ url: `${SUSPENSE}/${of.itemId}` }],
  returnSuspense: (of) => [post(`${SUSPENSE}/${of.itemId}/return`)],
  assignSuspense: (of) => [
    post(`${SUSPENSE}/${of.itemId}/assign`, { accountNumber: of.accountNumber }),
    post(`${SUSPENSE}/${of.itemId}/assign`, { accountNumber: of.additionalNumber }),
    post(`${SUSPENSE}/${of.itemId}/assign`, { paymentReference: of.paymentReference }),
  ],
}

const PAYMENT_RECIPES: Record<string, Recipe> = {
  getAdvice: (of) => [{ url: `${ADVICE}/${of.adviceReference}` }],
  cancelAdvice: (of) => [post(`${ADVICE}/${of.openAdvice}/cancel`)],
  eraseAdvice: (of) => [
    post(`/api/v1/advices/${of.openAdvice}/erase`, { reason: 'Asked for.' }),
    post(`/api/v1/advices/${of.adviceReference}/erase`, { reason: 'Asked for.' }),
  ],
  initiateBankTransfer: (of) => [
    post(`${INITIATE}/${of.openAdvice}`, { bankCode: '035' }),
    post(`${INITIATE}/${of.adviceReference}`, { bankCode: '058' }),
    keyed(of.keyOfAdvice, post(`${INITIATE}/${of.openAdvice}`, { bankCode: '035' })),
  ],
  simulatePayment: (of) => [
    post(SIMULATE, { virtualAccountNumber: of.accountNumber, amount: '10' }),
    post(SIMULATE, { virtualAccountNumber: of.additionalNumber, amount: '10' }),
    post(SIMULATE, { virtualAccountNumber: of.paymentNumber, amount: '10' }),
  ],
  verifyByPayment: (of) => [{ url: `${BY_PAYMENT}/${of.paymentReference}` }],
  verifyByAdvice: (of) => [{ url: `${BY_ADVICE}/${of.adviceReference}` }],
  listPayments: list('/api/v1/payments'),
  summarizePayments: byReference((reference) => ({
    url: `/api/v1/payments/summary?${new URLSearchParams({ reference })}`,
  })),
  getPayment: byReference((reference) => ({ url: `/api/v1/payments/${reference}` })),
  getPaymentTimeline: byReference((reference) => ({
    url: `/api/v1/payments/${reference}/timeline`,
  })),
  requeryPayment: byReference((reference) => post(`/api/v1/payments/${reference}/requery`)),
  listAdvices: list('/api/v1/advices'),
  findAdvice: byReference((reference) => ({ url: `/api/v1/advices/${reference}` })),
  cancelAdviceByAnyReference: byReference((reference) =>
    post(`/api/v1/advices/${reference}/cancel`),
  ),
  extendAdvice: byReference((reference) =>
    post(`/api/v1/advices/${reference}/extend`, { seconds: 60 }),
  ),
  exportPayments: list('/api/v1/payments.csv'),
  search: (of) => [
    ...references(of).map((q) => ({ url: `/api/v1/search?${new URLSearchParams({ q })}` })),
    ...[of.accountName, of.email, of.eventId, of.creditId].map((q) => ({
      url: `/api/v1/search?${new URLSearchParams({ q })}`,
    })),
  ],
  pushPayment: (of) => [post(`/api/WebHook/push/${of.paymentReference}`)],
}

const OTHER_RECIPES: Record<string, Recipe> = {
  listEvents: list('/api/v1/events', (of) => ({
    accountNumber: of.accountNumber,
    paymentReference: of.paymentReference,
  })),
  getEvent: event(''),
  listEventDeliveries: event('/deliveries'),
  redeliverEvent: (of) => [
    ...event('/redeliver', {})(of),
    ...event('/redeliver', { endpointId: of.endpointId })(of),
  ],
  listWebhookEndpoints: list(ENDPOINTS),
  getWebhookEndpoint: endpoint(''),
  updateWebhookEndpoint: endpoint('', { method: 'PATCH', body: { isActive: false } }),
  deleteWebhookEndpoint: endpoint('', { method: 'DELETE' }),
  rotateWebhookEndpointSecret: endpoint('/rotate-secret', { method: 'POST' }),
  replayEvents: endpoint('/replay', { body: { from: '2026-11-01', to: '2026-12-01' } }),
  testWebhookEndpoint: endpoint('/test', { method: 'POST' }),
  getWebhookSecret: list('/api/v1/webhook-secret'),
  listAuditLog: list('/api/v1/audit-log', (of) => ({
    actor: `user:${of.userEmail}`,
    subject: `client/${of.clientId}`,
  })),
  getBranding: list('/api/v1/branding'),
  getOwnClient: list('/dashboard/api/client'),
  createClient: (of) => [post(CLIENTS, { name: 'X', clientId: of.clientId })],
  listClients: list(CLIENTS),
  ...feeRecipes(),
  ...accountingRecipes(),
  ...controlRecipes(),
  listSubaccounts: list(SUBACCOUNTS),
  listSplits: list(SPLITS),
  ...splitRecipes(),
  listRailItems: list('/api/v1/operator/rail-items'),
  ...BANK_STATEMENT_RECIPES,
  getClient: client(''),
  updateClient: client('', { method: 'PATCH', body: { name: 'X' } }),
  getClientUse: client('/use'),
  rotateClientSecret: client('/rotate-secret', { body: {} }),
  suspendClient: client('/suspend', { body: {} }),
  resumeClient: client('/resume', { body: {} }),
  approveAccountName: client('/account-name/approve', { body: { accountName: 'X' } }),
  rejectAccountName: client('/account-name/reject', { body: { accountName: 'X' } }),
  listReturns: list('/api/v1/operator/returns'),
  getReturn: () => [{ url: FIRST_RETURN }, { url: `${FIRST_RETURN}?reveal=true` }],
  confirmReturn: () => [post(`${FIRST_RETURN}/confirm`)],
  failReturn: () => [post(`${FIRST_RETURN}/fail`, { reason: 'X' })],
  listBankHealth: list('/api/v1/operator/banks'),
  listMessages: list('/api/v1/messages'),
  listMessageSuppressions: list('/api/v1/message-suppressions'),
  listAlerts: list('/api/v1/operator/alerts'),
  getAlert: () => [{ url: '/api/v1/operator/alerts/1' }],
  acknowledgeAlert: () => [post('/api/v1/operator/alerts/1/acknowledge')],
  reopenAlert: () => [post('/api/v1/operator/alerts/1/reopen')],
  getSession: list('/dashboard/api/session'),
  listSessions: list('/dashboard/api/sessions'),
  endSession: (of) => [{ method: 'DELETE', url: `/dashboard/api/sessions/${of.signInId}` }],
  listPasskeys: list('/dashboard/api/passkeys'),
  renamePasskey: (of) => [
    { method: 'PATCH', url: `/dashboard/api/passkeys/${of.passkeyId}`, body: { name: 'Mine' } },
  ],
  removePasskey: (of) => [
    post(`/dashboard/api/passkeys/${of.passkeyId}/remove`, {
      password: 'correct horse battery staple',
    }),
  ],
  listUsers: list('/dashboard/api/users', ({ clientId }) => ({ clientId })),
  createUser: (of) => [
    post('/dashboard/api/users', {
      email: 'x@people.example',
      role: 'support',
      clientId: of.clientId,
      password: 'correct horse battery staple',
    }),
  ],
  changeUser: user('', { method: 'PATCH', body: { role: 'support' } }),
  removeUser: user('', { method: 'DELETE' }),
  resetUserPassword: user('/reset-password', { body: {} }),
  vouchForUser: user('/vouch', { body: { note: 'X' } }),
}

// Their answers may differ only in the request id.
const OWN_RECIPES: Record<string, Recipe> = {
  ...ACCOUNT_RECIPES,
  ...STATEMENT_RECIPES,
  ...DESK_RECIPES,
  ...PAYMENT_RECIPES,
  ...OTHER_RECIPES,
  ...PAYOUT_RECIPES,
  ...REFUND_RECIPES,
  ...REPORT_RECIPES,
  ...RESOLUTION_RECIPES,
  ...PAYOUT_FILE_RECIPES,
}

const EXPORTED_LISTS =
  'Subaccounts BankAccounts Payouts Refunds Adjustments Differences Advices Settlements AuditLog ' +
  'AllPayouts AdjustingEntries ReconcilingItems DailyProofs StatementLines Returns RailItems ' +
  'LedgerTransfers Holds ' +
  'SuspenseRequests PayoutFailures ClientVatInvoices VatInvoices MerchantBalances SubaccountBalances'

const withUrl = (recipe: Recipe, change: (url: string) => string): Recipe => {
  return (of) => recipe(of).map((call) => ({ ...call, url: change(call.url) }))
}

const isDailyProofs = (path: string) => path.endsWith('/reconciliation/days')

// Files of lists take no page. Daily proofs need their days.
function toFile(url: string): string {
  const [path = '', query = ''] = url.split('?')
  return isDailyProofs(path) ? `${path}.csv?${query}` : `${path}.csv`
}

const FILE_RECIPES = Object.fromEntries(
  EXPORTED_LISTS.split(' ').map((name) => {
    const recipe = OWN_RECIPES[`list${name}`] as Recipe
    return [`export${name}`, withUrl(recipe, toFile)]
  }),
)

const CSV_RECIPES = { ...OWN_RECIPES, ...FILE_RECIPES }

export const RECIPES: Record<string, Recipe> = {
  ...CSV_RECIPES,
  ...Object.fromEntries(
    Object.entries(CSV_RECIPES)
      .filter(([id]) => id.startsWith('export') && id !== 'exportCase') // Cases are no table.
      .map(([id, recipe]) => [
        `${id}Xlsx`,
        withUrl(recipe, (url) => url.replace('.csv', '.xlsx').replace('&for=spreadsheet', '')),
      ]),
  ),
}
// These always create something for the caller, whatever foreign values they get.
export const MAKING: Record<string, Recipe> = {
  createCollectionAccount: (of) => [
    keyed(of.keyOfAccount, post(ACCOUNTS, accountBody({ merchantId: of.merchantId }))),
    post(ACCOUNTS, accountBody({ merchantCode: of.merchantCode, bvn: of.bvn, email: of.email })),
  ],
  createCollectionAccounts: (of) => [
    keyed(
      of.keyOfAccount.replace('1', '3'),
      post(`${ACCOUNTS}/bulk`, { accounts: [accountBody({ merchantCode: of.merchantCode })] }),
    ),
  ],
  createAdvice: (of) => [
    keyed(of.keyOfAdvice, post(ADVICE, adviceBody())),
    post(ADVICE, adviceBody({ merchantRef: of.merchantRef, amount: 77 })),
  ],
  createSubaccount: (of) => [post(SUBACCOUNTS, subaccountBody(of.subaccountCode))],
  createLimitProfile: (of) => [post(LIMIT_PROFILES, profileBody({ code: of.limitProfile }))],
  createWebhookEndpoint: (of) => [post(ENDPOINTS, { url: of.endpointUrl })],
  ...PAYOUT_MAKING,
  rotateWebhookSecret: () => [{ method: 'POST', url: '/api/v1/webhook-secret/rotate' }],
  setSuspenseSettings: () => [
    { method: 'PUT', url: `${SUSPENSE}/settings`, body: { makerChecker: false } },
  ],
  rotateOwnSecret: () => [post('/dashboard/api/client/rotate-secret')],
  setBranding: () => [
    { method: 'PUT', url: '/api/v1/branding', body: { name: 'Own', colour: '#123456' } },
  ],
}
