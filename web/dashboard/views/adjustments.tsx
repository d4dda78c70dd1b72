// Adjustments: debts of clients and banks, recovered or written off under maker-checker.

import { adjustmentsStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { Debts } from './adjustments/debts.tsx'
import { Requests } from './adjustments/requests.tsx'

const TABS = ['requests', 'receivable', 'shortfall'] as const

export default function Adjustments(props: ViewProps) {
  const current = TABS.find((tab) => tab === props.place.query.tab) ?? 'requests'
  return (
    <>
      <Tabs label={strings.parts} view="adjustments" names={strings.tabs} current={current} />
      {current === 'requests' ? (
        <Requests {...props} />
      ) : (
        <Debts key={current} kind={current} {...props} />
      )}
    </>
  )
}
