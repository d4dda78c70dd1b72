// Credits: every credit a bank reported, where its money is now, and how it got there.

import { useState } from 'preact/hooks'
import {
  appStrings,
  refundsStrings,
  creditsStrings as strings,
  suspenseStrings,
} from '../../copy.ts'
import { getData, type Schemas } from '../api.ts'
import { longMonth } from '../days.ts'
import { humanize } from '../format.ts'
import { WholeTimeline } from '../parts/detail.tsx'
import { type Fact, Facts } from '../parts/drawer.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import { Refunds } from '../parts/refunds.tsx'
import { FirstSteps } from '../parts/sample-data.tsx'
import { shareFacts } from '../parts/split-shares.tsx'
import { amountColumn, type Column, orderColumn } from '../parts/table.tsx'
import { Copyable, Headline, Money, PaidBadge, Time } from '../parts/values.tsx'
import type { ViewProps } from '../view-props.ts'

export type Credit = Schemas['Credit']

const PATH = '/api/v1/credits'
const OUTCOMES = ['booked', 'suspended', 'assigned', 'returned', 'reversed']

const FILTERS: readonly Filter[] = [
  { name: 'outcome', label: strings.outcome, choices: humanized(OUTCOMES) },
  { name: 'sessionId', label: strings.sessionId, placeholder: strings.digits30 },
  { name: 'accountNumber', label: strings.accountNumber, placeholder: strings.digits10 },
  { name: 'payer', label: strings.payer, placeholder: strings.partOfName },
  ...AMOUNTS,
  ...DATES,
]

const COLUMNS: readonly Column<Credit>[] = [
  {
    name: strings.payer,
    place: 'lead',
    show: ({ sourceAccountName, archivedIn }) =>
      sourceAccountName ?? (archivedIn ? strings.archived.payer : strings.unnamed),
  },
  amountColumn(strings.amount),
  {
    name: strings.outcome,
    place: 'state',
    show: ({ outcome, amount, refundedAmount }) => (
      <PaidBadge state={outcome} received={amount} refunded={refundedAmount} />
    ),
  },
  {
    name: strings.to,
    place: 'second',
    show: ({ accountNumber, bankName }) => (
      <>
        <code>{accountNumber}</code> <span class="muted">{bankName}</span>
      </>
    ),
  },
  { name: strings.sessionId, show: ({ sessionId }) => <code class="long">{sessionId}</code> },
  orderColumn(strings.received, 'receivedAt'),
]

export default function Credits(props: ViewProps) {
  const mayRefund = props.session.scopes.includes('refunds:write')
  const [added, setAdded] = useState(0)
  const refresh = () => setAdded((before) => before + 1)
  const sample = <FirstSteps session={props.session} refresh={refresh} />
  return (
    <ListView
      {...props}
      version={added}
      view="credits"
      icon="credits"
      path={PATH}
      csv={`${PATH}.csv`}
      summary={`${PATH}/summary`}
      caption={appStrings.views.credits}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      isAbout={/^(?:collection|payment|credit)\./}
      none={{ title: strings.none, text: strings.noneText, sample }}
      one={{
        title: strings.one,
        path: `${PATH}/{id}`,
        show: (credit, { version, changed }) => (
          <>
            <About credit={credit} />
            {credit.archivedIn === null && (
              <Refunds
                of={{ id: credit.id }}
                received={amountCollected(credit)}
                {...{ mayRefund, version, changed }}
              />
            )}
          </>
        ),
        timeline: (id, version) => (
          <WholeTimeline
            load={(signal) => getData(`${PATH}/{id}/timeline`, { id }, { signal })}
            version={version}
          />
        ),
      }}
    />
  )
}

// The part in collection accounts. The part that paid a payment is refunded with the payment.
function amountCollected({ locations }: Credit): number {
  const collected = locations.filter(({ place }) => place === 'collection_account')
  return collected.reduce((sum, { amount }) => sum + amount, 0)
}

function About({ credit }: { credit: Credit }) {
  const { currency, reason, locations, archivedIn } = credit
  return (
    <>
      <Headline
        sum={credit}
        badge={
          <PaidBadge
            state={credit.outcome}
            received={credit.amount}
            refunded={credit.refundedAmount}
          />
        }
        about={archivedIn ? strings.archived.from : strings.from(credit.sourceAccountName)}
      />
      {archivedIn && <Archived month={archivedIn} />}
      <ul class="locations">
        {locations.map((where) => (
          <li key={`${where.place} ${where.description}`}>
            <Money amount={where.amount} currency={currency} />
            <span>{where.description}</span>
          </li>
        ))}
      </ul>
      <Facts
        facts={[
          [strings.reason, reason && (suspenseStrings.reasons[reason] ?? humanize(reason))],
          [strings.to, <Copyable key="to" text={credit.accountNumber} />],
          [strings.bank, credit.bankName],
          [strings.payerNumber, credit.sourceAccountNumberMasked],
          ...identifiersOf(credit),
          ...withheld(credit),
          ...charged(credit),
          ...shareFacts(credit),
          [
            refundsStrings.refunded,
            credit.refundedAmount > 0 && <Money amount={credit.refundedAmount} {...{ currency }} />,
          ],
          [
            strings.receivable,
            credit.amountReceivable > 0 && (
              <Money amount={credit.amountReceivable} {...{ currency }} />
            ),
          ],
          [strings.source, strings.sources[credit.source]],
          [strings.payment, credit.paymentReference && <Copyable text={credit.paymentReference} />],
          [strings.merchantRef, credit.merchantRef],
          [strings.narration, credit.narration],
          [strings.happened, credit.transactionTime && <Happened at={credit.transactionTime} />],
          [strings.received, <Time key="received" at={credit.receivedAt} />],
          [strings.judged, credit.judgedBy && strings.judgedBy[credit.judgedBy]],
        ]}
      />
    </>
  )
}

function Archived({ month }: { month: string }) {
  return (
    <div class="archived">
      <strong>{strings.archived.title(longMonth(month))}</strong>
      <p class="muted small">{strings.archived.text}</p>
    </div>
  )
}

// One fact per kind of identifier.
function identifiersOf({ identifiers }: Credit): Fact[] {
  const kinds = new Set(identifiers.map(({ kind }) => kind))
  return [...kinds].map((kind) => [
    strings.identifiers[kind],
    identifiers
      .filter((each) => each.kind === kind)
      .map(({ value }) => <Copyable key={value} text={value} />),
  ])
}

function withheld({ charges, netAmount, currency }: Credit): Fact[] {
  const parts = (['fee', 'vat', 'duty'] as const).filter((part) => charges[part] > 0)
  if (parts.length === 0) return []
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  return [
    ...parts.map((part): Fact => [strings.withheld[part], money(charges[part])]),
    [strings.net, money(netAmount)],
  ]
}

function charged({ merchantFee, merchantFeeVat, netToMerchant, currency }: Credit): Fact[] {
  if (merchantFee === 0 && merchantFeeVat === 0) return []
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  return [
    [strings.charged.fee, money(merchantFee)],
    [strings.charged.vat, money(merchantFeeVat)],
    [strings.charged.net, money(netToMerchant)],
  ]
}

// Some banks send only a date.
function Happened({ at }: { at: string }) {
  return at.includes('T') ? <Time at={at} /> : <time dateTime={at}>{at}</time>
}
