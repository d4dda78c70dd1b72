// A link to the bank accounts.

import { payoutsStrings as strings } from '../../copy.ts'
import { hrefOf } from '../routing.ts'
import { Link } from './link.tsx'

export function BankAccountsLink() {
  return (
    <Link href={hrefOf('payouts', undefined, { tab: 'bankAccounts' })}>
      {strings.tabs.bankAccounts}
    </Link>
  )
}
