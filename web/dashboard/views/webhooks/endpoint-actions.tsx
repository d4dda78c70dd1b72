// What can be done with an endpoint. Whatever stops deliveries asks first.

import { useState } from 'preact/hooks'
import { problemFrom, send } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { newKey } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { WEBHOOK_STRINGS } from '../../webhook-strings.ts'
import type { Endpoint } from './endpoint.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { ReplayForm } from './replay-form.tsx'
import { Rotation } from './rotation.tsx'

const { actions: said } = WEBHOOK_STRINGS

type Asking = 'change' | 'rotate' | 'switchOff' | 'delete' | 'replay'
type Props = { endpoint: Endpoint; changed: () => void; gone: () => void }

export function EndpointActions({ endpoint, changed, gone }: Props) {
  const [asking, setAsking] = useState<Asking | undefined>()
  const close = () => setAsking(undefined)
  const path = `/api/v1/webhook-endpoints/${endpoint.id}`
  const now = async (work: () => Promise<unknown>, told: string) => {
    try {
      await work()
      toast(told)
      changed()
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  }
  const test = () =>
    now(
      () => send('POST', `${path}/test`, { body: {}, headers: { 'idempotency-key': newKey() } }),
      said.tested,
    )
  const switchOn = () =>
    now(() => send('PATCH', path, { body: { isActive: true } }), said.switchedOn)
  const button = (name: Asking, tone = '') => (
    <button type="button" class={`button ${tone}`} onClick={() => setAsking(name)}>
      {said[name]}
    </button>
  )
  return (
    <>
      <div class="actions">
        {endpoint.isActive && (
          <button type="button" class="button primary" onClick={test}>
            {said.test}
          </button>
        )}
        {!endpoint.isActive && (
          <button type="button" class="button primary" onClick={switchOn}>
            {said.switchOn}
          </button>
        )}
        {button('change')}
        {endpoint.isActive && button('replay')}
        {button('rotate')}
        {endpoint.isActive && button('switchOff')}
        {button('delete', 'danger-text')}
      </div>
      <Asked {...{ asking, endpoint, path, changed, gone, close }} />
    </>
  )
}

function Asked({
  asking,
  endpoint,
  path,
  changed,
  gone,
  close,
}: Props & { asking: Asking | undefined; path: string; close: () => void }) {
  const done = () => {
    close()
    changed()
  }
  switch (asking) {
    case 'change':
      return <EndpointForm endpoint={endpoint} close={close} done={done} />
    case 'replay':
      return <ReplayForm path={path} close={close} />
    case 'rotate':
      return <Rotation path={`${path}/rotate-secret`} close={done} />
    case 'switchOff':
      return (
        <Confirm
          title={said.switchOff}
          action={said.switchOff}
          run={() => send('PATCH', path, { body: { isActive: false } })}
          done={done}
          close={close}
        >
          {said.switchOffText}
        </Confirm>
      )
    case 'delete':
      return (
        <Confirm
          title={said.deleteTitle}
          action={said.delete}
          isDangerous
          run={async () => {
            await send('DELETE', path)
            toast(said.deleted)
            gone()
          }}
          close={close}
        >
          {said.deleteText(endpoint.url)}
        </Confirm>
      )
    default:
      return null
  }
}
