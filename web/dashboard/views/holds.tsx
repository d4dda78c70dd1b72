// Holds: money of clients that operators have frozen. One operator places a hold, or requests its release or
// forfeiture. Another operator decides on the request.

import { holdsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { money } from '../format.ts'
import { usePage } from '../loading.ts'
import { Action, DecideRequest } from '../parts/action.tsx'
import { PlaceHold } from '../parts/cases-and-holds.tsx'
import { Link } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import { type Filter, humanized } from '../parts/filters.tsx'
import { AMOUNT, InputField, ReasonField } from '../parts/forms.tsx'
import { ListView } from '../parts/list-view.tsx'
import { Pending } from '../parts/states.tsx'
import { amountColumn, type Column, orderColumn } from '../parts/table.tsx'
import { Badge, Copyable, Headline, Money, moneyIfAny, Time } from '../parts/values.tsx'
import { goTo, hrefOf } from '../routing.ts'
import type { Session, ViewProps } from '../session.ts'

type Hold = Schemas['Hold']
type Ending = Schemas['HoldEnding']

const HOLDS = '/api/v1/operator/holds'
const ONE = `${HOLDS}/{reference}`
const STATES = ['active', 'released', 'forfeited']

const FILTERS: readonly Filter[] = [
  { name: 'state', label: strings.state, choices: humanized(STATES) },
  { name: 'clientId', label: strings.client },
  { name: 'sessionId', label: strings.fields.sessionId },
  { name: 'accountNumber', label: strings.fields.accountNumber, placeholder: strings.digits10 },
  { name: 'person', label: strings.holdOfPerson },
  { name: 'case', label: strings.case },
]

const targetOf = ({ target, sessionId, accountNumber, merchantCode, bvnMasked }: Hold) =>
  [strings.targets[target], sessionId ?? accountNumber ?? merchantCode ?? bvnMasked]
    .filter(Boolean)
    .join(' ')

// The client, or, for a person, that the hold is at all of them.
const clientOf = ({ clientId }: { clientId: string | null }) => clientId ?? strings.allClients

const COLUMNS: readonly Column<Hold>[] = [
  { name: strings.client, place: 'lead', show: clientOf },
  amountColumn(strings.held, 'heldAmount'),
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.target, place: 'second', show: targetOf },
  { name: strings.case, show: (hold) => hold.case },
  orderColumn(strings.placedAt, 'placedAt'),
]

export default function Holds(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="holds"
      icon="lock"
      path={HOLDS}
      caption={strings.title}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={(changed) => (
        <PlaceHold
          onDone={({ reference }) => {
            changed()
            goTo(hrefOf('holds', reference))
          }}
        />
      )}
      drawer={{
        title: strings.one,
        path: ONE,
        show: (hold, { refreshKey, changed }) => (
          <>
            <HoldFacts hold={hold} />
            {hold.state === 'active' && (
              <EndHold
                hold={hold}
                session={props.session}
                refreshKey={refreshKey}
                changed={changed}
              />
            )}
          </>
        ),
      }}
    />
  )
}

function HoldFacts({ hold }: { hold: Hold }) {
  const { amount, currency, heldAmount, forfeitedAmount, endedAt, deadline } = hold
  return (
    <>
      <Headline
        sum={{ amount: heldAmount, currency }}
        state={hold.state}
        about={`${strings.held}, ${targetOf(hold)}`}
      />
      {factList([
        [strings.client, clientOf(hold)],
        [strings.fields.bvn, hold.bvnMasked],
        [strings.accounts, hold.accounts],
        [
          strings.holdOfPerson,
          hold.person && (
            <Link key="person" href={hrefOf('holds', hold.person)}>
              {hold.person}
            </Link>
          ),
        ],
        [
          strings.toHold,
          amount === null ? strings.all : <Money key="amount" {...{ amount, currency }} />,
        ],
        [strings.forfeited, moneyIfAny(forfeitedAmount, currency)],
        [strings.reason, hold.reason],
        [strings.case, hold.case],
        [strings.deadline, deadline && <Time key="deadline" at={deadline} />],
        [strings.reference, <Copyable key="reference" text={hold.reference} />],
        [strings.placedBy, strings.person(hold.placedBy)],
        [strings.placedAt, <Time key="placed" at={hold.placedAt} />],
        [strings.endedAt, endedAt && <Time key="ended" at={endedAt} />],
      ])}
    </>
  )
}

type EndingProps = { hold: Hold; session: Session; refreshKey: number; changed: () => void }

// Shows the open request, or the requests that the user can make.
function EndHold({ hold, session, refreshKey, changed }: EndingProps) {
  const { reference } = hold
  const query = { hold: reference, state: 'open' }
  const { data, problem, reload } = usePage(`${HOLDS}/requests`, query, refreshKey)
  const request = data?.data[0]
  return (
    <>
      <Pending {...{ data, problem, reload }} kind="lines" lines={2} />
      {data && request && <OpenEnding {...{ hold, session, changed, request }} />}
      {data && !request && <RequestEnding hold={hold} changed={changed} />}
    </>
  )
}

// The open request to release or forfeit the hold, with the decision. A request without an amount is for all
// of the held money.
function OpenEnding(props: Omit<EndingProps, 'refreshKey'> & { request: Ending }) {
  const { hold, session, changed, request } = props
  const { currency, heldAmount } = hold
  const { amount, reason, requestedBy, requestedAt } = request
  return (
    <>
      <h3>{endingStrings(request).requested}</h3>
      {factList([
        [strings.amount, <Money key="amount" amount={amount ?? heldAmount} currency={currency} />],
        [strings.reason, reason],
        [strings.requestedBy, strings.person(requestedBy)],
        [strings.requestedAt, <Time key="at" at={requestedAt} />],
      ])}
      <DecideEnding
        {...{ session, request }}
        amount={money(amount ?? heldAmount, currency)}
        onDone={changed}
      />
    </>
  )
}

const endingStrings = ({ kind }: Ending) => ({
  ...strings,
  ...(kind === 'release' ? strings.release : strings.forfeit),
})

type DecideEndingProps = { session: Session; request: Ending; amount: string; onDone: () => void }

// Decides on the request as it was read, and never on a newer one that the user has not seen.
export function DecideEnding({ session, request, amount, onDone }: DecideEndingProps) {
  const { id, hold: reference } = request
  return (
    <DecideRequest
      {...{ session, request, amount, onDone }}
      words={endingStrings(request)}
      decide={(verb, { body, headers }) => {
        const common = { params: { reference }, headers }
        // A rejection names the request by its id, so that it never rejects one that the user has not seen.
        if (!('reason' in body)) return send('POST', `${ONE}/${verb}`, { ...common, body })
        const { reason } = body as { reason: string }
        return send('POST', `${ONE}/reject`, { ...common, body: { reason, request: id } })
      }}
    />
  )
}

// The buttons that request the end of the hold. Another user must approve it.
function RequestEnding({ hold, changed }: { hold: Hold; changed: () => void }) {
  const params = { reference: hold.reference }
  const held = money(hold.heldAmount, hold.currency)
  return (
    <div class="buttons after-facts">
      <Action
        label={strings.release.ask}
        title={strings.release.askTitle(held, clientOf(hold))}
        action={strings.request}
        text={strings.release.askText}
        isOffered={hold.person === null}
        run={(form, headers) =>
          send('POST', `${ONE}/release`, { params, body: { reason: form.text('reason') }, headers })
        }
        message={strings.asked}
        onDone={changed}
      >
        <ReasonField label={strings.reason} hint={strings.approverHint} />
      </Action>
      <Action
        label={strings.forfeit.ask}
        title={strings.forfeit.askTitle(held, clientOf(hold))}
        action={strings.request}
        text={strings.forfeit.askText}
        isOffered={hold.heldAmount > 0 && hold.target !== 'person'}
        isDangerous
        run={(form, headers) => {
          const [reason, amount] = [form.text('reason'), form.amount('amount')]
          const body = { reason, ...(amount ? { amount } : {}) }
          return send('POST', `${ONE}/forfeit`, { params, body, headers })
        }}
        message={strings.asked}
        onDone={changed}
      >
        <InputField
          label={strings.amount}
          hint={strings.forfeit.amountHint}
          name="amount"
          {...AMOUNT}
        />
        <ReasonField label={strings.reason} hint={strings.approverHint} />
      </Action>
    </div>
  )
}
