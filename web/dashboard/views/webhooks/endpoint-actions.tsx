// Actions on an endpoint. Those that stop deliveries ask for confirmation.

import { webhooksStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import type { Removable } from '../../loading.ts'
import { Action, AtOnceButton, OpenButton } from '../../parts/action.tsx'
import { toast } from '../../parts/toasts.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import type { Endpoint } from './endpoint-state.ts'
import { ReplayForm } from './replay-form.tsx'
import { RotateSecret } from './rotate-secret.tsx'

const { actions: strings } = webhooksStrings
const PATH = '/api/v1/webhook-endpoints/{id}'

type Props = {
  endpoint: Endpoint
  changed: () => void
  tested: (eventId: string) => void
  remove: Removable<Endpoint>['remove']
  gone: () => void
}

export function EndpointActions({ endpoint, changed, tested, remove, gone }: Props) {
  const { id, url, isActive } = endpoint
  const params = { id }
  return (
    <div class="actions">
      {isActive ? (
        <AtOnceButton
          label={strings.test}
          style="primary"
          run={async (headers) => {
            const { eventId } = await send('POST', `${PATH}/test`, { params, body: {}, headers })
            tested(eventId)
            toast(strings.tested)
            changed()
          }}
        />
      ) : (
        <AtOnceButton
          label={strings.switchOn}
          style="primary"
          run={async () => {
            await send('PATCH', PATH, { params, body: { isActive: true } })
            toast(strings.switchedOn)
            changed()
          }}
        />
      )}
      <OpenButton label={strings.change}>
        {(close) => (
          <EndpointForm
            endpoint={endpoint}
            close={close}
            done={() => {
              close()
              changed()
            }}
          />
        )}
      </OpenButton>
      <OpenButton label={strings.replay} isOffered={isActive}>
        {(close) => <ReplayForm id={id} close={close} />}
      </OpenButton>
      <RotateSecret
        rotate={(headers) => send('POST', `${PATH}/rotate-secret`, { params, body: {}, headers })}
        done={changed}
      />
      <Action
        action={strings.switchOff}
        isOffered={isActive}
        text={strings.switchOffText}
        run={() => send('PATCH', PATH, { params, body: { isActive: false } })}
        done={changed}
      />
      <Action
        title={strings.deleteTitle}
        action={strings.delete}
        style="danger-text"
        isDangerous
        text={strings.deleteText(url)}
        run={() => remove(() => send('DELETE', PATH, { params }))}
        message={strings.deleted}
        done={gone}
      />
    </div>
  )
}
