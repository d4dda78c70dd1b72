// Developers: client secrets, the webhook signing secret, and a quick start with the client's own ids.

import { useState } from 'preact/hooks'
import { appStrings, developersStrings } from '../../../copy.ts'
import { getData, send } from '../../api.ts'
import { humanize } from '../../format.ts'
import { useData } from '../../loading.ts'
import { AtOnceButton } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { factList } from '../../parts/drawer.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Copyable } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { ClientSecrets, RotateSecret } from './client-secrets.tsx'
import { QuickStart } from './quick-start.tsx'

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

// The client’s data as its developers need it, and its secrets.
function OwnClient({ mode }: { mode: string }) {
  const { data, problem, reload } = useData(PATH, {})
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="page" lines={8} />
  return (
    <>
      {failed}
      <section class="card panel" aria-labelledby="client">
        <h2 id="client">{strings.title}</h2>
        {factList([
          [strings.id, <Copyable key="id" text={data.clientId} />],
          [strings.name, data.name],
          [strings.mode, humanize(mode)],
          [strings.address, <Copyable key="address" text={window.location.origin} />],
          [strings.scopes, data.scopes.join(', ')],
          [strings.merchants, data.merchantCodes?.join(', ')],
          [strings.addresses, data.allowedAddresses?.join(', ')],
        ])}
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

const { signing } = developersStrings
const SIGNING_SECRET = '/api/v1/webhook-secret'

// The client’s own signing secret, hidden until the user asks for it.
function SigningSecret() {
  const [secret, setSecret] = useState<string | undefined>()
  return (
    <section class="card panel" aria-labelledby="signing">
      <h2 id="signing">{signing.title}</h2>
      <p class="muted">
        {signing.text} <Link href={hrefOf('webhooks')}>{signing.endpoints}</Link>
      </p>
      {secret && (
        <div class="secrets">
          <Copyable text={secret} name={appStrings.secret} />
        </div>
      )}
      <div class="actions">
        <AtOnceButton
          label={secret ? signing.hide : signing.show}
          run={async () =>
            setSecret(secret ? undefined : (await getData(SIGNING_SECRET, {})).secret)
          }
        />
        <RotateSecret
          label={signing.rotate}
          rotate={(headers) => send('POST', `${SIGNING_SECRET}/rotate`, { body: {}, headers })}
          onDone={() => setSecret(undefined)}
        />
      </div>
    </section>
  )
}
