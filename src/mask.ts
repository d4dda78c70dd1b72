// Masks identifying numbers for display and logs. Hides a value of unexpected length entirely,
// because both ends of a short text are most of it.

// A BVN or a NIN: eleven digits.
export function maskIdentityNumber(digits: string): string {
  if (digits.length !== 11) return '*'.repeat(digits.length)
  return `${digits.slice(0, 3)}*****${digits.slice(-3)}`
}

export function maskAccountNumber(accountNumber: string): string {
  const hidden = accountNumber.length < 10 ? accountNumber.length : accountNumber.length - 4
  return '*'.repeat(hidden) + accountNumber.slice(hidden)
}
