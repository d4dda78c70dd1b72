// Webhooks: where events go and how these places are doing, what was sent and answered, and whether
// a signature is right.

import { Tabs } from '../parts/tabs.tsx'
import type { ViewProps } from '../views.ts'
import { WEBHOOK_STRINGS as strings } from '../webhook-strings.ts'
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
