// The tabs of Payouts: payouts and the bank accounts that receive them. Users with accounting access also see
// the payouts of all clients, and payout files.

import { payoutsStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import { AllPayouts } from './all-payouts.tsx'
import { BankAccounts } from './bank-accounts.tsx'
import { OwnPayouts } from './own-payouts.tsx'
import { PayoutFiles } from './payout-files.tsx'

const TABS_OF_ALL_CLIENTS: readonly string[] = ['all', 'files']

export default tabbedView({
  view: 'payouts',
  words: strings,
  tabs: {
    payouts: OwnPayouts,
    bankAccounts: BankAccounts,
    all: AllPayouts,
    files: PayoutFiles,
  },
  maySee: (name, { scopes }) =>
    scopes.includes('accounting:read') || !TABS_OF_ALL_CLIENTS.includes(name),
})
