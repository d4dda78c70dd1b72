// One client: rights, usage, secrets and actions.

import { clientsStrings as strings } from '../../../copy.ts'
import { type Query, send } from '../../api.ts'
import { Detail } from '../../parts/detail.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { ClientSecrets } from '../developers/client-secrets.tsx'
import { ClientActions } from './client-actions.tsx'
import { CLIENT, ClientBadge, type ClientDetail } from './client-fields.tsx'
import { ClientUsage } from './client-usage.tsx'

type Props = {
  clientId: string
  isOwn: boolean
  query: Query // The query of the list.
  version: number
  close: () => void
  changed: () => void
}

export function ClientDrawer({ clientId, isOwn, query, version, close, changed }: Props) {
  const params = { clientId }
  return (
    <Detail
      title={strings.one}
      path={CLIENT}
      params={params}
      version={version}
      close={close}
      show={(client) => (
        <>
          <About client={client} />
          <ClientActions client={client} isOwn={isOwn} query={query} changed={changed} />
          <h3>{strings.secrets}</h3>
          <ClientSecrets
            secrets={client.secrets}
            rotate={(body, headers) =>
              send('POST', `${CLIENT}/rotate-secret`, { params, body, headers })
            }
            changed={changed}
          />
          <h3>{strings.usage}</h3>
          <ClientUsage clientId={clientId} />
        </>
      )}
    />
  )
}

function About({ client }: { client: ClientDetail }) {
  const { name, clientId, isOperator, scopes, merchantCodes, allowedAddresses } = client
  const { suspendedAt, suspensionReason } = client
  return (
    <>
      <TextHeadline text={name} badge={<ClientBadge client={client} />} />
      <Facts
        facts={[
          [strings.id, <Copyable key="id" text={clientId} />],
          [strings.operator, isOperator && strings.yes],
          [strings.scopes, scopes.join(', ')],
          [strings.merchantCodes, merchantCodes?.join(', ') ?? strings.allMerchants],
          [strings.allowedAddresses, allowedAddresses?.join(', ') ?? strings.anyAddress],
          [strings.suspendedAt, suspendedAt && <Time key="suspended" at={suspendedAt} />],
          [strings.suspensionReason, suspensionReason],
          [strings.accountName, client.accountName !== name && client.accountName],
          [strings.pendingAccountName, client.pendingAccountName],
          [strings.created, <Time key="created" at={client.createdAt} />],
        ]}
      />
    </>
  )
}
