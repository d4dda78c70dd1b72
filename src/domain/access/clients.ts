// Clients: the API principals. A client owns what it creates.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { CLIENT_SCOPES, SCOPES, type Scope } from './scopes.ts'

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
  clients.id, clients.client_id as "clientId", clients.name, clients.is_active as "isActive",
  clients.is_operator as "isOperator", clients.scopes, clients.merchant_codes as "merchantCodes",
  clients.allowed_addresses as "allowedAddresses", clients.token_generation as "tokenGeneration"`

export async function findClient(db: Queryable, clientId: string): Promise<Client | undefined> {
  const { rows } = await db.query<Client>({
    name: 'find-client',
    text: `select ${CLIENT_COLUMNS} from clients where client_id = $1`,
    values: [clientId],
  })
  return rows[0]
}

// For operations that pay money out of the client (I97). A concurrent suspension waits for the
// transaction.
export async function refuseSuspended(tx: Transaction, id: ClientId): Promise<void> {
  const { rows } = await tx.query<{ isActive: boolean }>({
    name: 'share-active-client',
    text: 'select is_active as "isActive" from clients where id = $1 for share',
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

// For reports that add up everything a client has.
export function refuseRestricted(client: Client): void {
  if (client.merchantCodes !== null) throw new Refusal('merchants_restricted')
}

// Only collection accounts have a merchantCode. A client cannot see accounts of a merchantCode it
// may not use, even accounts it created.
export function mayUseMerchant(client: Client, merchantCode: string): boolean {
  return client.merchantCodes === null || client.merchantCodes.includes(merchantCode)
}
