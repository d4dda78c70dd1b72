// Webhooks: endpoints and their health, deliveries, and the signature checker.

import { webhooksStrings as strings } from '../../../copy.ts'
import { tabbedView } from '../../parts/tabs.tsx'
import { Checker } from './checker.tsx'
import { Deliveries } from './deliveries.tsx'
import { Endpoints } from './endpoints.tsx'

export default tabbedView({
  view: 'webhooks',
  words: strings,
  tabs: { endpoints: Endpoints, deliveries: Deliveries, checker: Checker },
})
