// Transfer instructions: amount, account number and time left.

import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { Fees, Held, Sum } from './amounts.tsx'
import { OtherBank, Problem } from './bank-choice.tsx'
import {
  type Actions,
  formatNumber,
  formatSeconds,
  type IssuedNumber,
  type Model,
  secondsUntil,
  shownNumber,
} from './checkout.ts'
import { Sent } from './sent.tsx'

type Props = { model: Model; actions: Actions | undefined }

export function Transfer({ model, actions }: Props) {
  const { checkout } = model
  const { status, amountPaid, amount, amountRemaining, narration, merchantName } = checkout
  const isPart = status === 'PartPayment'
  const rest = formatNaira(amountRemaining)
  const number = shownNumber(model)
  const send = checkout.amountPolicy === 'exact' ? strings.sendExactly : strings.send
  return (
    <>
      <h1 class="unseen" tabIndex={-1}>
        {strings.payTo(merchantName)}
      </h1>
      <Sum label={isPart ? strings.remaining : strings.due} amount={rest} purpose={narration}>
        <Countdown model={model} />
      </Sum>
      <Fees checkout={checkout} />
      {isPart && (
        <div class="part">
          <progress max={amount} value={amountPaid} aria-label={strings.amount} />
          <p>{strings.partPaid(formatNaira(amountPaid), formatNaira(amount), rest)}</p>
        </div>
      )}
      <Held checkout={checkout} />
      <h2>{send(rest)}</h2>
      {number && <Account model={model} actions={actions} number={number} />}
      <Waiting />
      <Sent model={model} actions={actions} />
      <OtherBank model={model} actions={actions} />
    </>
  )
}

function Account({ model, actions, number }: Props & { number: IssuedNumber }) {
  const { accountNumber, bankName } = number
  const { amountRemaining } = model.checkout
  const groups = formatNumber(accountNumber).split(' ')
  return (
    <section class="account" tabIndex={-1} aria-label={strings.accountNumber}>
      <p class="number">
        {groups.map((group, at) => (
          <span key={at}>{group}</span>
        ))}
      </p>
      <button
        class="primary copy"
        type="button"
        onClick={() => actions?.copy('number', accountNumber)}
      >
        {model.copied === 'number' ? strings.copied : strings.copy}
      </button>
      {model.failedAt === 'number' && <Problem problem={model.problem} />}
      <dl class="facts">
        <div>
          <dt>{strings.amount}</dt>
          <dd class="copied-fact">
            <span class="fact">{formatNaira(amountRemaining)}</span>
            <button
              class="copy small"
              type="button"
              aria-label={model.copied === 'amount' ? strings.copied : strings.copyAmount}
              onClick={() => actions?.copy('amount', amountRemaining.toFixed(2))}
            >
              {model.copied === 'amount' ? strings.copied : strings.copyShort}
            </button>
          </dd>
          {model.failedAt === 'amount' && (
            <dd class="failed">
              <Problem problem={model.problem} />
            </dd>
          )}
        </div>
        <div>
          <dt>{strings.bank}</dt>
          <dd>{bankName}</dd>
        </div>
        <div>
          <dt>{strings.accountName}</dt>
          <dd>{model.checkout.accountName}</dd>
        </div>
      </dl>
    </section>
  )
}

function Countdown({ model }: { model: Model }) {
  const left = secondsUntil(model.checkout.expiresAt, model.nowMs)
  return (
    <p class="countdown" role="timer">
      {strings.payWithin(formatSeconds(left))}
    </p>
  )
}

function Waiting() {
  return (
    <div class="waiting">
      <p class="waiting-line">
        <span class="pulse" aria-hidden="true" />
        <span>{strings.waiting}</span>
      </p>
      <p class="hint with-script">{strings.waitingHint}</p>
      <p class="hint without-script">{strings.reloadHint}</p>
    </div>
  )
}
