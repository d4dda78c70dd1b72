// Defines how the API, webhooks and CSV files show a credit, the places of its money and its history.

import { Type } from '@fastify/type-provider-typebox'
import type { NameBank } from '#banks/directory.ts'
import {
  type CreditIdentifier,
  IDENTIFIER_KINDS,
  type IdentifierKind,
} from '#banks/notifications.ts'
import { isSessionId } from '#banks/nuban.ts'
import { timestamp } from '#clock.ts'
import { Refusal } from '#errors.ts'
import { named, nullable, Shares } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { findId, publicId, type SuspenseItemId } from '#ids.ts'
import { kobo, toNaira } from '#money.ts'
import type {
  CreditHistory,
  CreditReversal,
  CreditTransfer,
  LedgerSide,
} from '#reports/timeline-entries.ts'
import type { Sealer } from '#seal.ts'
import { presentShares } from '#splits/views.ts'
import { SuspenseView } from '#suspense/views.ts'
import {
  type CreditLocation,
  type Place,
  sumInPlaces,
  type TracedItem,
  type TracedReturn,
} from './credit.ts'
import { CREDIT_SOURCES, type JudgedBy } from './judge.ts'
import { type CreditKey, type CreditTrace, OUTCOMES, type Outcome } from './queries.ts'

const PLACES: readonly Place[] = [
  'collection_account',
  'payment',
  'suspense',
  'returning',
  'returned',
  'reversed',
]

type Showing = { sealer: Sealer; nameBank: NameBank }

const LocationView = view('CreditLocation', (f: Fields<CreditLocation, Showing>) => ({
  amount: f.naira('amountKobo'),
  place: f.as(Type.Unsafe<Place>({ type: 'string', enum: [...PLACES] }), 'place'),
  reference: f.textOrNull(
    ({ place, reference }, { sealer }) =>
      place === 'suspense' && reference !== null ? itemIdText(sealer, reference) : reference,
    'Account number, payment reference, suspense ID or bank reference.',
  ),
  reason: f.textOrNull('reason', 'Suspense reason.'),
  description: f.text('description', 'Human-readable summary.'),
}))

const IdentifierBody = named('CreditIdentifier', {
  kind: Type.Unsafe<IdentifierKind>({ type: 'string', enum: [...IDENTIFIER_KINDS] }),
  value: Type.String(),
})

const ChargesBody = named(
  'BankCharges',
  { fee: Type.Number(), vat: Type.Number(), duty: Type.Number() },
  { description: 'Withheld by the bank. Part of amount; the payer is credited in full.' },
)

export const CreditView = view('Credit', (f: Fields<CreditTrace, Showing>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'credit', id)),
  sessionId: f.text(
    'sessionId',
    'Interbank session ID (30 digits on NIP), or the first of identifiers.',
  ),
  identifiers: f.as<CreditIdentifier[]>(
    Type.Array(IdentifierBody, {
      description: 'Everything the bank calls this credit. Each finds it.',
    }),
    'identifiers',
  ),
  source: f.oneOf('source', CREDIT_SOURCES, 'How it was first learned of.'),
  bankCode: f.text('bankCode'),
  bankName: f.text(({ bankCode }, { nameBank }) => nameBank(bankCode)),
  accountNumber: f.text('accountNumber', 'Credited account number.'),
  amount: f.naira('amountKobo', 'What the payer sent.'),
  charges: f.as(ChargesBody, ({ charges: { feeKobo, vatKobo, dutyKobo } }) => ({
    fee: toNaira(feeKobo),
    vat: toNaira(vatKobo),
    duty: toNaira(dutyKobo),
  })),
  netAmount: f.naira(
    ({ amountKobo, charges: { feeKobo, vatKobo, dutyKobo } }) =>
      kobo(amountKobo - feeKobo - vatKobo - dutyKobo),
    'What the bank holds of it: amount less charges.',
  ),
  currency: f.text('currency'),
  outcome: f.as(Type.Unsafe<Outcome>({ type: 'string', enum: [...OUTCOMES] }), 'outcome'),
  reason: f.textOrNull('reason', 'Why all or part of it was suspended.'),
  amountBooked: f.naira(bookedKobo, 'Currently booked to a collection account or payment.'),
  merchantFee: f.naira(
    'merchantFeeKobo',
    'Fee charged on what is booked, without VAT, less what was given back.',
  ),
  merchantFeeVat: f.naira('merchantVatKobo', 'VAT on merchantFee.'),
  netToMerchant: f.naira(
    (credit) => kobo(bookedKobo(credit) - credit.merchantFeeKobo - credit.merchantVatKobo),
    'amountBooked − merchantFee − merchantFeeVat. Includes splits.',
  ),
  splits: f.as(Shares, ({ splits }) => presentShares(splits)),
  amountSuspended: f.naira(
    ({ locations }) => sumInPlaces(locations, 'suspense'),
    'Currently in suspense.',
  ),
  amountReturned: f.naira(
    ({ locations }) => sumInPlaces(locations, 'returning', 'returned'),
    'Returned to the payer, or being returned.',
  ),
  amountReversed: f.naira('reversedKobo', 'Total reversed by the bank.'),
  amountShortfall: f.naira(
    'shortfallKobo',
    'Part of amountReversed that was already returned, and so also in amountReturned. amount = ' +
      'amountBooked + amountSuspended + amountReturned + amountReversed − amountShortfall.',
  ),
  amountReceivable: f.naira(
    'receivableKobo',
    'Part of amountReversed that had been paid out or refunded: the client owes it.',
  ),
  refundedAmount: f.naira(
    'refundedKobo',
    'Refunded to the payer, confirmed by the bank. It stays in amountBooked.',
  ),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  sourceAccountNumberMasked: f.textOrNull('sourceAccountNumberMasked'),
  sourceBankCode: f.textOrNull('sourceBankCode'),
  narration: f.textOrNull('narration'),
  paymentReference: f.textOrNull('paymentReference'),
  adviceReference: f.textOrNull('adviceReference'),
  merchantRef: f.textOrNull('merchantRef'),
  collectionAccountNumber: f.textOrNull('collectionAccountNumber'),
  transactionTime: f.textOrNull(
    ({ transactionDate, transactionTime: time }) => transactionDate ?? (time && timestamp(time)),
    'Time reported by the bank, or its date if it reports no time.',
  ),
  receivedAt: f.time('receivedAt', 'When the bank reported it.'),
  judgedBy: f.as<JudgedBy | null>(
    nullable('string', {
      enum: ['bank_time', 'arrival', null],
      description:
        'Which time decided whether the payment was still open: transactionTime or receivedAt. ' +
        'Null where neither applies.',
    }),
    'judgedBy',
  ),
  locations: f.list(LocationView, 'locations', 'Parts sum to amount.'),
}))

export const CreditBody = CreditView.schema
export const presentCredit = CreditView.present

function bookedKobo({ locations }: CreditTrace) {
  return sumInPlaces(locations, 'collection_account', 'payment')
}

// Returns the public id of a suspense item. `id` is the internal id as text: SELECT_TRACE reads items as
// JSON, whose numbers cannot hold every id.
function itemIdText(sealer: Sealer, id: string): string {
  return publicId(sealer, 'suspense', BigInt(id) as SuspenseItemId).toString()
}

// Parses the last part of /api/v1/credits/{id}. A short number may be an id or an identifier of a bank, so
// both are looked up; the id is tried first.
export function parseCreditKey(sealer: Sealer, text: string): CreditKey {
  if (!isSessionId(text)) throw new Refusal('credit_not_found')
  return { id: findId(sealer, 'credit', text), identifier: text }
}

// The detail view of a credit adds its history: suspense items, reversals, ledger transfers and events.

const LedgerSideBody = named('LedgerSide', {
  kind: Type.String({ description: 'Ledger account kind.' }),
  accountNumber: nullable('string'),
})

const ReturnView = view('CreditReturn', (f: Fields<TracedReturn, Showing>) => ({
  reference: f.text('reference'),
  status: f.text('status', 'pending, confirmed or failed.'),
  amount: f.naira('amountKobo'),
  bankReference: f.textOrNull('bankReference'),
  failureReason: f.textOrNull('failureReason'),
  requestedAt: f.time('requestedAt'),
  settledAt: f.timeOrNull('settledAt'),
}))

const ItemView = view(undefined, (f: Fields<TracedItem, Showing>) => ({
  id: f.text(({ id }, { sealer }) => itemIdText(sealer, id)),
  amount: f.naira('amountKobo'),
  reason: f.text('reason'),
  state: f.text('state'),
  assignedAccountNumber: f.textOrNull('accountNumber'),
  assignedPaymentReference: f.textOrNull('paymentReference'),
  returnReference: f.as(
    SuspenseView.fields.returnReference.schema,
    ({ returns }) => returns.at(-1)?.reference ?? null,
  ),
  bankReference: f.as(
    SuspenseView.fields.bankReference.schema,
    ({ returns }) => returns.at(-1)?.bankReference ?? null,
  ),
  failureReason: f.as(
    SuspenseView.fields.failureReason.schema,
    ({ returns }) => returns.at(-1)?.failureReason ?? null,
  ),
  returns: f.list(ReturnView, 'returns', 'Every attempt to return it.'),
  openedAt: f.time('openedAt'),
  closedAt: f.timeOrNull('closedAt'),
}))

const ReversalView = view(undefined, (f: Fields<CreditReversal, Showing>) => ({
  sessionId: f.text('sessionId'),
  amount: f.naira('amountKobo'),
  shortfall: f.naira('shortfallKobo', 'Part of the amount that had already been returned.'),
  receivable: f.naira('receivableKobo', 'Part of the amount that the client owes.'),
  receivedAt: f.time('receivedAt'),
}))

const TransferView = view(undefined, (f: Fields<CreditTransfer, Showing>) => ({
  amount: f.naira('amountKobo'),
  reason: f.text('reason'),
  from: f.as<LedgerSide>(LedgerSideBody, 'from'),
  to: f.as<LedgerSide>(LedgerSideBody, 'to'),
  postedAt: f.time('postedAt'),
}))

const EventView = view(undefined, (f: Fields<CreditHistory['events'][number], Showing>) => ({
  id: f.text('id'),
  type: f.text('type'),
  sequence: f.integer('sequence'),
  createdAt: f.time('createdAt'),
}))

export const CreditDetailView = view(
  'CreditDetail',
  (f: Fields<CreditTrace & CreditHistory, Showing>) => ({
    ...CreditView.fields,
    suspense: f.list(ItemView, 'items'),
    reversals: f.list(ReversalView, 'reversals'),
    transfers: f.list(TransferView, 'transfers'),
    events: f.list(EventView, 'events'),
  }),
)
