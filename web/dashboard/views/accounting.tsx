// Accounting: the journal of a day, trial balance, VAT, balances of all clients, suspense, closed days.

import { accountingStrings as strings } from '../../copy.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { ClosedDays } from './accounting/closed-days.tsx'
import { Journal } from './accounting/journal.tsx'
import { OperatorBalances } from './accounting/operator-balances.tsx'
import { SuspenseAgeing } from './accounting/suspense-ageing.tsx'
import { TrialBalance } from './accounting/trial-balance.tsx'
import { Vat } from './accounting/vat.tsx'

const PARTS = {
  journal: Journal,
  trialBalance: TrialBalance,
  vat: Vat,
  balances: OperatorBalances,
  suspense: SuspenseAgeing,
  days: ClosedDays,
}

export default function Accounting(props: ViewProps) {
  return (
    <TabbedView
      {...props}
      view="accounting"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
    />
  )
}
