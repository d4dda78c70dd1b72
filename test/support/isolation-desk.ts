// Requests for another client's approval requests, settlements, ledger and sandbox transfers, which
// test/access/route-isolation.test.ts sends.

import type { Recipe } from './isolation-recipes.ts'
import type { Call } from './running-service.ts'
import { SETTLEMENT_RECIPES } from './settlement-recipes.ts'
import { SUSPENSE } from './suspense-desk.ts'

const LEDGER_ACCOUNTS = '/api/v1/ledger/accounts'

const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })
// Decides on the other client's approval request.
const request = (verb: string, body: object = {}): Recipe => {
  return (things) => [post(`${SUSPENSE}/requests/${things.requestId}/${verb}`, body)]
}

export const DESK_RECIPES: Record<string, Recipe> = {
  ...SETTLEMENT_RECIPES,
  getSuspenseSettings: () => [{ url: `${SUSPENSE}/settings` }],
  listSuspenseRequests: (things) => [
    { url: `${SUSPENSE}/requests` },
    { url: `${SUSPENSE}/requests?itemId=${things.itemId}` },
  ],
  requestApproval: (things) => [
    post(`${SUSPENSE}/${things.itemId}/requests`, { action: 'return', reason: 'Asked.' }),
    post(`${SUSPENSE}/${things.itemId}/requests`, {
      action: 'assign',
      accountNumber: things.accountNumber,
      reason: 'Asked.',
    }),
  ],
  askToDisableMakerChecker: () => [post(`${SUSPENSE}/settings/requests`, { reason: 'Asked.' })],
  approveSuspenseRequest: request('approve'),
  rejectSuspenseRequest: request('reject', { reason: 'No.' }),
  withdrawSuspenseRequest: request('withdraw'),
  listLedgerAccounts: (things) => [
    { url: LEDGER_ACCOUNTS },
    { url: `${LEDGER_ACCOUNTS}?limit=1&cursor=${things.cursors[LEDGER_ACCOUNTS]}` },
  ],
  getLedgerAccount: (things) => things.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}` })),
  listLedgerTransfers: (things) =>
    things.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}/transfers` })),
  getLedgerTotals: (things) =>
    things.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}/totals` })),
  getLedgerAudit: () => [{ url: '/api/v1/ledger/audit' }],
  sendSandboxTransfer: (things) => [
    post('/sandbox/transfers', { accountNumber: things.accountNumber, kind: 'exact', amount: 10 }),
    post('/sandbox/transfers', { accountNumber: things.paymentNumber, kind: 'over' }),
    post('/sandbox/transfers', { accountNumber: things.paymentNumber, kind: 'lost' }),
  ],
  getWebhookChaos: (things) => [{ url: `/sandbox/webhook-endpoints/${things.endpointId}/chaos` }],
  setWebhookChaos: (things) => [
    {
      method: 'PUT',
      url: `/sandbox/webhook-endpoints/${things.endpointId}/chaos`,
      body: { dropNext: 1 },
    },
  ],
  deleteWebhookChaos: (things) => [
    { method: 'DELETE', url: `/sandbox/webhook-endpoints/${things.endpointId}/chaos` },
  ],
}
