// A webhook endpoint: its form, health, secret, recent attempts and actions. Actions that stop deliveries ask
// for confirmation.

import { useEffect, useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../../sdk/src/api-types.ts'
import { appStrings, webhooksStrings } from '../../../copy.ts'
import { getData, type Schemas, send } from '../../api.ts'
import { count, shownTime, ZONE_OFFSET } from '../../format.ts'
import { type LiveEvent, useEvents } from '../../live.ts'
import { type Removable, useData, usePendingRefresh, useSteadyRefresh } from '../../loading.ts'
import { Action, AtOnceButton, OpenButton } from '../../parts/action.tsx'
import { Button, Link } from '../../parts/controls.tsx'
import { DialogForm } from '../../parts/dialog.tsx'
import { Drawer, factList } from '../../parts/drawer.tsx'
import { CheckBox, InputField, useSending } from '../../parts/forms.tsx'
import { Failed, Pending, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, Copyable, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { RotateSecret } from '../developers/client-secrets.tsx'
import { describeAttempt } from './deliveries.tsx'

const PATH = '/api/v1/webhook-endpoints'
const ONE = `${PATH}/{id}`
type Detail = Schemas['WebhookEndpointDetail']

const { endpoints: strings } = webhooksStrings

type Props = {
  id: string
  mayWrite: boolean
  isSandbox: boolean
  changed: () => void
  close: () => void
}

// The page polls for the first attempt of a new or test event, because attempts raise no event.
export function EndpointDrawer({ id, mayWrite, isSandbox, changed, close }: Props) {
  const { data, problem, reload, remove } = useData('/api/v1/webhook-endpoints/{id}', { id })
  const [awaited, setAwaited] = useState('') // The event whose first attempt the page waits for.
  const isAttemptAwaited = !data?.health.lastAttempts.some(({ eventId }) => eventId === awaited)
  usePendingRefresh(isAttemptAwaited ? awaited : '', reload)
  useSteadyRefresh(reload) // Shows later attempts, and the end of a pause.
  // A subscribed event will be attempted, so the page waits for its attempt.
  const onEvent = ({ id: eventId, type }: LiveEvent) => {
    if (data?.eventTypes?.includes(type) ?? true) setAwaited(eventId)
    reload()
  }
  useEvents(onEvent, true, reload)
  // Called after a change of the endpoint, which also changes the list.
  const refresh = () => {
    reload()
    changed()
  }
  // The list loses the endpoint, and the drawer has nothing left to show.
  const onDeleted = () => {
    changed()
    close()
  }
  return (
    <Drawer title={strings.one} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
      {data && <EndpointFacts endpoint={data} />}
      {data && mayWrite && (
        <EndpointActions
          endpoint={data}
          {...{ changed: refresh, onTested: setAwaited, remove, onDeleted }}
        />
      )}
      {data && <LastAttempts attempts={data.health.lastAttempts} />}
      {data && mayWrite && isSandbox && <EndpointChaos id={id} />}
    </Drawer>
  )
}

function EndpointFacts({ endpoint }: { endpoint: Detail }) {
  const { url, eventTypes, secret, createdAt, updatedAt } = endpoint
  const { name, tone } = stateOf(endpoint)
  return (
    <>
      <TextHeadline text={url} badge={<Badge state={webhooksStrings.states[name]} tone={tone} />} />
      <HealthNotices endpoint={endpoint} />
      {factList([
        [strings.secret, secret && <RevealedSecret secret={secret} />],
        [strings.types, eventTypes ? eventTypes.join(', ') : strings.all],
        [strings.created, <Time key="created" at={createdAt} />],
        [strings.changed, <Time key="changed" at={updatedAt} />],
      ])}
    </>
  )
}

// Says why the endpoint is off, failing or paused, if it is.
function HealthNotices({ endpoint: { health, isActive } }: { endpoint: Detail }) {
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

// The signing secret, hidden until the user asks for it.
function RevealedSecret({ secret }: { secret: string }) {
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

const { actions: actionsWords } = webhooksStrings

type EndpointActionsProps = {
  endpoint: Endpoint
  changed: () => void
  onTested: (eventId: string) => void
  remove: Removable<Endpoint>['remove']
  onDeleted: () => void
}

// `onTested` gets the id of the test event, whose attempt the drawer waits for. `remove` keeps the drawer
// from loading the deleted endpoint.
function EndpointActions({ endpoint, changed, onTested, remove, onDeleted }: EndpointActionsProps) {
  const { id, url, isActive } = endpoint
  const params = { id }
  return (
    <div class="actions">
      {isActive ? (
        <AtOnceButton
          label={actionsWords.test}
          style="primary"
          run={async (headers) => {
            const { eventId } = await send('POST', `${ONE}/test`, { params, body: {}, headers })
            onTested(eventId)
            toast(actionsWords.tested)
            changed()
          }}
        />
      ) : (
        <SwitchOn id={id} onDone={changed} />
      )}
      <OpenButton label={actionsWords.change}>
        {(close) => (
          <EndpointForm
            endpoint={endpoint}
            close={close}
            onDone={() => {
              close()
              changed()
            }}
          />
        )}
      </OpenButton>
      <OpenButton label={actionsWords.replay} isOffered={isActive}>
        {(close) => <ReplayForm id={id} close={close} />}
      </OpenButton>
      <RotateSecret
        rotate={(headers) => send('POST', `${ONE}/rotate-secret`, { params, body: {}, headers })}
        onDone={changed}
      />
      <Action
        action={actionsWords.switchOff}
        isOffered={isActive}
        text={actionsWords.switchOffText}
        run={() => send('PATCH', ONE, { params, body: { isActive: false } })}
        onDone={changed}
      />
      <Action
        title={actionsWords.deleteTitle}
        action={actionsWords.delete}
        style="danger-text"
        isDangerous
        text={actionsWords.deleteText(url)}
        run={() => remove(() => send('DELETE', ONE, { params }))}
        message={actionsWords.deleted}
        onDone={onDeleted}
      />
    </div>
  )
}

export function SwitchOn({ id, onDone }: { id: string; onDone: () => void }) {
  const turnOn = async () => {
    await send('PATCH', ONE, { params: { id }, body: { isActive: true } })
    toast(actionsWords.switchedOn)
    onDone()
  }
  return <AtOnceButton label={actionsWords.switchOn} style="primary" run={turnOn} />
}

const REPLAY = '/api/v1/webhook-endpoints/{id}/replay'
const LOOK_MS = 1_000

type Replay = Schemas['Replay']

// Asks for a replay, and shows its progress until it ends. The service continues if the dialog is closed.
function ReplayForm({ id, close }: { id: string; close: () => void }) {
  const [replay, setReplay] = useState<Replay | undefined>()
  const [fault, setFault] = useState('')
  const sending = useSending(async (form, headers) => {
    const [from, to] = [toIso(form.text('from')), toIso(form.text('to'))]
    if (from >= to) return setFault(actionsWords.backwards)
    setFault('')
    setReplay(await send('POST', REPLAY, { params: { id }, body: { from, to }, headers }))
  })
  useEffect(() => {
    if (!replay) return undefined
    if (replay.status !== 'running') {
      toast(endOf(replay))
      return close()
    }
    const look = () => getData(REPLAY, { id }).then(setReplay, () => setReplay({ ...replay }))
    const timer = window.setTimeout(look, LOOK_MS)
    return () => window.clearTimeout(timer)
  }, [replay])
  return (
    <DialogForm
      title={actionsWords.replay}
      action={actionsWords.replayStart}
      sending={sending}
      close={close}
    >
      <p class="muted">
        {actionsWords.replayText} {appStrings.zone}
      </p>
      <InputField label={actionsWords.from} name="from" type="datetime-local" required />
      <InputField label={actionsWords.to} name="to" type="datetime-local" required />
      <p role="alert" class="fault">
        {fault}
      </p>
      <p role="status">{replay && actionsWords.replaying(count(replay.queued), replay.progress)}</p>
    </DialogForm>
  )
}

function endOf({ status, queued }: Replay): string {
  if (status === 'stopped') return actionsWords.replayStopped(count(queued))
  return queued === 0 ? actionsWords.replayedNone : actionsWords.replayed(count(queued))
}

// Converts a time of the form, which is in West Africa Time.
function toIso(typed: string): string {
  return new Date(`${typed}${ZONE_OFFSET}`).toISOString()
}

const { form: formWords } = webhooksStrings
const SUBSCRIBABLE = EVENT_TYPES.filter((type) => type !== 'endpoint.test')

type EndpointFormProps = {
  endpoint?: Endpoint // Without an endpoint, the form creates one.
  close: () => void
  onDone: (newSecret?: string) => void
}

// Changes an endpoint, or without one adds a new one, whose signing secret `onDone` gets.
export function EndpointForm({ endpoint, close, onDone }: EndpointFormProps) {
  const [isAll, setAll] = useState(!endpoint?.eventTypes)
  const [fault, setFault] = useState('')
  // Adds the endpoint or saves its changes. `eventTypes` null means all types.
  const sending = useSending(async (form, headers) => {
    const chosen = SUBSCRIBABLE.filter((type) => form.getAll('type').includes(type))
    if (!isAll && chosen.length === 0) return setFault(formWords.noneChosen)
    setFault('')
    const body = { url: form.text('url'), eventTypes: isAll ? null : chosen }
    if (!endpoint) return onDone((await send('POST', PATH, { body, headers })).secret)
    await send('PATCH', `${PATH}/{id}`, { params: { id: endpoint.id }, body })
    onDone()
  })
  return (
    <DialogForm
      title={endpoint ? formWords.changeTitle : formWords.addTitle}
      action={endpoint ? appStrings.save : formWords.addTitle}
      sending={sending}
      close={close}
    >
      <InputField
        label={formWords.address}
        hint={formWords.addressHint}
        name="url"
        type="url"
        required
        placeholder="https://"
        defaultValue={endpoint?.url ?? ''}
      />
      <fieldset class="choices">
        <legend>{formWords.types}</legend>
        <CheckBox
          type="radio"
          name="which"
          checked={isAll}
          onChange={() => setAll(true)}
          label={formWords.allTypes}
        />
        <CheckBox
          type="radio"
          name="which"
          checked={!isAll}
          onChange={() => setAll(false)}
          label={formWords.theseTypes}
        />
        {!isAll && <TypeChoices chosen={endpoint?.eventTypes ?? []} />}
      </fieldset>
      <p role="alert" class="fault">
        {fault}
      </p>
    </DialogForm>
  )
}

function TypeChoices({ chosen }: { chosen: readonly string[] }) {
  return (
    <div class="type-choices">
      {SUBSCRIBABLE.map((type) => (
        <CheckBox
          key={type}
          name="type"
          value={type}
          defaultChecked={chosen.includes(type)}
          label={<code>{type}</code>}
        />
      ))}
    </div>
  )
}

export type Endpoint = Schemas['WebhookEndpointWithHealth']

// The state in words and colour: off, paused by the circuit breaker, failing, or on.
export function stateOf({ isActive, health }: Pick<Endpoint, 'isActive' | 'health'>) {
  if (!isActive) return { name: 'off', tone: 'bad' } as const
  if (health.pausedUntil && new Date(health.pausedUntil) > new Date()) {
    return { name: 'paused', tone: 'bad' } as const
  }
  if (health.failures > 0) return { name: 'failing', tone: 'warn' } as const
  return { name: 'on', tone: 'good' } as const
}

const { chaos: chaosStrings } = webhooksStrings
const CHAOS_PATH = '/sandbox/webhook-endpoints/{id}/chaos'
const COUNTS = ['delayMs', 'duplicate', 'dropNext'] as const

function EndpointChaos({ id }: { id: string }) {
  const { data, problem, reload } = useData(CHAOS_PATH, { id })
  const params = { id }
  const sending = useSending(async (form) => {
    const [delayMs = 0, duplicate = 0, dropNext = 0] = COUNTS.map((name) => Number(form.text(name)))
    const reorder = form.has('reorder')
    await send('PUT', CHAOS_PATH, {
      params,
      body: { delayMs, duplicate, reorder, dropNext },
    })
    toast(chaosStrings.done)
    reload()
  })
  // Removes the settings, so that deliveries are normal again.
  const clear = useSending(async () => {
    await send('DELETE', CHAOS_PATH, { params })
    toast(chaosStrings.cleared)
    reload()
  })
  if (!data) return problem ? <Failed problem={problem} /> : <Skeleton kind="page" lines={2} />
  const failedChange = sending.problem ?? clear.problem
  return (
    <section aria-labelledby="chaos">
      <h3 id="chaos">{chaosStrings.title}</h3>
      <p class="muted small">{chaosStrings.text}</p>
      <form key={JSON.stringify(data)} class="desk-form" onSubmit={sending.submit}>
        {COUNTS.map((name) => (
          <InputField
            key={name}
            label={chaosStrings[name]}
            name={name}
            type="number"
            inputMode="numeric"
            min="0"
            defaultValue={`${data[name]}`}
          />
        ))}
        <CheckBox name="reorder" defaultChecked={data.reorder} label={chaosStrings.reorder} />
        {failedChange && <Failed problem={failedChange} />}
        <button type="submit" class="button primary" disabled={sending.isBusy}>
          {chaosStrings.set}
        </button>
      </form>
      <form onSubmit={clear.submit}>
        <button type="submit" class="button" disabled={clear.isBusy}>
          {chaosStrings.clear}
        </button>
      </form>
    </section>
  )
}
