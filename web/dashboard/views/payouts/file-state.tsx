// The state of a payout file.

import { payoutFilesStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { count } from '../../format.ts'
import { Badge } from '../../parts/values.tsx'

export type PayoutFile = Schemas['PayoutFile']

export function FileState({ file: { open, notDeliveredAt } }: { file: PayoutFile }) {
  if (notDeliveredAt) return <Badge state={strings.states.notDelivered} tone="bad" />
  if (open > 0) return <Badge state={strings.open(count(open))} tone="warn" />
  return <Badge state={strings.states.done} tone="good" />
}
