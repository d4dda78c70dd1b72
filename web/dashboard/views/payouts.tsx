// Payouts and the bank accounts they go to. Accounting also sees the payouts of all clients, and payout
// files.

import { payoutsStrings as strings } from '../../copy.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { AllPayouts } from './payouts/all-payouts.tsx'
import { BankAccounts } from './payouts/bank-accounts.tsx'
import { OwnPayouts } from './payouts/own-payouts.tsx'
import { PayoutFiles } from './payouts/payout-files.tsx'

const PARTS = {
  payouts: OwnPayouts,
  bankAccounts: BankAccounts,
  all: AllPayouts,
  files: PayoutFiles,
}
const OF_ALL_CLIENTS: readonly string[] = ['all', 'files']

export default function Payouts(props: ViewProps) {
  const mayReadAll = props.session.scopes.includes('accounting:read')
  return (
    <TabbedView
      {...props}
      view="payouts"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
      maySee={(name) => mayReadAll || !OF_ALL_CLIENTS.includes(name)}
    />
  )
}
