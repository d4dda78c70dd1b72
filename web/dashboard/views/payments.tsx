// Payments and payment requests. A request becomes a payment when its customer gets an account number.

import { useState } from 'preact/hooks'
import { appStrings, paymentsStrings as strings } from '../../copy.ts'
import type { Query, Schemas } from '../api.ts'
import { AMOUNTS, DATES, type Filter, humanized } from '../parts/filters.tsx'
import { Link } from '../parts/link.tsx'
import { ListView } from '../parts/list-view.tsx'
import { SampleData } from '../parts/sample-data.tsx'
import { amountColumn, type Column, orderColumn } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Money, PaidBadge } from '../parts/values.tsx'
import { closeTo, goTo, hrefOf } from '../routing.ts'
import type { ViewProps } from '../view-props.ts'
import { PaymentDrawer } from './payments/drawer.tsx'
import { NewRequest } from './payments/new-request.tsx'
import { type ListProps, Requests } from './payments/requests.tsx'
import { ShareDialog } from './payments/share.tsx'

const PATH = '/api/v1/payments'
const STATUSES = ['Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed']
const TABS = ['payments', 'requests'] as const

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'reference', label: strings.reference, placeholder: strings.anyReference },
  { name: 'search', label: strings.customer, placeholder: strings.nameOrEmail },
  ...AMOUNTS,
  ...DATES,
]

const COLUMNS: readonly Column<Schemas['Payment']>[] = [
  { name: strings.customer, place: 'lead', show: ({ customerName }) => customerName },
  amountColumn(strings.amount),
  {
    name: strings.paid,
    isAmount: true,
    show: ({ amountPaid, currency }) => <Money amount={amountPaid} currency={currency} />,
  },
  {
    name: strings.status,
    place: 'state',
    show: ({ status, amountPaid, refundedAmount }) => (
      <PaidBadge state={status} received={amountPaid} refunded={refundedAmount} />
    ),
  },
  {
    name: strings.reference,
    show: ({ merchantRef, paymentReference }) => (
      <code>{merchantRef ?? paymentReference.slice(0, 8)}</code>
    ),
  },
  {
    name: strings.number,
    place: 'second',
    show: ({ numbers }) => <code>{numbers.at(-1)?.accountNumber}</code>,
  },
  orderColumn(strings.created, 'createdAt'),
]

export default function Payments(props: ViewProps) {
  const { session, place } = props
  const [created, setCreated] = useState<Schemas['Advice'] | undefined>()
  const [version, setVersion] = useState(0)
  const current = TABS.find((name) => name === place.query.tab) ?? 'payments'
  const refresh = () => setVersion((before) => before + 1)
  const mayWrite = session.scopes.includes('payments:write')
  const here = (query: Query) => hrefOf('payments', undefined, { ...place.query, ...query })
  const add = mayWrite && (
    <Link class="button primary" href={here({ new: 'request' })}>
      {strings.create.open}
    </Link>
  )
  const listed = { ...props, version, add, sample: <SampleData {...{ session, refresh }} /> }
  return (
    <>
      <Tabs label={strings.parts} view="payments" names={strings.tabs} current={current} />
      {current === 'requests' ? <Requests {...listed} /> : <PaymentList {...listed} />}
      {mayWrite && place.query.new === 'request' && (
        <NewRequest
          close={() => closeTo(here({ new: undefined }))}
          created={(request) => {
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

function PaymentList({ sample, ...props }: ListProps) {
  return (
    <ListView
      {...props}
      view="payments"
      icon="payments"
      path={PATH}
      csv={`${PATH}.csv`}
      summary={`${PATH}/summary`}
      caption={appStrings.views.payments}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ paymentReference }) => paymentReference}
      isAbout={/^(?:payment|credit)\./}
      none={{ title: strings.none, text: strings.noneText, sample }}
      detail={(shown) => <PaymentDrawer {...shown} scopes={props.session.scopes} />}
    />
  )
}
