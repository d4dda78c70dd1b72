// Masks identifying numbers for display and logs. A value of unexpected length is hidden entirely:
// showing both ends of a short text would show most of it.

export function maskBvn(bvn: string): string {
  if (bvn.length !== 11) return '*'.repeat(bvn.length)
  return `${bvn.slice(0, 3)}*****${bvn.slice(-3)}`
}

export function maskAccountNumber(accountNumber: string): string {
  const hidden = accountNumber.length < 10 ? accountNumber.length : accountNumber.length - 4
  return '*'.repeat(hidden) + accountNumber.slice(hidden)
}
