// The tabs of Reconciliation: banks by day with the proof of one bank's day, differences, adjusting entries,
// statements and imports.

import { reconciliationStrings as strings } from '../../../copy.ts'
import { isDay } from '../../days.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import type { ViewProps } from '../../view-props.ts'
import { AdjustingEntries } from './adjusting-entries.tsx'
import { BankDay } from './bank-day.tsx'
import { Days } from './days.tsx'
import { Differences } from './differences.tsx'
import { Imports } from './imports.tsx'
import { ReconcilingItems } from './reconciling-items.tsx'
import { Statements } from './statements.tsx'

// The first tab: the proof of one day if the URL names a bank and a day but no tab, else the list of days.
function DaysOrBankDay(props: ViewProps) {
  const { tab, bankCode, day } = props.place.query
  if (tab || !bankCode || !isDay(day)) return <Days {...props} />
  return <BankDay key={`${bankCode} ${day}`} {...props} bankCode={bankCode} day={day} />
}

export default tabbedView({
  view: 'reconciliation',
  words: strings,
  tabs: {
    days: DaysOrBankDay,
    differences: Differences,
    reconciling: ReconcilingItems,
    entries: AdjustingEntries,
    statements: Statements,
    imports: Imports,
  },
})
