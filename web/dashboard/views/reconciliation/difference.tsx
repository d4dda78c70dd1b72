// A difference: its line or item, the possible actions, its adjusting entry, the decision on a resolution,
// and its history.

import {
  reconciliationStrings,
  differencesStrings as strings,
  suspenseStrings,
} from '../../../copy.ts'
import { type Data, type Schemas, send } from '../../api.ts'
import { humanize, money, shortDay } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action, DecideRequest } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { Detail, factList } from '../../parts/drawer.tsx'
import { ReasonField, SelectField } from '../../parts/forms.tsx'
import { Pending } from '../../parts/states.tsx'
import { Badge, BankName, Copyable, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount, type Session } from '../../session.ts'
import { AssignDifference } from './assign-difference.tsx'
import {
  type Difference,
  DifferenceState,
  ItemLink,
  itemKind,
  itemText,
  kindText,
  lineKind,
  OwnerName,
  type PlainItem,
  type PlainLine,
  payoutHref,
} from './movement.tsx'
import { ResolveDifference } from './resolve-difference.tsx'

const ENTRIES = '/api/v1/operator/reconciliation/adjusting-entries'
const ONE = `${ENTRIES}/{reference}` as const

const ACCOUNTS = [
  'shortfall',
  'due_to_bank',
  'bank_cost',
  'stamp_duty',
  'input_vat',
  'write_off',
] as const

// Requests an entry that brings the books to the bank’s statement. Its amount is the difference, which the
// user cannot change.
function AdjustDifference({ difference, onDone }: { difference: Difference; onDone: () => void }) {
  const { id, amount, currency, adjustingAccounts } = difference
  return (
    <div class="actions">
      <Action
        label={strings.adjust}
        title={strings.adjustTitle(money(amount, currency))}
        action={strings.adjustRequest}
        text={amount < 0 ? strings.adjustText.less : strings.adjustText.more}
        run={(form, headers) => {
          const account = form.choice('account', ACCOUNTS)
          const body = { differenceId: id, account, amount, reason: form.text('reason') }
          return send('POST', ENTRIES, { body, headers })
        }}
        message={strings.adjustRequested}
        onDone={onDone}
      >
        {factList([
          [strings.adjustAmount, <Money key="amount" amount={amount} currency={currency} />],
        ])}
        <SelectField
          label={strings.adjustAccount}
          name="account"
          options={adjustingAccounts}
          names={strings.adjustAccounts}
        />
        <ReasonField label={strings.why} hint={strings.whyHint} />
        <p class="notice">{strings.adjustNeedsApproval}</p>
      </Action>
    </div>
  )
}

// Loads the open adjusting entry of a difference, and lets another user decide on it.
export function DecideEntry(props: { reference: string; session: Session; onDone: () => void }) {
  const { reference, session, onDone } = props
  const { data, problem, reload } = useData(ONE, { reference })
  if (!data) return <Pending {...{ data, problem, reload }} kind="rows" lines={3} />
  return <EntryRequest entry={data} session={session} onDone={onDone} />
}

type DecideProps = { entry: Schemas['AdjustingEntry']; session: Session; onDone: () => void }

// The open request with its reason, and the buttons that decide on it.
function EntryRequest({ entry, session, onDone }: DecideProps) {
  const { requestedBy, amount, currency, account, reason } = entry
  const name = strings.adjustAccounts[account] ?? account
  return (
    <section class="request" aria-labelledby="entry">
      <h3 id="entry">{strings.waiting}</h3>
      <p>
        {strings.entryAsks(suspenseStrings.person(requestedBy), name)},{' '}
        <Money amount={amount} currency={currency} />
      </p>
      <p class="request-reason">{reason}</p>
      <DecideAdjustingEntry {...{ entry, session, onDone }} />
    </section>
  )
}

// The buttons that decide on an adjusting entry, here and on Today.
export function DecideAdjustingEntry({ entry, session, onDone }: DecideProps) {
  const { reference, amount, currency } = entry
  return (
    <DecideRequest
      {...{ session, onDone }}
      request={entry}
      isAfterFacts={false}
      amount={money(amount, currency)}
      words={{ ...strings, approveText: strings.entryApproveText }}
      decide={(verb, sent) => send('POST', `${ONE}/${verb}`, { params: { reference }, ...sent })}
    />
  )
}

const PATH = '/api/v1/operator/reconciliation/{id}'

type WholeDifference = Data<typeof PATH>
type DifferenceProps = {
  id: string
  session: Session
  refreshKey: number
  close: () => void
  changed: () => void
}

// The drawer of a difference in the lists and in the daily proof. A new `refreshKey` loads it again.
export function DifferenceDrawer({ id, session, refreshKey, close, changed }: DifferenceProps) {
  return (
    <Detail
      key={id}
      title={strings.one}
      path={PATH}
      params={{ id }}
      refreshKey={refreshKey}
      close={close}
      show={(difference) => (
        <DifferenceDetail difference={difference} session={session} changed={changed} />
      )}
    />
  )
}

type DifferenceDetailProps = { difference: WholeDifference; session: Session; changed: () => void }

// The difference with the actions that its state and the user’s scopes allow, its details and its history.
function DifferenceDetail({ difference, session, changed }: DifferenceDetailProps) {
  const { kind, amount, currency, state, isTiming, line, item, suggestion, payout } = difference
  return (
    <>
      <div class="headline">
        <Money amount={amount} currency={currency} />
        <DifferenceState difference={difference} />
      </div>
      <p>
        <strong>{kindText(kind)}.</strong> {strings.texts[kind]}
      </p>
      {isTiming && state === 'open' && <p class="muted">{strings.timingText}</p>}
      {payout && (state === 'open' || state === 'asked') && (
        <p class="muted">{payoutText(payout)}</p>
      )}
      {state === 'open' && difference.actions.length > 0 && mayAccount(session) && (
        <ResolveDifference difference={difference} session={session} onDone={changed} />
      )}
      {difference.adjustingAccounts.length > 0 && mayAccount(session) && (
        <AdjustDifference difference={difference} onDone={changed} />
      )}
      {difference.adjustingEntry !== null && (
        <DecideEntry reference={difference.adjustingEntry} session={session} onDone={changed} />
      )}
      {state === 'asked' && (
        <DecideDifference difference={difference} session={session} onDone={changed} />
      )}
      {(state === 'open' || state === 'asked') && mayAccount(session) && (
        <AssignDifference difference={difference} session={session} onDone={changed} />
      )}
      <DifferenceFacts difference={difference} />
      {line && <LineFacts line={line} currency={currency} />}
      {item && <ItemFacts title={strings.item} item={item} currency={currency} />}
      {suggestion && <ItemFacts title={strings.suggestion} item={suggestion} currency={currency} />}
      <DifferenceHistory history={difference.history} />
    </>
  )
}

const UNSETTLED_STATUSES = ['queued', 'sending', 'unknown']

// Says what booking the line would do to the payout, or else what the user can do instead.
function payoutText(props: NonNullable<WholeDifference['payout']>): string | undefined {
  const { status, booking } = props
  if (booking !== null) return strings.payoutBookings[booking]
  return UNSETTLED_STATUSES.includes(status) ? strings.payoutNotSettled : strings.payoutNotBooked
}

function DifferenceFacts({ difference }: { difference: WholeDifference }) {
  const { bankCode, day, ageDays, statementId, action, decidedBy, decidedAt, ownedAt } = difference
  const { payout, payer } = difference
  // The facts of an item already show its credit.
  const credit = difference.item === null ? difference.credit : null
  return factList([
    [strings.bank, <BankName key="bank" code={bankCode} />],
    [strings.day, shortDay(day)],
    [strings.age, reconciliationStrings.ageOf(ageDays)],
    [strings.opened, <Time key="opened" at={difference.openedAt} />],
    [strings.owner, <OwnerName key="owner" owner={difference.owner} />],
    [strings.ownedSince, ownedAt && <Time at={ownedAt} />],
    [
      strings.statement,
      statementId !== null && (
        <Link href={hrefOf('reconciliation', `${statementId}`, { tab: 'statements' })}>
          {strings.viewStatement}
        </Link>
      ),
    ],
    [
      strings.creditAmount,
      credit && <Money amount={credit.amount} currency={difference.currency} />,
    ],
    [
      strings.viewCredit,
      credit && (
        <Link href={hrefOf('credits', `${credit.creditId}`)}>{credit.sessionId ?? ''}</Link>
      ),
    ],
    [strings.payerOnStatement, payer?.onStatement],
    [strings.payerInBooks, payer?.inBooks],
    [strings.payerScore, payer && payer.score !== null && strings.payerPercent(payer.score)],
    [strings.payoutStatus, payout && <Badge key="payout" state={payout.status} />],
    [
      strings.payoutAmount,
      payout && <Money amount={payout.amount} currency={difference.currency} />,
    ],
    [
      strings.viewPayout,
      payout && <Link href={payoutHref(payout.reference)}>{payout.reference}</Link>,
    ],
    [strings.action, action && strings.actions[action]],
    [strings.reason, difference.state === 'resolved' && difference.reason],
    [strings.decidedBy, decidedBy && suspenseStrings.person(decidedBy)],
    [strings.decidedAt, decidedAt && <Time at={decidedAt} />],
  ])
}

function LineFacts({ line, currency }: { line: PlainLine; currency: string }) {
  const { counterpartyName, counterpartyAccountMasked } = line
  const counterparty = [counterpartyName, counterpartyAccountMasked].filter(Boolean).join(' · ')
  return (
    <>
      <h3>{strings.line}</h3>
      {factList([
        [
          reconciliationStrings.amount,
          <Money key="amount" amount={line.amount} currency={currency} />,
        ],
        [reconciliationStrings.kind, lineKind(line.kind)],
        [strings.booked, shortDay(line.bookedOn)],
        [strings.value, line.valueOn && shortDay(line.valueOn)],
        [strings.counterparty, counterparty],
        [strings.narration, line.narration],
        [strings.accountNumber, line.accountNumber && <Copyable text={line.accountNumber} />],
        [strings.sessionId, line.sessionId && <Copyable text={line.sessionId} />],
        [strings.bankReference, line.bankReference && <Copyable text={line.bankReference} />],
        [strings.endToEndId, line.endToEndId && <Copyable text={line.endToEndId} />],
      ])}
    </>
  )
}

function ItemFacts(props: { title: string; item: PlainItem; currency: string }) {
  const { title, item, currency } = props
  return (
    <>
      <h3>{title}</h3>
      {factList([
        [
          reconciliationStrings.amount,
          <Money key="amount" amount={item.amount} currency={currency} />,
        ],
        [reconciliationStrings.kind, itemKind(item.kind)],
        [strings.counterparty, itemText(item)],
        [strings.booked, shortDay(item.day)],
        [strings.accountNumber, item.accountNumber && <Copyable text={item.accountNumber} />],
        [strings.reference, item.reference && <Copyable text={item.reference} />],
      ])}
      <p class="after-facts">
        <ItemLink item={item} />
      </p>
    </>
  )
}

type DecideDifferenceProps = { session: Session; difference: Difference; onDone: () => void }

// The open request to resolve the difference, with its reason, for another user’s decision.
function DecideDifference({ session, difference, onDone }: DecideDifferenceProps) {
  const { askedBy, reason } = difference
  const proposal = proposedReading(difference)
  return (
    <section class="request" aria-labelledby="asked">
      <h3 id="asked">{strings.waiting}</h3>
      <p>{strings.asks(suspenseStrings.person(askedBy ?? ''), actionName(difference))}</p>
      {proposal && <p>{proposal}</p>}
      <p class="request-reason">{reason}</p>
      <DecideResolution {...{ session, difference, onDone }} />
    </section>
  )
}

export const actionName = ({ action }: Difference) => strings.actions[action ?? ''] ?? ''

// The buttons that decide on the request, here and on Today.
export function DecideResolution({ session, difference, onDone }: DecideDifferenceProps) {
  const { id, askedBy, amount, currency } = difference
  return (
    <DecideRequest
      {...{ session, onDone }}
      request={{ ...difference, requestedBy: askedBy }}
      isAfterFacts={false}
      amount={money(amount, currency)}
      words={{ ...strings, approveText: strings.approveText(actionName(difference)) }}
      decide={(verb, sent) => send('POST', `${PATH}/${verb}`, { params: { id }, ...sent })}
    />
  )
}

// A debit that is smaller than its credit can be read in several ways. Tells the approver which one the
// request proposes.
export function proposedReading(props: Difference): string | undefined {
  const { readings, action, amount, currency, credit } = props
  if (action !== 'book' || readings.length === 0) return undefined
  return `${strings.readings.reversal(money(-amount, currency), money(credit?.amount ?? 0, currency))}.`
}

type Change = Data<'/api/v1/operator/reconciliation/{id}'>['history'][number]

function DifferenceHistory({ history }: { history: readonly Change[] }) {
  return (
    <>
      <h3>{strings.history}</h3>
      <ol class="history" aria-label={strings.history}>
        {history.toReversed().map((change, index) => (
          <li key={history.length - index}>
            <p>
              <strong>{strings.changes[change.change] ?? humanize(change.change)}</strong>{' '}
              <span class="muted">{actorText(change)}</span>
            </p>
            {ownerText(change) && <p>{ownerText(change)}</p>}
            {reasonText(change) && <p class="request-reason">{reasonText(change)}</p>}
            <Time at={change.changedAt} />
          </li>
        ))}
      </ol>
    </>
  )
}

const actorText = ({ actor }: Change) =>
  actor === null ? strings.bySystem : suspenseStrings.person(actor)

// The new owner, if the change assigned the difference.
function ownerText({ change, detail: { owner } }: Change): string | undefined {
  if (change !== 'assigned') return undefined
  if (typeof owner !== 'string') return strings.unassigned
  return strings.assignedTo(suspenseStrings.person(owner))
}

function reasonText({ detail }: Change): string | undefined {
  return typeof detail.reason === 'string' ? detail.reason : undefined
}
