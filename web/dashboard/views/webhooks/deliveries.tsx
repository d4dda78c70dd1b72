// Deliveries: all events, each with its delivery state, payload and attempts.

import { useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../../sdk/src/api-types.ts'
import { creditsStrings, webhooksStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { count, humanize } from '../../format.ts'
import { useData, usePendingRefresh } from '../../loading.ts'
import { OpenButton } from '../../parts/action.tsx'
import { BulkProgress, useBulk } from '../../parts/bulk.tsx'
import { Button } from '../../parts/controls.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { DATES, type Filter } from '../../parts/filters.tsx'
import { useSending } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, CodeBlock, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'
import { fillChecker } from './checker.tsx'

const { deliveries: strings } = webhooksStrings

const FILTERS: readonly Filter[] = [
  {
    name: 'delivered',
    label: strings.state,
    choices: { true: strings.arrived, false: strings.notArrived },
  },
  {
    name: 'type',
    label: strings.type,
    choices: Object.fromEntries(EVENT_TYPES.map((type) => [type, type])),
  },
  { name: 'accountNumber', label: strings.number, placeholder: creditsStrings.digits10 },
  { name: 'paymentReference', label: strings.payment },
  ...DATES,
]

const COLUMNS: readonly Column<Schemas['Event']>[] = [
  { name: strings.event, place: 'lead', show: ({ type }) => humanize(type) },
  {
    name: strings.state,
    place: 'state',
    show: (event) => <EventBadge {...event} />,
  },
  {
    name: strings.type,
    place: 'second',
    show: (event) => (
      <>
        <code>{event.type}</code>
        <UndeliveredTo {...event} />
      </>
    ),
  },
  { name: strings.sequence, isAmount: true, show: ({ sequence }) => sequence },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

// The list of events. Each event is a row, so any event (`/./`) refreshes the list.
export function Deliveries(props: ViewProps) {
  const mayWrite = props.session.scopes.includes('webhooks:write')
  return (
    <ListView
      {...props}
      view="webhooks"
      icon="event"
      path={EVENTS}
      extraQuery={{ include: 'deliveries' }}
      caption={webhooksStrings.tabs.deliveries}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      isAbout={/./}
      isPending={({ deliveryState }) => deliveryState === 'pending'}
      bulk={
        mayWrite
          ? {
              nameOf: ({ type, sequence }) => strings.nameOf(humanize(type), sequence),
              actions: (events, endSelection) => (
                <ResendMany events={events} endSelection={endSelection} />
              ),
            }
          : undefined
      }
      emptyState={{ title: strings.none, text: strings.noneText }}
      detail={({ open, refreshKey, close }) => (
        <EventDrawer
          key={open}
          id={open}
          refreshKey={refreshKey}
          mayWrite={mayWrite}
          close={close}
        />
      )}
    />
  )
}

type ListedEvent = Schemas['Event']

type ManyProps = { events: readonly ListedEvent[]; endSelection: () => void }

function ResendMany(props: ManyProps) {
  return (
    <OpenButton label={strings.againMany}>
      {(close) => <ResendDialog {...props} close={close} />}
    </OpenButton>
  )
}

// Keeps the events that were selected when the dialog opened, because the list may change in the meantime.
function ResendDialog(props: ManyProps & { close: () => void }) {
  const { events: initialEvents, endSelection, close } = props
  const [events] = useState(initialEvents)
  const [isBegun, setBegun] = useState(false)
  const bulk = useBulk(
    events,
    ({ id }) => id,
    () => {},
  )
  const run = () =>
    bulk.run(async ({ id }, headers) => {
      const { queued } = await send('POST', `${EVENTS}/{id}/redeliver`, {
        params: { id },
        body: {},
        headers,
      })
      return strings.queued(queued)
    })
  // Begins to send. The dialog then shows the progress, so the form does not wait for it.
  const sending = useSending(async () => {
    setBegun(true)
    void run()
  })
  const title = strings.againTitle(events.length)
  if (!isBegun) {
    return (
      <DialogForm title={title} action={strings.again} {...{ sending, close }}>
        <p class="muted">{strings.againText}</p>
      </DialogForm>
    )
  }
  return (
    <Dialog title={title} close={endSelection}>
      <BulkProgress
        bulk={bulk}
        retry={run}
        close={endSelection}
        line={({ type, createdAt }) => (
          <>
            <span>{humanize(type)}</span>
            <Time at={createdAt} />
          </>
        )}
      />
    </Dialog>
  )
}

type Event = Schemas['EventDetail']

type Props = { id: string; refreshKey: number; mayWrite: boolean; close: () => void }

// The event with its deliveries, which reloads quickly while a delivery is pending.
function EventDrawer({ id, refreshKey, mayWrite, close }: Props) {
  const { data, problem, reload } = useData(`${EVENTS}/{id}`, { id }, {}, refreshKey)
  usePendingRefresh(data ? pendingKey(data) : '', reload)
  return (
    <Drawer title={strings.one} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
      {data && <EventFacts event={data} />}
      {data && mayWrite && <ResendButton id={id} onDone={reload} />}
      {data && <DeliveriesOf event={data} />}
    </Drawer>
  )
}

// Returns a key for usePendingRefresh. It changes with each attempt, which restarts the quick refresh.
function pendingKey({ deliveryState, deliveries }: Event): string {
  if (deliveryState !== 'pending') return ''
  return deliveries.map(({ state, attempts }) => `${state} ${attempts.length}`).join(' ')
}

function EventFacts({ event }: { event: Event }) {
  const { id, type, sequence, createdAt } = event
  return (
    <>
      <TextHeadline text={type} badge={<EventBadge {...event} />} />
      {factList([
        [strings.id, <Copyable key="id" text={id} />],
        [strings.sequence, sequence],
        [strings.created, <Time key="created" at={createdAt} />],
      ])}
    </>
  )
}

function ResendButton({ id, onDone }: { id: string; onDone: () => void }) {
  const { problem, isBusy, submit } = useSending(async (_, headers) => {
    const { queued } = await send('POST', `${EVENTS}/{id}/redeliver`, {
      params: { id },
      body: {},
      headers,
    })
    toast(strings.queued(queued))
    onDone()
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

// The deliveries of the event with their attempts, and the body that each destination gets.
function DeliveriesOf({ event }: { event: Event }) {
  const { id, type, sequence, createdAt, env, data, deliveries } = event
  // The fields must be in the service's order, so that the JSON equals the sent body.
  const body = { id, type, sequence, createdAt, env, data }
  const exactBody = JSON.stringify(body)
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
            <AttemptShown key={attempt.attempt} attempt={attempt} body={exactBody} />
          ))}
        </div>
      ))}
      <h3>{strings.body}</h3>
      <p class="muted small">{strings.bodyNote}</p>
      <CodeBlock label={strings.body} text={JSON.stringify(body, null, 2)} copied={exactBody} />
    </>
  )
}

type ListedDelivery = Schemas['Delivery']

const EVENTS = '/api/v1/events'

const TONES = { none: 'calm', pending: 'warn', delivered: 'good', failed: 'bad' } as const

// Hosts that are reserved for documentation. A sandbox sends no webhooks to them.
const EXAMPLE_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid)$/

const isExample = ({ state, url }: Pick<ListedDelivery, 'state' | 'url'>) =>
  state === 'failed' && EXAMPLE_HOST.test(URL.parse(url)?.hostname ?? '')

// The state of a delivery, or the reason why it is held. A failed delivery to an example host counts as an
// example.
function DeliveryBadge({ state, heldBy, url }: Pick<ListedDelivery, 'state' | 'heldBy' | 'url'>) {
  if (isExample({ state, url })) return <Badge state={strings.example} tone="calm" />
  return <Badge state={heldBy ? strings.held[heldBy] : strings.states[state]} tone={TONES[state]} />
}

// Shows the delivery state of an event: the state of its only delivery, or how many of its deliveries have
// arrived.
function EventBadge({ deliveryState, deliveries = [] }: Summed) {
  const [onlyDelivery] = deliveries
  if (!onlyDelivery || deliveryState === 'delivered') {
    return <Badge state={strings.states[deliveryState]} tone={TONES[deliveryState]} />
  }
  if (deliveries.length === 1) return <DeliveryBadge {...onlyDelivery} />
  const delivered = deliveries.filter(({ state }) => state === 'delivered').length
  return <Badge state={strings.some(delivered, deliveries.length)} tone={TONES[deliveryState]} />
}

type Summed = Pick<Schemas['Event'], 'deliveryState' | 'deliveries'>

// Lists destinations that will not receive the event soon, because delivery failed or is held.
function UndeliveredTo({ deliveries = [] }: Pick<Summed, 'deliveries'>) {
  const undelivered = deliveries.filter(
    ({ state, heldBy }) => heldBy !== null || state === 'failed',
  )
  return (
    <>
      {undelivered.map(({ url, state, heldBy }) => (
        <span key={url} class="muted small stuck">
          {heldBy
            ? strings.held[heldBy]
            : isExample({ state, url })
              ? strings.example
              : strings.states[state]}
          : {url}
        </span>
      ))}
    </>
  )
}

type Attempt = Schemas['DeliveryAttempt']

const { deliveries: attemptStrings } = webhooksStrings

// The outcome of an attempt in words: the status and time of the response, or the error.
export function describeAttempt({ status, latencyMs, error, chaos }: Attempt): string {
  if (status !== null) {
    const answer = attemptStrings.answered(status, count(latencyMs))
    return chaos === 'repeated' ? attemptStrings.repeated(answer) : answer
  }
  return error ?? attemptStrings.noAnswer
}

const isAccepted = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

// An attempt in one line, which unfolds to its request headers and the response. `body` is the JSON exactly
// as it was sent.
function AttemptShown({ attempt, body }: { attempt: Attempt; body: string }) {
  const { requestHeaders } = attempt
  const headers = requestHeaders && headerText(requestHeaders)
  const openInChecker = () => {
    fillChecker({ headers: headers ?? '', body })
    goTo(hrefOf('webhooks', undefined, { tab: 'checker' }))
  }
  return (
    <details class="attempt">
      <summary>
        <Badge
          state={attemptStrings.attempt(attempt.attempt)}
          tone={isAccepted(attempt) ? 'good' : 'bad'}
        />
        <span class="attempt-words">{describeAttempt(attempt)}</span>
        <Time at={attempt.attemptedAt} />
      </summary>
      <h4>{attemptStrings.request}</h4>
      {headers ? (
        <>
          <CodeBlock label={attemptStrings.request} text={headers} />
          <Button onClick={openInChecker}>{attemptStrings.check}</Button>
        </>
      ) : (
        <p class="muted">{attemptStrings.noRequest}</p>
      )}
      <h4>{attemptStrings.answer}</h4>
      <AttemptResponse attempt={attempt} />
    </details>
  )
}

// The start of the response. `responseStart` is null if the service has erased it or never stored it.
function AttemptResponse({ attempt: { status, error, responseStart } }: { attempt: Attempt }) {
  if (status === null) return <p class="muted">{error ?? attemptStrings.noAnswer}</p>
  if (responseStart === null) return <p class="muted">{attemptStrings.erased}</p>
  if (responseStart === '') return <p class="muted">{attemptStrings.emptyAnswer}</p>
  return <CodeBlock label={attemptStrings.answer} text={responseStart} isWrapped />
}

function headerText(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
