// Deliveries: every event, whether it arrived, and what was sent and answered.

import type { Schemas } from '../../api.ts'
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

export type ListedDelivery = Schemas['Delivery']
type ListedEvent = Schemas['Event']

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
    show: (event) => <EventBadge {...event} />,
  },
  {
    name: said.type,
    place: 'second',
    show: (event) => (
      <>
        <code>{event.type}</code>
        <Stuck {...event} />
      </>
    ),
  },
  { name: said.sequence, isAmount: true, show: ({ sequence }) => sequence },
  { name: said.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

const TONES = { none: 'calm', pending: 'warn', delivered: 'good', failed: 'bad' } as const

export function DeliveryBadge({ state, heldBy }: Pick<ListedDelivery, 'state' | 'heldBy'>) {
  return <Badge state={heldBy ? said.held[heldBy] : said.states[state]} tone={TONES[state]} />
}

// Of all its destinations together: how many have it, and which of the others will not get it soon.
export function EventBadge({ deliveryState, deliveries = [] }: Summed) {
  const [only] = deliveries
  if (!only || deliveryState === 'delivered') {
    return <Badge state={said.states[deliveryState]} tone={TONES[deliveryState]} />
  }
  if (deliveries.length === 1) return <DeliveryBadge {...only} />
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  return <Badge state={said.some(delivered, deliveries.length)} tone={TONES[deliveryState]} />
}

type Summed = Pick<ListedEvent, 'deliveryState' | 'deliveries'>

export function Stuck({ deliveries = [] }: Pick<Summed, 'deliveries'>) {
  const stuck = deliveries.filter(({ state, heldBy }) => heldBy !== null || state === 'failed')
  return (
    <>
      {stuck.map(({ url, state, heldBy }) => (
        <span key={url} class="muted small stuck">
          {heldBy ? said.held[heldBy] : said.states[state]}: {url}
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
      caption={WEBHOOK_STRINGS.tabs.deliveries}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/./}
      none={{ title: said.none, text: said.noneText }}
      detail={({ open, version, close }) => (
        <EventDrawer key={open} id={open} version={version} mayWrite={mayWrite} close={close} />
      )}
    />
  )
}
