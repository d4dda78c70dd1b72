// The payment page in the browser: hydrates the server's markup, keeps it current, and handles actions.
// All state is one model; every change renders the page from it.

import './checkout.css'
import './views.css'
import './merchant.css'
import './print.css'
import { hydrate, render } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import { describeHeld } from './amounts.tsx'
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

const actions: Actions = { choose, search, sent, copy, print: printReceipt, stay }
const { adviceReference } = model.checkout

// The payer may have typed before this script ran, or the browser may have restored the text.
const typed = root.querySelector<HTMLInputElement>('.find input')?.value
hydrate(<Page model={model} actions={actions} />, root)
if (typed) search(typed)
const live = followCheckout(adviceReference, { onCheckout: take, onOffline: setOffline })
setInterval(tick, 1_000)
if (model.isSent) {
  // The payer sent the form before this script ran. Remove the parameter, so that a reload does not show the
  // result again.
  endCheckingLater()
  const address = new URL(location.href)
  address.searchParams.delete('sent')
  history.replaceState(null, '', address)
}
// Phones freeze hidden pages, and the back button restores old pages. So read the state again.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void live.ask()
})
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  stay()
  void live.ask()
})

function update(change: Partial<Model>): void {
  const before = model
  model = { ...model, ...change }
  const hadFocus = root.contains(document.activeElement)
  render(<Page model={model} actions={actions} />, root)
  document.title = titleOf(model)
  if (!hadFocus || root.contains(document.activeElement)) return
  // The new view no longer has the focused element: focus its replacement, or the heading. Scroll only if the
  // status changed.
  const isOther = before.checkout.status !== model.checkout.status
  const replacement = model.isSent ? '.checking' : before.isSent && !isOther ? 'button.sent' : 'h1'
  const next = root.querySelector<HTMLElement>(replacement) ?? root.querySelector('h1')
  next?.focus({ preventScroll: !isOther })
}

function bringIntoView(selector: string): void {
  root.querySelector(selector)?.scrollIntoView({ block: 'nearest' })
}

// Shows the new state of the payment. Ignores a response that is older than the current state.
function take(checkout: Checkout): void {
  const before = model.checkout
  if (Date.parse(checkout.now) < Date.parse(before.now)) return
  clockOffsetMs = Date.parse(checkout.now) - performance.now()
  const hasTurned = checkout.status !== before.status || checkout.amountPaid !== before.amountPaid
  const isHeldNow = checkout.amountHeld > before.amountHeld
  const isPaidNow = checkout.status === 'Successful' && hasTurned
  const news = [hasTurned && titleOf({ checkout }), isHeldNow && describeHeld(checkout)]
  update({
    checkout,
    nowMs: serviceNowMs(),
    ...(hasTurned || isHeldNow ? { announcement: news.filter(Boolean).join('. ') } : {}),
    // Money arrived, so the payer may press “I’ve sent the money” again.
    ...(isHeldNow || checkout.amountPaid !== before.amountPaid ? { isSent: false } : {}),
    // Redirect only a payer who saw the payment arrive, not one who returns for the receipt.
    ...(isPaidNow ? { returnIn: RETURN_SECONDS } : {}),
  })
  // Scrolls to the notice about held money above the current view, unless the view changes.
  if (isHeldNow && checkout.status === before.status) bringIntoView('.held')
}

function tick(): void {
  const { checkout } = model
  const nowMs = serviceNowMs()
  const left = secondsUntil(checkout.expiresAt, nowMs)
  const minutes = MINUTES_ANNOUNCED.find((each) => each * 60 === left)
  if (isOpen(checkout.status) && left === 0) void live.ask()
  if (model.returnIn === 0) {
    stay()
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

function setOffline(isOffline: boolean): void {
  if (isOffline === model.isOffline) return
  update({
    isOffline,
    announcement: isOffline ? strings.offlineAnnouncement : strings.onlineAnnouncement,
  })
}

async function choose(bankCode: string): Promise<void> {
  if (model.asking !== undefined) return
  const { numbers } = model.checkout
  if (numbers.some((number) => number.bankCode === bankCode)) return showNumber(bankCode)
  update({ asking: bankCode, problem: undefined, announcement: strings.asking })
  try {
    const answer = await fetch('/pay', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ adviceReference, bankCode }),
      signal: AbortSignal.timeout(ASK_MAX_MS),
    })
    const { data, code } = await answer.json()
    if (!answer.ok) {
      update({ asking: undefined, problem: code, failedAt: 'choice' })
      return void live.ask() // The payment may be paid or cancelled by now.
    }
    update({ asking: undefined, bankCode })
    take(data)
    showNumber(bankCode, numbers.length === 0)
  } catch {
    update({ asking: undefined, problem: 'network', failedAt: 'choice' })
  }
}

function search(text: string): void {
  const found = foundBanks({ ...model, search: text }).length
  update({ search: text, announcement: text.trim() === '' ? '' : strings.banksFound(found) })
}

// The first number opens a view. Later numbers appear above the list of banks.
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

async function sent(): Promise<void> {
  const announcement = model.checkout.canRequery ? strings.checking : strings.noted
  update({ isSent: true, problem: undefined, announcement })
  endCheckingLater()
  try {
    const answer = await fetch(`/pay/${adviceReference}/sent`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(ASK_MAX_MS),
    })
    const { data, code } = await answer.json()
    if (!answer.ok) return update({ isSent: false, problem: code, failedAt: 'sent' })
    take(data)
  } catch {
    update({ isSent: false, problem: 'network', failedAt: 'sent' })
  }
}

function endCheckingLater(): void {
  clearTimeout(sentTimer)
  sentTimer = setTimeout(() => update({ isSent: false }), SENT_MS)
}

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
  if (element) getSelection()?.selectAllChildren(element) // The payer can then copy it by hand.
}

function printReceipt(): void {
  stay()
  print()
}

function stay(): void {
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
