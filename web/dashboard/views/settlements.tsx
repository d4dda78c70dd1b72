// Settlements: the upcoming one, the closed ones, and their schedule.

import { settlementsStrings as strings } from '../../copy.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { ClosedSettlements } from './settlements/closed.tsx'
import { SettlementSettings } from './settlements/settings.tsx'

const PARTS = { settlements: ClosedSettlements, settings: SettlementSettings }

export default function Settlements(props: ViewProps) {
  return (
    <TabbedView
      {...props}
      view="settlements"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
    />
  )
}
