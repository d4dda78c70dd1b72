// The list of refunds of payments and credits, newest first. Opening a refund shows its payouts, and links to
// the payment or credit that it refunds.

import { codeOf } from '../../../src/short-codes.ts'
import { appStrings, refundsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { sumOf } from '../parts/bulk.tsx'
import { Link } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import { CancelRefund, mayCancel, payeesOf, refundState } from '../parts/refunds.tsx'
import { amountColumn, type Column, fieldColumn, orderColumn } from '../parts/table.tsx'
import { Badge, Headline, Money, Reference, Time } from '../parts/values.tsx'
import { hrefOf } from '../routing.ts'
import type { ViewProps } from '../session.ts'

type Refund = Schemas['Refund']

const PATH = '/api/v1/refunds'

const COLUMNS: readonly Column<Refund>[] = [
  fieldColumn(strings.toPayer, 'toAccountName', 'lead'),
  amountColumn(strings.amount),
  {
    name: strings.refundedAmount,
    isAmount: true,
    show: ({ refundedAmount, currency }) => <Money amount={refundedAmount} currency={currency} />,
    fields: ['refundedAmount', 'currency'],
  },
  {
    name: strings.status,
    place: 'state',
    show: (refund) => <Badge state={refundState(refund)} />,
    fields: ['status'],
  },
  { name: strings.reason, place: 'second', show: ({ reason }) => reason, fields: ['reason'] },
  fieldColumn(strings.reference, 'reference', undefined, (value) => <code>{codeOf(value)}</code>),
  orderColumn(strings.requestedAt, 'requestedAt'),
]

const STATUSES = [
  ...['awaiting_approval', 'queued', 'sending', 'unknown'],
  ...['confirmed', 'part_failed', 'failed', 'cancelled'],
]

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  ...AMOUNTS,
  ...DATES,
]

// The list of refunds. It reloads at events about refunds and payouts (`isAbout`), and often while a refund
// is under way (`isPending`).
export default function Refunds(props: ViewProps) {
  const mayRefund = props.session.scopes.includes('refunds:write')
  return (
    <ListView
      {...props}
      view="refunds"
      icon="reversal"
      path={PATH}
      file={PATH}
      caption={appStrings.views.refunds}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isAbout={/refund|payout/}
      isPending={({ status }) => ['queued', 'sending', 'unknown'].includes(status)}
      bulk={{ nameOf: ({ toAccountName }) => toAccountName, sumOf }}
      emptyState={{ title: strings.none, text: strings.noneText }}
      drawer={{
        title: strings.one,
        path: `${PATH}/{reference}`,
        show: (refund, { changed }) => (
          <>
            <RefundFacts refund={refund} />
            {mayRefund && mayCancel(refund) && <CancelRefund refund={refund} onDone={changed} />}
          </>
        ),
      }}
    />
  )
}

// The details of a refund. A refund without `creditId` is of a payment. It may consist of several payouts.
function RefundFacts({ refund }: { refund: Refund }) {
  const { reference, paymentReference, creditId, requestedBy, payouts } = refund
  const target =
    creditId === null
      ? hrefOf('payments', paymentReference ?? '')
      : hrefOf('credits', `${creditId}`)
  return (
    <>
      <Headline sum={refund} badge={<Badge state={refundState(refund)} />} about={refund.reason} />
      {factList([
        ...payeesOf(refund).map((payee) => [strings.toPayer, payee] as const),
        [
          strings.refundedAmount,
          <Money key="done" amount={refund.refundedAmount} currency={refund.currency} />,
          'refunded',
        ],
        [strings.requestedBy, strings.person(requestedBy)],
        [strings.requestedAt, <Time key="requested" at={refund.requestedAt} />],
        ...payouts.map((part) => [strings.bankReference, part.bankReference] as const),
        ...payouts.map((part) => [strings.why, part.failureReason] as const),
        [strings.reference, <Reference key="reference" text={reference} />],
        [
          strings.of,
          <Link key="of" href={target}>
            {creditId === null ? strings.open : strings.openCredit}
          </Link>,
        ],
      ])}
    </>
  )
}
