// The payment page: a pure function of its model, rendered by the service first, then by the browser.

import type { ComponentChildren } from 'preact'
import { checkoutStrings as strings, checkoutTitles as titles } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { BankChoice } from './bank-choice.tsx'
import { type Actions, type CheckoutStatus, isOpen, type Logo, type Model } from './checkout.ts'
import { Help } from './help.tsx'
import { Cancelled, Expired, Paid, Reversed } from './outcomes.tsx'
import { ScanCode } from './scan-code.tsx'
import { Transfer } from './transfer.tsx'

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
