// Deliveries: every event and whether it was delivered.

import { EVENT_TYPES } from '../../../../sdk/src/api-types.ts'
import { creditsStrings, webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { humanize } from '../../format.ts'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { ViewProps } from '../../view-props.ts'
import { EVENTS, EventBadge, UndeliveredTo } from './delivery-badges.tsx'
import { EventDrawer } from './event.tsx'

const { deliveries: strings } = webhooksStrings

const FILTERS: readonly Filter[] = [
  {
    name: 'delivered',
    label: strings.state,
    choices: { true: strings.arrived, false: strings.notArrived },
  },
  {
    name: 'type',
    label: strings.type,
    choices: Object.fromEntries(EVENT_TYPES.map((type) => [type, type])),
  },
  { name: 'accountNumber', label: strings.number, placeholder: creditsStrings.digits10 },
  { name: 'paymentReference', label: strings.payment },
  ...DATES,
]

const COLUMNS: readonly Column<Schemas['Event']>[] = [
  { name: strings.event, place: 'lead', show: ({ type }) => humanize(type) },
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
        <UndeliveredTo {...event} />
      </>
    ),
  },
  { name: strings.sequence, isAmount: true, show: ({ sequence }) => sequence },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function Deliveries(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('webhooks:write')
  return (
    <ListView
      {...props}
      view="webhooks"
      icon="event"
      path={EVENTS}
      also={{ include: 'deliveries' }}
      caption={webhooksStrings.tabs.deliveries}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/./}
      isPending={({ deliveryState }) => deliveryState === 'pending'}
      none={{ title: strings.none, text: strings.noneText }}
      detail={({ open, version, close }) => (
        <EventDrawer key={open} id={open} version={version} mayWrite={mayWrite} close={close} />
      )}
    />
  )
}
