// Payment requests, also those that no customer has opened.

import type { ComponentChildren } from 'preact'
import { paymentsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { DATES, type Filter, humanized } from '../../parts/filters.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { amountColumn, type Column, orderColumn } from '../../parts/table.tsx'
import { PaidBadge, Time } from '../../parts/values.tsx'
import { ADVICE_PREFIX } from '../../search.tsx'
import type { ViewProps } from '../../view-props.ts'
import { PaymentDrawer, validityOf } from './drawer.tsx'

export type ListProps = ViewProps & {
  version: number
  add: ComponentChildren
  sample: ComponentChildren
}

const STATUSES = ['Pending', 'Paid', 'Expired', 'Cancelled', 'Reversed']

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'reference', label: strings.reference, placeholder: strings.anyReference },
  { name: 'search', label: strings.customer, placeholder: strings.nameOrEmail },
  ...DATES,
]

const COLUMNS: readonly Column<Schemas['AdviceRecord']>[] = [
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
      <code>{merchantRef ?? adviceReference.slice(0, 8)}</code>
    ),
  },
  { name: strings.narration, show: ({ narration }) => narration },
  {
    name: strings.expires,
    show: ({ expiresAt, expiresInSeconds }) =>
      expiresAt ? <Time at={expiresAt} /> : validityOf(expiresInSeconds),
  },
  orderColumn(strings.created, 'createdAt'),
]

export function Requests({ sample, ...props }: ListProps) {
  return (
    <ListView
      {...props}
      view="payments"
      icon="advice"
      path="/api/v1/advices"
      caption={strings.tabs.requests}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ adviceReference }) => `${ADVICE_PREFIX}${adviceReference}`}
      isAbout={/^(?:payment|credit)\./}
      none={{ title: strings.requests.none, text: strings.requests.noneText, sample }}
      detail={(shown) => <PaymentDrawer {...shown} scopes={props.session.scopes} />}
    />
  )
}
