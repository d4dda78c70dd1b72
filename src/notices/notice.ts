// Maps an event to notices: the kinds of message and their recipients. Pure. The events are those that
// webhooks deliver, so the code that moves money does not depend on notices.

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

const HOUR_MS = 3_600_000

export type Person = { id: UserId; email: string; role: string }

// The roles of the users who get a kind of message.
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

// A payer's message goes to the customer of a payment, or to the holder of a collection account.
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

function paymentFacts(kind: PayerKind, event: EventBody, link: string) {
  const data = event.data as PaymentNews
  const { amount, amountPaid, amountRemaining, currency, refund } = data
  const { bankName, bankAccount: accountNumber, accountName, expiresAt: until } = data
  const reference = data.merchantRef ?? codeOfId('PAY', data.paymentReference)
  const common = { amount, currency, reference, link }
  const into = { bankName, accountNumber, accountName, expiresAt: until }
  const facts = {
    'payer.instructions': { ...common, ...into },
    'payer.part_payment': { ...common, ...into, amountPaid, amountRemaining },
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

// Names the transfer by its session id, which the payer's bank shows too.
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
  waiting: number // The amount in suspense.
  statement: string | null // The statement of the settlement.
}

type Notice = { kind: MessageKind; facts: object; key: string }

export function staffNotices(settings: NoticeSettings, context: StaffContext): NewMessage[] {
  const notice = toNotice(context)
  if (!notice || !(settings.staffKinds as readonly string[]).includes(notice.kind)) return []
  const { kind, facts, key } = notice
  if (kind === 'operator.alert' && isBelow(facts as { severity: Severity }, settings)) return []
  return toPeople(context, { kind, facts, key })
}

function isBelow({ severity }: { severity: Severity }, { alertSeverity }: NoticeSettings): boolean {
  return SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(alertSeverity)
}

export function toPeople(
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

function toNotice({ event, dashboard, waiting, statement }: StaffContext): Notice | undefined {
  const { type, data, createdAt: at } = event
  const hour = Math.floor(Date.parse(at) / HOUR_MS)
  const say = (name: string, otherwise = '') => String(data[name] ?? otherwise)
  const money = { amount: Number(data.amount ?? 0), currency: say('currency', 'NGN') }
  switch (type) {
    case 'settlement.paid':
      return {
        kind: 'merchant.settlement_paid',
        facts: {
          reference: say('reference'),
          net: Number(data.net),
          lines: Number(data.lines),
          currency: money.currency,
          at,
          statement,
          link: `${dashboard}/settlements/${say('reference')}`,
        },
        key: `event/${event.id}`,
      }
    case 'credit.suspended': {
      const amount = Number(data.amountSuspended ?? money.amount)
      const reason = say('reason', 'not known')
      const facts = { ...money, amount, reason, waiting, link: `${dashboard}/suspense` }
      return { kind: 'merchant.suspense', facts, key: `suspense/${hour}` }
    }
    case 'endpoint.disabled': {
      const host = URL.parse(say('url'))?.host ?? 'an unknown host' // The rest of the URL may hold a secret.
      const facts = { host, reason: say('reason'), link: `${dashboard}/webhooks` }
      return { kind: 'merchant.webhook_failing', facts, key: `event/${event.id}` }
    }
    case 'payout.failed': {
      const reference = say('reference')
      const facts = {
        ...money,
        reference,
        accountName: say('accountName'),
        reason: say('failureReason', 'not known'),
        link: `${dashboard}/payouts/${reference}`,
      }
      return { kind: 'merchant.payout_failed', facts, key: `event/${event.id}` }
    }
    case 'alert.raised': {
      const alertKind = say('kind') as keyof typeof ALERT_KINDS
      const { title, remedy } = ALERT_KINDS[alertKind]
      const severity = severityOf(alertKind)
      const facts = {
        severity,
        title,
        remedy,
        subject: say('subject'),
        at,
        link: `${dashboard}/alerts`,
      }
      // Each critical alert is mailed. Of the others, one of each kind an hour: an operator could get
      // hundreds, such as one for each aged item.
      const key = severity === 'critical' ? `event/${event.id}` : `alert/${alertKind}/${hour}`
      return { kind: 'operator.alert', facts, key }
    }
    default:
      return undefined
  }
}
