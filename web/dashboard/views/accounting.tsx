// Accounting: the journal of a day, trial balance, VAT, balances of all clients, suspense, closed days.

import type { ComponentType } from 'preact'
import { accountingStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { ClosedDays } from './accounting/closed-days.tsx'
import { Journal } from './accounting/journal.tsx'
import { OperatorBalances } from './accounting/operator-balances.tsx'
import { SuspenseAgeing } from './accounting/suspense-ageing.tsx'
import { TrialBalance } from './accounting/trial-balance.tsx'
import { Vat } from './accounting/vat.tsx'

type PartName = keyof typeof strings.tabs

const PARTS: Record<PartName, ComponentType<ViewProps>> = {
  journal: Journal,
  trialBalance: TrialBalance,
  vat: Vat,
  balances: OperatorBalances,
  suspense: SuspenseAgeing,
  days: ClosedDays,
}
const NAMES = Object.keys(PARTS) as PartName[]

export default function Accounting(props: ViewProps) {
  const current = NAMES.find((name) => name === props.place.query.tab) ?? 'journal'
  const Part = PARTS[current]
  return (
    <>
      <Tabs
        label={strings.parts}
        view="accounting"
        tabs={NAMES.map((name) => ({ name, label: strings.tabs[name] }))}
        current={current}
      />
      <Part {...props} />
    </>
  )
}
