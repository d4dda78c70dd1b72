// Payouts, and the bank accounts that they go to; for accounting those of all clients, and
// payout files.

import type { ComponentType } from 'preact'
import { payoutsStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { AllPayouts } from './payouts/all-payouts.tsx'
import { BankAccounts } from './payouts/bank-accounts.tsx'
import { OwnPayouts } from './payouts/own-payouts.tsx'
import { PayoutFiles } from './payouts/payout-files.tsx'

type PartName = keyof typeof strings.tabs

const PARTS: Record<PartName, ComponentType<ViewProps>> = {
  payouts: OwnPayouts,
  bankAccounts: BankAccounts,
  all: AllPayouts,
  files: PayoutFiles,
}
const OF_ALL_CLIENTS: readonly string[] = ['all', 'files']

export default function Payouts(props: ViewProps) {
  const mayReadAll = props.session.scopes.includes('accounting:read')
  const names = Object.keys(PARTS) as PartName[]
  const allowed = names.filter((name) => mayReadAll || !OF_ALL_CLIENTS.includes(name))
  const current = allowed.find((name) => name === props.place.query.tab) ?? 'payouts'
  const Part = PARTS[current]
  return (
    <>
      <Tabs
        label={strings.parts}
        view="payouts"
        tabs={allowed.map((name) => ({ name, label: strings.tabs[name] }))}
        current={current}
      />
      <Part {...props} />
    </>
  )
}
