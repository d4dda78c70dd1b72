// A client may be restricted to some merchantCodes. Other collection accounts are then invisible to
// its credentials, and so are their credits, events and suspense items. Advices and payments have
// no merchantCode and are not affected.
//
// The statement reads the list itself, with one look-up by key; for an unrestricted client the rest
// of the condition is never evaluated.

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
