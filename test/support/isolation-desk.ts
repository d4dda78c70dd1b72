// Isolation recipes for approval requests, settlements, the ledger and the sandbox's bank.
// bank.

import type { Recipe } from './isolation-recipes.ts'
import type { Call } from './running-service.ts'
import { SETTLEMENT_RECIPES } from './settlement-recipes.ts'
import { SUSPENSE } from './suspense-desk.ts'

const LEDGER_ACCOUNTS = '/api/v1/ledger/accounts'

const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })
const request = (verb: string, body: object = {}): Recipe => {
  return (of) => [post(`${SUSPENSE}/requests/${of.requestId}/${verb}`, body)]
}

export const DESK_RECIPES: Record<string, Recipe> = {
  ...SETTLEMENT_RECIPES,
  getSuspenseSettings: () => [{ url: `${SUSPENSE}/settings` }],
  listSuspenseRequests: (of) => [
    { url: `${SUSPENSE}/requests` },
    { url: `${SUSPENSE}/requests?itemId=${of.itemId}` },
  ],
  requestApproval: (of) => [
    post(`${SUSPENSE}/${of.itemId}/requests`, { action: 'return', reason: 'Asked.' }),
    post(`${SUSPENSE}/${of.itemId}/requests`, {
      action: 'assign',
      accountNumber: of.accountNumber,
      reason: 'Asked.',
    }),
  ],
  askToDisableMakerChecker: () => [post(`${SUSPENSE}/settings/requests`, { reason: 'Asked.' })],
  approveSuspenseRequest: request('approve'),
  rejectSuspenseRequest: request('reject', { reason: 'No.' }),
  withdrawSuspenseRequest: request('withdraw'),
  listLedgerAccounts: (of) => [
    { url: LEDGER_ACCOUNTS },
    { url: `${LEDGER_ACCOUNTS}?limit=1&cursor=${of.cursors[LEDGER_ACCOUNTS]}` },
  ],
  getLedgerAccount: (of) => of.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}` })),
  listLedgerTransfers: (of) =>
    of.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}/transfers` })),
  getLedgerTotals: (of) => of.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}/totals` })),
  getLedgerAudit: () => [{ url: '/api/v1/ledger/audit' }],
  sendSandboxTransfer: (of) => [
    post('/sandbox/transfers', { accountNumber: of.accountNumber, kind: 'exact', amount: 10 }),
    post('/sandbox/transfers', { accountNumber: of.paymentNumber, kind: 'over' }),
    post('/sandbox/transfers', { accountNumber: of.paymentNumber, kind: 'lost' }),
  ],
  getWebhookChaos: (of) => [{ url: `/sandbox/webhook-endpoints/${of.endpointId}/chaos` }],
  setWebhookChaos: (of) => [
    {
      method: 'PUT',
      url: `/sandbox/webhook-endpoints/${of.endpointId}/chaos`,
      body: { dropNext: 1 },
    },
  ],
  deleteWebhookChaos: (of) => [
    { method: 'DELETE', url: `/sandbox/webhook-endpoints/${of.endpointId}/chaos` },
  ],
}
