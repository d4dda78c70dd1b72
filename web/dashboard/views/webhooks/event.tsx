// One event: its payload and every delivery attempt. Refreshes itself while deliveries are pending.

import { webhooksStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData, useReload } from '../../loading.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { useSending } from '../../parts/forms.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { usePendingRefresh } from '../../steady-refresh.ts'
import { AttemptShown } from './attempt.tsx'
import { DeliveryBadge, EVENTS, EventBadge } from './delivery-badges.tsx'

type Event = Schemas['EventDetail']

const { deliveries: strings } = webhooksStrings

type Props = { id: string; version: number; mayWrite: boolean; close: () => void }

export function EventDrawer({ id, version, mayWrite, close }: Props) {
  const { data, problem, reload } = useData(`${EVENTS}/{id}`, { id })
  useReload(version, reload)
  usePendingRefresh(data ? pendingIn(data) : '', reload)
  return (
    <Drawer title={strings.one} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
      {data && <About event={data} />}
      {data && mayWrite && <Again id={id} done={reload} />}
      {data && <Deliveries event={data} />}
    </Drawer>
  )
}

// Each attempt restarts the quick refresh.
function pendingIn({ deliveryState, deliveries }: Event): string {
  if (deliveryState !== 'pending') return ''
  return deliveries.map(({ state, attempts }) => `${state} ${attempts.length}`).join(' ')
}

function About({ event }: { event: Event }) {
  const { id, type, sequence, createdAt } = event
  return (
    <>
      <TextHeadline text={type} badge={<EventBadge {...event} />} />
      <Facts
        facts={[
          [strings.id, <Copyable key="id" text={id} />],
          [strings.sequence, sequence],
          [strings.created, <Time key="created" at={createdAt} />],
        ]}
      />
    </>
  )
}

function Again({ id, done }: { id: string; done: () => void }) {
  const { problem, isBusy, submit } = useSending(async (_, headers) => {
    const { queued } = await send('POST', `${EVENTS}/{id}/redeliver`, {
      params: { id },
      body: {},
      headers,
    })
    toast(strings.queued(queued))
    done()
  })
  return (
    <form class="actions" onSubmit={submit} aria-busy={isBusy}>
      <button type="submit" class="button primary" disabled={isBusy}>
        {strings.again}
      </button>
      {problem && <Failed problem={problem} />}
    </form>
  )
}

function Deliveries({ event }: { event: Event }) {
  const { id, type, sequence, createdAt, env, data, deliveries } = event
  // In the service's order.
  const body = { id, type, sequence, createdAt, env, data }
  const sent = JSON.stringify(body)
  return (
    <>
      <h3>{strings.to}</h3>
      {deliveries.length === 0 && <p class="muted">{strings.nowhere}</p>}
      {deliveries.map((delivery) => (
        <div key={`${delivery.kind} ${delivery.url}`} class="delivery">
          <div class="delivery-top">
            <span class="delivery-url">{delivery.url}</span>
            <DeliveryBadge {...delivery} />
          </div>
          <p class="muted small">
            {strings.kinds[delivery.kind]}
            {delivery.nextAttemptAt && (
              <>
                {' · '}
                {strings.next} <Time at={delivery.nextAttemptAt} />
              </>
            )}
          </p>
          {delivery.attempts.length === 0 && <p class="muted">{strings.waiting}</p>}
          {delivery.attempts.toReversed().map((attempt) => (
            <AttemptShown key={attempt.attempt} attempt={attempt} body={sent} />
          ))}
        </div>
      ))}
      <h3>{strings.body}</h3>
      <p class="muted small">{strings.bodyNote}</p>
      <CodeBlock label={strings.body} text={JSON.stringify(body, null, 2)} copied={sent} />
    </>
  )
}
