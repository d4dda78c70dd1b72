// The sandbox bank: users send a transfer in a chosen scenario and watch the result, move the test clock, or
// reset the sandbox.

import type { Ref } from 'preact'
import { useRef, useState } from 'preact/hooks'
import {
  resetSandboxStrings,
  sandboxBankStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { getPage, type Problem, problemFrom, type Schemas, send } from '../../api.ts'
import { money, shownTime } from '../../format.ts'
import { forgetEvents, type LiveEvent, useEvents } from '../../live.ts'
import { Action } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { Bullets } from '../../parts/dialog.tsx'
import { SelectField, useSending } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { SampleData } from '../../parts/sample-data.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Badge, Copyable, Money } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { Session, ViewProps } from '../../session.ts'
import { type Destination, DestinationPicker } from './destination-picker.tsx'
import { TestClock } from './test-clock.tsx'

const EVENTS_KEPT = 50

// Scenarios of a transfer to an open payment or to a collection account.
const ANY_TIME = [
  'duplicate',
  'out_of_order',
  'reversed',
  'reversal_first',
  'wrong_currency',
  'delayed',
  'lost',
] as const
const KINDS = {
  open: ['exact', 'under', 'over', ...ANY_TIME],
  accounts: ['exact', ...ANY_TIME],
  expired: ['late'],
} as const
type Kind = (typeof KINDS)[Destination['from']][number]

// After a reset the page starts again, with none of the data from before.
export default function SandboxBank(props: ViewProps) {
  const [resetCount, setResetCount] = useState(0)
  return (
    <SandboxDesk
      key={resetCount}
      {...props}
      onReset={() => setResetCount((previous) => previous + 1)}
    />
  )
}

function SandboxDesk({ session, onReset }: ViewProps & { onReset: () => void }) {
  const [destination, setDestination] = useState<Destination | undefined>()
  const [sent, setSent] = useState<SentTransfer | undefined>()
  const [refreshKey, setRefreshKey] = useState(0)
  // Collects events even before the response to the transfer, because an event may come first.
  const [events, setEvents] = useState<LiveEvent[]>([])
  const addEvents = (newEvents: readonly LiveEvent[]) =>
    setEvents((previous) => {
      const unseen = newEvents.filter(({ sequence }) =>
        previous.every((known) => known.sequence !== sequence),
      )
      const allEvents = [...previous, ...unseen].sort((one, other) => one.sequence - other.sequence)
      return allEvents.slice(-EVENTS_KEPT)
    })
  // The stream has only events from after its start, so the newest earlier ones are read once.
  const loadNewestEvents = () => {
    const query = { limit: `${EVENTS_KEPT}` }
    getPage('/api/v1/events', {}, { query }).then(
      ({ data }) => addEvents(data.toReversed()),
      () => {},
    )
  }
  const mayRead = session.scopes.includes('webhooks:read')
  const isLive = useEvents((event) => addEvents([event]), mayRead, loadNewestEvents)
  const [isAdvancing, setAdvancing] = useState(false)
  const refresh = () => setRefreshKey((previous) => previous + 1)
  const onTimeMoved = () => {
    // An open payment may have expired by the new time.
    setDestination((chosen) => (chosen?.from === 'open' ? undefined : chosen))
    refresh()
  }
  // Shows the result, and loads the destinations again, whose balances have changed.
  const onTransferred = (transfer: SentTransfer) => {
    setSent(transfer)
    refresh()
  }
  return (
    <div class="bank">
      <section class="card bank-part bank-where" aria-labelledby="where">
        <h2 id="where">{strings.where}</h2>
        <DestinationPicker chosen={destination} choose={setDestination} refreshKey={refreshKey} />
      </section>
      <section class="card bank-part bank-what" aria-labelledby="what">
        <h2 id="what">{strings.what}</h2>
        {destination && (
          <TransferForm
            key={`${destination.from} ${destination.accountNumber}`}
            destination={destination}
            onTransferred={onTransferred}
          />
        )}
        {!destination && <p class="muted">{strings.whereFirst}</p>}
        {session.scopes.includes('payouts:write') && <PayoutOutcomeForm />}
      </section>
      <section class="card bank-part bank-happened" aria-labelledby="happened">
        <h2 id="happened">{strings.happened}</h2>
        <div aria-live="polite">
          {sent ? (
            <TransferResult sent={sent} events={events} isLive={isLive} />
          ) : (
            <p class="muted">{strings.nothingYet}</p>
          )}
        </div>
      </section>
      <TestClock chosen={destination} moved={onTimeMoved} runs={setAdvancing} />
      <SandboxData {...{ session, refresh }} isDisabled={isAdvancing} onReset={onReset} />
    </div>
  )
}

type FormProps = { destination: Destination; onTransferred: (sent: SentTransfer) => void }

function TransferForm({ destination, onTransferred }: FormProps) {
  const kinds = KINDS[destination.from]
  const [kind, setKind] = useState<Kind>(kinds[0])
  const [problem, setProblem] = useState<Problem | undefined>()
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const option = useRef<HTMLInputElement>(null)
  // Simulates the transfer. Without an amount, the service takes one that fits the payment and the scenario;
  // for an account the user must enter it.
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const amount = field.current?.value.trim() ?? ''
    setProblem(undefined)
    if (destination.from === 'accounts' && amount === '') return setFault(strings.amountNeeded)
    setFault('')
    setBusy(true)
    const { accountNumber } = destination
    const extraField = readOption(kind, option.current?.value ?? '')
    const body = { accountNumber, kind, ...(amount === '' ? {} : { amount }), ...extraField }
    try {
      onTransferred(await send('POST', '/sandbox/transfers', { body }))
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
  }
  return (
    <form class="desk-form" onSubmit={submit} noValidate>
      <fieldset class="picker">
        <legend class="hidden">{strings.what}</legend>
        {kinds.map((name) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="kind"
              checked={name === kind}
              onChange={() => setKind(name)}
            />
            <span class="choice-text">
              <span>{strings.kinds[name]?.[0]}</span>
              <span class="muted small">{strings.kinds[name]?.[1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <KindOption key={kind} kind={kind} field={option} />
      <label class="field">
        <span>{strings.amount}</span>
        <input
          ref={field}
          inputMode="decimal"
          autocomplete="off"
          placeholder={destination.from === 'accounts' ? '5000.00' : strings.usual}
        />
      </label>
      <p class="fault" role="alert">
        {fault}
      </p>
      {problem && <Failed problem={problem} />}
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? strings.sending : strings.send}
      </button>
    </form>
  )
}

type Option = { name: 'times' | 'afterSeconds'; label: string; least: number; usual: number }

const OPTIONS: Readonly<Record<string, Option>> = {
  duplicate: { name: 'times', label: strings.times, least: 1, usual: 1 },
  reversed: { name: 'afterSeconds', label: strings.afterSeconds.reversed, least: 0, usual: 0 },
  delayed: { name: 'afterSeconds', label: strings.afterSeconds.delayed, least: 0, usual: 30 },
}

// The number that some scenarios need, such as how often a duplicate is sent.
function KindOption({ kind, field }: { kind: string; field: Ref<HTMLInputElement> }) {
  const option = OPTIONS[kind]
  if (!option) return null
  return (
    <label class="field">
      <span>{option.label}</span>
      <input
        ref={field}
        type="number"
        inputMode="numeric"
        min={option.least}
        defaultValue={`${option.usual}`}
      />
    </label>
  )
}

// Does not validate the text: the service refuses text that is not a number.
function readOption(kind: string, text: string): { times?: number; afterSeconds?: number } {
  const option = OPTIONS[kind]
  if (!option || text === '') return {}
  return { [option.name]: Number(text) }
}

const OUTCOMES = ['ok', 'failed', 'slow', 'never', 'answer_lost'] as const

// Chooses how the sandbox bank treats the next payout.
function PayoutOutcomeForm() {
  const { problem, isBusy, submit } = useSending(async (form) => {
    const outcome = form.choice('outcome', OUTCOMES)
    await send('PUT', '/sandbox/payout-outcome', { body: { outcome } })
    toast(strings.outcomeSet)
  })
  return (
    <form class="desk-form" onSubmit={submit}>
      <h2>{strings.nextPayout}</h2>
      <p class="muted small">{strings.nextPayoutText}</p>
      <SelectField
        label={strings.outcome}
        name="outcome"
        options={OUTCOMES}
        names={strings.outcomes}
      />
      {problem && <Failed problem={problem} />}
      <button type="submit" class="button" disabled={isBusy}>
        {strings.setOutcome}
      </button>
    </form>
  )
}

type DataProps = {
  session: Session
  refresh: () => void
  isDisabled: boolean // True while the clock advances, because that would delay the reset.
  onReset: () => void
}

// Adds sample data to the sandbox, or resets it. A reset must wait while the test clock moves.
function SandboxData({ session, refresh, isDisabled, onReset }: DataProps) {
  return (
    <section class="card bank-part bank-reset" aria-labelledby="reset">
      <h2 id="reset">{resetSandboxStrings.title}</h2>
      <p class="muted small">{resetSandboxStrings.text}</p>
      <SampleData session={session} refresh={refresh} />
      <div>
        <Action
          title={resetSandboxStrings.sureTitle}
          action={resetSandboxStrings.open}
          style="danger-text"
          isDisabled={isDisabled}
          isDangerous
          text={
            <div class="form">
              <p>{resetSandboxStrings.goesTitle}</p>
              <Bullets points={resetSandboxStrings.goes} />
              <p>{resetSandboxStrings.staysTitle}</p>
              <Bullets points={resetSandboxStrings.stays} />
              <p>{resetSandboxStrings.forGood}</p>
            </div>
          }
          run={() => send('POST', '/sandbox/reset', {})}
          message={resetSandboxStrings.done}
          onDone={() => {
            forgetEvents() // Event numbers start again.
            onReset()
          }}
        />
      </div>
    </section>
  )
}

type Step = Schemas['SandboxTransferStep']
type SentTransfer = Schemas['SandboxTransfer']

type Props = { sent: SentTransfer; events: readonly LiveEvent[]; isLive: boolean }

// The reports that the sandbox bank sent, those it will send, and the events that followed.
function TransferResult({ sent, events, isLive }: Props) {
  const reports = [...sent.steps, ...sent.scheduled]
  const sessions = reports.map(({ sessionId }) => sessionId)
  // Events name the transfer at different places in their data, so the session id is searched in all of it.
  const related = events.filter(({ data }) => {
    const text = JSON.stringify(data)
    return sessions.some((sessionId) => text.includes(sessionId))
  })
  const isSuspended = sent.steps.some(({ amountInSuspense }) => amountInSuspense > 0)
  return (
    <div class="story">
      <div class="headline">
        <Money amount={sent.amount} />
        <span class="muted">{strings.kinds[sent.kind]?.[0]}</span>
      </div>
      <ol class="story-steps">
        {sent.steps.map((step, index) => (
          <li key={`${index} ${step.step}`}>
            <Icon name={step.step === 'reversal' ? 'reversal' : 'credits'} />
            <div>
              <p>
                {strings.steps[step.step]} <Badge state={step.outcome} />{' '}
                <span class="muted small">{strings.answered(step.responseCode)}</span>
              </p>
              <p class="muted">{explainStep(step)}</p>
            </div>
          </li>
        ))}
        {sent.scheduled.map(({ step, sessionId, dueAt }) => (
          <li key={sessionId}>
            <Icon name={step === 'reversal' ? 'reversal' : 'credits'} />
            <p>{dueAt === null ? strings.lost : strings.later[step]?.(shownTime(dueAt))}</p>
          </li>
        ))}
        {related.map(({ type, sequence }) => (
          <li key={sequence}>
            <Icon name="event" />
            <p>{strings.event(type)}</p>
          </li>
        ))}
      </ol>
      {isLive && related.length === 0 && <p class="muted small">{strings.listening}</p>}
      <Copyable text={sent.sessionId} />
      <p class="buttons">
        {sent.creditId !== null && (
          <Link class="button" href={hrefOf('credits', `${sent.creditId}`)}>
            {strings.see}
          </Link>
        )}
        {isSuspended && (
          <Link class="button" href={hrefOf('suspense')}>
            {strings.seeSuspense}
          </Link>
        )}
      </p>
    </div>
  )
}

// Says in words how the service treated one report of the sandbox bank.
function explainStep({ step, outcome, reason, amountInSuspense }: Step): string {
  if (outcome === 'rejected') return strings.rejected
  if (step === 'again') return strings.duplicate
  if (step === 'reversal') return strings.reversed
  if (reason === null) return strings.booked
  const why = (suspenseStrings.reasons[reason] ?? reason).toLowerCase()
  return outcome === 'booked'
    ? strings.partly(money(amountInSuspense), why)
    : strings.suspended(why)
}
