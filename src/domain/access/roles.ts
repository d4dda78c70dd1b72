// What each role may do, and which roles it may manage. A user never has more scopes than the
// client: a scope taken from the client is taken from all of its users.

import type { ClientId } from '#ids.ts'
import type { Client } from './clients.ts'
import { CLIENT_SCOPES, effectiveScopes, SCOPES, type Scope } from './scopes.ts'

export const ROLES = ['owner', 'developer', 'finance', 'support', 'operator'] as const

export type Role = (typeof ROLES)[number]

const READS = CLIENT_SCOPES.filter((scope) => scope.endsWith(':read'))

const SCOPES_OF: Record<Role, readonly Scope[]> = {
  owner: CLIENT_SCOPES,
  developer: [
    'accounts:read',
    'accounts:write',
    'payments:read',
    'payments:write',
    'credits:read',
    'webhooks:read',
    'webhooks:write',
    'payouts:read',
  ],
  finance: [
    'accounts:read',
    'payments:read',
    'credits:read',
    'suspense:read',
    'suspense:write',
    'webhooks:read',
    'actions:read',
    'payouts:read',
    'payouts:write',
    'refunds:write',
    'returns:read',
    'returns:write',
    'accounting:read',
    'accounting:write',
  ],
  support: [...READS, 'returns:read'],
  operator: SCOPES,
}

export function grantedScopes(role: Role, client: Client): readonly Scope[] {
  const ofClient = effectiveScopes(client.scopes)
  return SCOPES_OF[role].filter((scope) => ofClient.includes(scope))
}

// Who sees which secrets a client logs in with (never the secrets themselves), and makes new ones.
// A secret has all of the client's scopes: an operator's client's are for operators only.
export function mayManageSecrets(role: Role, { isOperator }: Pick<Client, 'isOperator'>): boolean {
  return isOperator ? role === 'operator' : role === 'owner' || role === 'developer'
}

type Manager = {
  role: Role
  clientId: ClientId
  session?: { client: Pick<Client, 'isOperator'> } | undefined
}

// The role counts at an operator's client only. Without a session it is the command line, which may do
// all that an operator may.
export function isOperator({ role, session }: Pick<Manager, 'role' | 'session'>): boolean {
  return role === 'operator' && (session?.client.isOperator ?? true)
}

// Whose users may be managed: an owner's own client's; an operator's everybody's.
export function mayManageUsersOf(manager: Manager, clientId: ClientId): boolean {
  if (isOperator(manager)) return true
  return manager.role === 'owner' && manager.clientId === clientId
}

// Operators, and who does the accounting of an operator's client, may do what no owner may: so no owner
// may make one, or take over one's sign-in.
export function mayManageRole(manager: Manager, role: Role): boolean {
  if (isOperator(manager)) return true
  return role !== 'operator' && !(role === 'finance' && manager.session?.client.isOperator)
}

// To disable somebody gives nobody anything: an owner may, of their client, whoever is no operator.
export function mayDisableRole(manager: Manager, role: Role): boolean {
  return isOperator(manager) || role !== 'operator'
}

// The last user with such a role cannot be removed: nobody could invite users again.
export const INDISPENSABLE: readonly Role[] = ['owner', 'operator']

export function isIndispensable(role: Role): boolean {
  return INDISPENSABLE.includes(role)
}
