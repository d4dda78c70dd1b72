// Webhooks: the endpoints with their health, the deliveries, and the signature checker.

import { useEffect, useState } from 'preact/hooks'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { useEvents, useThrottled } from '../../live.ts'
import { usePages, useSteadyRefresh } from '../../loading.ts'
import { Button, tabbedView } from '../../parts/controls.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Badge, Time } from '../../parts/values.tsx'
import { closeTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { Checker } from './checker.tsx'
import { Deliveries } from './deliveries.tsx'
import { type Endpoint, EndpointDrawer, EndpointForm, stateOf } from './endpoint.tsx'

const { endpoints: strings, form } = webhooksStrings
const PATH = '/api/v1/webhook-endpoints'

const COLUMNS: readonly Column<Endpoint>[] = [
  { name: strings.address, place: 'lead', show: ({ url }) => url },
  {
    name: strings.state,
    place: 'state',
    show: (endpoint) => {
      const { name, tone } = stateOf(endpoint)
      return <Badge state={webhooksStrings.states[name]} tone={tone} />
    },
  },
  {
    name: strings.types,
    place: 'second',
    show: ({ eventTypes }) => (eventTypes ? strings.some(eventTypes.length) : strings.all),
  },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

function Endpoints({ session, place }: ViewProps) {
  const pages = usePages(PATH, {})
  const isNew = place.query.new === 'endpoint'
  const [isAdding, setAdding] = useState(isNew)
  useEffect(() => setAdding(isNew), [isNew])
  const [secret, setSecret] = useState<string | undefined>()
  const refresh = useThrottled(pages.reload)
  useEvents(() => refresh(), true, refresh)
  useSteadyRefresh(refresh) // The health of endpoints changes with each attempt.
  const mayWrite = session.scopes.includes('webhooks:write')
  const add = mayWrite && (
    <Button style="primary" onClick={() => setAdding(true)}>
      {strings.add}
    </Button>
  )
  return (
    <>
      {add && <div class="above">{add}</div>}
      <ListTable
        caption={webhooksStrings.tabs.endpoints}
        columns={COLUMNS}
        pages={pages}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf('webhooks', id, place.query)}
        openKey={place.open}
        empty={
          <Empty icon="webhooks" title={strings.none}>
            <p>{mayWrite ? strings.noneText : strings.noneAsk}</p>
            {!mayWrite && <a href="/docs">{appStrings.reference}</a>}
          </Empty>
        }
      />
      {isAdding && (
        <EndpointForm
          close={() => setAdding(false)}
          onDone={(newSecret) => {
            setAdding(false)
            setSecret(newSecret)
            pages.reload()
          }}
        />
      )}
      {secret && (
        <ShowOnce
          title={form.madeTitle}
          text={form.made}
          secrets={[secret]}
          close={() => setSecret(undefined)}
        />
      )}
      {place.open !== undefined && (
        <EndpointDrawer
          key={place.open}
          id={place.open}
          mayWrite={mayWrite}
          isSandbox={session.client.mode === 'sandbox'}
          changed={pages.reload}
          close={() => closeTo(hrefOf('webhooks', undefined, place.query))}
        />
      )}
    </>
  )
}

export default tabbedView({
  view: 'webhooks',
  words: webhooksStrings,
  tabs: { endpoints: Endpoints, deliveries: Deliveries, checker: Checker },
})
