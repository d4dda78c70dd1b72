// Deliveries: every event, whether it arrived, and what was sent and answered.

import type { Schemas } from '../../api.ts'
import { EVENT_TYPES } from '../../event-types.ts'
import { words } from '../../format.ts'
import type { Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { appStrings } from '../../strings.ts'
import type { ViewProps } from '../../views.ts'
import { webhooksStrings } from '../../webhook-strings.ts'
import { EventDrawer } from './event.tsx'

export type ListedDelivery = Schemas['Delivery']
type ListedEvent = Schemas['Event']

const { deliveries: strings } = webhooksStrings
export const EVENTS = '/api/v1/events'

const FILTERS: readonly Filter[] = [
  {
    name: 'delivered',
    label: strings.state,
    choices: [
      { value: 'true', label: strings.arrived },
      { value: 'false', label: strings.notArrived },
    ],
  },
  {
    name: 'type',
    label: strings.type,
    choices: EVENT_TYPES.map((value) => ({ value, label: value })),
  },
  { name: 'accountNumber', label: strings.number, placeholder: appStrings.credits.digits10 },
  { name: 'paymentReference', label: strings.payment },
  { name: 'from', label: appStrings.filters.from, type: 'date' },
  { name: 'to', label: appStrings.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<ListedEvent>[] = [
  { name: strings.event, place: 'lead', show: ({ type }) => words(type) },
  {
    name: strings.state,
    place: 'state',
    show: (event) => <EventBadge {...event} />,
  },
  {
    name: strings.type,
    place: 'second',
    show: (event) => (
      <>
        <code>{event.type}</code>
        <Stuck {...event} />
      </>
    ),
  },
  { name: strings.sequence, isAmount: true, show: ({ sequence }) => sequence },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

const TONES = { none: 'calm', pending: 'warn', delivered: 'good', failed: 'bad' } as const

export function DeliveryBadge({ state, heldBy }: Pick<ListedDelivery, 'state' | 'heldBy'>) {
  return <Badge state={heldBy ? strings.held[heldBy] : strings.states[state]} tone={TONES[state]} />
}

// Of all its destinations together: how many have it, and which of the others will not get it soon.
export function EventBadge({ deliveryState, deliveries = [] }: Summed) {
  const [only] = deliveries
  if (!only || deliveryState === 'delivered') {
    return <Badge state={strings.states[deliveryState]} tone={TONES[deliveryState]} />
  }
  if (deliveries.length === 1) return <DeliveryBadge {...only} />
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  return <Badge state={strings.some(delivered, deliveries.length)} tone={TONES[deliveryState]} />
}

type Summed = Pick<ListedEvent, 'deliveryState' | 'deliveries'>

export function Stuck({ deliveries = [] }: Pick<Summed, 'deliveries'>) {
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

export function Deliveries(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('webhooks:write')
  return (
    <ListView
      {...props}
      view="webhooks"
      icon="event"
      path={EVENTS}
      params={{}}
      also={{ include: 'deliveries' }}
      caption={webhooksStrings.tabs.deliveries}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/./}
      none={{ title: strings.none, text: strings.noneText }}
      detail={({ open, version, close }) => (
        <EventDrawer key={open} id={open} version={version} mayWrite={mayWrite} close={close} />
      )}
    />
  )
}
