// Every kind of message, with its facts: the values that its text contains. The copy of a language (copy/)
// turns facts into a letter. Facts are stored sealed, because they may contain links with tokens. Amounts are
// in naira, and times are ISO 8601.

import { DAY_MS, HOUR_MS } from '#clock.ts'
import type { Severity } from '#records/alerts.ts'

// The priorities of messages. A lower number is sent sooner, so that a password reset does not wait behind a
// thousand receipts.
export const SECURITY = 0
const STAFF = 1
const PAYER = 2

type KindSettings = {
  audience: 'user' | 'merchant' | 'operator' | 'payer'
  priority: number
  // If no server has accepted the message within this time, it is no longer sent.
  lifetimeMs: number
  isSecret?: true // The facts contain a link with which anybody could act as the recipient.
  isByAdministrator?: true // An administrator decides to send it, and knows the address.
}

// The facts of messages to a payer about one payment.
type PaymentFacts = {
  amount: number
  currency: string
  reference: string // The merchant's reference, or else our short code.
  link: string // The address of the checkout page.
}
// The facts of messages about money that arrived or was sent back. The link is null for money of a collection
// account, which has no checkout page.
type PaidFacts = Omit<PaymentFacts, 'link'> & { link: string | null; accountNumber?: string }
type PayInto = { bankName: string; accountNumber: string; accountName: string; expiresAt: string }

export type MessageFacts = {
  'user.invitation': { clientName: string; invitedBy: string; link: string; expiresAt: string }
  'user.account_reset': { clientName: string; resetBy: string; link: string; expiresAt: string }
  'user.password_reset': { clientName: string; link: string; expiresAt: string }
  'user.password_changed': { at: string; address: string }
  'user.new_device': { at: string; address: string; device: string }
  'user.approval_waiting': { workflow: Workflow; requestedBy: string; at: string; link: string }
  'user.report_ready': {
    name: string
    format: 'csv' | 'xlsx'
    from: string // The first day; `to` is the last day.
    to: string
    link: string
    expiresAt: string
  }
  'payer.instructions': PaymentFacts & PayInto
  'payer.part_payment': PaymentFacts & PayInto & { amountPaid: number; amountRemaining: number }
  'payer.receipt': PaidFacts & { at: string }
  'payer.refund_sent': PaidFacts & { bankReference: string | null }
  'merchant.daily_summary': {
    day: string
    credits: number
    gross: number
    fees: number
    successful: number
    expired: number
    waiting: number // The number of items in suspense now.
    currency: string
    link: string
  }
  'merchant.settlement_paid': {
    reference: string
    net: number
    lines: number
    currency: string
    at: string
    link: string
    statement: string | null // The statement as CSV; null if it is too long to attach.
  }
  'merchant.suspense': {
    amount: number
    currency: string
    reason: string
    waiting: number
    link: string
  }
  'merchant.webhook_failing': { host: string; reason: string; link: string }
  'merchant.payout_failed': {
    reference: string
    amount: number
    currency: string
    accountName: string
    reason: string
    link: string
  }
  'operator.alert': {
    severity: Severity
    title: string
    remedy: string
    subject: string
    at: string
    link: string
  }
}

export const WORKFLOWS = [
  'payout',
  'settlement',
  'suspense',
  'payout_failure',
  'adjustment',
  'entry',
  'difference',
  'hold',
  'month',
  'screening',
] as const
export type Workflow = (typeof WORKFLOWS)[number]

export type MessageKind = keyof MessageFacts

export const MESSAGE_KINDS: Readonly<Record<MessageKind, KindSettings>> = {
  'user.invitation': {
    audience: 'user',
    priority: SECURITY,
    lifetimeMs: 3 * DAY_MS,
    isSecret: true,
    isByAdministrator: true,
  },
  'user.account_reset': {
    audience: 'user',
    priority: SECURITY,
    lifetimeMs: 3 * DAY_MS,
    isSecret: true,
    isByAdministrator: true,
  },
  'user.password_reset': {
    audience: 'user',
    priority: SECURITY,
    lifetimeMs: HOUR_MS,
    isSecret: true,
  },
  'user.password_changed': { audience: 'user', priority: SECURITY, lifetimeMs: 3 * DAY_MS },
  'user.new_device': { audience: 'user', priority: SECURITY, lifetimeMs: 3 * DAY_MS },
  'user.approval_waiting': { audience: 'user', priority: STAFF, lifetimeMs: DAY_MS },
  'user.report_ready': { audience: 'user', priority: PAYER, lifetimeMs: 3 * DAY_MS },
  'payer.instructions': { audience: 'payer', priority: PAYER, lifetimeMs: 2 * DAY_MS },
  'payer.part_payment': { audience: 'payer', priority: PAYER, lifetimeMs: 2 * DAY_MS },
  'payer.receipt': { audience: 'payer', priority: PAYER, lifetimeMs: 3 * DAY_MS },
  'payer.refund_sent': { audience: 'payer', priority: PAYER, lifetimeMs: 3 * DAY_MS },
  'merchant.daily_summary': { audience: 'merchant', priority: PAYER, lifetimeMs: DAY_MS },
  'merchant.settlement_paid': { audience: 'merchant', priority: STAFF, lifetimeMs: 3 * DAY_MS },
  'merchant.suspense': { audience: 'merchant', priority: STAFF, lifetimeMs: DAY_MS },
  'merchant.webhook_failing': { audience: 'merchant', priority: STAFF, lifetimeMs: DAY_MS },
  'merchant.payout_failed': { audience: 'merchant', priority: STAFF, lifetimeMs: 3 * DAY_MS },
  'operator.alert': { audience: 'operator', priority: STAFF, lifetimeMs: DAY_MS },
}

export const MESSAGE_KIND_NAMES = Object.keys(MESSAGE_KINDS) as MessageKind[]

export type Part =
  | { text: string }
  | { rows: readonly (readonly [label: string, value: string])[] }
  | { button: { label: string; link: string } }
  | { note: string }

export type Letter = {
  subject: string
  heading: string
  parts: readonly Part[]
  short: string
  attachments?: readonly Attachment[]
}

// The words of all messages in one language. The folder copy/ has a file for each language.
export type Copy = {
  language: string
  sentBy: (name: string) => string
  questions: string
  via: (name: string, sender: string) => string
  kinds: { [Kind in MessageKind]: (facts: MessageFacts[Kind]) => Letter }
}

// The branding of the sender. A field that the sender has not chosen is null.
export type Brand = {
  name: string
  colour: string | null
  logo: string | null // The address of the image.
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
}

export type Attachment = { name: string; mediaType: string; text: string }

// Line and paragraph separators, and the marks that change the direction of text.
const DIRECTIONS = /[\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

// Replaces marks that change the direction of the text after them, which could disguise a name or an address.
export const withoutDirections = (text: string) => text.replace(DIRECTIONS, ' ')

// Replaces control characters, so that a value cannot add a line to the text.
export const flat = (text: string) => text.replace(/\p{Cc}+/gu, ' ')

// Makes one line of a text, for example for a subject, and shortens it to a number of characters.
export function oneLine(text: string, lengthMax: number): string {
  const line = flat(withoutDirections(text)).trim()
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1).toWellFormed()}…`
}
