// Leads to where bank accounts are added and made the default.

import { follow, hrefOf } from '../routing.ts'
import { payoutsStrings as strings } from '../strings/payouts.ts'

export function BankAccountsLink() {
  return (
    <a href={hrefOf('payouts', undefined, { tab: 'bankAccounts' })} onClick={follow}>
      {strings.tabs.bankAccounts}
    </a>
  )
}
