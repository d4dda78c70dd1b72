// Credits: all money that banks reported, where each kobo of it is now, and how it got there.

import { getData, type Schemas } from '../api.ts'
import { words } from '../format.ts'
import { Detail, WholeTimeline } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { Badge, Copyable, Money, Time } from '../parts/values.tsx'
import { STRINGS } from '../strings.ts'
import type { ViewProps } from '../views.ts'

export type Credit = Schemas['Credit']

const { credits: said } = STRINGS
const PATH = '/api/v1/credits'
const OUTCOMES = ['booked', 'suspended', 'assigned', 'returned', 'reversed']

const FILTERS: readonly Filter[] = [
  {
    name: 'outcome',
    label: said.outcome,
    choices: OUTCOMES.map((value) => ({ value, label: words(value) })),
  },
  { name: 'sessionId', label: said.sessionId, placeholder: said.digits30 },
  { name: 'accountNumber', label: said.accountNumber, placeholder: said.digits10 },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Credit>[] = [
  {
    name: said.payer,
    place: 'lead',
    show: ({ sourceAccountName }) => sourceAccountName ?? said.unnamed,
  },
  {
    name: said.amount,
    place: 'amount',
    isAmount: true,
    show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { name: said.outcome, place: 'state', show: ({ outcome }) => <Badge state={outcome} /> },
  {
    name: said.to,
    place: 'second',
    show: ({ accountNumber, bankName }) => (
      <>
        <code>{accountNumber}</code> <span class="muted">{bankName}</span>
      </>
    ),
  },
  { name: said.sessionId, show: ({ sessionId }) => <code class="long">{sessionId}</code> },
  {
    name: said.received,
    place: 'time',
    isOrder: true,
    show: ({ receivedAt }) => <Time at={receivedAt} />,
  },
]

export default function Credits(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="credits"
      icon="credits"
      path={PATH}
      params={{}}
      csv={`${PATH}.csv`}
      caption={STRINGS.views.credits}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => `${id}`}
      isAbout={/^(?:collection|payment|credit)\./}
      none={{ title: said.none, text: said.noneText }}
      detail={({ open, version, close }) => {
        const params = { id: open }
        const load = (signal: AbortSignal) => getData(`${PATH}/{id}/timeline`, params, { signal })
        return (
          <Detail
            key={open}
            title={said.one}
            path={`${PATH}/{id}`}
            params={params}
            version={version}
            close={close}
            show={(credit) => <About credit={credit} />}
            timeline={<WholeTimeline load={load} version={version} />}
          />
        )
      }}
    />
  )
}

function About({ credit }: { credit: Credit }) {
  const { amount, currency, outcome, reason, locations } = credit
  return (
    <>
      <div class="headline">
        <Money amount={amount} currency={currency} />
        <Badge state={outcome} />
      </div>
      <p class="muted">{said.from(credit.sourceAccountName ?? said.unnamed)}</p>
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
          [said.reason, reason && (STRINGS.suspense.reasons[reason] ?? words(reason))],
          [said.to, <Copyable key="to" text={credit.accountNumber} />],
          [said.bank, credit.bankName],
          [said.payerNumber, credit.sourceAccountNumberMasked],
          [said.sessionId, <Copyable key="session" text={credit.sessionId} />],
          [said.payment, credit.paymentReference && <Copyable text={credit.paymentReference} />],
          [said.merchantRef, credit.merchantRef],
          [said.narration, credit.narration],
          [said.happened, credit.transactionTime && <Happened at={credit.transactionTime} />],
          [said.received, <Time key="received" at={credit.receivedAt} />],
          [said.judged, credit.judgedBy && said.judgedBy[credit.judgedBy]],
        ]}
      />
    </>
  )
}

// A bank that gives no time of day gives a date.
function Happened({ at }: { at: string }) {
  return at.includes('T') ? <Time at={at} /> : <time dateTime={at}>{at}</time>
}
