// Developers: client secrets, the webhook signing secret, and a quick start with the client's own ids.

import { developersStrings } from '../../copy.ts'
import { send } from '../api.ts'
import { humanize } from '../format.ts'
import { useData } from '../loading.ts'
import { Facts } from '../parts/drawer.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Copyable } from '../parts/values.tsx'
import type { ViewProps } from '../view-props.ts'
import { ClientSecrets } from './developers/client-secrets.tsx'
import { QuickStart } from './developers/quick-start.tsx'
import { SigningSecret } from './developers/signing-secret.tsx'

const { client: strings, secrets } = developersStrings
const PATH = '/dashboard/api/client'

// Only operators see the secrets of an operator's client.
export default function Developers({ session }: ViewProps) {
  const { client, role } = session
  return (
    <>
      {(role === 'operator' || !client.isOperator) && <OwnClient mode={client.mode} />}
      <SigningSecret />
      <QuickStart clientId={client.clientId} mode={client.mode} />
    </>
  )
}

function OwnClient({ mode }: { mode: string }) {
  const { data, problem, reload } = useData(PATH, {})
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="page" lines={8} />
  return (
    <>
      {failed}
      <section class="card panel" aria-labelledby="client">
        <h2 id="client">{strings.title}</h2>
        <Facts
          facts={[
            [strings.id, <Copyable key="id" text={data.clientId} />],
            [strings.name, data.name],
            [strings.mode, humanize(mode)],
            [strings.address, <Copyable key="address" text={window.location.origin} />],
            [strings.scopes, data.scopes.join(', ')],
            [strings.merchants, data.merchantCodes?.join(', ')],
            [strings.addresses, data.allowedAddresses?.join(', ')],
          ]}
        />
      </section>
      <section class="card panel" aria-labelledby="secrets">
        <h2 id="secrets">{secrets.title}</h2>
        <p class="muted">{secrets.text}</p>
        <ClientSecrets
          secrets={data.secrets}
          rotate={(body, headers) => send('POST', `${PATH}/rotate-secret`, { body, headers })}
          changed={reload}
        />
      </section>
    </>
  )
}
