// Sandbox bank: send a transfer in some scenario and watch the result; move the test clock; reset.

import { useRef, useState } from 'preact/hooks'
import { sandboxBankStrings as strings } from '../../copy.ts'
import { getPage, type Problem, problemFrom, send } from '../api.ts'
import { type LiveEvent, useEvents } from '../live.ts'
import { type Destination, DestinationPicker } from '../parts/destination-picker.tsx'
import { KindOption, optionOf } from '../parts/kind-option.tsx'
import { PayoutOutcomeForm } from '../parts/payout-outcome-form.tsx'
import { Failed } from '../parts/states.tsx'
import { type Sent, TransferResult } from '../parts/transfer-result.tsx'
import type { ViewProps } from '../view-props.ts'
import { ResetSandbox } from './sandbox-bank/reset-sandbox.tsx'
import { TestClock } from './sandbox-bank/test-clock.tsx'

const EVENTS_KEPT = 50

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

export default function SandboxBank(props: ViewProps) {
  const [round, setRound] = useState(0)
  return <Bank key={round} {...props} wasReset={() => setRound((before) => before + 1)} />
}

function Bank({ session, wasReset }: ViewProps & { wasReset: () => void }) {
  const [destination, setDestination] = useState<Destination | undefined>()
  const [sent, setSent] = useState<Sent | undefined>()
  const [version, setVersion] = useState(0)
  // Also before the answer: an event may be faster.
  const [events, setEvents] = useState<LiveEvent[]>([])
  const keep = (more: readonly LiveEvent[]) =>
    setEvents((before) => {
      const news = more.filter(({ sequence }) => before.every((each) => each.sequence !== sequence))
      const all = [...before, ...news].sort((one, other) => one.sequence - other.sequence)
      return all.slice(-EVENTS_KEPT)
    })
  const keepNewest = () => {
    const query = { limit: `${EVENTS_KEPT}` }
    getPage('/api/v1/events', {}, { query }).then(
      ({ data }) => keep(data.toReversed()),
      () => {},
    )
  }
  const mayRead = session.scopes.includes('webhooks:read')
  const isLive = useEvents((event) => keep([event]), mayRead, keepNewest)
  const [isAdvancing, setAdvancing] = useState(false)
  const refresh = () => setVersion((before) => before + 1)
  const timeMoved = () => {
    setDestination((chosen) => (chosen?.from === 'open' ? undefined : chosen))
    refresh()
  }
  const arrived = (transfer: Sent) => {
    setSent(transfer)
    refresh()
  }
  return (
    <div class="bank">
      <section class="card bank-part bank-where" aria-labelledby="where">
        <h2 id="where">{strings.where}</h2>
        <DestinationPicker chosen={destination} choose={setDestination} version={version} />
      </section>
      <section class="card bank-part bank-what" aria-labelledby="what">
        <h2 id="what">{strings.what}</h2>
        {destination && (
          <TransferForm
            key={`${destination.from} ${destination.accountNumber}`}
            destination={destination}
            arrived={arrived}
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
      <TestClock chosen={destination} moved={timeMoved} runs={setAdvancing} />
      <ResetSandbox isDisabled={isAdvancing} done={wasReset} />
    </div>
  )
}

type FormProps = { destination: Destination; arrived: (sent: Sent) => void }

function TransferForm({ destination, arrived }: FormProps) {
  const kinds = KINDS[destination.from]
  const [kind, setKind] = useState<Kind>(kinds[0])
  const [problem, setProblem] = useState<Problem | undefined>()
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const option = useRef<HTMLInputElement>(null)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const amount = field.current?.value.trim() ?? ''
    setProblem(undefined)
    if (destination.from === 'accounts' && amount === '') return setFault(strings.amountNeeded)
    setFault('')
    setBusy(true)
    const { accountNumber } = destination
    const more = optionOf(kind, option.current?.value ?? '')
    const body = { accountNumber, kind, ...(amount === '' ? {} : { amount }), ...more }
    try {
      arrived(await send('POST', '/sandbox/transfers', { body }))
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
  }
  return (
    <form class="desk-form" onSubmit={submit} noValidate>
      <fieldset class="picker">
        <legend class="hidden">{strings.what}</legend>
        {kinds.map((each) => (
          <label key={each} class="choice">
            <input
              type="radio"
              name="kind"
              checked={each === kind}
              onChange={() => setKind(each)}
            />
            <span class="choice-text">
              <span>{strings.kinds[each]?.[0]}</span>
              <span class="muted small">{strings.kinds[each]?.[1]}</span>
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
