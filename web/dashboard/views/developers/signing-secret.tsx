// The secret that signs webhooks to notificationUrl and callBackUrl; loaded only on request.

import { useState } from 'preact/hooks'
import { appStrings, developersStrings } from '../../../copy.ts'
import { getData, problemFrom, send } from '../../api.ts'
import { toast } from '../../parts/toasts.tsx'
import { Copyable } from '../../parts/values.tsx'
import { follow, hrefOf } from '../../routing.ts'
import { RotateSecret } from '../webhooks/rotate-secret.tsx'

const { signing: strings } = developersStrings
const PATH = '/api/v1/webhook-secret'

export function SigningSecret() {
  const [secret, setSecret] = useState<string | undefined>()
  const [isRotating, setRotating] = useState(false)
  const show = async () => {
    try {
      setSecret((await getData(PATH, {})).secret)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  }
  return (
    <section class="card panel" aria-labelledby="signing">
      <h2 id="signing">{strings.title}</h2>
      <p class="muted">
        {strings.text}{' '}
        <a href={hrefOf('webhooks')} onClick={follow}>
          {strings.endpoints}
        </a>
      </p>
      {secret && (
        <div class="secrets">
          <Copyable text={secret} name={appStrings.secret} />
        </div>
      )}
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => (secret ? setSecret(undefined) : show())}
        >
          {secret ? strings.hide : strings.show}
        </button>
        <button type="button" class="button" onClick={() => setRotating(true)}>
          {strings.rotate}
        </button>
      </div>
      {isRotating && (
        <RotateSecret
          rotate={(headers) => send('POST', `${PATH}/rotate`, { body: {}, headers })}
          close={() => {
            setRotating(false)
            setSecret(undefined)
          }}
        />
      )}
    </section>
  )
}
