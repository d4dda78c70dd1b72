// How it ended, and what to do next.

import { formatNaira } from '../money.ts'
import { type Actions, formatMoment, formatSeconds, type Model, secondsUntil } from './checkout.ts'
import { STRINGS } from './strings.ts'
import { Held } from './transfer.tsx'

export function Paid({ model, actions }: { model: Model; actions: Actions | undefined }) {
  const { checkout, returnIn } = model
  const { amountPaid, merchantName, returnUrl } = checkout
  return (
    <div class="outcome">
      <Sign kind="good" />
      <h1 tabIndex={-1}>{STRINGS.paidTitle}</h1>
      <p class="amount">{formatNaira(amountPaid)}</p>
      <p class="hint">{STRINGS.paidHint(merchantName)}</p>
      <Held checkout={checkout} />
      <Receipt model={model} />
      <div class="actions">
        <a class="primary" href={returnUrl} rel="noreferrer">
          {returnIn === undefined
            ? STRINGS.back(merchantName)
            : STRINGS.returning(merchantName, returnIn)}
        </a>
        {returnIn !== undefined && (
          <button class="secondary" type="button" onClick={() => actions?.stay()}>
            {STRINGS.stay}
          </button>
        )}
        <button class="secondary with-script" type="button" onClick={() => actions?.print()}>
          {STRINGS.print}
        </button>
      </div>
    </div>
  )
}

function Receipt({ model }: { model: Model }) {
  const { checkout } = model
  const number = checkout.numbers.at(-1)
  const facts: [string, string | null | undefined][] = [
    [STRINGS.paidTo, checkout.merchantName],
    [STRINGS.amount, formatNaira(checkout.amountPaid)],
    [STRINGS.purpose, checkout.narration],
    [STRINGS.date, checkout.paidAt && formatMoment(checkout.paidAt)],
    [STRINGS.merchantRef, checkout.merchantRef],
    [STRINGS.paymentReference, checkout.paymentReference],
    [STRINGS.paidInto, number && `${number.bankName} ${number.accountNumber}`],
  ]
  return (
    <section class="receipt" aria-label={STRINGS.receipt}>
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

export function Expired({ model }: { model: Model }) {
  const { checkout, nowMs } = model
  const { merchantName, closesAt } = checkout
  const graceSeconds = secondsUntil(closesAt, nowMs)
  return (
    <div class="outcome">
      <Sign kind="late" />
      <h1 tabIndex={-1}>{STRINGS.expiredTitle}</h1>
      {graceSeconds > 0 && (
        <p class="problem">{STRINGS.stillCounts(formatSeconds(graceSeconds))}</p>
      )}
      <Held checkout={checkout} />
      <AlreadyPaid checkout={checkout} />
      <h2>{STRINGS.notPaid}</h2>
      <p class="hint">{STRINGS.notPaidHint(merchantName)}</p>
      <Return checkout={checkout} />
    </div>
  )
}

export function Cancelled({ model: { checkout } }: { model: Model }) {
  return (
    <div class="outcome">
      <Sign kind="stopped" />
      <h1 tabIndex={-1}>{STRINGS.cancelledTitle}</h1>
      <p class="hint">{STRINGS.cancelledHint(checkout.merchantName)}</p>
      <Held checkout={checkout} />
      <AlreadyPaid checkout={checkout} />
      <Return checkout={checkout} />
    </div>
  )
}

export function Reversed({ model: { checkout } }: { model: Model }) {
  return (
    <div class="outcome">
      <Sign kind="stopped" />
      <h1 tabIndex={-1}>{STRINGS.reversedTitle}</h1>
      <p class="hint">{STRINGS.reversedHint(checkout.merchantName)}</p>
      <Held checkout={checkout} />
      <Reference checkout={checkout} />
      <Return checkout={checkout} />
    </div>
  )
}

type Part = Pick<Model, 'checkout'>

function AlreadyPaid({ checkout }: Part) {
  return (
    <>
      <h2>{STRINGS.alreadyPaid}</h2>
      <p class="hint">{STRINGS.alreadyPaidHint(checkout.merchantName)}</p>
      <Reference checkout={checkout} />
    </>
  )
}

function Reference({ checkout }: Part) {
  const reference = checkout.merchantRef ?? checkout.paymentReference ?? checkout.adviceReference
  return (
    <dl class="facts">
      <div>
        <dt>{STRINGS.reference}</dt>
        <dd>{reference}</dd>
      </div>
    </dl>
  )
}

function Return({ checkout }: Part) {
  return (
    <div class="actions">
      <a class="primary" href={checkout.returnUrl} rel="noreferrer">
        {STRINGS.back(checkout.merchantName)}
      </a>
    </div>
  )
}

const SIGNS = {
  good: 'M7 12.5l3.5 3.5L17 9',
  late: 'M12 7v5.5l3.5 2',
  stopped: 'M8.5 8.5l7 7m0-7l-7 7',
} as const

export function Sign({ kind }: { kind: keyof typeof SIGNS }) {
  return (
    <svg class={`sign is-${kind}`} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" />
      <path d={SIGNS[kind]} />
    </svg>
  )
}
