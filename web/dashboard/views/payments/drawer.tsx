// The drawer of a payment or payment request.

import { codeOfId } from '../../../../src/short-codes.ts'
import {
  creditsStrings,
  refundsStrings,
  splitsStrings,
  paymentsStrings as strings,
} from '../../../copy.ts'
import { getData, type Page, type Schemas } from '../../api.ts'
import { humanize } from '../../format.ts'
import { SplitLink, shareFacts } from '../../parts/choices.tsx'
import { Link } from '../../parts/controls.tsx'
import { Detail, type Fact, factList, WholeTimeline } from '../../parts/drawer.tsx'
import { amountLeft, Refunds } from '../../parts/refunds.tsx'
import {
  Copyable,
  Money,
  moneyIfAny,
  PaidHeadline,
  PaymentReference,
  Reference,
  Time,
} from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { ADVICE_PREFIX } from '../../search.tsx'
import { RequestActions } from './request-actions.tsx'

const PATH = '/api/v1/payments/{reference}'
const REFUNDABLE: readonly string[] = ['Successful', 'Reversed'] // Part of a reversed payment may remain.

// Returns the amount of a payment that can still be refunded. It is 0 if `data` lacks some of the refunds,
// because the sum would be too high.
export function refundableAmount(
  { status, amountPaid }: Schemas['PaymentDetail'],
  { data, hasMore }: Page<Schemas['Refund']>,
): number {
  return isPaid({ status }) && !hasMore ? amountLeft(amountPaid, data) : 0
}

export const isPaid = ({ status }: { status: string }) => REFUNDABLE.includes(status)

export const validityText = (seconds: number) => strings.spans[seconds] ?? strings.seconds(seconds)

type Props = {
  open: string // A payment's reference, or a request's with ADVICE_PREFIX.
  scopes: readonly string[]
  refreshKey: number
  close: () => void
  changed: () => void
}

// Shows a payment, or a payment request for which no number was issued yet. In the URL, the reference of a
// payment request has ADVICE_PREFIX in front.
export function PaymentDrawer({ open, scopes, refreshKey, close, changed }: Props) {
  const isAdvice = open.startsWith(ADVICE_PREFIX)
  const reference = isAdvice ? open.slice(ADVICE_PREFIX.length) : open
  const load = (signal: AbortSignal) => getData(`${PATH}/timeline`, { reference }, { signal })
  const timeline = <WholeTimeline load={load} refreshKey={refreshKey} />
  const drawerProps = { params: { reference }, refreshKey, close, timeline }
  const actionProps = { scopes, changed }
  if (isAdvice) {
    return (
      <Detail
        key={open}
        title={strings.advice}
        path="/api/v1/advices/{reference}"
        show={(advice) => (
          <>
            <RequestFacts advice={advice} />
            <RequestActions subject={advice} {...actionProps} />
          </>
        )}
        {...drawerProps}
      />
    )
  }
  return (
    <Detail
      key={open}
      title={strings.one}
      path={PATH}
      show={(payment) => (
        <>
          <PaymentHeadline payment={payment} />
          <Refunds
            target={{ reference: payment.paymentReference }}
            payer={onlyPayer(payment)}
            received={isPaid(payment) ? payment.amountPaid : 0}
            mayRefund={scopes.includes('refunds:write')}
            {...{ refreshKey, changed }}
          />
          <PaymentFacts payment={payment} />
          <RequestActions subject={payment} {...actionProps} />
        </>
      )}
      {...drawerProps}
    />
  )
}

// The details of a payment request. Until it has an end (`expiresAt`), its time of validity is shown.
function RequestFacts({ advice }: { advice: Schemas['AdviceRecord'] }) {
  return (
    <>
      <PaidHeadline
        sum={advice}
        state={advice.status}
        received={advice.amountPaid}
        refunded={advice.refundedAmount}
        about={strings.from(advice.customerFullName)}
      />
      {factList([
        [strings.merchantRef, advice.merchantRef && <Copyable text={advice.merchantRef} />],
        [
          strings.adviceReference,
          <Reference
            key="advice"
            code={codeOfId('REQ', advice.adviceReference)}
            text={advice.adviceReference}
          />,
        ],
        [strings.narration, advice.narration],
        [splitsStrings.splitCode, advice.splitCode && <SplitLink code={advice.splitCode} />],
        [strings.policy, strings.policies[advice.amountPolicy] ?? humanize(advice.amountPolicy)],
        [
          strings.page,
          <a key="page" href={advice.paymentUrl}>
            {strings.openPage}
          </a>,
        ],
        [
          strings.payment,
          advice.paymentReference && (
            <Link href={hrefOf('payments', advice.paymentReference)}>{strings.viewPayment}</Link>
          ),
        ],
        [strings.requests.validity, !advice.expiresAt && validityText(advice.expiresInSeconds)],
        [strings.expires, advice.expiresAt && <Time at={advice.expiresAt} />],
        [strings.created, <Time key="created" at={advice.createdAt} />],
      ])}
    </>
  )
}

const payerNames = ({ credits }: Schemas['PaymentDetail']) => [
  ...new Set(credits.flatMap(({ sourceAccountName }) => sourceAccountName ?? [])),
]

// The name of the payer, or null if it is unknown or several people paid.
export function onlyPayer(payment: Schemas['PaymentDetail']): string | null {
  const [payer = null, ...otherPayers] = payerNames(payment)
  return otherPayers.length === 0 ? payer : null
}

// Returns the facts that support staff need when a payer calls. The latest credit comes first.
function payerFacts(payment: Schemas['PaymentDetail']): Fact[] {
  const [latest] = payment.credits
  if (!latest) return []
  return [
    [creditsStrings.payer, payerNames(payment).join(', ')],
    [creditsStrings.sessionId, <Copyable key="session" text={latest.sessionId} />],
    [creditsStrings.bank, latest.bankName],
    [strings.paidAt, <Time key="paid-at" at={latest.receivedAt} />],
  ]
}

function PaymentHeadline({ payment }: { payment: Schemas['PaymentDetail'] }) {
  const { status, amountPaid, refundedAmount, customerName } = payment
  return (
    <PaidHeadline
      sum={payment}
      state={status}
      received={amountPaid}
      refunded={refundedAmount}
      about={strings.from(customerName)}
    />
  )
}

function PaymentFacts({ payment }: { payment: Schemas['PaymentDetail'] }) {
  const { amountPaid, amountRemaining, amountInSuspense, refundedAmount, currency } = payment
  return factList([
    ...payerFacts(payment),
    [strings.paid, <Money key="paid" amount={amountPaid} currency={currency} />],
    [strings.remaining, moneyIfAny(amountRemaining, currency)],
    [strings.inSuspense, moneyIfAny(amountInSuspense, currency)],
    [refundsStrings.refunded, moneyIfAny(refundedAmount, currency)],
    ...shareFacts(payment),
    ...payment.numbers.map(
      ({ bankName, accountNumber }) =>
        [bankName, <Copyable key={accountNumber} text={accountNumber} />] as const,
    ),
    [strings.merchantRef, payment.merchantRef && <Copyable text={payment.merchantRef} />],
    [strings.paymentReference, <PaymentReference key="payment" id={payment.paymentReference} />],
    [
      strings.adviceReference,
      <Reference
        key="advice"
        code={codeOfId('REQ', payment.adviceReference)}
        text={payment.adviceReference}
      />,
    ],
    [strings.narration, payment.narration],
    [strings.policy, strings.policies[payment.amountPolicy] ?? humanize(payment.amountPolicy)],
    [strings.expires, <Time key="expires" at={payment.expiresAt} />],
  ])
}
