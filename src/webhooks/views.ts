// Views of webhook endpoints, deliveries and attempts, and of the objects in events.

import { Type } from '@fastify/type-provider-typebox'
import type { PublicAccount } from '#accounts/views.ts'
import type { NameBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import { uuidKey } from '#http/path-keys.ts'
import { Shares } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  type AccountId,
  type CreditId,
  type EndpointId,
  type EventId,
  type PaymentId,
  publicId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Payment } from '#payments/payment.ts'
import { PayoutView } from '#payouts/views.ts'
import type { Sealer } from '#seal.ts'
import { PeriodView, SettlementView } from '#settlement/views.ts'
import type { ShareView } from '#splits/shares.ts'
import { presentShares } from '#splits/views.ts'
import { signatureHeaders } from '#standard-webhooks.ts'
import type { Attempt, Delivery, EndpointHealth } from './delivery-log.ts'
import type { Condition, WebhookEndpoint } from './endpoints.ts'
import type { ShownFacts } from './events.ts'
import { OUR_HEADERS } from './send.ts'

const AttemptView = view('DeliveryAttempt', (f: Fields<Attempt>) => ({
  attempt: f.integer('attempt'),
  attemptedAt: f.time('attemptedAt'),
  status: f.as<number | null>(
    { type: ['integer', 'null'], description: 'HTTP status. Null: no response.' },
    'status',
  ),
  latencyMs: f.integer('latencyMs'),
  error: f.textOrNull('error', 'Error description.'),
  responseStart: f.textOrNull('responseStart', 'First 4 kB of the response body.'),
  requestHeaders: f.as(
    {
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'Null if nothing was sent, or not recorded.',
    },
    ({ eventId, attemptedAt, signature }) =>
      signature ? { ...OUR_HEADERS, ...signatureHeaders(eventId, attemptedAt, signature) } : null,
  ),
  chaos: f.as<Attempt['chaos']>(
    {
      type: ['string', 'null'],
      enum: ['delayed', 'reordered', 'dropped', 'repeated', null],
      description: 'What the endpoint’s chaos settings did (sandbox only). Null: nothing.',
    },
    'chaos',
  ),
}))

// An attempt in the health of an endpoint, where the attempts are of different events.
const AttemptOfEvent = view(undefined, (f: Fields<Attempt>) => ({
  eventId: f.text('eventId'),
  ...AttemptView.fields,
}))

export const DeliveryView = view('Delivery', (f: Fields<Delivery>) => ({
  kind: f.oneOf('kind', ['endpoint', 'notification', 'callback'], 'Kind of destination.'),
  endpointId: f.textOrNull('endpointId', 'Null for a notificationUrl or callBackUrl.'),
  url: f.text('url'),
  state: f.oneOf('state', ['pending', 'delivered', 'failed'], 'failed: no further attempts.'),
  nextAttemptAt: f.timeOrNull('nextAttemptAt', 'Null if no attempt is scheduled.'),
  heldBy: f.as<Delivery['heldBy']>(
    {
      type: ['string', 'null'],
      enum: ['paused', 'off', null],
      description:
        'paused: circuit breaker open after repeated failures; off: destination disabled.',
    },
    'heldBy',
  ),
  createdAt: f.time('createdAt'),
  deliveredAt: f.timeOrNull('deliveredAt'),
}))

type DeliveryWithLog = Delivery & { log: readonly Attempt[] }

export const DeliveryDetailView = view('DeliveryDetail', (f: Fields<DeliveryWithLog>) => ({
  ...DeliveryView.fields,
  attempts: f.list(AttemptView, 'log'),
}))

// Adds the attempts to the deliveries of one event.
export function withLog(
  deliveries: readonly Delivery[],
  attempts: readonly Attempt[],
): DeliveryWithLog[] {
  const byDestination = Map.groupBy(attempts, ({ destinationId }) => destinationId)
  return deliveries.map((delivery) => ({
    ...delivery,
    log: byDestination.get(delivery.destinationId) ?? [],
  }))
}

const HealthView = view('EndpointHealth', (f: Fields<Condition>) => ({
  failures: f.integer('failures', 'Consecutive failures.'),
  failingSince: f.timeOrNull('failingSince'),
  pausedUntil: f.timeOrNull('pausedUntil', 'Deliveries are paused until this time.'),
  disabledWhy: f.textOrNull('disabledWhy'),
}))

const HealthDetailView = view('EndpointHealthDetail', (f: Fields<EndpointHealth>) => ({
  ...HealthView.fields,
  lastAttempts: f.list(AttemptOfEvent, 'lastAttempts'),
}))

export const Secret = Type.String({
  description: 'Standard Webhooks secret (whsec_…). During a rotation, both secrets sign.',
})

export const EndpointView = view('WebhookEndpoint', (f: Fields<WebhookEndpoint>) => ({
  id: f.text('id'),
  url: f.text('url'),
  eventTypes: f.as<string[] | null>(
    { type: ['array', 'null'], items: { type: 'string' }, description: 'Null: all types.' },
    'eventTypes',
  ),
  isActive: f.flag('isActive'),
  createdAt: f.time('createdAt'),
  updatedAt: f.time('updatedAt'),
}))

export const ListedEndpointView = view(
  'WebhookEndpointWithHealth',
  (f: Fields<WebhookEndpoint>) => ({
    ...EndpointView.fields,
    health: f.one(HealthView, 'condition'),
  }),
)

export const NewEndpointView = view(
  'WebhookEndpointWithSecret',
  (f: Fields<WebhookEndpoint & { secret: string }>) => ({
    ...EndpointView.fields,
    secret: f.as<string>(Secret, 'secret'),
  }),
)

type EndpointDetail = WebhookEndpoint & { secret: string | null; health: EndpointHealth }

export const EndpointDetailView = view('WebhookEndpointDetail', (f: Fields<EndpointDetail>) => ({
  ...EndpointView.fields,
  secret: f.textOrNull(
    'secret',
    'Null without the scope webhooks:write, or if only operators may see it.',
  ),
  health: f.one(HealthDetailView, 'health'),
}))

export const requireEndpointId = uuidKey<EndpointId>('endpoint_not_found')
export const requireEventId = uuidKey<EventId>('event_not_found')

// The credit of an event. It never contains the payer's full account number.
export type EventCredit = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
  transactionTime: Date | null
  transactionDate: string | null
  receivedAt: Date
} & CreditAmounts

// The part of the credit that the event's client has after the event.
export type CreditAmounts = {
  merchantFeeKobo: Kobo
  merchantVatKobo: Kobo
  netKobo: Kobo
  shares: ShareView[]
}

export const EventCreditView = view(undefined, (f: Fields<EventCredit>) => ({
  sessionId: f.text('sessionId', 'Interbank session ID (30 digits on NIP).'),
  bankCode: f.text('bankCode', 'Bank that reported the credit.'),
  accountNumber: f.text('accountNumber', 'Credited account number.'),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  sourceAccountNumberMasked: f.textOrNull('sourceAccountNumberMasked'),
  sourceBankCode: f.textOrNull('sourceBankCode'),
  narration: f.textOrNull('narration'),
  receivedAt: f.time('receivedAt'),
  merchantFee: f.naira(
    'merchantFeeKobo',
    'Fee charged on what is booked, without VAT, less what was given back.',
  ),
  merchantFeeVat: f.naira('merchantVatKobo', 'VAT on merchantFee.'),
  netToMerchant: f.naira('netKobo', 'What is booked, less fee and VAT. Includes splits.'),
  splits: f.as(Shares, ({ shares }) => presentShares(shares)),
}))

// The credit of an event about money in suspense, with the payment or account that it belongs to.
type SuspendedCredit = EventCredit & {
  payment: Payment | undefined
  account: PublicAccount | undefined
  outcome: string
}

type Naming = { sealer: Sealer; nameBank: NameBank }

export const SuspenseEventView = view(undefined, (f: Fields<SuspendedCredit, Naming>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'credit', id), 'Credit ID.'),
  ...EventCreditView.fields,
  bankName: f.text(({ bankCode }, { nameBank }) => nameBank(bankCode)),
  transactionTime: f.textOrNull(
    ({ transactionDate, transactionTime }) =>
      transactionDate ?? (transactionTime && timestamp(transactionTime)),
    'Time or date reported by the bank.',
  ),
  paymentReference: f.textOrNull(({ payment }) => payment?.id ?? null),
  adviceReference: f.textOrNull(({ payment }) => payment?.adviceId ?? null),
  merchantRef: f.textOrNull(({ payment }) => payment?.merchantRef ?? null),
  collectionAccountNumber: f.textOrNull(({ account }) => account?.accountNumber ?? null),
  outcome: f.text('outcome'),
  reason: f.textOrNull(() => null, 'Suspense reason.'),
}))

// The data of events about payouts and settlements is their facts: the object as it was at the event. Their
// fields have the descriptions of the object's view.
type PayoutFacts = Omit<ShownFacts<'payout.returned'>, 'returnedAmount' | 'returnedAt'>

const PayoutFactsView = view(undefined, (f: Fields<PayoutFacts>) => {
  const payoutFields = PayoutView.fields
  return {
    reference: f.as(payoutFields.reference.schema, 'reference'),
    purpose: f.text('purpose', 'payout or settlement.'),
    status: f.text('status', 'confirmed or failed.'),
    amount: f.as(payoutFields.amount.schema, 'amount'),
    currency: f.as(payoutFields.currency.schema, 'currency'),
    fee: f.as(payoutFields.fee.schema, 'fee'),
    vat: f.as(payoutFields.vat.schema, 'vat'),
    bankAccount: f.as(payoutFields.bankAccount.schema, 'bankAccount'),
    bankCode: f.text('bankCode', 'Bank that was paid.'),
    accountName: f.as(payoutFields.toAccountName.schema, 'accountName'),
    narration: f.as(payoutFields.narration.schema, 'narration'),
    bankReference: f.as(payoutFields.bankReference.schema, 'bankReference'),
    failureReason: f.textOrNull('failureReason', 'Set if failed.'),
    requestedAt: f.as(payoutFields.requestedAt.schema, 'requestedAt'),
    settledAt: f.text('settledAt'),
  }
})

export const PayoutEventView = view(
  'PayoutEventData',
  (_f: Fields<ShownFacts<'payout.confirmed'>>) => PayoutFactsView.fields,
)

export const ReturnedPayoutEventView = view(
  'PayoutReturnedEventData',
  (f: Fields<ShownFacts<'payout.returned'>>) => ({
    ...PayoutFactsView.fields,
    purpose: f.text('purpose', 'payout, settlement or refund.'),
    returnedAmount: f.decimal('returnedAmount', 'What the bank gave back. It is available again.'),
    returnedAt: f.text('returnedAt'),
  }),
)

export const SettlementEventView = view(
  'SettlementEventData',
  (f: Fields<ShownFacts<'settlement.closed'>>) => {
    const settlementFields = SettlementView.fields
    return {
      reference: f.as(settlementFields.reference.schema, 'reference'),
      status: f.text('status', 'closed, paid, part_failed or failed.'),
      currency: f.as(settlementFields.currency.schema, 'currency'),
      periodFrom: f.as(PeriodView.fields.from.schema, 'periodFrom'),
      cutOff: f.as(settlementFields.cutOff.schema, 'cutOff'),
      lines: f.as(settlementFields.lines.schema, 'lines'),
      gross: f.as(settlementFields.gross.schema, 'gross'),
      fees: f.as(settlementFields.fees.schema, 'fees'),
      vat: f.as(settlementFields.vat.schema, 'vat'),
      reversed: f.as(settlementFields.reversed.schema, 'reversed'),
      refunds: f.as(settlementFields.refunds.schema, 'refunds'),
      paidOut: f.as(settlementFields.paidOut.schema, 'paidOut'),
      recovered: f.as(settlementFields.recovered.schema, 'recovered'),
      reserved: f.as(settlementFields.reserved.schema, 'reserved'),
      released: f.as(settlementFields.released.schema, 'released'),
      carried: f.as(settlementFields.carried.schema, 'carried'),
      net: f.as(settlementFields.net.schema, 'net'),
      closedAt: f.as(settlementFields.closedAt.schema, 'closedAt'),
    }
  },
)
