// A client may be restricted to some merchantCodes. Its credentials then cannot see other
// collection accounts, nor their credits, events and suspense items. Advices and payments have no
// merchantCode and are not affected.
//
// The statement itself reads the list, with one look-up by key. For an unrestricted client
// PostgreSQL never evaluates the rest of the condition.

const codesOf = (clientId: string) => `(select merchant_codes from clients where id = ${clientId})`

// `accountId` is an SQL expression for the id of a collection account, or null for a row without one.
export function inMerchantScope(accountId: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${accountId} is null
           or (select m.merchant_code from collection_accounts m where m.id = ${accountId})
              = any(${codes}::text[]))`
}

export function isInMerchantScope(merchantCode: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${merchantCode} = any(${codes}::text[]))`
}
