// Credits: each credit that a bank reported, where its money is now, and its history.

import { useState } from 'preact/hooks'
import { codeOfCredit } from '../../../src/short-codes.ts'
import {
  appStrings,
  refundsStrings,
  creditsStrings as strings,
  suspenseStrings,
} from '../../copy.ts'
import { getData, type Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { CasesOfCredit } from '../parts/cases-and-holds.tsx'
import { shareFacts } from '../parts/choices.tsx'
import { type Fact, factList, WholeTimeline } from '../parts/drawer.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import { Refunds } from '../parts/refunds.tsx'
import { FirstSteps } from '../parts/sample-data.tsx'
import { amountColumn, type Column, orderColumn } from '../parts/table.tsx'
import {
  Copyable,
  Money,
  moneyIfAny,
  PaidBadge,
  PaidHeadline,
  PaymentReference,
  Reference,
  Time,
} from '../parts/values.tsx'
import type { ViewProps } from '../session.ts'

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
    show: ({ sourceAccountName }) => sourceAccountName ?? strings.unnamed,
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

// The list of credits. The drawer of a credit also has its refunds, and for operators its cases.
export default function Credits(props: ViewProps) {
  const mayRefund = props.session.scopes.includes('refunds:write')
  const isOperator = props.session.scopes.includes('operator')
  const [refreshKey, setRefreshKey] = useState(0)
  const refresh = () => setRefreshKey((previous) => previous + 1)
  const sample = <FirstSteps session={props.session} refresh={refresh} />
  return (
    <ListView
      {...props}
      refreshKey={refreshKey}
      view="credits"
      icon="credits"
      path={PATH}
      file={PATH}
      summary={`${PATH}/summary`}
      caption={appStrings.views.credits}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      isAbout={/^(?:collection|payment|credit)\./}
      emptyState={{ title: strings.none, text: strings.noneText, sample }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{id}`,
        show: (credit, { refreshKey, changed }) => (
          <>
            <CreditHeadline credit={credit} />
            <Refunds
              target={{ id: credit.id }}
              received={refundableHere(credit)}
              payer={credit.sourceAccountName}
              {...{ mayRefund, refreshKey, changed }}
            />
            <CreditFacts credit={credit} />
            {isOperator && (
              <CasesOfCredit
                clientId={props.session.client.clientId}
                {...{ sessionId: credit.sessionId, amount: credit.amount, refreshKey, changed }}
              />
            )}
          </>
        ),
        timeline: (id, refreshKey) => (
          <WholeTimeline
            load={(signal) => getData(`${PATH}/{id}/timeline`, { id }, { signal })}
            refreshKey={refreshKey}
          />
        ),
      }}
    />
  )
}

// Returns the part of the credit that is in collection accounts, which is refunded here. The part that paid
// a payment is refunded with that payment.
function refundableHere({ locations }: Credit): number {
  const collected = locations.filter(({ place }) => place === 'collection_account')
  return collected.reduce((sum, { amount }) => sum + amount, 0)
}

// The amount, its state, and where each part of the money is now.
function CreditHeadline({ credit }: { credit: Credit }) {
  const { currency, locations } = credit
  return (
    <>
      <PaidHeadline
        sum={credit}
        state={credit.outcome}
        received={credit.amount}
        refunded={credit.refundedAmount}
        about={strings.from(credit.sourceAccountName)}
      />
      <ul class="locations">
        {locations.map((location) => (
          <li key={`${location.place} ${location.description}`}>
            <Money amount={location.amount} currency={currency} />
            <span>{location.description}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function CreditFacts({ credit }: { credit: Credit }) {
  const { currency, reason } = credit
  return factList([
    [strings.reason, reason && (suspenseStrings.reasons[reason] ?? humanize(reason))],
    [strings.payer, credit.sourceAccountName],
    [strings.payerNumber, credit.sourceAccountNumberMasked],
    ...identifierFacts(credit),
    [strings.bank, credit.bankName],
    [strings.received, <Time key="received" at={credit.receivedAt} />],
    [strings.to, <Copyable key="to" text={credit.accountNumber} />],
    ...bankChargeFacts(credit),
    ...feeFacts(credit),
    ...shareFacts(credit),
    [refundsStrings.refunded, moneyIfAny(credit.refundedAmount, currency)],
    [strings.receivable, moneyIfAny(credit.amountReceivable, currency)],
    [strings.source, strings.sources[credit.source]],
    [
      strings.reference,
      <Reference key="id" code={codeOfCredit(credit.id)} text={`${credit.id}`} />,
    ],
    [strings.payment, credit.paymentReference && <PaymentReference id={credit.paymentReference} />],
    [strings.merchantRef, credit.merchantRef],
    [strings.narration, credit.narration],
    [strings.happened, credit.transactionTime && <TransferTime at={credit.transactionTime} />],
    [strings.judged, credit.judgedBy && strings.judgedBy[credit.judgedBy]],
  ])
}

// Returns one fact per kind of identifier.
function identifierFacts({ identifiers }: Credit): Fact[] {
  const kinds = new Set(identifiers.map(({ kind }) => kind))
  return [...kinds].map((kind) => [
    strings.identifiers[kind],
    identifiers
      .filter((identifier) => identifier.kind === kind)
      .map(({ value }) => <Copyable key={value} text={value} />),
  ])
}

// The bank's fee, VAT and stamp duty, and the rest that reached us.
function bankChargeFacts({ charges, netAmount, currency }: Credit): Fact[] {
  const parts = (['fee', 'vat', 'duty'] as const).filter((part) => charges[part] > 0)
  if (parts.length === 0) return []
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  return [
    ...parts.map((part): Fact => [strings.withheld[part], money(charges[part])]),
    [strings.net, money(netAmount)],
  ]
}

// The operator's fee with its VAT, and the rest that the client keeps.
function feeFacts({ merchantFee, merchantFeeVat, netToMerchant, currency }: Credit): Fact[] {
  if (merchantFee === 0 && merchantFeeVat === 0) return []
  const money = (amount: number) => <Money amount={amount} currency={currency} />
  return [
    [strings.charged.fee, money(merchantFee)],
    [strings.charged.vat, money(merchantFeeVat)],
    [strings.charged.net, money(netToMerchant)],
  ]
}

// The time of the transfer. Some banks send only its date.
function TransferTime({ at }: { at: string }) {
  return at.includes('T') ? <Time at={at} /> : <time dateTime={at}>{at}</time>
}
