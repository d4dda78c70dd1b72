// The final states of a payment, and what to do next.

import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { type Actions, formatMoment, formatSeconds, type Model, secondsUntil } from './checkout.ts'
import { HeldMoney, referenceOf, SentButton } from './page-parts.tsx'

// The receipt, with a countdown to the merchant's site if the payer saw the payment arrive.
export function Paid({ model, actions }: { model: Model; actions: Actions | undefined }) {
  const { checkout, returnIn } = model
  const { amountPaid, amountRefunded, merchantName, returnUrl } = checkout
  const isRefunded = amountRefunded >= amountPaid && amountRefunded > 0
  return (
    <div class="outcome">
      <OutcomeSign kind="good" />
      <h1 tabIndex={-1}>{isRefunded ? strings.refundedTitle : strings.paidTitle}</h1>
      <p class="amount">{formatNaira(amountPaid)}</p>
      <p class="hint">
        {isRefunded ? strings.refundedHint(merchantName) : strings.paidHint(merchantName)}
      </p>
      {amountRefunded > 0 && !isRefunded && (
        <p class="hint">{strings.partRefunded(formatNaira(amountRefunded), merchantName)}</p>
      )}
      <HeldMoney checkout={checkout} />
      <Receipt model={model} />
      <div class="actions">
        {returnUrl !== '' && (
          <a class="primary" href={returnUrl} rel="noreferrer">
            {returnIn === undefined
              ? strings.back(merchantName)
              : strings.returning(merchantName, returnIn)}
          </a>
        )}
        {returnIn !== undefined && (
          <button class="secondary" type="button" onClick={() => actions?.stay()}>
            {strings.stay}
          </button>
        )}
        <button class="secondary with-script" type="button" onClick={() => actions?.print()}>
          {strings.print}
        </button>
      </div>
    </div>
  )
}

// The facts of the payment. Omits facts without a value.
function Receipt({ model }: { model: Model }) {
  const { checkout } = model
  const { payerNames, payerBanks, sessionIds, paidInto } = checkout
  const sent = checkout.amountPaid + checkout.amountHeld
  const facts: [string, string | null | undefined][] = [
    [strings.paidTo, checkout.merchantName],
    [strings.amount, formatNaira(checkout.amountPaid)],
    [strings.sentInAll, checkout.amountHeld > 0 ? formatNaira(sent) : null],
    [strings.refunded, checkout.amountRefunded > 0 ? formatNaira(checkout.amountRefunded) : null],
    [strings.purpose, checkout.narration],
    [strings.date, checkout.paidAt && formatMoment(checkout.paidAt)],
    [strings.merchantRef, checkout.merchantRef],
    [strings.paymentReference, checkout.shortCode],
    [strings.payer, payerNames.join(', ')],
    [strings.paidFrom, payerBanks.join(', ')],
    [
      strings.paidInto,
      paidInto.map((number) => `${number.bankName} ${number.accountNumber}`).join(', '),
    ],
    [strings.sessionId, sessionIds.join(', ')],
  ]
  return (
    <section class="receipt" aria-label={strings.receipt}>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </section>
  )
}

// During the grace period money still counts, so the payer may still say that it was sent.
export function Expired({ model, actions }: { model: Model; actions: Actions | undefined }) {
  const { checkout, nowMs } = model
  const { merchantName, closesAt } = checkout
  const graceSeconds = secondsUntil(closesAt, nowMs)
  return (
    <div class="outcome">
      <OutcomeSign kind="late" />
      <h1 tabIndex={-1}>{strings.expiredTitle}</h1>
      {graceSeconds > 0 && (
        <p class="problem">{strings.stillCounts(formatSeconds(graceSeconds))}</p>
      )}
      {graceSeconds > 0 && <SentButton model={model} actions={actions} />}
      <HeldMoney checkout={checkout} />
      <AlreadyPaid checkout={checkout} />
      <h2>{strings.notPaid}</h2>
      <p class="hint">{strings.notPaidHint(merchantName)}</p>
      <BackToMerchant checkout={checkout} />
    </div>
  )
}

// Money may have arrived before the cancellation, so the page says what happens to it.
export function Cancelled({ model: { checkout } }: { model: Model }) {
  return (
    <div class="outcome">
      <OutcomeSign kind="stopped" />
      <h1 tabIndex={-1}>{strings.cancelledTitle}</h1>
      <p class="hint">{strings.cancelledHint(checkout.merchantName)}</p>
      <HeldMoney checkout={checkout} />
      <AlreadyPaid checkout={checkout} />
      <BackToMerchant checkout={checkout} />
    </div>
  )
}

// The payer's bank took the money back after it had arrived.
export function Reversed({ model: { checkout } }: { model: Model }) {
  return (
    <div class="outcome">
      <OutcomeSign kind="stopped" />
      <h1 tabIndex={-1}>{strings.reversedTitle}</h1>
      <p class="hint">{strings.reversedHint(checkout.merchantName)}</p>
      <HeldMoney checkout={checkout} />
      <ReferenceFact checkout={checkout} />
      <BackToMerchant checkout={checkout} />
    </div>
  )
}

type CheckoutProps = Pick<Model, 'checkout'>

// Tells a payer who sent the money after the request was closed whom to ask, and with which reference.
function AlreadyPaid({ checkout }: CheckoutProps) {
  return (
    <>
      <h2>{strings.alreadyPaid}</h2>
      <p class="hint">{strings.alreadyPaidHint(checkout.merchantName)}</p>
      <ReferenceFact checkout={checkout} />
    </>
  )
}

// The reference that the payer gives to the merchant’s support.
function ReferenceFact({ checkout }: CheckoutProps) {
  return (
    <dl class="facts">
      <div>
        <dt>{strings.reference}</dt>
        <dd>{referenceOf(checkout)}</dd>
      </div>
    </dl>
  )
}

function BackToMerchant({ checkout }: CheckoutProps) {
  if (checkout.returnUrl === '') return null
  return (
    <div class="actions">
      <a class="primary" href={checkout.returnUrl} rel="noreferrer">
        {strings.back(checkout.merchantName)}
      </a>
    </div>
  )
}

const SIGNS = {
  good: 'M7 12.5l3.5 3.5L17 9',
  late: 'M12 7v5.5l3.5 2',
  stopped: 'M8.5 8.5l7 7m0-7l-7 7',
} as const

export function OutcomeSign({ kind }: { kind: keyof typeof SIGNS }) {
  return (
    <svg class={`sign is-${kind}`} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" />
      <path d={SIGNS[kind]} />
    </svg>
  )
}
