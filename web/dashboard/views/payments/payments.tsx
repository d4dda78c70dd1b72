// Payments and payment requests. A request becomes a payment when its customer gets an account number.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { codeOfId } from '../../../../src/short-codes.ts'
import { appStrings, refundsStrings, paymentsStrings as strings } from '../../../copy.ts'
import type { Query, Schemas } from '../../api.ts'
import { sumOf } from '../../parts/bulk.tsx'
import { Link, Tabs } from '../../parts/controls.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { SampleData } from '../../parts/sample-data.tsx'
import { amountColumn, type Column, fieldColumn, orderColumn } from '../../parts/table.tsx'
import { Money, moneyIfAny, PaidBadge, Time } from '../../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../../routing.ts'
import { ADVICE_PREFIX } from '../../search.tsx'
import type { ViewProps } from '../../session.ts'
import { PaymentDrawer, validityText } from './drawer.tsx'
import { NewRequest } from './new-request.tsx'
import { RefundMany } from './refund-many.tsx'
import { ShareDialog } from './request-actions.tsx'

const PATH = '/api/v1/payments'
const STATUSES = ['Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed']
const TABS = ['payments', 'requests'] as const

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'refund', label: refundsStrings.one, choices: humanized(['refunded', 'part_refunded']) },
  { name: 'reference', label: strings.reference, placeholder: strings.anyReference },
  { name: 'search', label: strings.customer, placeholder: strings.nameOrEmail },
  ...AMOUNTS,
  ...DATES,
]

const COLUMNS: readonly Column<Schemas['Payment']>[] = [
  fieldColumn(strings.customer, 'customerName', 'lead'),
  amountColumn(strings.amount),
  {
    name: strings.paid,
    isAmount: true,
    show: ({ amountPaid, currency }) => <Money amount={amountPaid} currency={currency} />,
    fields: ['amountPaid', 'currency'],
  },
  {
    name: refundsStrings.refunded,
    isAmount: true,
    show: ({ refundedAmount, currency }) => moneyIfAny(refundedAmount, currency),
    fields: ['refundedAmount', 'currency'],
  },
  {
    name: strings.status,
    place: 'state',
    show: ({ status, amountPaid, refundedAmount }) => (
      <PaidBadge state={status} received={amountPaid} refunded={refundedAmount} />
    ),
    fields: ['status'],
  },
  {
    name: strings.reference,
    show: ({ merchantRef, paymentReference }) => (
      <code>{merchantRef ?? codeOfId('PAY', paymentReference)}</code>
    ),
    fields: ['merchantRef', 'paymentReference'],
  },
  {
    name: strings.number,
    place: 'second',
    show: ({ numbers }) => <code>{numbers.at(-1)?.accountNumber}</code>,
    fields: ['accountNumbers'],
  },
  orderColumn(strings.created, 'createdAt'),
]

// The tabs of payments and payment requests, and the dialogs that create a request and share its link.
export default function Payments(props: ViewProps) {
  const { session, place } = props
  const [created, setCreated] = useState<Schemas['Advice'] | undefined>()
  const [refreshKey, setRefreshKey] = useState(0)
  const current = TABS.find((name) => name === place.query.tab) ?? 'payments'
  const refresh = () => setRefreshKey((previous) => previous + 1)
  const mayWrite = session.scopes.includes('payments:write')
  const hrefWith = (query: Query) => hrefOf('payments', undefined, { ...place.query, ...query })
  const add = mayWrite && (
    <Link class="button primary" href={hrefWith({ new: 'request' })}>
      {strings.create.open}
    </Link>
  )
  const listProps = { ...props, refreshKey, add, sample: <SampleData {...{ session, refresh }} /> }
  return (
    <>
      <Tabs label={strings.parts} view="payments" names={strings.tabs} current={current} />
      {current === 'requests' ? <RequestList {...listProps} /> : <PaymentList {...listProps} />}
      {mayWrite && place.query.new === 'request' && (
        <NewRequest
          close={() => closeTo(hrefWith({ new: undefined }))}
          onCreated={(request) => {
            setCreated(request)
            refresh()
            goTo(hrefOf('payments', undefined, { tab: 'requests' }), { replace: true })
          }}
        />
      )}
      {created && (
        <ShareDialog
          title={strings.share.createdTitle}
          request={created}
          close={() => setCreated(undefined)}
        />
      )}
    </>
  )
}

// The list of payments. In the CSV file of selected payments, the numbers of a payment share one cell.
function PaymentList({ sample, ...props }: ListProps) {
  return (
    <ListView
      {...props}
      view="payments"
      icon="payments"
      path={PATH}
      file={PATH}
      summary={`${PATH}/summary`}
      caption={appStrings.views.payments}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ paymentReference }) => paymentReference}
      isAbout={/^(?:payment|credit)\./}
      bulk={{
        nameOf: ({ customerName }) => customerName,
        sumOf,
        cells: ({ numbers }) => ({
          accountNumbers: numbers.map(({ accountNumber }) => accountNumber).join(' '),
        }),
        actions: (payments, endSelection) =>
          props.session.scopes.includes('refunds:write') && (
            <RefundMany payments={payments} endSelection={endSelection} />
          ),
      }}
      emptyState={{ title: strings.none, text: strings.noneText, sample }}
      detail={(row) => <PaymentDrawer {...row} scopes={props.session.scopes} />}
    />
  )
}

type ListProps = ViewProps & {
  refreshKey: number
  add: ComponentChildren
  sample: ComponentChildren
}

const REQUEST_STATUSES = ['Pending', 'Paid', 'Expired', 'Cancelled', 'Reversed']

const REQUEST_FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(REQUEST_STATUSES) },
  { name: 'reference', label: strings.reference, placeholder: strings.anyReference },
  { name: 'search', label: strings.customer, placeholder: strings.nameOrEmail },
  ...DATES,
]

const REQUEST_COLUMNS: readonly Column<Schemas['AdviceRecord']>[] = [
  { name: strings.customer, place: 'lead', show: ({ customerFullName }) => customerFullName },
  amountColumn(strings.amount),
  {
    name: strings.status,
    place: 'state',
    show: ({ status, amountPaid, refundedAmount }) => (
      <PaidBadge state={status} received={amountPaid} refunded={refundedAmount} />
    ),
  },
  {
    name: strings.reference,
    place: 'second',
    show: ({ merchantRef, adviceReference }) => (
      <code>{merchantRef ?? codeOfId('REQ', adviceReference)}</code>
    ),
  },
  { name: strings.narration, show: ({ narration }) => narration },
  {
    name: strings.expires,
    show: ({ expiresAt, expiresInSeconds }) =>
      expiresAt ? <Time at={expiresAt} /> : validityText(expiresInSeconds),
  },
  orderColumn(strings.created, 'createdAt'),
]

// The list of payment requests. ADVICE_PREFIX in the URL tells a request from a payment, which opens in the
// same drawer.
function RequestList({ sample, ...props }: ListProps) {
  return (
    <ListView
      {...props}
      view="payments"
      icon="advice"
      path="/api/v1/advices"
      caption={strings.tabs.requests}
      columns={REQUEST_COLUMNS}
      filters={REQUEST_FILTERS}
      keyOf={({ adviceReference }) => `${ADVICE_PREFIX}${adviceReference}`}
      isAbout={/^(?:payment|credit)\./}
      emptyState={{ title: strings.requests.none, text: strings.requests.noneText, sample }}
      detail={(row) => <PaymentDrawer {...row} scopes={props.session.scopes} />}
    />
  )
}
