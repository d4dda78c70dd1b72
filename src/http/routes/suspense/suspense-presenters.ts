// Money in suspense as requests and answers show it.

import { Type } from '@fastify/type-provider-typebox'
import {
  originalKobo,
  SUSPENSE_CHANGES,
  type SuspenseChange,
} from '#domain/credits/suspense-changes.ts'
import type { AssignTo } from '#domain/suspense/assign-suspense.ts'
import type { SuspenseEntry } from '#domain/suspense/suspense-list.ts'
import { Refusal } from '#errors.ts'
import { accountNumber, nullable, text } from '#http/schemas.ts'
import { type PaymentId, parseReference, type SuspenseItemId } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

// Of the last return of an item.
export const ReturnOfItem = {
  returnReference: nullable('string', {
    description: 'Of its last return, for ever: banks and events name it too.',
  }),
  bankReference: nullable('string', { description: 'The bank’s own, once it the confirmed.' }),
  failureReason: nullable('string', { description: 'Why its last return failed.' }),
}

export const SuspenseBody = Type.Object({
  id: Type.Integer(),
  amount: Type.Number(),
  currency: Type.String(),
  reason: Type.String({ description: 'Why it is in suspense: see docs/money-flow.md.' }),
  state: Type.String({ description: 'open, assigned, returning, returned or reversed.' }),
  creditId: Type.Integer(),
  sessionId: Type.String(),
  bankCode: Type.String(),
  accountNumber: Type.String({ description: 'The number that the payer sent it to.' }),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  paymentReference: nullable('string', { description: 'The payment that it the meant for.' }),
  assignedTo: nullable('string', { description: 'A payment reference or an account number.' }),
  ...ReturnOfItem,
  openedAt: Type.String(),
  closedAt: nullable('string'),
  ageSeconds: Type.Integer({ description: 'How long it has been, or the, in suspense.' }),
})

// One item, with all that became of it.
export const SuspenseDetailBody = Type.Object({
  ...SuspenseBody.properties,
  originalAmount: Type.Number({ description: 'Amount it began with.' }),
  history: Type.Array(
    Type.Object({
      at: Type.String(),
      change: Type.String({ description: `${SUSPENSE_CHANGES.join(', ')}.` }),
      amount: Type.Number({ description: 'Amount it the change.' }),
      amountLeft: Type.Number({ description: 'Of the item, after it.' }),
      reference: nullable('string', {
        description: 'Payment, account number, or the bank’s own: of a return, or of a reversal.',
      }),
    }),
    { description: 'Oldest first. Nothing here ever changes.' },
  ),
})

// Where it is to go: one of the two.
export const AssignTarget = {
  accountNumber: Type.Optional(
    accountNumber('^[0-9]{10}$', 'A collection account.', 'Must be 10 accountNumber.'),
  ),
  paymentReference: Type.Optional(text(40, 'A payment.')),
}

export function itemIdOf(sealer: Sealer, text: string): SuspenseItemId {
  const id = findId(sealer, 'suspense', text)
  if (id === undefined) throw new Refusal('suspense_not_found')
  return id
}

export function targetOf(body: {
  accountNumber?: string | undefined
  paymentReference?: string | undefined
}): AssignTo {
  const { accountNumber, paymentReference } = body
  if ((accountNumber === undefined) === (paymentReference === undefined)) {
    const message = 'Send either accountNumber or paymentReference.'
    throw new Refusal('invalid_request', [{ field: 'accountNumber', message }])
  }
  if (accountNumber !== undefined) return { accountNumber }
  const paymentId = parseReference<PaymentId>(paymentReference as string)
  if (!paymentId) throw new Refusal('payment_not_found')
  return { paymentId }
}

export function presentSuspenseDetail(
  entry: SuspenseEntry,
  { changes, sealer, now }: { changes: readonly SuspenseChange[]; sealer: Sealer; now: Date },
) {
  return {
    ...presentSuspense(entry, sealer, now),
    originalAmount: toNaira(originalKobo(entry.amountKobo, changes)),
    history: changes.map(({ changedAt, change, amountKobo, leftKobo, reference }) => ({
      at: timestamp(changedAt),
      change,
      amount: toNaira(amountKobo),
      amountLeft: toNaira(leftKobo),
      reference,
    })),
  }
}

export function presentSuspense(entry: SuspenseEntry, sealer: Sealer, now: Date) {
  const { openedAt, closedAt, sourceAccountSealed } = entry
  return {
    id: publicId(sealer, 'suspense', entry.id),
    amount: toNaira(entry.amountKobo),
    currency: entry.currency,
    reason: entry.reason,
    state: entry.state,
    creditId: publicId(sealer, 'credit', entry.creditId),
    sessionId: entry.sessionId,
    bankCode: entry.bankCode,
    accountNumber: entry.accountNumber,
    sourceAccountName: entry.sourceAccountName,
    sourceAccountNumberMasked:
      sourceAccountSealed && maskAccountNumber(sealer.open(sourceAccountSealed)),
    sourceBankCode: entry.sourceBankCode,
    narration: entry.narration,
    paymentReference: entry.paymentReference,
    assignedTo: entry.assignedPaymentReference ?? entry.assignedAccountNumber,
    returnReference: entry.returnReference,
    bankReference: entry.bankReference,
    failureReason: entry.failureReason,
    openedAt: timestamp(openedAt),
    closedAt: closedAt && timestamp(closedAt),
    // Clocks of two machines differ, and one may be set back.
    ageSeconds: Math.max(0, Math.floor(((closedAt ?? now).getTime() - openedAt.getTime()) / 1000)),
  }
}
