// Requests for another client's balances and statements, which test/access/route-isolation.test.ts sends.

import { ACCOUNTS } from './fixtures.ts'
import type { Things } from './isolation-world.ts'
import type { Call } from './running-service.ts'
import { SUBACCOUNTS } from './splits.ts'

type Recipe = (things: Things) => Call[]

const BALANCES = '/api/v1/balances'
const LEDGER_ACCOUNTS = '/api/v1/ledger/accounts'

const accounts =
  (path: string): Recipe =>
  (things) =>
    [things.accountNumber, things.additionalNumber, things.paymentNumber].map((number) => ({
      url: `${ACCOUNTS}/${number}${path}`,
    }))
const ledger =
  (path: string): Recipe =>
  (things) =>
    things.ledgerIds.map((id) => ({ url: `${LEDGER_ACCOUNTS}/${id}${path}` }))
const subaccount =
  (path: string): Recipe =>
  (things) => [{ url: `${SUBACCOUNTS}/${things.subaccountCode}${path}` }]

export const STATEMENT_RECIPES: Record<string, Recipe> = {
  getBalances: () => [{ url: BALANCES }],
  listSubaccountBalances: () => [{ url: `${BALANCES}/subaccounts` }],
  exportBalanceStatement: () => [{ url: `${BALANCES}/statement.csv` }],
  printBalanceStatement: () => [{ url: `${BALANCES}/statement.html` }],
  listAccountTransactions: accounts('/transactions'),
  exportAccountStatement: accounts('/statement.csv'),
  printAccountStatement: accounts('/statement.html'),
  exportSubaccountStatement: subaccount('/statement.csv'),
  printSubaccountStatement: subaccount('/statement.html'),
  exportLedgerStatement: ledger('/statement.csv'),
  printLedgerStatement: ledger('/statement.html'),
}
