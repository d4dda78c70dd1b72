// Reconciliation: banks by day, the proof of one bank's day, differences, statements and imports.

import type { ComponentType } from 'preact'
import { reconciliationStrings as strings } from '../../copy.ts'
import { isDay } from '../days.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { BankDay } from './reconciliation/bank-day.tsx'
import { Days } from './reconciliation/days.tsx'
import { Differences } from './reconciliation/differences.tsx'
import { Imports } from './reconciliation/imports.tsx'
import { Statements } from './reconciliation/statements.tsx'

type PartName = keyof typeof strings.tabs

const PARTS: Record<PartName, ComponentType<ViewProps>> = {
  days: Days,
  differences: Differences,
  statements: Statements,
  imports: Imports,
}
const NAMES = Object.keys(PARTS) as PartName[]

export default function Reconciliation(props: ViewProps) {
  const { tab, bankCode, day } = props.place.query
  const current = NAMES.find((name) => name === tab) ?? 'days'
  const Part = PARTS[current]
  return (
    <>
      <Tabs
        label={strings.parts}
        view="reconciliation"
        tabs={NAMES.map((name) => ({ name, label: strings.tabs[name] }))}
        current={current}
      />
      {!tab && bankCode && isDay(day) ? (
        <BankDay key={`${bankCode} ${day}`} {...props} bankCode={bankCode} day={day} />
      ) : (
        <Part {...props} />
      )}
    </>
  )
}
