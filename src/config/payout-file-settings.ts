// The account of ours that payouts in files are paid from, at a bank that takes files.

import type { DebitAccount } from '#banks/payment-files.ts'
import type { Report } from './setting-parsers.ts'

export type PayoutFileSettings = {
  readonly payoutFiles?: DebitAccount | undefined
}

const NAME_MAX = 140
const CUSTOMER_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,34}$/

export function checkPayoutFiles(given: unknown, report: Report): void {
  if (given === undefined || isDebitAccount(given)) return
  report(
    'payoutFiles must be {"accountNumber": …, "accountName": …}: 10 digits, and 1 to ' +
      `${NAME_MAX} printable characters; with an optional customerId of 1 to 35 letters, digits, ` +
      'points and hyphens',
  )
}

function isDebitAccount(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  const { accountNumber, accountName, customerId, ...others } = given as Record<string, unknown>
  return (
    typeof accountNumber === 'string' &&
    /^[0-9]{10}$/.test(accountNumber) &&
    typeof accountName === 'string' &&
    accountName.trim() !== '' &&
    accountName.length <= NAME_MAX &&
    !/\p{C}/u.test(accountName) &&
    (customerId === undefined || CUSTOMER_ID.test(String(customerId))) &&
    Object.keys(others).length === 0
  )
}
