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
  isOperator: boolean // May resolve money that is nobody's.
  scopes: readonly Scope[]
  merchantCodes: readonly string[] | null // Null: all.
  allowedAddresses: readonly string[] | null // In CIDR notation. Null: from anywhere.
  tokenGeneration: number // Tokens of an earlier one are dead.
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

// For whoever is about to have money leave the client (I97). Its suspension waits for the transaction.
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

// For what adds up all that a client has.
export function refuseRestricted(client: Client): void {
  if (client.merchantCodes !== null) throw new Refusal('merchants_restricted')
}

// Only a collection account has a merchantCode; one that is not the client's to use does not exist
// for it, whoever made it.
export function mayUseMerchant(client: Client, merchantCode: string): boolean {
  return client.merchantCodes === null || client.merchantCodes.includes(merchantCode)
}
