// Schemas and presenters of suspense items.

import { Type } from '@fastify/type-provider-typebox'
import {
  originalKobo,
  SUSPENSE_CHANGES,
  type SuspenseChange,
} from '#domain/credits/suspense-history.ts'
import type { AssignTo } from '#domain/suspense/assign-suspense.ts'
import type { SuspenseEntry } from '#domain/suspense/suspense-list.ts'
import { Refusal } from '#errors.ts'
import { accountNumber, named, nullable, text } from '#http/schemas.ts'
import { type PaymentId, parseReference, type SuspenseItemId } from '#ids.ts'
import { maskAccountNumber } from '#mask.ts'
import { toNaira } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

// The last return of an item.
export const ReturnOfItem = {
  returnReference: nullable('string', {
    description: 'Permanent reference of the last return, also used by banks and events.',
  }),
  bankReference: nullable('string', { description: 'Set once the bank confirms.' }),
  failureReason: nullable('string', { description: 'Failure reason of the last return.' }),
}

export const SuspenseBody = named('SuspenseItem', {
  id: Type.Integer(),
  amount: Type.Number(),
  currency: Type.String(),
  reason: Type.String({ description: 'Suspense reason: see docs/money-flow.md.' }),
  state: Type.String({ description: 'open, assigned, returning, returned or reversed.' }),
  creditId: Type.Integer(),
  sessionId: Type.String(),
  bankCode: Type.String(),
  accountNumber: Type.String({ description: 'Credited account number.' }),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  paymentReference: nullable('string', { description: 'Intended payment.' }),
  assignedTo: nullable('string', { description: 'Payment reference or account number.' }),
  ...ReturnOfItem,
  openedAt: Type.String(),
  closedAt: nullable('string'),
  ageSeconds: Type.Integer({ description: 'Time in suspense.' }),
})

// One item, with all that became of it.
export const SuspenseDetailBody = named('SuspenseItemDetail', {
  ...SuspenseBody.properties,
  originalAmount: Type.Number({ description: 'Initial amount.' }),
  history: Type.Array(
    Type.Object({
      at: Type.String(),
      change: Type.String({ description: `${SUSPENSE_CHANGES.join(', ')}.` }),
      amount: Type.Number({ description: 'Amount of the change.' }),
      amountLeft: Type.Number({ description: 'Remaining amount after the change.' }),
      reference: nullable('string', {
        description:
          'Payment reference, account number, or bank reference of a return or reversal.',
      }),
    }),
    { description: 'Oldest first. Append-only.' },
  ),
})

// Where it is to go: one of the two.
export const AssignTarget = {
  accountNumber: Type.Optional(accountNumber('A collection account.')),
  paymentReference: Type.Optional(text(40, 'A payment.')),
}

export function requireItemId(sealer: Sealer, text: string): SuspenseItemId {
  const id = findId(sealer, 'suspense', text)
  if (id === undefined) throw new Refusal('suspense_not_found')
  return id
}

export function parseAssignTo(body: {
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
