// The payment page: a pure function of its model, rendered by the service first, then by the browser.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings, checkoutTitles as titles } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { Fees, Held, Sum } from './amounts.tsx'
import { BankChoice, OtherBank, Problem } from './bank-choice.tsx'
import {
  type Actions,
  type CheckoutStatus,
  formatNumber,
  formatSeconds,
  type IssuedNumber,
  isOpen,
  type Logo,
  type Model,
  secondsUntil,
  shownNumber,
} from './checkout.ts'
import { Help } from './help.tsx'
import { Cancelled, Expired, Paid, Reversed } from './outcomes.tsx'
import { Sent, Simulate } from './sent.tsx'

type Props = { model: Model; actions: Actions | undefined }

export function Page({ model, actions }: Props) {
  const { checkout } = model
  const { merchantName, logo, isTest } = checkout
  const note = isTest ? strings.test : undefined
  const help = <Help checkout={checkout} />
  return (
    <Frame merchant={merchantName} logo={logo} help={help} note={note}>
      <View model={model} actions={actions} />
      {mayBePaid(checkout.status) && <ScanCode checkout={checkout} />}
      <p class="unseen" role="status">
        {model.announcement}
      </p>
      <p class={model.isOffline ? 'toast is-shown' : 'toast'} aria-hidden={!model.isOffline}>
        {strings.offline}
      </p>
    </Frame>
  )
}

function View({ model, actions }: Props) {
  switch (model.checkout.status) {
    case 'Pending':
      return <BankChoice model={model} actions={actions} />
    case 'Processing':
    case 'PartPayment':
      return <Transfer model={model} actions={actions} />
    case 'Successful':
      return <Paid model={model} actions={actions} />
    case 'Expired':
      return <Expired model={model} actions={actions} />
    case 'Cancelled':
      return <Cancelled model={model} />
    case 'Reversed':
      return <Reversed model={model} />
  }
}

type FrameProps = {
  merchant: string | undefined
  logo?: Logo | null
  help?: ComponentChildren
  note: string | undefined
  children: ComponentChildren
}

export function Frame({ merchant, logo, help, note, children }: FrameProps) {
  return (
    <div class="frame">
      <header class="merchant">
        {merchant !== undefined && (
          <>
            {logo ? (
              <img class="logo" src={logo.path} width={logo.width} height={logo.height} alt="" />
            ) : (
              <span class="mark" aria-hidden="true">
                {[...merchant.trim()][0]?.toUpperCase()}
              </span>
            )}
            <span class="merchant-name">{merchant}</span>
          </>
        )}
      </header>
      <main class="card">{children}</main>
      <footer class="note">
        {help}
        {note !== undefined && <p>{note}</p>}
      </footer>
    </div>
  )
}

function mayBePaid(status: CheckoutStatus): status is 'Pending' | 'Processing' | 'PartPayment' {
  return status === 'Pending' || isOpen(status)
}

export function titleOf({ checkout }: Pick<Model, 'checkout'>): string {
  const { status, amountRemaining, merchantName } = checkout
  if (mayBePaid(status)) {
    return titles.open(formatNaira(amountRemaining), merchantName)
  }
  return `${titles[status]} · ${merchantName}`
}

// Shows the page's link as a QR code, so that the payer can continue on the phone with the bank's app. Narrow
// screens do not load the image.
function ScanCode({ checkout }: Pick<Model, 'checkout'>) {
  const { adviceReference } = checkout
  return (
    <div class="scan">
      <img
        src={`/pay/${adviceReference}/qr.svg`}
        loading="lazy"
        width="144"
        height="144"
        alt={strings.scanAlt}
      />
      <div>
        <p class="scan-title">{strings.scan}</p>
        <p class="hint">{strings.scanHint}</p>
      </div>
    </div>
  )
}

function Transfer({ model, actions }: Props) {
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
      <Simulate model={model} />
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
