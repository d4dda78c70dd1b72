// A payout: where its money is, its recipient and its history. Also the columns and filters of lists of
// payouts, and the payouts that wait for approval or for a bank.

import type { ComponentChildren } from 'preact'
import { codeOf } from '../../../../src/short-codes.ts'
import { refundsStrings, payoutsStrings as strings, suspenseStrings } from '../../../copy.ts'
import type { Query, Schemas } from '../../api.ts'
import { count, humanize } from '../../format.ts'
import { usePage } from '../../loading.ts'
import { Link } from '../../parts/controls.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../../parts/filters.tsx'
import { Failed } from '../../parts/states.tsx'
import { amountColumn, type Column, fieldColumn, orderColumn } from '../../parts/table.tsx'
import { type Entry, Timeline } from '../../parts/timeline.tsx'
import {
  Badge,
  BankName,
  Copyable,
  Headline,
  Money,
  moneyIfAny,
  Reference,
  Time,
} from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'

type OwnPayout = Schemas['PayoutDetail']
type AnyPayout = OwnPayout | Schemas['OperatorPayoutDetail']

const { person } = suspenseStrings

// The drawer of a payout, for its client or for an operator, who sees more facts. `children` are the actions.
export function PayoutDetail(props: { payout: AnyPayout; children: ComponentChildren }) {
  const { payout, children } = props
  return (
    <>
      <Headline sum={payout} state={stateOf(payout)} about={strings.to(payout.toAccountName)} />
      <PayoutLocations payout={payout} />
      {children}
      {factList([...payoutFacts(payout), ...('clientId' in payout ? operatorFacts(payout) : [])])}
      <h3>{strings.history}</h3>
      <Timeline entries={payout.history.map(timelineEntry)} />
    </>
  )
}

function locationText(payout: AnyPayout): string {
  const { status, purpose } = payout
  if (isAwaiting(payout)) return strings.places.awaiting
  const isMoneyBack = status === 'failed' || status === 'cancelled'
  if (isMoneyBack && purpose === 'return') return strings.places.inSuspense
  return strings.places[status as keyof typeof strings.places]
}

// The amount with its place, and below it the fee with VAT: charged, or given back if the payout did not
// happen.
function PayoutLocations({ payout }: { payout: AnyPayout }) {
  const { amount, fee, vat, currency, status } = payout
  const isMoneyBack = status === 'failed' || status === 'cancelled'
  return (
    <ul class="locations">
      <li>
        <Money amount={amount} currency={currency} />
        <span>{locationText(payout)}</span>
      </li>
      {fee + vat > 0 && (
        <li>
          <Money amount={fee + vat} currency={currency} />
          <span>{isMoneyBack ? strings.givenBack : strings.charged}</span>
        </li>
      )}
    </ul>
  )
}

// The facts that the client sees, too. Omits those without a value.
function payoutFacts(payout: AnyPayout): Fact[] {
  const { currency, fee, vat, approval, bankReference, sentAt, settledAt } = payout
  const number = payout.toAccountNumber ?? payout.toAccountNumberMasked
  return [
    [strings.failure, payout.failureReason],
    [strings.account, <Copyable key="number" text={number} />],
    [strings.bank, <BankName key="bank" code={payout.toBankCode} />],
    [strings.bankReference, bankReference && <Copyable text={bankReference} />],
    [strings.settled, settledAt && <Time at={settledAt} />],
    [strings.reference, <Reference key="reference" text={payout.reference} />],
    [strings.narration, payout.narration],
    [strings.purpose, strings.purposes[payout.purpose] ?? payout.purpose],
    [strings.fee, moneyIfAny(fee, currency)],
    [strings.vat, moneyIfAny(vat, currency)],
    [strings.approval, approval !== 'not_needed' && strings.approvals[approval]],
    [strings.requested, <Time key="requested" at={payout.requestedAt} />],
    [strings.requestedBy, person(payout.requestedBy)],
    [strings.decided, payout.decidedAt && <Time at={payout.decidedAt} />],
    [strings.decidedBy, payout.decidedBy && person(payout.decidedBy)],
    [strings.sent, sentAt && <Time at={sentAt} />],
  ]
}

function operatorFacts(payout: Schemas['OperatorPayoutDetail']): Fact[] {
  const { clientId, bankCode, bankCost, bankCostVat, settledBy, currency, payoutFile } = payout
  const { status, queries, nextQueryAt } = payout
  return [
    [strings.client, clientId ?? strings.nobody],
    [strings.sendingBank, <BankName key="sending-bank" code={bankCode} />],
    [
      strings.file,
      payoutFile && (
        <Link href={hrefOf('payouts', payoutFile, { tab: 'files' })}>{payoutFile}</Link>
      ),
    ],
    [strings.queries, status === 'unknown' && count(queries)],
    [strings.nextQuery, nextQueryAt && <Time at={nextQueryAt} />],
    [strings.bankCost, moneyIfAny(bankCost, currency)],
    [strings.bankCostVat, moneyIfAny(bankCostVat, currency)],
    [strings.settledBy, settledBy && person(settledBy)],
  ]
}

// The kind sets the icon and colour of the entry.
function entryKind(change: string): Entry['kind'] {
  if (change === 'unknown') return 'waiting'
  if (change === 'approved' || change === 'rejected') return 'action'
  return change === 'failed' || change === 'cancelled' ? 'reversal' : 'transfer'
}

// Shows a change of the payout's status as an entry of a timeline.
function timelineEntry({ change, changedBy, changedAt, detail }: Schemas['PayoutChange']): Entry {
  const text = strings.changes[change] ?? humanize(change)
  const isPerson = /^(?:user|client):/.test(changedBy)
  return {
    at: changedAt,
    kind: entryKind(change),
    description: isPerson ? strings.changedBy(text, refundsStrings.person(changedBy)) : text,
    amount: null,
    currency: null,
    reference: null,
    detail: { [strings.detail]: detail },
  }
}

export type Payout = Schemas['Payout']

const STATUSES = ['queued', 'sending', 'confirmed', 'failed', 'unknown', 'cancelled']

export const PAYOUT_FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'approval', label: strings.approval, choices: strings.approvals },
  { name: 'purpose', label: strings.purpose, choices: strings.purposes },
  ...AMOUNTS,
  ...DATES,
]

// Whether another user must approve the payout before it is sent.
export const isAwaiting = ({ status, approval }: Payout) =>
  status === 'queued' && approval === 'needed'

const stateOf = (payout: Payout) => (isAwaiting(payout) ? 'awaiting_approval' : payout.status)

export const COLUMNS: readonly Column<Payout>[] = [
  fieldColumn(strings.recipient, 'toAccountName', 'lead'),
  amountColumn(strings.amount),
  {
    name: strings.status,
    place: 'state',
    show: (payout) => <Badge state={stateOf(payout)} />,
    fields: ['status', 'approval'],
  },
  {
    name: strings.account,
    place: 'second',
    show: ({ toAccountNumberMasked, toBankCode }) => (
      <>
        <code>{toAccountNumberMasked}</code>{' '}
        <span class="muted">
          <BankName code={toBankCode} />
        </span>
      </>
    ),
    fields: ['toAccountNumberMasked', 'toBankCode'],
  },
  fieldColumn(strings.purpose, 'purpose', undefined, (value) => strings.purposes[value] ?? value),
  fieldColumn(strings.reference, 'reference', undefined, (value) => <code>{codeOf(value)}</code>),
  orderColumn(strings.requested, 'requestedAt'),
]

const SHOWN_MAX = 5

type WaitingPayoutsProps = {
  title: string
  path: '/api/v1/payouts' | '/api/v1/operator/payouts'
  query: Query
  tab?: string
  refreshKey: number
}

// The first payouts that wait for an approval or for the bank's answer, above the list of payouts.
export function WaitingPayouts({ title, path, query, tab, refreshKey }: WaitingPayoutsProps) {
  const { data, problem, reload } = usePage(path, { ...query, limit: `${SHOWN_MAX}` }, refreshKey)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data || data.data.length === 0) return failed ?? null
  return (
    <section class="card waiting" aria-labelledby="waiting">
      <header class="card-top">
        <h2 id="waiting">{title}</h2>
        <span class="badge warn">{data.hasMore ? `${SHOWN_MAX}+` : data.data.length}</span>
        {data.hasMore && (
          <Link href={hrefOf('payouts', undefined, { ...query, tab })}>{strings.see}</Link>
        )}
      </header>
      {failed}
      <ul class="feed">
        {data.data.map((payout) => (
          <li key={payout.reference}>
            <Link class="waiting-row" href={hrefOf('payouts', payout.reference, { tab })}>
              <span class="waiting-what">{strings.to(payout.toAccountName)}</span>
              <span class="muted waiting-why">
                {suspenseStrings.person(payout.requestedBy)}: {payout.narration}
              </span>
              <Money amount={payout.amount} currency={payout.currency} />
              <Time at={payout.requestedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
