// Looks up the names of banks, and builds the address that a payer returns to.

import { findBank } from '#banks/directory.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { AdviceId, PaymentId } from '#ids.ts'

// Appends the two references to the address that the payer returns to, before any fragment. The merchant's
// text stays as it is: parsing and printing the URL would rewrite it.

function withReferences(
  callBackUrl: string,
  references: { adviceReference: string; paymentReference: string },
): string {
  const hashAt = callBackUrl.indexOf('#')
  const address = hashAt < 0 ? callBackUrl : callBackUrl.slice(0, hashAt)
  const fragment = hashAt < 0 ? '' : callBackUrl.slice(hashAt)
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${joint}${new URLSearchParams(references)}${fragment}`
}

export type NameBank = (code: string) => string

export function bankNames(banks: readonly BankSettings[]): NameBank {
  return (code) => banks.find((bank) => bank.code === code)?.name ?? findBank(code)?.name ?? code
}

export function buildCallBackUrl(payment: {
  id: PaymentId
  adviceId: AdviceId
  callBackUrl: string
}) {
  return withReferences(payment.callBackUrl, {
    adviceReference: payment.adviceId,
    paymentReference: payment.id,
  })
}
