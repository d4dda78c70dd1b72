// The payment page as a pure function of its model: the service renders it first, then the browser.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings, checkoutTitles as titles } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { BankChoice, OtherBank } from './bank-choice.tsx'
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
import { Cancelled, Expired, Paid, Reversed } from './outcomes.tsx'
import {
  AmountToPay,
  Fees,
  HeldMoney,
  Problem,
  SentButton,
  Simulate,
  SupportContacts,
} from './page-parts.tsx'

type Props = { model: Model; actions: Actions | undefined }

// The whole payment page. `actions` is undefined on the server and in previews.
export function Page({ model, actions }: Props) {
  const { checkout } = model
  const { merchantName, logo, isTest } = checkout
  const note = isTest ? strings.test : undefined
  const help = <SupportContacts checkout={checkout} />
  return (
    <Frame merchant={merchantName} logo={logo} help={help} note={note}>
      <StatusView model={model} actions={actions} />
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

function StatusView({ model, actions }: Props) {
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

// The frame around every page for payers, with the merchant's logo or initial.
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

// The title of the browser tab, also announced to screen readers when the status changes.
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

// The view while the payer is expected to send the money, or the part that is still missing.
function Transfer({ model, actions }: Props) {
  const { checkout } = model
  const { status, amountPaid, amount, amountRemaining, narration, merchantName } = checkout
  const isPart = status === 'PartPayment'
  const remainingAmount = formatNaira(amountRemaining)
  const number = shownNumber(model)
  const send = checkout.amountPolicy === 'exact' ? strings.sendExactly : strings.send
  return (
    <>
      <h1 class="unseen" tabIndex={-1}>
        {strings.payTo(merchantName)}
      </h1>
      <AmountToPay
        label={isPart ? strings.remaining : strings.due}
        amount={remainingAmount}
        purpose={narration}
      >
        <Countdown model={model} />
      </AmountToPay>
      <Fees checkout={checkout} />
      {isPart && (
        <div class="part">
          <progress max={amount} value={amountPaid} aria-label={strings.amount} />
          <p>{strings.partPaid(formatNaira(amountPaid), formatNaira(amount), remainingAmount)}</p>
        </div>
      )}
      <HeldMoney checkout={checkout} />
      <h2>{send(remainingAmount)}</h2>
      {number && <AccountToPay model={model} actions={actions} number={number} />}
      <WaitingNote />
      <SentButton model={model} actions={actions} />
      <Simulate model={model} />
      <OtherBank model={model} actions={actions} />
    </>
  )
}

// The number to transfer to, with the amount, each with a copy button.
function AccountToPay({ model, actions, number }: Props & { number: IssuedNumber }) {
  const { accountNumber, bankName } = number
  const { amountRemaining } = model.checkout
  const groups = formatNumber(accountNumber).split(' ')
  return (
    <section class="account" tabIndex={-1} aria-label={strings.accountNumber}>
      <p class="number">
        {groups.map((group, index) => (
          <span key={index}>{group}</span>
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
  const secondsLeft = secondsUntil(model.checkout.expiresAt, model.nowMs)
  return (
    <p class="countdown" role="timer">
      {strings.payWithin(formatSeconds(secondsLeft))}
    </p>
  )
}

function WaitingNote() {
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
