// A payment request as the service reports it (GET /pay/api/status), and the page's model.

import { language } from '../copy.ts'

export type CheckoutStatus =
  | 'Pending' // No number was asked for yet.
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
  now: string // The service's clock at that moment.
  isTest: boolean
  adviceReference: string
  paymentReference: string | null
  merchantRef: string | null
  merchantName: string
  narration: string | null
  status: CheckoutStatus
  amountPolicy: 'exact' | 'allow_under' | 'any'
  amount: number
  // Where the payer bears the fee: what the amount is made of.
  fees: { amount: number; fee: number; vat: number; rounding: number } | null
  amountPaid: number
  amountRemaining: number
  amountRefunded: number
  amountHeld: number // Sent for it, and in suspense.
  accountName: string
  numbers: IssuedNumber[] // In the order they were issued.
  banks: Bank[] // Where a number may be had; none when it is too late.
  expiresAt: string | null
  closesAt: string | null // Until here money still counts.
  paidAt: string | null
  canRequery: boolean // A bank can be asked for the transfer.
  payerBanks: string[] // Once it is paid.
  paidInto: IssuedNumber[] // Likewise.
  supportEmail: string | null // Of the merchant, as are the next.
  supportPhone: string | null
  supportUrl: string | null
  logo: Logo | null
  returnUrl: string
}

// What the page is drawn from. The server draws the first one, without a script to act on it.
export type Model = {
  checkout: Checkout
  bankCode: string | undefined // The one the payer chose last, here.
  nowMs: number // By the service's clock.
  search: string // For a bank, as the payer types.
  asking: string | undefined // The bank whose number is being asked for.
  problem: string | undefined // Why it failed, as a refusal's code, or `network`, or `copy`.
  failedAt: 'choice' | 'sent' | Copied | undefined // Where it is said; not known of the address.
  isSent: boolean // The payer said so: the bank is being asked.
  copied: Copied | undefined // What was, a moment ago.
  isOffline: boolean
  returnIn: number | undefined // Seconds until the payer is taken back to the merchant.
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

export function firstModel({ checkout, bankCode, problem, isSent }: CheckoutPage): Model {
  return {
    checkout,
    bankCode,
    problem,
    failedAt: undefined,
    isSent,
    nowMs: Date.parse(checkout.now),
    search: '',
    asking: undefined,
    copied: undefined,
    isOffline: false,
    returnIn: undefined,
    announcement: '',
  }
}

export function isOpen(status: CheckoutStatus): boolean {
  return status === 'Processing' || status === 'PartPayment'
}

// The number of the bank chosen in this tab, else the one issued last.
export function shownNumber({ checkout, bankCode }: Model): IssuedNumber | undefined {
  const { numbers } = checkout
  return numbers.find((number) => number.bankCode === bankCode) ?? numbers.at(-1)
}

// 012 345 6789
export function formatNumber(accountNumber: string): string {
  return accountNumber.replace(/^(...)(...)/, '$1 $2 ')
}

export function secondsUntil(time: string | null, nowMs: number): number {
  return time === null ? 0 : Math.max(0, Math.ceil((Date.parse(time) - nowMs) / 1000))
}

// 29:41, or 1:29:41
export function formatSeconds(seconds: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

const WAT_OFFSET_MS = 3_600_000

// In West Africa Time wherever it is drawn: a receipt says the same to everybody.
export function formatMoment(time: string): string {
  const wat = new Date(Date.parse(time) + WAT_OFFSET_MS)
  const day = `${wat.getUTCDate()} ${language.months[wat.getUTCMonth()]} ${wat.getUTCFullYear()}`
  return `${day}, ${wat.toISOString().slice(11, 16)} ${language.zone}`
}
