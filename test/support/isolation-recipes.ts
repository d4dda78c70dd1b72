// Requests for another client's data, for each operation of the OpenAPI description.
// test/access/route-isolation.test.ts sends them with another client's values and with values that nobody
// has, and compares the responses.

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

// The requests to one operation that name another client's things.
export type Recipe = (things: Things) => Call[]

const FIRST_RETURN = '/api/v1/operator/returns/RTN000000000001'
const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })
const keyed = (key: string, call: Call): Call => ({ ...call, headers: { 'idempotency-key': key } })

// Requests to a list: without a filter, with each filter, and with the cursor of another client's page.
function list(
  url: string,
  filters: (things: Things) => Record<string, string> = () => ({}),
): Recipe {
  return (things) => [
    { url },
    ...Object.entries(filters(things)).map(([name, value]) => ({
      url: `${url}?${new URLSearchParams({ [name]: value })}`,
    })),
    ...(things.cursors[url] ? [{ url: `${url}?limit=1&cursor=${things.cursors[url]}` }] : []),
  ]
}

const references = (things: Things) => [
  things.paymentReference,
  things.paymentReference.replaceAll('-', '').toUpperCase(),
  things.adviceReference,
  things.merchantRef,
  things.sessionId,
  things.itemSession,
  things.paymentNumber,
  things.accountNumber,
  things.additionalNumber,
]

const byReference = (url: (reference: string) => Call): Recipe => {
  return (things) => references(things).map((reference) => url(encodeURIComponent(reference)))
}

const accountFilters = (things: Things) => ({
  merchantId: things.merchantId,
  merchantCode: things.merchantCode,
  email: things.email,
  bvn: things.bvn,
  nin: things.nin,
  name: things.accountName,
})
const creditFilters = (things: Things) => ({
  sessionId: things.sessionId,
  accountNumber: things.accountNumber,
  paymentReference: things.paymentReference,
  adviceReference: things.adviceReference,
  merchantRef: things.merchantRef,
})
const credits = (things: Things) => [things.creditId, things.sessionId, things.itemSession]
// Requests to a route below each number of the other client: its account's two numbers and its payment's.
const account = (path: string, body?: object, method?: Call['method']): Recipe => {
  return (things) =>
    [things.accountNumber, things.additionalNumber, things.paymentNumber].map((number) => {
      const url = `${ACCOUNTS}/${number}${path}`
      return { url, ...(body ? { method: method ?? 'POST', body } : {}) }
    })
}
const event = (path: string, body?: object): Recipe => {
  return (things) => [{ url: `/api/v1/events/${things.eventId}${path}`, ...(body ? { body } : {}) }]
}
const endpoint = (path: string, call: Partial<Call> = {}): Recipe => {
  return (things) => [{ url: `${ENDPOINTS}/${things.endpointId}${path}`, ...call }]
}
const client = (path: string, call: Partial<Call> = {}): Recipe => {
  return (things) => [{ url: `${CLIENTS}/${things.clientId}${path}`, ...call }]
}
const user = (path: string, call: Partial<Call>): Recipe => {
  return (things) => [{ url: `/dashboard/api/users/${things.userId}${path}`, ...call }]
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
  getClientNumberCeilings: client('/number-ceilings'),
  setClientNumberCeilings: client('/number-ceilings', { method: 'PUT', body: { banks: [] } }),
  ...profileRecipes(),
  getAccountTimeline: account('/timeline'),
  listMerchantBalances: list('/api/v1/balances/merchants'),
  getOverview: list('/api/v1/overview'),
  getOverviewBreakdown: list('/api/v1/overview/breakdown'),
  getOverviewPeriod: list('/api/v1/overview/period?from=2026-11-01&to=2026-12-01'),
  listCredits: list('/api/v1/credits', creditFilters),
  summarizeCredits: (things) => [
    { url: '/api/v1/credits/summary' },
    { url: `/api/v1/credits/summary?accountNumber=${things.accountNumber}` },
  ],
  exportCredits: list('/api/v1/credits.csv', creditFilters),
  getCredit: (things) => credits(things).map((id) => ({ url: `/api/v1/credits/${id}` })),
  getCreditTimeline: (things) =>
    credits(things).map((id) => ({ url: `/api/v1/credits/${id}/timeline` })),
  listSuspense: list(SUSPENSE),
  summarizeSuspense: list(`${SUSPENSE}/summary`),
  exportSuspense: list(`${SUSPENSE}.csv`),
  getSuspense: (things) => [{ url: `${SUSPENSE}/${things.itemId}` }],
  returnSuspense: (things) => [post(`${SUSPENSE}/${things.itemId}/return`)],
  assignSuspense: (things) => [
    post(`${SUSPENSE}/${things.itemId}/assign`, { accountNumber: things.accountNumber }),
    post(`${SUSPENSE}/${things.itemId}/assign`, { accountNumber: things.additionalNumber }),
    post(`${SUSPENSE}/${things.itemId}/assign`, { paymentReference: things.paymentReference }),
  ],
}

const PAYMENT_RECIPES: Record<string, Recipe> = {
  getAdvice: (things) => [{ url: `${ADVICE}/${things.adviceReference}` }],
  cancelAdvice: (things) => [post(`${ADVICE}/${things.openAdvice}/cancel`)],
  eraseAdvice: (things) => [
    post(`/api/v1/advices/${things.openAdvice}/erase`, { reason: 'Asked for.' }),
    post(`/api/v1/advices/${things.adviceReference}/erase`, { reason: 'Asked for.' }),
  ],
  initiateBankTransfer: (things) => [
    post(`${INITIATE}/${things.openAdvice}`, { bankCode: '035' }),
    post(`${INITIATE}/${things.adviceReference}`, { bankCode: '058' }),
    keyed(things.keyOfAdvice, post(`${INITIATE}/${things.openAdvice}`, { bankCode: '035' })),
  ],
  simulatePayment: (things) => [
    post(SIMULATE, { virtualAccountNumber: things.accountNumber, amount: '10' }),
    post(SIMULATE, { virtualAccountNumber: things.additionalNumber, amount: '10' }),
    post(SIMULATE, { virtualAccountNumber: things.paymentNumber, amount: '10' }),
  ],
  verifyByPayment: (things) => [{ url: `${BY_PAYMENT}/${things.paymentReference}` }],
  verifyByAdvice: (things) => [{ url: `${BY_ADVICE}/${things.adviceReference}` }],
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
  search: (things) => [
    ...references(things).map((q) => ({ url: `/api/v1/search?${new URLSearchParams({ q })}` })),
    ...[things.accountName, things.email, things.eventId, things.creditId].map((q) => ({
      url: `/api/v1/search?${new URLSearchParams({ q })}`,
    })),
  ],
  pushPayment: (things) => [post(`/api/WebHook/push/${things.paymentReference}`)],
}

const OTHER_RECIPES: Record<string, Recipe> = {
  listEvents: list('/api/v1/events', (things) => ({
    accountNumber: things.accountNumber,
    paymentReference: things.paymentReference,
  })),
  getEvent: event(''),
  listEventDeliveries: event('/deliveries'),
  redeliverEvent: (things) => [
    ...event('/redeliver', {})(things),
    ...event('/redeliver', { endpointId: things.endpointId })(things),
  ],
  listWebhookEndpoints: list(ENDPOINTS),
  getWebhookEndpoint: endpoint(''),
  updateWebhookEndpoint: endpoint('', { method: 'PATCH', body: { isActive: false } }),
  deleteWebhookEndpoint: endpoint('', { method: 'DELETE' }),
  rotateWebhookEndpointSecret: endpoint('/rotate-secret', { method: 'POST' }),
  getReplay: endpoint('/replay'),
  replayEvents: endpoint('/replay', { body: { from: '2026-11-01', to: '2026-12-01' } }),
  testWebhookEndpoint: endpoint('/test', { method: 'POST' }),
  getWebhookSecret: list('/api/v1/webhook-secret'),
  listAuditLog: list('/api/v1/audit-log', (things) => ({
    actor: `user:${things.userEmail}`,
    subject: `client/${things.clientId}`,
  })),
  getBranding: list('/api/v1/branding'),
  getOwnClient: list('/dashboard/api/client'),
  createClient: (things) => [post(CLIENTS, { name: 'X', clientId: things.clientId })],
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
  endSession: (things) => [{ method: 'DELETE', url: `/dashboard/api/sessions/${things.signInId}` }],
  listPasskeys: list('/dashboard/api/passkeys'),
  renamePasskey: (things) => [
    { method: 'PATCH', url: `/dashboard/api/passkeys/${things.passkeyId}`, body: { name: 'Mine' } },
  ],
  removePasskey: (things) => [
    post(`/dashboard/api/passkeys/${things.passkeyId}/remove`, {
      password: 'correct horse battery staple',
    }),
  ],
  listUsers: list('/dashboard/api/users', ({ clientId }) => ({ clientId })),
  createUser: (things) => [
    post('/dashboard/api/users', {
      email: 'x@people.example',
      role: 'support',
      clientId: things.clientId,
      password: 'correct horse battery staple',
    }),
  ],
  changeUser: user('', { method: 'PATCH', body: { role: 'support' } }),
  removeUser: user('', { method: 'DELETE' }),
  resetUserPassword: user('/reset-password', { body: {} }),
  vouchForUser: user('/vouch', { body: { note: 'X' } }),
}

// Recipes of operations whose response must be the same whether the named objects of the other client exist
// or not, except for the request id.
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

// Changes the URL of each request of a recipe.
const withUrl = (recipe: Recipe, change: (url: string) => string): Recipe => {
  return (things) => recipe(things).map((call) => ({ ...call, url: change(call.url) }))
}

const isDailyProofs = (path: string) => path.endsWith('/reconciliation/days')

// The URL of a list as a CSV file. Files have no pages, so the query is dropped; but daily proofs need their
// period.
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
      .filter(([id]) => id.startsWith('export') && id !== 'exportCase') // It exports a document, not a table.
      .map(([id, recipe]) => [
        `${id}Xlsx`,
        withUrl(recipe, (url) => url.replace('.csv', '.xlsx').replace('&for=spreadsheet', '')),
      ]),
  ),
}
// These operations succeed even with another client's values: they create the caller's own object.
export const CREATING_RECIPES: Record<string, Recipe> = {
  createCollectionAccount: (things) => [
    keyed(things.keyOfAccount, post(ACCOUNTS, accountBody({ merchantId: things.merchantId }))),
    post(
      ACCOUNTS,
      accountBody({ merchantCode: things.merchantCode, bvn: things.bvn, email: things.email }),
    ),
  ],
  createCollectionAccounts: (things) => [
    keyed(
      things.keyOfAccount.replace('1', '3'),
      post(`${ACCOUNTS}/bulk`, { accounts: [accountBody({ merchantCode: things.merchantCode })] }),
    ),
  ],
  createAdvice: (things) => [
    keyed(things.keyOfAdvice, post(ADVICE, adviceBody())),
    post(ADVICE, adviceBody({ merchantRef: things.merchantRef, amount: 77 })),
  ],
  createSubaccount: (things) => [post(SUBACCOUNTS, subaccountBody(things.subaccountCode))],
  createLimitProfile: (things) => [
    post(LIMIT_PROFILES, profileBody({ code: things.limitProfile })),
  ],
  createWebhookEndpoint: (things) => [post(ENDPOINTS, { url: things.endpointUrl })],
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
