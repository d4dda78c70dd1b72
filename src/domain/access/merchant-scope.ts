// A client may be restricted to some merchantCodes: then its other collection accounts do not exist
// for whoever comes with its credentials, nor do the credits to them, their events, or what of them
// is in suspense. Advices and payments have no merchantCode and are not touched by this.
//
// The list is read in the statement itself: one look-up by key, before anything else; for a client
// without a list the rest is never evaluated.

const codesOf = (clientId: string) => `(select merchant_codes from clients where id = ${clientId})`

// As a condition. `accountId` is an expression for the id of a collection account, or null for what
// belongs to none.
export function inMerchantScope(accountId: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${accountId} is null
           or (select m.merchant_code from collection_accounts m where m.id = ${accountId})
              = any(${codes}::text[]))`
}

// The same of a merchantCode.
export function isInMerchantScope(merchantCode: string, clientId: string): string {
  const codes = codesOf(clientId)
  return `(${codes} is null or ${merchantCode} = any(${codes}::text[]))`
}
