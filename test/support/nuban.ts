// Checks a number against a bank by its check digit.

import { nubanCheckDigit } from '#banks/nuban.ts'

export function isNuban(bankCode: string, accountNumber: string): boolean {
  return nubanCheckDigit(bankCode, accountNumber.slice(0, 9)) === accountNumber.slice(9)
}
