// Payments: each advice that got a number, how much of it was paid, and its whole story.

import { getData, type Schemas } from '../api.ts'
import { words } from '../format.ts'
import { Detail, WholeTimeline } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import type { Filter } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import type { Column } from '../parts/table.tsx'
import { Badge, Copyable, Money, Time } from '../parts/values.tsx'
import { ADVICE_MARK } from '../search.tsx'
import { STRINGS } from '../strings.ts'
import type { ViewProps } from '../views.ts'

type Payment = Schemas['Payment']
type Advice = Schemas['AdviceRecord']
type PaymentDetail = Schemas['PaymentDetail']

const { payments: said } = STRINGS
const PATH = '/api/v1/payments'
const STATUSES = ['Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed']

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: said.status,
    choices: STATUSES.map((value) => ({ value, label: words(value) })),
  },
  { name: 'reference', label: said.reference, placeholder: said.anyReference },
  { name: 'search', label: said.customer, placeholder: said.nameOrEmail },
  { name: 'from', label: STRINGS.filters.from, type: 'date' },
  { name: 'to', label: STRINGS.filters.to, type: 'date' },
]

const COLUMNS: readonly Column<Payment>[] = [
  { name: said.customer, place: 'lead', show: ({ customerName }) => customerName },
  {
    name: said.amount,
    place: 'amount',
    isAmount: true,
    show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    name: said.paid,
    isAmount: true,
    show: ({ amountPaid, currency }) => <Money amount={amountPaid} currency={currency} />,
  },
  { name: said.status, place: 'state', show: ({ status }) => <Badge state={status} /> },
  {
    name: said.reference,
    show: ({ merchantRef, paymentReference }) => (
      <code>{merchantRef ?? paymentReference.slice(0, 8)}</code>
    ),
  },
  {
    name: said.number,
    place: 'second',
    show: ({ numbers }) => <code>{numbers.at(-1)?.accountNumber}</code>,
  },
  {
    name: said.created,
    place: 'time',
    isOrder: true,
    show: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export default function Payments(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="payments"
      icon="payments"
      path={PATH}
      params={{}}
      csv={`${PATH}.csv`}
      caption={STRINGS.views.payments}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ paymentReference }) => paymentReference}
      isAbout={/^(?:payment|credit)\./}
      none={{ title: said.none, text: said.noneText, isMadeByApi: true }}
      detail={({ open, version, close }) => {
        const isAdvice = open.startsWith(ADVICE_MARK)
        const reference = isAdvice ? open.slice(ADVICE_MARK.length) : open
        const load = (signal: AbortSignal) =>
          getData(`${PATH}/{reference}/timeline`, { reference }, { signal })
        const told = <WholeTimeline load={load} version={version} />
        const shared = { params: { reference }, version, close, timeline: told }
        return isAdvice ? (
          <Detail
            key={open}
            title={said.advice}
            path="/api/v1/advices/{reference}"
            show={(advice) => <AboutAdvice advice={advice} />}
            {...shared}
          />
        ) : (
          <Detail
            key={open}
            title={said.one}
            path={`${PATH}/{reference}`}
            show={(payment) => <About payment={payment} />}
            {...shared}
          />
        )
      }}
    />
  )
}

function AboutAdvice({ advice }: { advice: Advice }) {
  return (
    <>
      <div class="headline">
        <Money amount={advice.amount} currency={advice.currency} />
        <Badge state={advice.status} />
      </div>
      <p class="muted">{said.from(advice.customerFullName)}</p>
      <Facts
        facts={[
          [said.merchantRef, advice.merchantRef && <Copyable text={advice.merchantRef} />],
          [said.adviceReference, <Copyable key="advice" text={advice.adviceReference} />],
          [said.narration, advice.narration],
          [
            said.page,
            <a key="page" href={advice.paymentUrl}>
              {said.openPage}
            </a>,
          ],
          [said.created, <Time key="created" at={advice.createdAt} />],
        ]}
      />
    </>
  )
}

function About({ payment }: { payment: PaymentDetail }) {
  const { amount, amountPaid, amountRemaining, amountInSuspense, currency, status } = payment
  return (
    <>
      <div class="headline">
        <Money amount={amount} currency={currency} />
        <Badge state={status} />
      </div>
      <p class="muted">{said.from(payment.customerName)}</p>
      <Facts
        facts={[
          [said.paid, <Money key="paid" amount={amountPaid} currency={currency} />],
          [
            said.remaining,
            amountRemaining > 0 && <Money amount={amountRemaining} currency={currency} />,
          ],
          [
            said.inSuspense,
            amountInSuspense > 0 && <Money amount={amountInSuspense} currency={currency} />,
          ],
          ...payment.numbers.map(
            ({ bankName, accountNumber }) =>
              [bankName, <Copyable key={accountNumber} text={accountNumber} />] as const,
          ),
          [said.merchantRef, payment.merchantRef && <Copyable text={payment.merchantRef} />],
          [said.paymentReference, <Copyable key="payment" text={payment.paymentReference} />],
          [said.adviceReference, <Copyable key="advice" text={payment.adviceReference} />],
          [said.narration, payment.narration],
          [said.policy, said.policies[payment.amountPolicy] ?? words(payment.amountPolicy)],
          [said.expires, <Time key="expires" at={payment.expiresAt} />],
        ]}
      />
    </>
  )
}
