// Maps an event to notices: the messages that it causes, and their recipients. The events are the ones that
// webhooks deliver, so the code that moves money need not know about notices.

import { HOUR_MS } from '#clock.ts'
import type { AccountId, AdviceId, ClientId, UserId } from '#ids.ts'
import type { MessageKind } from '#messages/kinds.ts'
import type { NewMessage } from '#messages/message.ts'
import type { Channel } from '#messages/recipients.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import { ALERT_KINDS, SEVERITIES, type Severity, severityOf } from '#records/alerts.ts'
import type { EventType } from '#records/event-types.ts'
import { codeOfId } from '#short-codes.ts'
import type { EventBody } from '#webhooks/render.ts'
import type { NoticeSettings, PayerKind } from './settings.ts'

export type Person = { id: UserId; email: string; role: string }

const ROLES_OF: Partial<Record<MessageKind, readonly string[]>> = {
  'merchant.daily_summary': ['owner', 'finance'],
  'merchant.settlement_paid': ['owner', 'finance'],
  'merchant.suspense': ['owner', 'finance', 'support'],
  'merchant.webhook_failing': ['owner', 'developer'],
  'merchant.payout_failed': ['owner', 'finance'],
  'operator.alert': ['operator'],
}

export const PAYER_KIND_OF: Partial<Record<EventType, PayerKind>> = {
  'payment.processing': 'payer.instructions',
  'payment.part_paid': 'payer.part_payment',
  'payment.successful': 'payer.receipt',
  'payment.refunded': 'payer.refund_sent',
  'collection.received': 'payer.receipt',
  'collection.refunded': 'payer.refund_sent',
}

export const STAFF_EVENTS: readonly EventType[] = [
  'settlement.paid',
  'credit.suspended',
  'endpoint.disabled',
  'payout.failed',
  'alert.raised',
]

// The recipient of a message to a payer: the customer of a payment, or the holder of a collection account.
export type Customer = {
  email: string | null
  phoneNumber: string | null
  about: { adviceId: AdviceId } | { accountId: AccountId }
  receivedKobo?: Kobo // The amount of the event's credit that was booked to the account.
}

type PaymentNews = {
  amount: number
  amountPaid: number
  amountRemaining: number
  currency: string
  merchantRef: string | null
  paymentReference: string
  bankName: string
  bankAccount: string
  accountName: string
  expiresAt: string
  refund?: Refund
}
type Refund = { amount: number; bankReference: string | null }

type PayerContext = { clientId: ClientId; event: EventBody; customer: Customer; publicUrl: string }

// Returns one message for each channel on which the customer can be reached.
export function payerNotices(
  settings: NoticeSettings,
  { clientId, event, customer, publicUrl }: PayerContext,
): NewMessage[] {
  const kind = PAYER_KIND_OF[event.type]
  if (!kind || !settings.payerKinds.includes(kind)) return []
  const { about } = customer
  const { facts, expiresAt } =
    'adviceId' in about
      ? paymentFacts(kind, event, `${publicUrl}/pay/${about.adviceId}`)
      : { facts: collectionFacts(event, customer), expiresAt: undefined }
  return settings.payerChannels.flatMap((channel) => {
    const to = addressOf(customer, channel)
    if (!to) return []
    const key = `event/${event.id}/${channel}`
    return [{ clientId, kind, facts, channel, to, key, about, expiresAt } as NewMessage]
  })
}

// The facts of a message about a payment. A message that asks for money expires with the payment.
function paymentFacts(kind: PayerKind, event: EventBody, link: string) {
  const data = event.data as PaymentNews
  const { amount, amountPaid, amountRemaining, currency, refund } = data
  const { bankName, bankAccount: accountNumber, accountName, expiresAt: until } = data
  const reference = data.merchantRef ?? codeOfId('PAY', data.paymentReference)
  const common = { amount, currency, reference, link }
  const payTo = { bankName, accountNumber, accountName, expiresAt: until }
  const facts = {
    'payer.instructions': { ...common, ...payTo },
    'payer.part_payment': { ...common, ...payTo, amountPaid, amountRemaining },
    'payer.receipt': { ...common, amount: amountPaid, at: event.createdAt },
    'payer.refund_sent': {
      ...common,
      amount: refund?.amount ?? 0,
      bankReference: refund?.bankReference ?? null,
    },
  }[kind]
  const isAboutPaying = kind === 'payer.instructions' || kind === 'payer.part_payment'
  return { facts, expiresAt: isAboutPaying ? new Date(until) : undefined }
}

type CollectionNews = {
  credit: { sessionId: string; accountNumber: string; currency: string }
  refund?: Refund
}

// The facts of a message about money of a collection account. Its reference is the session id of the
// transfer, which the payer's bank shows too.
function collectionFacts(
  { data, createdAt: at }: EventBody,
  { receivedKobo = kobo(0n) }: Customer,
) {
  const { credit, refund } = data as CollectionNews
  const { sessionId: reference, accountNumber, currency } = credit
  const common = { currency, reference, accountNumber, link: null }
  if (!refund) return { ...common, amount: toNaira(receivedKobo), at }
  return { ...common, amount: refund.amount, bankReference: refund.bankReference }
}

function addressOf({ email, phoneNumber }: Customer, channel: Channel): string | null {
  return channel === 'email' ? email : phoneNumber
}

type StaffContext = {
  clientId: ClientId
  event: EventBody
  people: readonly Person[]
  dashboard: string
  waiting: number // The number of items in suspense.
  statement: string | null // The statement of the settlement.
}

type Notice = { kind: MessageKind; facts: object; key: string }

// Returns one message for each user who gets notices of this event by role, unless the client has turned this
// kind of notice off.
export function staffNotices(settings: NoticeSettings, context: StaffContext): NewMessage[] {
  const notice = toNotice(context)
  if (!notice || !(settings.staffKinds as readonly string[]).includes(notice.kind)) return []
  const { kind, facts, key } = notice
  if (kind === 'operator.alert' && isBelowSeverity(facts as { severity: Severity }, settings))
    return []
  return messagesToPeople(context, { kind, facts, key })
}

// Whether an alert is less severe than those that the client wants to get.
function isBelowSeverity(
  { severity }: { severity: Severity },
  { alertSeverity }: NoticeSettings,
): boolean {
  return SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(alertSeverity)
}

// Addresses a notice to the users whose roles get its kind.
export function messagesToPeople(
  { clientId, people }: Pick<StaffContext, 'clientId' | 'people'>,
  { kind, facts, key }: Notice,
): NewMessage[] {
  const roles = ROLES_OF[kind]
  const readers = people.filter(({ role }) => !roles || roles.includes(role))
  return readers.map(
    ({ id, email }) =>
      ({
        clientId,
        kind,
        facts,
        to: email,
        key: `${key}/${id}`,
        about: { userId: id },
      }) as NewMessage,
  )
}

// Builds the notice to a client's users that an event causes. The key prevents duplicates: a notice whose key
// contains an hour is sent once in that hour.
function toNotice({ event, dashboard, waiting, statement }: StaffContext): Notice | undefined {
  const { type, data, createdAt: at } = event
  const hour = Math.floor(Date.parse(at) / HOUR_MS)
  const textOf = (name: string, fallback = '') => String(data[name] ?? fallback)
  const money = { amount: Number(data.amount ?? 0), currency: textOf('currency', 'NGN') }
  switch (type) {
    case 'settlement.paid':
      return {
        kind: 'merchant.settlement_paid',
        facts: {
          reference: textOf('reference'),
          net: Number(data.net),
          lines: Number(data.lines),
          currency: money.currency,
          at,
          statement,
          link: `${dashboard}/settlements/${textOf('reference')}`,
        },
        key: `event/${event.id}`,
      }
    case 'credit.suspended': {
      const amount = Number(data.amountSuspended ?? money.amount)
      const reason = textOf('reason', 'not known')
      const facts = { ...money, amount, reason, waiting, link: `${dashboard}/suspense` }
      return { kind: 'merchant.suspense', facts, key: `suspense/${hour}` }
    }
    case 'endpoint.disabled': {
      // Names only the host, because the rest of the URL may contain a secret.
      const host = URL.parse(textOf('url'))?.host ?? 'an unknown host'
      const facts = { host, reason: textOf('reason'), link: `${dashboard}/webhooks` }
      return { kind: 'merchant.webhook_failing', facts, key: `event/${event.id}` }
    }
    case 'payout.failed': {
      const reference = textOf('reference')
      const facts = {
        ...money,
        reference,
        accountName: textOf('accountName'),
        reason: textOf('failureReason', 'not known'),
        link: `${dashboard}/payouts/${reference}`,
      }
      return { kind: 'merchant.payout_failed', facts, key: `event/${event.id}` }
    }
    case 'alert.raised': {
      const alertKind = textOf('kind') as keyof typeof ALERT_KINDS
      const { title, remedy } = ALERT_KINDS[alertKind]
      const severity = severityOf(alertKind)
      const facts = {
        severity,
        title,
        remedy,
        subject: textOf('subject'),
        at,
        link: `${dashboard}/alerts`,
      }
      // Every critical alert is mailed. Of any other kind, only one alert per hour is mailed, because there
      // can be hundreds, for example one for each old suspense item.
      const key = severity === 'critical' ? `event/${event.id}` : `alert/${alertKind}/${hour}`
      return { kind: 'operator.alert', facts, key }
    }
    default:
      return undefined
  }
}
