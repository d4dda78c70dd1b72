// Webhooks: endpoints and their health, deliveries, and the signature checker.

import { webhooksStrings as strings } from '../../copy.ts'
import { TabbedView } from '../parts/tabs.tsx'
import type { ViewProps } from '../view-props.ts'
import { Checker } from './webhooks/checker.tsx'
import { Deliveries } from './webhooks/deliveries.tsx'
import { Endpoints } from './webhooks/endpoints.tsx'

const PARTS = { endpoints: Endpoints, deliveries: Deliveries, checker: Checker }

export default function Webhooks(props: ViewProps) {
  return (
    <TabbedView
      {...props}
      view="webhooks"
      label={strings.parts}
      names={strings.tabs}
      parts={PARTS}
    />
  )
}
