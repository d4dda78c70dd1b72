// Scopes of clients and their users. Each route requires one.

export const CLIENT_SCOPES = [
  'accounts:read',
  'accounts:write',
  'payments:read',
  'payments:write',
  'credits:read',
  'webhooks:read',
  'webhooks:write',
  'suspense:read',
  'suspense:write',
  'actions:read',
  'payouts:read', // Bank accounts, payouts, settlements, subaccounts, …
  'payouts:write', // … and to create, approve and change them.
  'refunds:write',
] as const

// Only a client that runs the service may have these:
//   returns:read      the returns of every client, payers' account numbers masked
//   returns:write     to see those in full, and to confirm and fail returns
//   accounting:read   the books of all clients: reconciliation, reports, adjustments, payouts
//   accounting:write  to import statements, resolve differences, close days, adjust debts,
//                     exchange payout files and resolve unknown payouts
//   operator          clients, their secrets and their limits; alerts; and accounting
const ACCOUNTING_SCOPES = ['accounting:read', 'accounting:write'] as const
const OPERATOR_SCOPES = ['returns:read', 'returns:write', ...ACCOUNTING_SCOPES, 'operator'] as const

export const SCOPES = [...CLIENT_SCOPES, ...OPERATOR_SCOPES] as const

export type Scope = (typeof SCOPES)[number]

// `operator` includes accounting, because it was granted before the accounting scopes existed.
export function effectiveScopes(scopes: readonly Scope[]): readonly Scope[] {
  return scopes.includes('operator') ? [...new Set([...scopes, ...ACCOUNTING_SCOPES])] : scopes
}

export function isOperatorScope(scope: Scope): boolean {
  return (OPERATOR_SCOPES as readonly Scope[]).includes(scope)
}
