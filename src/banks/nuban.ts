// NUBAN account numbers: a 9-digit serial and the check digit that ties it to one bank.
//
// Every number we issue passes the check. Numbers that others send us are looked up without it,
// since published samples are often invented.

const WEIGHTS = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3] as const
export const ACCOUNT_NUMBER = '^[0-9]{10}$' // Patterns, for schemas too.
export const BANK_CODE = '^[0-9]{3}(?:[0-9]{2})?$'
const ACCOUNT_NUMBER_PATTERN = new RegExp(ACCOUNT_NUMBER)
const BANK_CODE_PATTERN = new RegExp(BANK_CODE)
const SERIAL = /^[0-9]{9}$/
export const SERIAL_MAX = 999_999_999

export function nubanCheckDigit(bankCode: string, serial9: string): string {
  if (!SERIAL.test(serial9)) throw new RangeError('A serial has exactly 9 digits.')
  const digits = institutionDigits(bankCode) + serial9
  let sum = 0
  for (const [at, weight] of WEIGHTS.entries()) sum += weight * (digits.charCodeAt(at) - 48)
  return String((10 - (sum % 10)) % 10)
}

export function nuban(bankCode: string, serial: number | bigint): string {
  const isWhole = typeof serial === 'bigint' || Number.isInteger(serial)
  if (!isWhole || serial < 0 || serial > SERIAL_MAX) {
    throw new RangeError(`A serial is a whole number from 0 to ${SERIAL_MAX}.`)
  }
  const serial9 = serial.toString().padStart(9, '0')
  return serial9 + nubanCheckDigit(bankCode, serial9)
}

export function isBankCode(text: string): boolean {
  return BANK_CODE_PATTERN.test(text)
}

export function isAccountNumber(text: string): boolean {
  return ACCOUNT_NUMBER_PATTERN.test(text)
}

// Banks have 3 digits, other institutions 5; the 2020 standard puts both into 6.
function institutionDigits(bankCode: string): string {
  if (!isBankCode(bankCode)) throw new RangeError('A bank code has 3 or 5 digits.')
  return bankCode.length === 3 ? `000${bankCode}` : `9${bankCode}`
}
