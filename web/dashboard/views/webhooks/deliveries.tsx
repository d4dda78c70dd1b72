// Deliveries: every event, whether it arrived, and what was sent and answered.

import { EVENT_TYPES } from '../../event-types.ts'
import { words } from '../../format.ts'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { STRINGS } from '../../strings.ts'
import type { ViewProps } from '../../views.ts'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'
import { EventDrawer } from './event.tsx'

export type DeliveryState = 'none' | 'pending' | 'delivered' | 'failed'
type ListedEvent = {
  id: string
  type: string
  sequence: number
  createdAt: string
  deliveryState: DeliveryState
}

const { deliveries: said } = WEBHOOK_STRINGS
export const EVENTS = '/api/v1/events'

const FILTERS: readonly Filter[] = [
  {
    name: 'delivered',
    label: said.state,
    choices: [
      { value: 'true', label: said.arrived },
      { value: 'false', label: said.notArrived },
    ],
  },
  {
    name: 'type',
    label: said.type,
    choices: EVENT_TYPES.map((value) => ({ value, label: value })),
  },
  { name: 'accountNumber', label: said.number, placeholder: STRINGS.credits.digits10 },
  { name: 'paymentReference', label: said.payment },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<ListedEvent>[] = [
  { name: said.event, place: 'lead', show: ({ type }) => words(type) },
  {
    name: said.state,
    place: 'state',
    show: ({ deliveryState }) => <DeliveryBadge state={deliveryState} />,
  },
  { name: said.type, place: 'second', show: ({ type }) => <code>{type}</code> },
  { name: said.sequence, isAmount: true, show: ({ sequence }) => sequence },
  { name: said.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const tone = ({ none: 'calm', pending: 'warn', delivered: 'good', failed: 'bad' } as const)[state]
  return <Badge state={said.states[state]} tone={tone} />
}

export function Deliveries(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('webhooks:write')
  return (
    <ListView<ListedEvent>
      {...props}
      view="webhooks"
      icon="event"
      path={EVENTS}
      caption={WEBHOOK_STRINGS.tabs.deliveries}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/./}
      none={{ title: said.none, text: said.noneText }}
      detail={(open, version, close) => (
        <EventDrawer key={open} id={open} version={version} mayWrite={mayWrite} close={close} />
      )}
    />
  )
}
