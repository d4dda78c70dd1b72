// Reconciliation: banks by day, the proof of one bank's day, differences, statements and imports.

import { reconciliationStrings as strings } from '../../copy.ts'
import { isDay } from '../days.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { BankDay } from './reconciliation/bank-day.tsx'
import { Days } from './reconciliation/days.tsx'
import { Differences } from './reconciliation/differences.tsx'
import { Imports } from './reconciliation/imports.tsx'
import { Statements } from './reconciliation/statements.tsx'

// The days of one bank stand under the first tab.
function DaysOrBankDay(props: ViewProps) {
  const { tab, bankCode, day } = props.place.query
  if (tab || !bankCode || !isDay(day)) return <Days {...props} />
  return <BankDay key={`${bankCode} ${day}`} {...props} bankCode={bankCode} day={day} />
}

const PARTS = {
  days: DaysOrBankDay,
  differences: Differences,
  statements: Statements,
  imports: Imports,
}

export default function Reconciliation(props: ViewProps) {
  return (
    <TabbedView
      {...props}
      view="reconciliation"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
    />
  )
}
