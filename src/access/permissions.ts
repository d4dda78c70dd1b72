// Permissions: the scopes of clients, the roles of their users, and the restriction to merchantCodes. Each
// route requires a scope.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'

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
  'payouts:read', // Reads bank accounts, payouts, settlements, subaccounts, …
  'payouts:write', // Creates, approves and changes bank accounts, payouts, settlements, subaccounts, …
  'refunds:write',
] as const

// Only a client that runs the service may have these:
//   returns:read      reads the returns of every client, with payers' account numbers masked
//   returns:write     reads those numbers in full; confirms and fails returns
//   accounting:read   reads the books of all clients: reconciliation, reports, adjustments, payouts
//   accounting:write  imports statements, resolves differences, closes days, adjusts debts,
//                     exchanges payout files and resolves unknown payouts
//   operator          manages clients, their secrets and limits, and alerts; includes accounting
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

// Clients: the API principals. A client owns what it creates.

export type Client = {
  id: ClientId
  clientId: string
  name: string
  isActive: boolean
  isOperator: boolean // May resolve money that belongs to no client.
  scopes: readonly Scope[]
  merchantCodes: readonly string[] | null // Null allows all.
  allowedAddresses: readonly string[] | null // In CIDR notation. Null allows any address.
  tokenGeneration: number // Tokens of an earlier generation are revoked.
}

export const CLIENT_COLUMNS = `
  clients.id, clients.client_id, clients.name, clients.is_active, clients.is_operator,
  clients.scopes, clients.merchant_codes, clients.allowed_addresses, clients.token_generation`

export async function findClient(db: Queryable, clientId: string): Promise<Client | undefined> {
  const { rows } = await db.query<Client>({
    name: 'find-client',
    text: `select ${CLIENT_COLUMNS} from clients where client_id = $1`,
    values: [clientId],
  })
  return rows[0]
}

// Call in operations that pay out the client's money (I97). A concurrent suspension waits for the
// transaction.
export async function refuseSuspended(tx: Transaction, id: ClientId): Promise<void> {
  const { rows } = await tx.query<{ isActive: boolean }>({
    name: 'share-active-client',
    text: 'select is_active from clients where id = $1 for share',
    values: [id],
  })
  if (!rows[0]?.isActive) throw new Refusal('client_suspended')
}

export function defaultScopes(isOperator: boolean): readonly Scope[] {
  return isOperator ? SCOPES : CLIENT_SCOPES
}

export function refuseMerchant(client: Client, merchantCode: string): void {
  if (!mayUseMerchant(client, merchantCode)) throw new Refusal('merchant_not_allowed')
}

// Refuses a client that is restricted to merchantCodes. For reports that total everything a client has.
export function refuseRestricted(client: Client): void {
  if (client.merchantCodes !== null) throw new Refusal('merchants_restricted')
}

// Only collection accounts have a merchantCode. A client cannot see accounts of a merchantCode it
// may not use, even accounts it created.
export function mayUseMerchant(client: Client, merchantCode: string): boolean {
  return client.merchantCodes === null || client.merchantCodes.includes(merchantCode)
}

// The scopes of each role, and the roles it may manage. A user never has more scopes than the
// client: a scope removed from the client is removed from all of its users.

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

// A user has the scopes of their role, as far as the client has them too.
export function grantedScopes(role: Role, client: Client): readonly Scope[] {
  const clientScopes = effectiveScopes(client.scopes)
  return SCOPES_OF[role].filter((scope) => clientScopes.includes(scope))
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

// The role `operator` has no effect outside an operator's client. Without a session the manager is the
// command line, which has an operator's rights.
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

// Disabling a user grants no rights, so an owner may disable every user of their client except operators.
export function mayDisableRole(manager: Manager, role: Role): boolean {
  return isOperator(manager) || role !== 'operator'
}

// The last user with one of these roles cannot be removed, because nobody at the client could then invite
// others.
export const INDISPENSABLE: readonly Role[] = ['owner', 'operator']

export function isIndispensable(role: Role): boolean {
  return INDISPENSABLE.includes(role)
}

// A client may be restricted to some merchantCodes. Its credentials then cannot see other
// collection accounts, nor their credits, events and suspense items. Advices and payments have no
// merchantCode and are not affected.
//
// The SQL conditions below read the client's list with one look-up by key. For an unrestricted client
// PostgreSQL never evaluates the rest of the condition.

const codesOf = (clientId: string) => `(select merchant_codes from clients where id = ${clientId})`

// SQL condition: whether the client's list of merchant codes lets it see a row of a collection account. Both
// parameters are SQL, such as `c.collection_account_id` and `$2`. If `merchant_codes` is null, the client is
// unrestricted. If the account id is null, the row has no collection account, and no list hides it.
export function inMerchantScope(accountId: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${accountId} is null
           or (select m.merchant_code from collection_accounts m where m.id = ${accountId})
              = any(${codes}::text[]))`
}

// Like inMerchantScope(), for rows with a merchant code of their own. Both parameters are SQL, such as
// `a.merchant_code` and `$1`.
export function isInMerchantScope(merchantCode: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${merchantCode} = any(${codes}::text[]))`
}
