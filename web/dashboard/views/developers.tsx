// Developers: what the client logs in with, what signs its webhooks, and the first calls to make
// with its own ids filled in.

import { DEVELOPER_STRINGS } from '../developer-strings.ts'
import { useData } from '../loading.ts'
import { Facts } from '../parts/drawer.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Copyable } from '../parts/values.tsx'
import type { ViewProps } from '../views.ts'
import { QuickStart } from './developers/quick-start.tsx'
import { Secrets } from './developers/secrets.tsx'
import { SigningSecret } from './developers/signing-secret.tsx'

const { client: said } = DEVELOPER_STRINGS
const PATH = '/dashboard/api/client'

export default function Developers({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  const { mode } = session.client
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="page" lines={8} />
  return (
    <>
      <section class="card panel" aria-labelledby="client">
        <h2 id="client">{said.title}</h2>
        <Facts
          facts={[
            [said.id, <Copyable key="id" text={data.clientId} />],
            [said.name, data.name],
            [said.mode, mode],
            [said.address, <Copyable key="address" text={window.location.origin} />],
            [said.scopes, data.scopes.join(', ')],
            [said.merchants, data.merchantCodes?.join(', ')],
            [said.addresses, data.allowedAddresses?.join(', ')],
          ]}
        />
      </section>
      <Secrets secrets={data.secrets} changed={reload} />
      <SigningSecret />
      <QuickStart clientId={data.clientId} mode={mode} />
    </>
  )
}
