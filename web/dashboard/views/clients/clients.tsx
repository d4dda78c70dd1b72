// Clients: operators find, create and change them here. The users of a client are on a separate page.

import { useState } from 'preact/hooks'
import { appStrings, clientsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Button, Link } from '../../parts/controls.tsx'
import { ShowOnce } from '../../parts/dialog.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icons.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { UserList } from '../access/users.tsx'
import { ClientDrawer, UsageToday } from './client.tsx'
import { CLIENT, CLIENTS, type Client, ClientBadge, ClientForm, scopesFor } from './client-form.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'search', label: strings.search },
  {
    name: 'active',
    label: strings.state,
    choices: { true: strings.active, false: strings.suspended },
  },
]

const COLUMNS: readonly Column<Client>[] = [
  { name: strings.name, place: 'lead', show: ({ name }) => name },
  { name: strings.id, place: 'second', show: ({ clientId }) => <code>{clientId}</code> },
  { name: strings.state, place: 'state', show: (client) => <ClientBadge client={client} /> },
  { name: strings.scopes, show: scopesText },
  {
    name: strings.merchantCodes,
    show: ({ merchantCodes }) => merchantCodes?.join(', ') ?? strings.allMerchants,
  },
  {
    name: strings.today,
    place: 'amount',
    isAmount: true,
    show: ({ clientId }) => <UsageToday clientId={clientId} />,
  },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

// The number of the client’s scopes, out of those that a client of its kind can have.
function scopesText({ scopes, isOperator }: Client): string {
  const total = scopesFor(isOperator).length
  return scopes.length === total ? strings.allScopes : strings.someScopes(scopes.length, total)
}

// The list of clients, or the users of the client that the URL names.
export default function Clients(props: ViewProps) {
  const { usersOf } = props.place.query
  if (usersOf) return <ClientUsers {...props} clientId={usersOf} />
  return <ClientList {...props} />
}

// The list of clients. A new client’s secret is shown once, in a dialog.
function ClientList(props: ViewProps) {
  const [isCreating, setCreating] = useState(false)
  const [newClient, setNewClient] = useState<Schemas['ClientWithSecret'] | undefined>()
  const [refreshKey, setRefreshKey] = useState(0)
  return (
    <>
      <ListView
        {...props}
        view="clients"
        icon="clients"
        path={CLIENTS}
        caption={appStrings.views.clients}
        columns={COLUMNS}
        filters={FILTERS}
        keyOf={({ clientId }) => clientId}
        refreshKey={refreshKey}
        isOldestFirst
        emptyState={{ title: strings.none, text: strings.noneText }}
        add={
          <Button style="primary" onClick={() => setCreating(true)}>
            {strings.create}
          </Button>
        }
        detail={({ open, refreshKey, close, changed }) => (
          <ClientDrawer
            key={open}
            clientId={open}
            isOwn={open === props.session.client.clientId}
            query={props.place.query}
            {...{ refreshKey, close, changed }}
          />
        )}
      />
      {isCreating && (
        <ClientForm
          close={() => setCreating(false)}
          onDone={(client) => {
            setCreating(false)
            setNewClient(client)
            setRefreshKey(refreshKey + 1)
          }}
        />
      )}
      {newClient && (
        <ShowOnce
          title={strings.made}
          text={strings.madeText(newClient.clientId)}
          secrets={[newClient.secret]}
          close={() => {
            setNewClient(undefined)
            goTo(hrefOf('clients', newClient.clientId, props.place.query))
          }}
        />
      )}
    </>
  )
}

// The users of another client, with a link back to that client.
function ClientUsers({ clientId, ...props }: ViewProps & { clientId: string }) {
  const { query } = props.place
  const { data, problem, reload } = useData(CLIENT, { clientId })
  return (
    <>
      <Link class="back-link" href={hrefOf('clients', clientId, { ...query, usersOf: undefined })}>
        <Icon name="back" />
        {strings.back}
      </Link>
      <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
      {data && (
        <>
          <h2 class="section">{strings.usersOf(data.name)}</h2>
          <UserList {...props} view="clients" query={query} client={data} />
        </>
      )}
    </>
  )
}
