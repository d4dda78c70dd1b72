// Payments: status, amounts and timeline; payment requests without a number open here too.

import { getData, type Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { Detail, WholeTimeline } from '../parts/detail.tsx'
import { Facts } from '../parts/drawer.tsx'
import { AMOUNTS, DATES, type Filter, humanized } from '../parts/filters.tsx'
import { ListView } from '../parts/list-view.tsx'
import { Refunds } from '../parts/refunds.tsx'
import { RequeryButton } from '../parts/requery-form.tsx'
import { SplitLink, shareFacts } from '../parts/split-shares.tsx'
import { amountColumn, type Column } from '../parts/table.tsx'
import { Badge, Copyable, Headline, Money, Time } from '../parts/values.tsx'
import { ADVICE_PREFIX } from '../search.tsx'
import { appStrings } from '../strings/app.ts'
import { paymentsStrings as strings } from '../strings/payments.ts'
import { refundsStrings } from '../strings/refunds.ts'
import { splitsStrings } from '../strings/splits.ts'
import type { ViewProps } from '../view-props.ts'

type Payment = Schemas['Payment']
type Advice = Schemas['AdviceRecord']
type PaymentDetail = Schemas['PaymentDetail']

const PATH = '/api/v1/payments'
const STATUSES = ['Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed']

const FILTERS: readonly Filter[] = [
  { name: 'status', label: strings.status, choices: humanized(STATUSES) },
  { name: 'reference', label: strings.reference, placeholder: strings.anyReference },
  { name: 'search', label: strings.customer, placeholder: strings.nameOrEmail },
  ...AMOUNTS,
  ...DATES,
]

const COLUMNS: readonly Column<Payment>[] = [
  { name: strings.customer, place: 'lead', show: ({ customerName }) => customerName },
  amountColumn(strings.amount),
  {
    name: strings.paid,
    isAmount: true,
    show: ({ amountPaid, currency }) => <Money amount={amountPaid} currency={currency} />,
  },
  { name: strings.status, place: 'state', show: ({ status }) => <Badge state={status} /> },
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
  {
    name: strings.created,
    place: 'time',
    isOrder: true,
    show: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export default function Payments(props: ViewProps) {
  const mayRequery = props.session.scopes.includes('payments:write')
  const mayRefund = props.session.scopes.includes('refunds:write')
  return (
    <ListView
      {...props}
      view="payments"
      icon="payments"
      path={PATH}
      params={{}}
      csv={`${PATH}.csv`}
      summary={`${PATH}/summary`}
      caption={appStrings.views.payments}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ paymentReference }) => paymentReference}
      isAbout={/^(?:payment|credit)\./}
      none={{ title: strings.none, text: strings.noneText, isMadeByApi: true }}
      detail={({ open, version, close, changed }) => {
        const isAdvice = open.startsWith(ADVICE_PREFIX)
        const reference = isAdvice ? open.slice(ADVICE_PREFIX.length) : open
        const load = (signal: AbortSignal) =>
          getData(`${PATH}/{reference}/timeline`, { reference }, { signal })
        const timeline = <WholeTimeline load={load} version={version} />
        const shared = { params: { reference }, version, close, timeline }
        return isAdvice ? (
          <Detail
            key={open}
            title={strings.advice}
            path="/api/v1/advices/{reference}"
            show={(advice) => <AboutAdvice advice={advice} />}
            {...shared}
          />
        ) : (
          <Detail
            key={open}
            title={strings.one}
            path={`${PATH}/{reference}`}
            show={(payment) => (
              <>
                <About payment={payment} />
                <Refunds
                  of={{ reference: payment.paymentReference }}
                  received={payment.status === 'Successful' ? payment.amountPaid : 0}
                  {...{ mayRefund, version, changed }}
                />
                {mayRequery && (
                  <RequeryButton reference={payment.paymentReference} changed={changed} />
                )}
              </>
            )}
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
      <Headline sum={advice} state={advice.status} about={strings.from(advice.customerFullName)} />
      <Facts
        facts={[
          [strings.merchantRef, advice.merchantRef && <Copyable text={advice.merchantRef} />],
          [strings.adviceReference, <Copyable key="advice" text={advice.adviceReference} />],
          [strings.narration, advice.narration],
          [splitsStrings.splitCode, advice.splitCode && <SplitLink code={advice.splitCode} />],
          [
            strings.page,
            <a key="page" href={advice.paymentUrl}>
              {strings.openPage}
            </a>,
          ],
          [strings.created, <Time key="created" at={advice.createdAt} />],
        ]}
      />
    </>
  )
}

function About({ payment }: { payment: PaymentDetail }) {
  const { amountPaid, amountRemaining, amountInSuspense, refundedAmount, currency } = payment
  return (
    <>
      <Headline sum={payment} state={payment.status} about={strings.from(payment.customerName)} />
      <Facts
        facts={[
          [strings.paid, <Money key="paid" amount={amountPaid} currency={currency} />],
          [
            strings.remaining,
            amountRemaining > 0 && <Money amount={amountRemaining} currency={currency} />,
          ],
          [
            strings.inSuspense,
            amountInSuspense > 0 && <Money amount={amountInSuspense} currency={currency} />,
          ],
          [
            refundsStrings.refunded,
            refundedAmount > 0 && <Money amount={refundedAmount} currency={currency} />,
          ],
          ...shareFacts(payment),
          ...payment.numbers.map(
            ({ bankName, accountNumber }) =>
              [bankName, <Copyable key={accountNumber} text={accountNumber} />] as const,
          ),
          [strings.merchantRef, payment.merchantRef && <Copyable text={payment.merchantRef} />],
          [strings.paymentReference, <Copyable key="payment" text={payment.paymentReference} />],
          [strings.adviceReference, <Copyable key="advice" text={payment.adviceReference} />],
          [strings.narration, payment.narration],
          [
            strings.policy,
            strings.policies[payment.amountPolicy] ?? humanize(payment.amountPolicy),
          ],
          [strings.expires, <Time key="expires" at={payment.expiresAt} />],
        ]}
      />
    </>
  )
}
