// How a credit looks from outside: what came in, and where its money is now.

import { Type } from '@fastify/type-provider-typebox'
import type { BankSettings } from '#bank-settings.ts'
import { findBank } from '#banks/directory.ts'
import { isSessionId } from '#banks/session-id.ts'
import type { CreditHistory } from '#domain/credit-histories.ts'
import { type CreditTrace, OUTCOMES } from '#domain/credit-traces.ts'
import { type Place, sumAt, type TracedItem, type Whereabout } from '#domain/credit-whereabouts.ts'
import { Refusal } from '#errors.ts'
import { toNaira } from '#money.ts'
import { timestamp } from './present.ts'
import { nullable } from './schemas.ts'

const PLACES: readonly Place[] = [
  'collection_account',
  'payment',
  'suspense',
  'returning',
  'returned',
  'reversed',
]

const WhereaboutBody = Type.Object({
  amount: Type.Number(),
  place: Type.Unsafe<Place>({ type: 'string', enum: [...PLACES] }),
  reference: nullable('string', {
    description: 'Account number, payment reference, suspense id, or the bank’s own reference.',
  }),
  reason: nullable('string', { description: 'Why it is, or was, in suspense.' }),
  description: Type.String({ description: 'The same in a sentence.' }),
})

export const CreditBody = Type.Object({
  id: Type.Integer(),
  sessionId: Type.String({ description: 'The bank’s session id: 30 digits on NIP.' }),
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumber: Type.String({ description: 'The number that the money was sent to.' }),
  amount: Type.Number(),
  currency: Type.String(),
  outcome: Type.String({ enum: [...OUTCOMES] }),
  reason: nullable('string', { description: 'Why it, or a part of it, went to suspense.' }),
  amountBooked: Type.Number({ description: 'Now with a collection account or a payment.' }),
  amountSuspended: Type.Number({ description: 'Now in suspense.' }),
  amountReturned: Type.Number({ description: 'Sent back to the payer, or on its way.' }),
  amountReversed: Type.Number({ description: 'Taken back by the bank.' }),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  paymentReference: nullable('string'),
  adviceReference: nullable('string'),
  merchantRef: nullable('string'),
  collectionAccountNumber: nullable('string'),
  transactionTime: nullable('string', {
    description: 'When it happened, as the bank says: a time, or a date where it gives none.',
  }),
  receivedAt: Type.String({ description: 'When we learned of it.' }),
  judgedBy: nullable('string', {
    enum: ['bank_time', 'arrival', null],
    description:
      'Which time said whether its payment was still open: transactionTime or receivedAt.' +
      ' Null where no time decides.',
  }),
  whereabouts: Type.Array(WhereaboutBody, { description: 'Sums to the amount.' }),
})

const LedgerSideBody = Type.Object({
  kind: Type.String({ description: 'Kind of ledger account.' }),
  accountNumber: nullable('string'),
})

export const CreditDetailBody = Type.Object({
  ...CreditBody.properties,
  suspense: Type.Array(
    Type.Object({
      id: Type.String(),
      amount: Type.Number(),
      reason: Type.String(),
      state: Type.String(),
      assignedAccountNumber: nullable('string'),
      assignedPaymentReference: nullable('string'),
      returnReference: nullable('string'),
      openedAt: Type.String(),
      closedAt: nullable('string'),
    }),
  ),
  reversals: Type.Array(
    Type.Object({
      sessionId: Type.String(),
      amount: Type.Number(),
      shortfall: Type.Number({ description: 'Of the amount, what had left us already.' }),
      receivedAt: Type.String(),
    }),
  ),
  transfers: Type.Array(
    Type.Object({
      amount: Type.Number(),
      reason: Type.String(),
      from: LedgerSideBody,
      to: LedgerSideBody,
      postedAt: Type.String(),
    }),
  ),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      sequence: Type.Integer(),
      createdAt: Type.String(),
    }),
  ),
})

const CREDIT_ID = /^[1-9][0-9]{0,17}$/

// By its id, or by the bank's session id, which is hardly ever as short.
export function creditKeyOf(text: string): { id: bigint } | { sessionId: string } {
  if (CREDIT_ID.test(text)) return { id: BigInt(text) }
  if (!isSessionId(text)) throw new Refusal('credit_not_found')
  return { sessionId: text }
}

export type NameBank = (code: string) => string

export function bankNames(banks: readonly BankSettings[]): NameBank {
  return (code) => banks.find((bank) => bank.code === code)?.name ?? findBank(code)?.name ?? code
}

export function presentCredit(credit: CreditTrace, nameBank: NameBank) {
  const { whereabouts } = credit
  return {
    id: Number(credit.id),
    sessionId: credit.sessionId,
    bankCode: credit.bankCode,
    bankName: nameBank(credit.bankCode),
    accountNumber: credit.accountNumber,
    amount: toNaira(credit.amountKobo),
    currency: credit.currency,
    outcome: credit.outcome,
    reason: credit.reason,
    amountBooked: toNaira(sumAt(whereabouts, 'collection_account', 'payment')),
    amountSuspended: toNaira(sumAt(whereabouts, 'suspense')),
    amountReturned: toNaira(sumAt(whereabouts, 'returning', 'returned')),
    amountReversed: toNaira(sumAt(whereabouts, 'reversed')),
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
    whereabouts: whereabouts.map(presentWhereabout),
  }
}

export function presentCreditDetail(
  credit: CreditTrace,
  { transfers, reversals, events }: CreditHistory,
  nameBank: NameBank,
) {
  return {
    ...presentCredit(credit, nameBank),
    suspense: credit.items.map(presentItem),
    reversals: reversals.map(({ sessionId, amountKobo, shortfallKobo, receivedAt }) => ({
      sessionId,
      amount: toNaira(amountKobo),
      shortfall: toNaira(shortfallKobo),
      receivedAt: timestamp(receivedAt),
    })),
    transfers: transfers.map(({ amountKobo, reason, from, to, postedAt }) => ({
      amount: toNaira(amountKobo),
      reason,
      from,
      to,
      postedAt: timestamp(postedAt),
    })),
    events: events.map(({ id, type, sequence, createdAt }) => ({
      id,
      type,
      sequence: Number(sequence),
      createdAt: timestamp(createdAt),
    })),
  }
}

function presentWhereabout({ amountKobo, ...whereabout }: Whereabout) {
  return { amount: toNaira(amountKobo), ...whereabout }
}

function presentItem(item: TracedItem) {
  return {
    id: item.id,
    amount: toNaira(item.amountKobo),
    reason: item.reason,
    state: item.state,
    assignedAccountNumber: item.accountNumber,
    assignedPaymentReference: item.paymentReference,
    returnReference: item.returnReference,
    openedAt: timestamp(item.openedAt),
    closedAt: optionalTime(item.closedAt),
  }
}

function optionalTime(date: Date | null): string | null {
  return date && timestamp(date)
}
