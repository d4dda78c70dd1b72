// The secret that signs webhooks to notificationUrl and callBackUrl; loaded only on request.

import { useState } from 'preact/hooks'
import { appStrings, developersStrings } from '../../../copy.ts'
import { getData, send } from '../../api.ts'
import { AtOnceButton } from '../../parts/action.tsx'
import { Link } from '../../parts/link.tsx'
import { Copyable } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { RotateSecret } from '../webhooks/rotate-secret.tsx'

const { signing: strings } = developersStrings
const PATH = '/api/v1/webhook-secret'

export function SigningSecret() {
  const [secret, setSecret] = useState<string | undefined>()
  return (
    <section class="card panel" aria-labelledby="signing">
      <h2 id="signing">{strings.title}</h2>
      <p class="muted">
        {strings.text} <Link href={hrefOf('webhooks')}>{strings.endpoints}</Link>
      </p>
      {secret && (
        <div class="secrets">
          <Copyable text={secret} name={appStrings.secret} />
        </div>
      )}
      <div class="actions">
        <AtOnceButton
          label={secret ? strings.hide : strings.show}
          run={async () => setSecret(secret ? undefined : (await getData(PATH, {})).secret)}
        />
        <RotateSecret
          label={strings.rotate}
          rotate={(headers) => send('POST', `${PATH}/rotate`, { body: {}, headers })}
          done={() => setSecret(undefined)}
        />
      </div>
    </section>
  )
}
