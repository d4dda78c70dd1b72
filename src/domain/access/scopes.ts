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
//   returns:read   the returns of every client, payers' account numbers masked
//   returns:write  to see those in full, and to confirm and fail returns
//   operator       clients, their secrets and their limits; alerts
const OPERATOR_SCOPES = ['returns:read', 'returns:write', 'operator'] as const

export const SCOPES = [...CLIENT_SCOPES, ...OPERATOR_SCOPES] as const

export type Scope = (typeof SCOPES)[number]

export function isOperatorScope(scope: Scope): boolean {
  return (OPERATOR_SCOPES as readonly Scope[]).includes(scope)
}
