// The scopes of each role, and the roles it may manage. A user never has more scopes than the
// client: a scope removed from the client is removed from all of its users.

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

// Owners and developers list a client's secrets (never their values) and make new ones. A secret
// has all of the client's scopes, so only operators manage those of an operator's client.
export function mayManageSecrets(role: Role, { isOperator }: Pick<Client, 'isOperator'>): boolean {
  return isOperator ? role === 'operator' : role === 'owner' || role === 'developer'
}

type Manager = {
  role: Role
  clientId: ClientId
  session?: { client: Pick<Client, 'isOperator'> } | undefined
}

// The role counts only at an operator's client. Without a session the manager is the command line,
// which has an operator's rights.
export function isOperator({ role, session }: Pick<Manager, 'role' | 'session'>): boolean {
  return role === 'operator' && (session?.client.isOperator ?? true)
}

// An owner manages the users of their own client, an operator those of every client.
export function mayManageUsersOf(manager: Manager, clientId: ClientId): boolean {
  if (isOperator(manager)) return true
  return manager.role === 'owner' && manager.clientId === clientId
}

// Operators, and finance users of an operator's client, have rights that no owner has. So an owner
// may neither create such a user nor take over their sign-in.
export function mayManageRole(manager: Manager, role: Role): boolean {
  if (isOperator(manager)) return true
  return role !== 'operator' && !(role === 'finance' && manager.session?.client.isOperator)
}

// Disabling a user grants no rights, so an owner may disable everybody of their client except operators.
export function mayDisableRole(manager: Manager, role: Role): boolean {
  return isOperator(manager) || role !== 'operator'
}

// The last user of such a role cannot be removed, because nobody could invite users again.
export const INDISPENSABLE: readonly Role[] = ['owner', 'operator']

export function isIndispensable(role: Role): boolean {
  return INDISPENSABLE.includes(role)
}
