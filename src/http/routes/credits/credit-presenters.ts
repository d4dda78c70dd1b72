// Schemas and presenters of credits and where their money is.

import { Type } from '@fastify/type-provider-typebox'
import { IDENTIFIER_KINDS, type IdentifierKind } from '#banks/notifications.ts'
import { isSessionId } from '#banks/session-id.ts'
import { type CreditKey, type CreditTrace, OUTCOMES } from '#domain/credits/credit-list.ts'
import { type CreditLocation, type Place, sumInPlaces } from '#domain/credits/credit-location.ts'
import { CREDIT_SOURCES, type CreditSource } from '#domain/credits/judge-credit.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { Refusal } from '#errors.ts'
import { presentShares } from '#http/routes/splits/split-presenters.ts'
import { named, nullable, Shares } from '#http/schemas.ts'
import type { SuspenseItemId } from '#ids.ts'
import { kobo, toNaira } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const PLACES: readonly Place[] = [
  'collection_account',
  'payment',
  'suspense',
  'returning',
  'returned',
  'reversed',
]

const LocationBody = named('CreditLocation', {
  amount: Type.Number(),
  place: Type.Unsafe<Place>({ type: 'string', enum: [...PLACES] }),
  reference: nullable('string', {
    description: 'Account number, payment reference, suspense ID or bank reference.',
  }),
  reason: nullable('string', { description: 'Suspense reason.' }),
  description: Type.String({ description: 'Human-readable summary.' }),
})

const IdentifierBody = named('CreditIdentifier', {
  kind: Type.Unsafe<IdentifierKind>({ type: 'string', enum: [...IDENTIFIER_KINDS] }),
  value: Type.String(),
})

const ChargesBody = named(
  'BankCharges',
  { fee: Type.Number(), vat: Type.Number(), duty: Type.Number() },
  { description: 'Withheld by the bank. Part of amount; the payer is credited in full.' },
)

export const CreditBody = named('Credit', {
  id: Type.Integer(),
  sessionId: Type.String({
    description: 'Interbank session ID (30 digits on NIP), or the first of identifiers.',
  }),
  identifiers: Type.Array(IdentifierBody, {
    description: 'Everything the bank calls this credit. Each finds it.',
  }),
  source: Type.Unsafe<CreditSource>({
    type: 'string',
    enum: [...CREDIT_SOURCES],
    description: 'How it was first learned of.',
  }),
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumber: Type.String({ description: 'Credited account number.' }),
  amount: Type.Number({ description: 'What the payer sent.' }),
  charges: ChargesBody,
  netAmount: Type.Number({ description: 'What the bank holds of it: amount less charges.' }),
  currency: Type.String(),
  outcome: Type.String({ enum: [...OUTCOMES] }),
  reason: nullable('string', { description: 'Why all or part of it was suspended.' }),
  amountBooked: Type.Number({
    description: 'Currently booked to a collection account or payment.',
  }),
  merchantFee: Type.Number({
    description: 'Fee charged on what is booked, without VAT, less what was given back.',
  }),
  merchantFeeVat: Type.Number({ description: 'VAT on merchantFee.' }),
  netToMerchant: Type.Number({
    description: 'amountBooked − merchantFee − merchantFeeVat. Includes splits.',
  }),
  splits: Shares,
  amountSuspended: Type.Number({ description: 'Currently in suspense.' }),
  amountReturned: Type.Number({ description: 'Returned to the payer, or being returned.' }),
  amountReversed: Type.Number({ description: 'Total reversed by the bank.' }),
  amountShortfall: Type.Number({
    description:
      'Part of amountReversed that was already returned, and so also in amountReturned. amount = ' +
      'amountBooked + amountSuspended + amountReturned + amountReversed − amountShortfall.',
  }),
  amountReceivable: Type.Number({
    description: 'Part of amountReversed that had been paid out or refunded: the client owes it.',
  }),
  refundedAmount: Type.Number({
    description: 'Refunded to the payer, confirmed by the bank. It stays in amountBooked.',
  }),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  paymentReference: nullable('string'),
  adviceReference: nullable('string'),
  merchantRef: nullable('string'),
  collectionAccountNumber: nullable('string'),
  transactionTime: nullable('string', {
    description: 'Time reported by the bank, or its date if it reports no time.',
  }),
  receivedAt: Type.String({ description: 'When the bank reported it.' }),
  judgedBy: nullable('string', {
    enum: ['bank_time', 'arrival', null],
    description:
      'Which time decided whether the payment was still open: transactionTime or receivedAt. ' +
      'Null where neither applies.',
  }),
  locations: Type.Array(LocationBody, { description: 'Parts sum to amount.' }),
  archivedIn: nullable('string', {
    description:
      'Month whose archive has the payer, narration and ledger entries (yyyy-MM). Null: not archived.',
  }),
})

// A short number may be either: its id comes first.
export function parseCreditKey(sealer: Sealer, text: string): CreditKey {
  if (!isSessionId(text)) throw new Refusal('credit_not_found')
  return { id: findId(sealer, 'credit', text), identifier: text }
}

export type Showing = { sealer: Sealer; nameBank: NameBank }

export function presentCredit(credit: CreditTrace, { sealer, nameBank }: Showing) {
  const { locations, amountKobo, merchantFeeKobo, merchantVatKobo } = credit
  const bookedKobo = sumInPlaces(locations, 'collection_account', 'payment')
  const { feeKobo, vatKobo, dutyKobo } = credit.charges
  return {
    id: publicId(sealer, 'credit', credit.id),
    sessionId: credit.sessionId,
    identifiers: credit.identifiers,
    source: credit.source,
    bankCode: credit.bankCode,
    bankName: nameBank(credit.bankCode),
    accountNumber: credit.accountNumber,
    amount: toNaira(amountKobo),
    charges: { fee: toNaira(feeKobo), vat: toNaira(vatKobo), duty: toNaira(dutyKobo) },
    netAmount: toNaira(kobo(amountKobo - feeKobo - vatKobo - dutyKobo)),
    currency: credit.currency,
    outcome: credit.outcome,
    reason: credit.reason,
    amountBooked: toNaira(bookedKobo),
    merchantFee: toNaira(merchantFeeKobo),
    merchantFeeVat: toNaira(merchantVatKobo),
    netToMerchant: toNaira(kobo(bookedKobo - merchantFeeKobo - merchantVatKobo)),
    splits: presentShares(credit.splits),
    amountSuspended: toNaira(sumInPlaces(locations, 'suspense')),
    amountReturned: toNaira(sumInPlaces(locations, 'returning', 'returned')),
    amountReversed: toNaira(credit.reversedKobo),
    amountShortfall: toNaira(credit.shortfallKobo),
    amountReceivable: toNaira(credit.receivableKobo),
    refundedAmount: toNaira(credit.refundedKobo),
    sourceAccountName: credit.sourceAccountName,
    sourceAccountNumberMasked: credit.sourceAccountNumberMasked,
    sourceBankCode: credit.sourceBankCode,
    narration: credit.narration,
    paymentReference: credit.paymentReference,
    adviceReference: credit.adviceReference,
    merchantRef: credit.merchantRef,
    collectionAccountNumber: credit.collectionAccountNumber,
    transactionTime: credit.transactionDate ?? optionalTime(credit.transactionTime),
    receivedAt: timestamp(credit.receivedAt),
    judgedBy: credit.judgedBy,
    locations: locations.map((part) => presentLocation(part, sealer)),
    archivedIn: credit.archivedIn,
  }
}

function presentLocation({ amountKobo, ...location }: CreditLocation, sealer: Sealer) {
  const { place, reference } = location
  const isItem = place === 'suspense' && reference !== null
  return {
    ...location,
    amount: toNaira(amountKobo),
    reference: isItem ? itemIdText(sealer, reference) : reference,
  }
}

export function itemIdText(sealer: Sealer, id: string): string {
  return publicId(sealer, 'suspense', BigInt(id) as SuspenseItemId).toString()
}

export function optionalTime(date: Date | null): string | null {
  return date && timestamp(date)
}
