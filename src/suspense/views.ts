// Views and filters of suspense items.

import { Type } from '@fastify/type-provider-typebox'
import { ITEM_STATES, type ItemState } from '#credits/states.ts'
import { originalKobo, SUSPENSE_CHANGES, type SuspenseChange } from '#credits/suspense-items.ts'
import { invalidField, Refusal } from '#errors.ts'
import { choice } from '#http/lists.ts'
import { accountNumber, bankCode, digits, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { findId, type PaymentId, parseReference, publicId, type SuspenseItemId } from '#ids.ts'
import { type Kobo, parseKobo } from '#money.ts'
import { AGE_BUCKETS, type AgeBucket } from '#records/shared-sql.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import type { AssignTo } from './assign.ts'
import {
  SUSPENSE_ORDERS,
  type SuspenseEntry,
  type SuspenseFilters,
  type SuspenseOrder,
  type SuspensePosition,
} from './queries.ts'

type Context = { sealer: Sealer; now: Date }

export const SuspenseView = view('SuspenseItem', (f: Fields<SuspenseEntry, Context>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'suspense', id)),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  reason: f.text('reason', 'Suspense reason: see docs/money-flow.md.'),
  state: f.text('state', 'open, assigned, returning, returned or reversed.'),
  creditId: f.integer(({ creditId }, { sealer }) => publicId(sealer, 'credit', creditId)),
  sessionId: f.text('sessionId'),
  bankCode: f.text('bankCode'),
  accountNumber: f.text('accountNumber', 'Credited account number.'),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  sourceAccountNumberMasked: f.textOrNull(
    ({ sourceAccountSealed }, { sealer }) =>
      sourceAccountSealed && maskAccountNumber(sealer.open(sourceAccountSealed)),
  ),
  sourceBankCode: f.textOrNull('sourceBankCode'),
  narration: f.textOrNull('narration'),
  paymentReference: f.textOrNull('paymentReference', 'Intended payment.'),
  assignedTo: f.textOrNull(
    ({ assignedPaymentReference, assignedAccountNumber }) =>
      assignedPaymentReference ?? assignedAccountNumber,
    'Payment reference or account number.',
  ),
  returnReference: f.textOrNull(
    'returnReference',
    'Permanent reference of the last return, also used by banks and events.',
  ),
  bankReference: f.textOrNull('bankReference', 'Set once the bank confirms.'),
  failureReason: f.textOrNull('failureReason', 'Failure reason of the last return.'),
  openedAt: f.time('openedAt'),
  closedAt: f.timeOrNull('closedAt'),
  // At least 0, although the clocks of two machines may differ and one may be set back.
  ageSeconds: f.integer(
    ({ openedAt, closedAt }, { now }) =>
      Math.max(0, Math.floor(((closedAt ?? now).getTime() - openedAt.getTime()) / 1000)),
    'Time in suspense.',
  ),
}))

const ChangeView = view(undefined, (f: Fields<SuspenseChange, Context>) => ({
  at: f.time('changedAt'),
  change: f.text('change', `${SUSPENSE_CHANGES.join(', ')}.`),
  amount: f.naira('amountKobo', 'Amount of the change.'),
  amountLeft: f.naira('leftKobo', 'Remaining amount after the change.'),
  reference: f.textOrNull(
    'reference',
    'Payment reference, account number, or bank reference of a return or reversal.',
  ),
}))

export const SuspenseDetailView = view(
  'SuspenseItemDetail',
  (f: Fields<SuspenseEntry & { changes: readonly SuspenseChange[] }, Context>) => ({
    ...SuspenseView.fields,
    originalAmount: f.naira(
      ({ amountKobo, changes }) => originalKobo(amountKobo, changes),
      'Initial amount.',
    ),
    history: f.list(ChangeView, 'changes', 'Oldest first. Append-only.'),
  }),
)

// An assignment names exactly one of these two fields.
export const AssignTarget = {
  accountNumber: Type.Optional(accountNumber('A collection account.')),
  paymentReference: Type.Optional(text(40, 'A payment.')),
}

export function requireItemId(sealer: Sealer, text: string): SuspenseItemId {
  const id = findId(sealer, 'suspense', text)
  if (id === undefined) throw new Refusal('suspense_not_found')
  return id
}

// Parses the target of an assignment: exactly one of an account number and a payment reference.
export function parseAssignTo(body: {
  accountNumber?: string | undefined
  paymentReference?: string | undefined
}): AssignTo {
  const { accountNumber, paymentReference } = body
  if ((accountNumber === undefined) === (paymentReference === undefined)) {
    throw invalidField('accountNumber', 'Send either accountNumber or paymentReference.')
  }
  if (accountNumber !== undefined) return { accountNumber }
  const paymentId = parseReference<PaymentId>(paymentReference as string)
  if (!paymentId) throw new Refusal('payment_not_found')
  return { paymentId }
}

const amount = (description: string) =>
  Type.Optional(
    digits(
      '^(?:0|[1-9][0-9]{0,9})(?:\\.[0-9]{1,2})?$',
      description,
      'Must be an amount with at most two decimals.',
    ),
  )

export const SuspenseFilterFields = {
  state: choice<ItemState>(ITEM_STATES),
  reason: Type.Optional(
    digits('^[a-z_]{1,40}$', 'Filter by reason.', 'Must be a suspense reason.'),
  ),
  bankCode: Type.Optional(bankCode('The bank that reported the credit.')),
  age: choice<AgeBucket>(
    AGE_BUCKETS,
    'Days in suspense, of the calendar in West Africa. In a URL, write 30+ as 30%2B.',
  ),
  minAmount: amount('At least this amount.'),
  maxAmount: amount('At most this amount.'),
}

export const OrderField = {
  order: choice<SuspenseOrder>(
    SUSPENSE_ORDERS,
    'Sort order. Default newest. A cursor keeps its order.',
  ),
}

type FilterQuery = {
  state?: ItemState
  reason?: string
  bankCode?: string
  age?: AgeBucket
  minAmount?: string
  maxAmount?: string
}

// Parses the filters of the list, the sums and the CSV export.
export function parseSuspenseFilters(query: FilterQuery): SuspenseFilters {
  const { state, reason, bankCode: bank, age, minAmount, maxAmount } = query
  const minKobo = minAmount === undefined ? undefined : parseKobo(minAmount)
  const maxKobo = maxAmount === undefined ? undefined : parseKobo(maxAmount)
  if (minKobo !== undefined && maxKobo !== undefined && maxKobo < minKobo) {
    throw invalidField('maxAmount', 'Must not be less than minAmount.')
  }
  return { state, reason, bankCode: bank, age, minKobo, maxKobo }
}

// Returns the position of an item in the list, as a cursor holds it. It has the values of every order.
export function positionOf({ id, amountKobo, openedAt }: SuspensePosition): string {
  return `${id} ${amountKobo} ${openedAt.toISOString()}`
}

// Parses a cursor's position, which positionOf() wrote.
export function parsePosition(position: string): SuspensePosition {
  const [id, amountKobo, openedAt] = position.split(' ')
  // A cursor of an earlier release contains only the id, and is refused.
  if (!id || !amountKobo || !openedAt) throw new Refusal('invalid_cursor')
  return {
    id: BigInt(id) as SuspenseItemId,
    amountKobo: BigInt(amountKobo) as Kobo,
    openedAt: new Date(openedAt),
  }
}
