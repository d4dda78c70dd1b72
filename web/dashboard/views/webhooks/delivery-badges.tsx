// The state of one delivery, and of all deliveries of an event.

import { webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { Badge } from '../../parts/values.tsx'

export type ListedDelivery = Schemas['Delivery']

const { deliveries: strings } = webhooksStrings
export const EVENTS = '/api/v1/events'

const TONES = { none: 'calm', pending: 'warn', delivered: 'good', failed: 'bad' } as const

export function DeliveryBadge({ state, heldBy }: Pick<ListedDelivery, 'state' | 'heldBy'>) {
  return <Badge state={heldBy ? strings.held[heldBy] : strings.states[state]} tone={TONES[state]} />
}

// How many destinations have the event, and which others will not get it soon.
export function EventBadge({ deliveryState, deliveries = [] }: Summed) {
  const [only] = deliveries
  if (!only || deliveryState === 'delivered') {
    return <Badge state={strings.states[deliveryState]} tone={TONES[deliveryState]} />
  }
  if (deliveries.length === 1) return <DeliveryBadge {...only} />
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  return <Badge state={strings.some(delivered, deliveries.length)} tone={TONES[deliveryState]} />
}

type Summed = Pick<Schemas['Event'], 'deliveryState' | 'deliveries'>

export function UndeliveredTo({ deliveries = [] }: Pick<Summed, 'deliveries'>) {
  const stuck = deliveries.filter(({ state, heldBy }) => heldBy !== null || state === 'failed')
  return (
    <>
      {stuck.map(({ url, state, heldBy }) => (
        <span key={url} class="muted small stuck">
          {heldBy ? strings.held[heldBy] : strings.states[state]}: {url}
        </span>
      ))}
    </>
  )
}
