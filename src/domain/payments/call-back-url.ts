// The address a payer returns to, with the two references. Appended to the text as the merchant
// wrote it, before any fragment: parsing and printing a URL would rewrite what they sent.

export function withReferences(
  callBackUrl: string,
  references: { adviceReference: string; paymentReference: string },
): string {
  const hashAt = callBackUrl.indexOf('#')
  const address = hashAt < 0 ? callBackUrl : callBackUrl.slice(0, hashAt)
  const fragment = hashAt < 0 ? '' : callBackUrl.slice(hashAt)
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${joint}${new URLSearchParams(references)}${fragment}`
}
