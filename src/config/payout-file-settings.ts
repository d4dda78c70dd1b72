// Banks that receive payouts in files, and our account that pays them.

import type { BankConnections } from '#banks/connector.ts'
import type { DebitAccount } from '#banks/payment-files.ts'
import type { Report } from './setting-parsers.ts'

export type PayoutFileSettings = {
  readonly payoutFiles?: DebitAccount | undefined
}

const NAME_MAX = 140
const CUSTOMER_ID = /^[A-Za-z0-9][A-Za-z0-9.-]{0,34}$/

// Removes the sendMoney call of such a bank: its payouts wait for a file.
export function sendByFile(
  connections: BankConnections,
  banks: readonly (PayoutFileSettings & { code: string })[],
): BankConnections {
  const codes = new Set(banks.flatMap(({ code, payoutFiles }) => (payoutFiles ? [code] : [])))
  return new Map(
    [...connections].map(([code, connection]) => {
      if (!codes.has(code)) return [code, connection]
      const { sendMoney: _, ...calls } = connection.calls
      return [code, { ...connection, calls, takesFiles: true }]
    }),
  )
}

export function checkPayoutFiles(value: unknown, report: Report): void {
  if (value === undefined || isDebitAccount(value)) return
  report(
    'payoutFiles must be {"accountNumber": …, "accountName": …}: 10 digits, and 1 to ' +
      `${NAME_MAX} printable characters; with an optional customerId of 1 to 35 letters, digits, ` +
      'points and hyphens',
  )
}

function isDebitAccount(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { accountNumber, accountName, customerId, ...others } = value as Record<string, unknown>
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
