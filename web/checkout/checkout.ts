// A payment request as the service reports it (GET /pay/api/status), and the page's model.

import { language } from '../copy.ts'

export type CheckoutStatus =
  | 'Pending' // No bank has issued a number yet.
  | 'Processing'
  | 'PartPayment'
  | 'Successful'
  | 'Expired'
  | 'Cancelled'
  | 'Reversed'

export type IssuedNumber = { bankCode: string; bankName: string; accountNumber: string }
export type Bank = { code: string; name: string; otherNames: string[] }

export type Logo = { path: string; width: number; height: number }

export type Checkout = {
  now: string
  isTest: boolean
  adviceReference: string
  paymentReference: string | null
  shortCode: string
  merchantRef: string | null
  merchantName: string
  narration: string | null
  status: CheckoutStatus
  amountPolicy: 'exact' | 'allow_under' | 'any'
  amount: number
  // Null unless the payer bears the fee.
  fees: { amount: number; fee: number; vat: number; rounding: number } | null
  amountPaid: number
  amountRemaining: number
  amountRefunded: number
  amountHeld: number // In suspense.
  accountName: string
  numbers: IssuedNumber[] // Ordered by time of issue.
  banks: Bank[] // Banks that can issue a number. Empty once the request is closed.
  expiresAt: string | null
  closesAt: string | null // Money that arrives later does not pay the request.
  paidAt: string | null
  canRequery: boolean
  payerNames: string[] // Masked.
  payerBanks: string[]
  sessionIds: string[]
  paidInto: IssuedNumber[]
  supportEmail: string | null // The three support fields are the merchant's.
  supportPhone: string | null
  supportUrl: string | null
  logo: Logo | null
  returnUrl: string
}

// The model of the page. The server renders the first page from it.
export type Model = {
  checkout: Checkout
  bankCode: string | undefined // The payer's latest choice in this tab.
  nowMs: number
  search: string // The payer's search for a bank.
  requestedBankCode: string | undefined // The bank whose number is being requested.
  problem: string | undefined // The code of a refusal, or `network`, or `copy`.
  failedAt: 'choice' | 'sent' | Copied | undefined // Undefined if the problem came from the URL.
  isSent: boolean // The payer pressed “I’ve sent the money” in the last minute: a notice replaces the button.
  copied: Copied | undefined
  isOffline: boolean
  returnIn: number | undefined // Seconds until the redirect to the merchant.
  announcement: string // For screen readers.
}

export type Copied = 'number' | 'amount'

export type Actions = {
  choose: (bankCode: string) => void
  search: (text: string) => void
  sent: () => void
  copy: (what: Copied, text: string) => void
  print: () => void
  stay: () => void
}

export type CheckoutPage = {
  checkout: Checkout
  bankCode?: string
  problem?: string
  isSent: boolean
}

// The model of the first rendering, on the server and again in the browser, whose markup must be equal.
export function firstModel({ checkout, bankCode, problem, isSent }: CheckoutPage): Model {
  return {
    checkout,
    bankCode,
    problem,
    failedAt: undefined,
    isSent,
    nowMs: Date.parse(checkout.now),
    search: '',
    requestedBankCode: undefined,
    copied: undefined,
    isOffline: false,
    returnIn: undefined,
    announcement: '',
  }
}

export function isOpen(status: CheckoutStatus): boolean {
  return status === 'Processing' || status === 'PartPayment'
}

// Returns the number at the bank that the payer chose in this tab, or else the latest number.
export function shownNumber({ checkout, bankCode }: Model): IssuedNumber | undefined {
  const { numbers } = checkout
  return numbers.find((number) => number.bankCode === bankCode) ?? numbers.at(-1)
}

// Groups the digits: 012 345 6789.
export function formatNumber(accountNumber: string): string {
  return accountNumber.replace(/^(...)(...)/, '$1 $2 ')
}

export function secondsUntil(time: string | null, nowMs: number): number {
  return time === null ? 0 : Math.max(0, Math.ceil((Date.parse(time) - nowMs) / 1000))
}

// Writes 29:41, or 1:29:41.
export function formatSeconds(seconds: number): string {
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(seconds % 60)}`
}

const WAT_OFFSET_MS = 3_600_000

// Formats the time in West Africa Time, wherever the payer is, so that all receipts agree.
export function formatMoment(time: string): string {
  const wat = new Date(Date.parse(time) + WAT_OFFSET_MS)
  const day = `${wat.getUTCDate()} ${language.months[wat.getUTCMonth()]} ${wat.getUTCFullYear()}`
  return `${day}, ${wat.toISOString().slice(11, 16)} ${language.zone}`
}
