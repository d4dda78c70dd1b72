// Settlements: the upcoming one, those that were closed, and their schedule.

import { settlementsStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { ClosedSettlements } from './settlements/closed.tsx'
import { SettlementSettings } from './settlements/settings.tsx'

const TABS = Object.entries(strings.tabs).map(([name, label]) => ({ name, label }))

export default function Settlements(props: ViewProps) {
  const isSettings = props.place.query.tab === 'settings'
  return (
    <>
      <Tabs
        label={strings.parts}
        view="settlements"
        tabs={TABS}
        current={isSettings ? 'settings' : 'settlements'}
      />
      {isSettings ? <SettlementSettings {...props} /> : <ClosedSettlements {...props} />}
    </>
  )
}
