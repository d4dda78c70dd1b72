// Leads to where bank accounts are added and made the default.

import { payoutsStrings as strings } from '../../copy.ts'
import { follow, hrefOf } from '../routing.ts'

export function BankAccountsLink() {
  return (
    <a href={hrefOf('payouts', undefined, { tab: 'bankAccounts' })} onClick={follow}>
      {strings.tabs.bankAccounts}
    </a>
  )
}
