// Whether the check digit of an account number is right for this bank.

import { nubanCheckDigit } from '#banks/nuban.ts'

export function isNuban(bankCode: string, accountNumber: string): boolean {
  return nubanCheckDigit(bankCode, accountNumber.slice(0, 9)) === accountNumber.slice(9)
}
