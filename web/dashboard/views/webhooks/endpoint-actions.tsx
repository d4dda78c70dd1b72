// Actions on an endpoint. Whatever stops deliveries asks for confirmation.

import { useState } from 'preact/hooks'
import { webhooksStrings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import type { Removable } from '../../loading.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { newKey } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import type { Endpoint } from './endpoint-state.ts'
import { ReplayForm } from './replay-form.tsx'
import { RotateSecret } from './rotate-secret.tsx'

const { actions: strings } = webhooksStrings
const PATH = '/api/v1/webhook-endpoints/{id}'

type Asking = 'change' | 'rotate' | 'switchOff' | 'delete' | 'replay'
type Props = {
  endpoint: Endpoint
  changed: () => void
  tested: (eventId: string) => void
  remove: Removable<Endpoint>['remove']
  gone: () => void
}

export function EndpointActions({ endpoint, changed, tested, remove, gone }: Props) {
  const [asking, setAsking] = useState<Asking | undefined>()
  const close = () => setAsking(undefined)
  const { id } = endpoint
  const now = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      toast(done)
      changed()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  }
  const test = () =>
    now(async () => {
      const headers = { 'idempotency-key': newKey() }
      const made = await send('POST', `${PATH}/test`, { params: { id }, body: {}, headers })
      tested(made.eventId)
    }, strings.tested)
  const switchOn = () =>
    now(() => send('PATCH', PATH, { params: { id }, body: { isActive: true } }), strings.switchedOn)
  const button = (name: Asking, tone = '') => (
    <button type="button" class={`button ${tone}`} onClick={() => setAsking(name)}>
      {strings[name]}
    </button>
  )
  return (
    <>
      <div class="actions">
        {endpoint.isActive && (
          <button type="button" class="button primary" onClick={test}>
            {strings.test}
          </button>
        )}
        {!endpoint.isActive && (
          <button type="button" class="button primary" onClick={switchOn}>
            {strings.switchOn}
          </button>
        )}
        {button('change')}
        {endpoint.isActive && button('replay')}
        {button('rotate')}
        {endpoint.isActive && button('switchOff')}
        {button('delete', 'danger-text')}
      </div>
      <Asked {...{ asking, endpoint, changed, remove, gone, close }} />
    </>
  )
}

function Asked({
  asking,
  endpoint,
  changed,
  remove,
  gone,
  close,
}: Omit<Props, 'tested'> & { asking: Asking | undefined; close: () => void }) {
  const { id } = endpoint
  const done = () => {
    close()
    changed()
  }
  switch (asking) {
    case 'change':
      return <EndpointForm endpoint={endpoint} close={close} done={done} />
    case 'replay':
      return <ReplayForm id={id} close={close} />
    case 'rotate':
      return (
        <RotateSecret
          rotate={(headers) =>
            send('POST', `${PATH}/rotate-secret`, { params: { id }, body: {}, headers })
          }
          close={done}
        />
      )
    case 'switchOff':
      return (
        <Confirm
          title={strings.switchOff}
          action={strings.switchOff}
          run={() => send('PATCH', PATH, { params: { id }, body: { isActive: false } })}
          done={done}
          close={close}
        >
          {strings.switchOffText}
        </Confirm>
      )
    case 'delete':
      return (
        <Confirm
          title={strings.deleteTitle}
          action={strings.delete}
          isDangerous
          run={async () => {
            await remove(() => send('DELETE', PATH, { params: { id } }))
            toast(strings.deleted)
            gone()
          }}
          close={close}
        >
          {strings.deleteText(endpoint.url)}
        </Confirm>
      )
    default:
      return null
  }
}
