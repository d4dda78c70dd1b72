// One endpoint: health, secret, recent attempts and actions.

import { useState } from 'preact/hooks'
import { webhooksStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { shownTime } from '../../format.ts'
import { type LiveEvent, useEvents } from '../../live.ts'
import { useData } from '../../loading.ts'
import { Button } from '../../parts/button.tsx'
import { Drawer, Facts } from '../../parts/drawer.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { Badge, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { usePendingRefresh, useSteadyRefresh } from '../../steady-refresh.ts'
import { describeAttempt } from './attempt.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { EndpointChaos } from './endpoint-chaos.tsx'
import { stateOf } from './endpoint-state.ts'

type Detail = Schemas['WebhookEndpointDetail']

const { endpoints: strings } = webhooksStrings

type Props = {
  id: string
  mayWrite: boolean
  isSandbox: boolean
  changed: () => void
  close: () => void
}

export function EndpointDrawer({ id, mayWrite, isSandbox, changed, close }: Props) {
  const { data, problem, reload, remove } = useData('/api/v1/webhook-endpoints/{id}', { id })
  const [awaited, setAwaited] = useState('') // The test event whose first attempt to show.
  const isAwaited = !data?.health.lastAttempts.some(({ eventId }) => eventId === awaited)
  usePendingRefresh(isAwaited ? awaited : '', reload)
  useSteadyRefresh(reload) // For later attempts, and pauses that end.
  const onEvent = ({ id: eventId, type }: LiveEvent) => {
    if (data?.eventTypes?.includes(type) ?? true) setAwaited(eventId)
    reload()
  }
  useEvents(onEvent, true, reload)
  const again = () => {
    reload()
    changed()
  }
  const gone = () => {
    changed()
    close()
  }
  return (
    <Drawer title={strings.one} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
      {data && <About endpoint={data} />}
      {data && mayWrite && (
        <EndpointActions
          endpoint={data}
          {...{ changed: again, tested: setAwaited, remove, gone }}
        />
      )}
      {data && <LastAttempts attempts={data.health.lastAttempts} />}
      {data && mayWrite && isSandbox && <EndpointChaos id={id} />}
    </Drawer>
  )
}

function About({ endpoint }: { endpoint: Detail }) {
  const { url, eventTypes, secret, createdAt, updatedAt } = endpoint
  const { name, tone } = stateOf(endpoint)
  return (
    <>
      <TextHeadline text={url} badge={<Badge state={webhooksStrings.states[name]} tone={tone} />} />
      <Health endpoint={endpoint} />
      <Facts
        facts={[
          [strings.secret, secret && <Revealed secret={secret} />],
          [strings.types, eventTypes ? eventTypes.join(', ') : strings.all],
          [strings.created, <Time key="created" at={createdAt} />],
          [strings.changed, <Time key="changed" at={updatedAt} />],
        ]}
      />
    </>
  )
}

function Health({ endpoint: { health, isActive } }: { endpoint: Detail }) {
  const { failures, failingSince, pausedUntil, disabledWhy } = health
  const isPaused = pausedUntil !== null && new Date(pausedUntil) > new Date()
  return (
    <div class="health">
      {!isActive && disabledWhy && <p class="notice">{strings.disabledWhy(disabledWhy)}</p>}
      {isActive && failingSince && (
        <p class="notice">{strings.failingSince(shownTime(failingSince), failures)}</p>
      )}
      {isActive && isPaused && <p class="notice">{strings.pausedUntil(shownTime(pausedUntil))}</p>}
    </div>
  )
}

export function Revealed({ secret }: { secret: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="revealed">
      {isShown && <Copyable text={secret} name={strings.secret.toLowerCase()} />}
      <Button onClick={() => setShown(!isShown)}>{isShown ? strings.hide : strings.reveal}</Button>
    </span>
  )
}

function LastAttempts({ attempts }: { attempts: Detail['health']['lastAttempts'] }) {
  return (
    <>
      <h3>{strings.attempts}</h3>
      {attempts.length === 0 && <p class="muted">{strings.noAttempts}</p>}
      <ul class="attempts">
        {attempts.map((attempt) => (
          <li key={`${attempt.eventId} ${attempt.attempt}`}>
            <Link href={hrefOf('webhooks', attempt.eventId, { tab: 'deliveries' })}>
              {describeAttempt(attempt)}
            </Link>
            <Time at={attempt.attemptedAt} />
          </li>
        ))}
      </ul>
    </>
  )
}
