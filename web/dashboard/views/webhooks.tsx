// Webhooks: endpoints and their health, deliveries, and the signature checker.

import { webhooksStrings as strings } from '../../copy.ts'
import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { Checker } from './webhooks/checker.tsx'
import { Deliveries } from './webhooks/deliveries.tsx'
import { Endpoints } from './webhooks/endpoints.tsx'

const PARTS = { endpoints: Endpoints, deliveries: Deliveries, checker: Checker } as const
type PartName = keyof typeof PARTS

const TABS = Object.entries(strings.tabs).map(([name, label]) => ({ name, label }))

export default function Webhooks(props: ViewProps) {
  const asked = props.place.query.tab ?? ''
  const current: PartName = Object.hasOwn(PARTS, asked) ? (asked as PartName) : 'endpoints'
  const Part = PARTS[current]
  return (
    <>
      <Tabs label={strings.parts} view="webhooks" tabs={TABS} current={current} />
      <Part {...props} />
    </>
  )
}
