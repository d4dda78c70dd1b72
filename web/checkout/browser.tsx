// The payment page in the browser: hydrates the server's markup, keeps it current, and handles actions.
// All state is one model; every change renders the page from it.

import './checkout.css'
import './views.css'
import './merchant.css'
import './print.css'
import { hydrate, render } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import { foundBanks } from './bank-choice.tsx'
import {
  type Actions,
  type Checkout,
  type Copied,
  firstModel,
  formatNumber,
  isOpen,
  type Model,
  secondsUntil,
  shownNumber,
} from './checkout.ts'
import { followCheckout } from './live.ts'
import { Page, titleOf } from './page.tsx'
import { describeHeld } from './page-parts.tsx'

const COPIED_MS = 2_500
const SENT_MS = 60_000 // After this time the payer may press “I’ve sent the money” again.
const RETURN_SECONDS = 10
const ASK_MAX_MS = 20_000
const MINUTES_ANNOUNCED = [10, 5, 1]

const root = document.getElementById('page') as HTMLElement
let model: Model = firstModel(JSON.parse(root.dataset.page as string))
// The service's clock, advanced by the browser's monotonic clock.
let clockOffsetMs = model.nowMs - performance.now()
let copiedTimer: number | undefined
let sentTimer: number | undefined

const actions: Actions = {
  choose,
  search,
  sent: reportSent,
  copy,
  print: printReceipt,
  stay: cancelRedirect,
}
const { adviceReference } = model.checkout

// The payer may have typed before this script ran, or the browser may have restored the text.
const typedSearch = root.querySelector<HTMLInputElement>('.find input')?.value
hydrate(<Page model={model} actions={actions} />, root)
if (typedSearch) search(typedSearch)
const live = followCheckout(adviceReference, { onCheckout: showCheckout, onOffline: setOffline })
setInterval(tick, 1_000)
if (model.isSent) {
  // The payer sent the form before this script ran. Remove the parameter `sent`, so that a reload does not
  // show the result again.
  allowSentAgainLater()
  const address = new URL(location.href)
  address.searchParams.delete('sent')
  history.replaceState(null, '', address)
}
// Phones freeze hidden pages, and the back button restores old pages. So read the state again.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void live.readStatus()
})
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  cancelRedirect()
  void live.readStatus()
})

// Changes the model and renders the page. It is the only place that does so after the first rendering.
function update(change: Partial<Model>): void {
  const previous = model
  model = { ...model, ...change }
  const hadFocus = root.contains(document.activeElement)
  render(<Page model={model} actions={actions} />, root)
  document.title = titleOf(model)
  if (!hadFocus || root.contains(document.activeElement)) return
  // The rendering removed the focused element, so move the focus for keyboard and screen reader users: to the
  // notice that replaces the button “I’ve sent the money” once it is pressed (`isSent`), to the button when
  // it is back, else to the heading. Scroll there only if the payment has another status, so that other
  // updates do not move the page.
  const isOtherStatus = previous.checkout.status !== model.checkout.status
  const replacement = model.isSent
    ? '.checking'
    : previous.isSent && !isOtherStatus
      ? 'button.sent'
      : 'h1'
  const next = root.querySelector<HTMLElement>(replacement) ?? root.querySelector('h1')
  next?.focus({ preventScroll: !isOtherStatus })
}

function bringIntoView(selector: string): void {
  root.querySelector(selector)?.scrollIntoView({ block: 'nearest' })
}

// Shows the new state of the payment. Ignores a response that is older than the current state.
function showCheckout(checkout: Checkout): void {
  const before = model.checkout
  if (Date.parse(checkout.now) < Date.parse(before.now)) return
  clockOffsetMs = Date.parse(checkout.now) - performance.now()
  const hasChanged = checkout.status !== before.status || checkout.amountPaid !== before.amountPaid
  const hasMoreHeld = checkout.amountHeld > before.amountHeld
  const isPaidNow = checkout.status === 'Successful' && hasChanged
  const news = [hasChanged && titleOf({ checkout }), hasMoreHeld && describeHeld(checkout)]
  update({
    checkout,
    nowMs: serviceNowMs(),
    ...(hasChanged || hasMoreHeld ? { announcement: news.filter(Boolean).join('. ') } : {}),
    // Money arrived, so the payer may press “I’ve sent the money” again.
    ...(hasMoreHeld || checkout.amountPaid !== before.amountPaid ? { isSent: false } : {}),
    // Redirect only a payer who saw the payment arrive, not one who returns for the receipt.
    ...(isPaidNow && checkout.returnUrl !== '' ? { returnIn: RETURN_SECONDS } : {}),
  })
  // Scrolls to the notice about held money above the current view, unless the view changes.
  if (hasMoreHeld && checkout.status === before.status) bringIntoView('.held')
}

// Runs every second: it moves the countdown, announces some minutes, reads the state when the payment
// expires, and redirects a payer who has paid.
function tick(): void {
  const { checkout } = model
  const nowMs = serviceNowMs()
  const secondsLeft = secondsUntil(checkout.expiresAt, nowMs)
  const minutes = MINUTES_ANNOUNCED.find((minute) => minute * 60 === secondsLeft)
  if (isOpen(checkout.status) && secondsLeft === 0) void live.readStatus()
  if (model.returnIn === 0) {
    cancelRedirect()
    location.assign(checkout.returnUrl)
    return
  }
  const isSeen = document.visibilityState === 'visible'
  update({
    nowMs,
    ...(minutes && isOpen(checkout.status) ? { announcement: strings.minutesLeft(minutes) } : {}),
    ...(model.returnIn !== undefined && isSeen ? { returnIn: model.returnIn - 1 } : {}),
  })
}

function serviceNowMs(): number {
  return performance.now() + clockOffsetMs
}

// Shows or hides the note that the service cannot be reached. Called after each poll and stream message.
function setOffline(isOffline: boolean): void {
  if (isOffline === model.isOffline) return
  update({
    isOffline,
    announcement: isOffline ? strings.offlineAnnouncement : strings.onlineAnnouncement,
  })
}

// The payer chose a bank. If it has issued a number, that number is shown; otherwise the bank issues one.
async function choose(bankCode: string): Promise<void> {
  if (model.requestedBankCode !== undefined) return
  const { numbers } = model.checkout
  if (numbers.some((number) => number.bankCode === bankCode)) return showNumber(bankCode)
  update({ requestedBankCode: bankCode, problem: undefined, announcement: strings.asking })
  try {
    const answer = await fetch('/pay', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ adviceReference, bankCode }),
      signal: AbortSignal.timeout(ASK_MAX_MS),
    })
    const { data, code } = await answer.json()
    if (!answer.ok) {
      update({ requestedBankCode: undefined, problem: code, failedAt: 'choice' })
      return void live.readStatus() // The payment may be paid or cancelled by now.
    }
    update({ requestedBankCode: undefined, bankCode })
    showCheckout(data)
    showNumber(bankCode, numbers.length === 0)
  } catch {
    update({ requestedBankCode: undefined, problem: 'network', failedAt: 'choice' })
  }
}

// Filters the list of banks, and announces the number of matches to screen readers.
function search(text: string): void {
  const count = foundBanks({ ...model, search: text }).length
  update({ search: text, announcement: text.trim() === '' ? '' : strings.banksFound(count) })
}

// Shows the number at this bank. The first number opens a new view, where the heading gets the focus; a
// later number appears above the list of banks, so the page folds the list and scrolls to the number.
function showNumber(bankCode: string, isFirst = false): void {
  const query = new URLSearchParams({ adviceReference, bank: bankCode })
  history.replaceState(null, '', `/pay?${query}`) // A reload shows the same number.
  update({ bankCode, problem: undefined, search: '' })
  const current = shownNumber(model)
  if (!current || !isOpen(model.checkout.status)) return
  const number = formatNumber(current.accountNumber)
  update({ announcement: strings.numberShown(current.bankName, number) })
  if (isFirst) return
  root.querySelector('details')?.removeAttribute('open')
  root.querySelector<HTMLElement>('.account')?.focus({ preventScroll: true })
  bringIntoView('.number')
}

// “I’ve sent the money”: asks the service to query the bank where that is possible.
async function reportSent(): Promise<void> {
  const announcement = model.checkout.canRequery ? strings.checking : strings.noted
  update({ isSent: true, problem: undefined, announcement })
  allowSentAgainLater()
  try {
    const answer = await fetch(`/pay/${adviceReference}/sent`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(ASK_MAX_MS),
    })
    const { data, code } = await answer.json()
    if (!answer.ok) return update({ isSent: false, problem: code, failedAt: 'sent' })
    showCheckout(data)
  } catch {
    update({ isSent: false, problem: 'network', failedAt: 'sent' })
  }
}

// Shows the button “I’ve sent the money” again after a minute.
function allowSentAgainLater(): void {
  clearTimeout(sentTimer)
  sentTimer = setTimeout(() => update({ isSent: false }), SENT_MS)
}

// Copies the number or the amount. If the browser forbids it, the text is selected, so that the payer can
// copy it by hand.
async function copy(what: Copied, text: string): Promise<void> {
  update({ problem: undefined })
  const isCopied = await copyText(text)
  clearTimeout(copiedTimer)
  if (isCopied) {
    update({ copied: what, announcement: strings.copiedAnnouncement[what] })
    copiedTimer = setTimeout(() => update({ copied: undefined, announcement: '' }), COPIED_MS)
    return
  }
  update({ copied: undefined, announcement: '', problem: 'copy', failedAt: what })
  const element = root.querySelector(what === 'number' ? '.number' : '.fact')
  if (element) getSelection()?.selectAllChildren(element)
}

// Stops the redirect first, so that the page does not leave for the merchant’s site while it prints.
function printReceipt(): void {
  cancelRedirect()
  print()
}

// The payer stays on the page: stops the countdown to the merchant's site.
function cancelRedirect(): void {
  update({ returnIn: undefined })
}

// Copies text to the clipboard, with a fallback for old phones and pages without TLS.
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

// Copies through a hidden text field, for browsers that deny the clipboard.
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'unseen'
  const focused = document.activeElement as HTMLElement | null
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  focused?.focus()
  return isCopied
}
