// The filters and orders of suspense items: of the list, its sums and its CSV.

import { Type } from '@fastify/type-provider-typebox'
import type { Position } from '#db/paging.ts'
import { ITEM_STATES, type ItemState } from '#domain/credits/suspense-history.ts'
import { AGE_BUCKETS, type AgeBucket } from '#domain/records/age-buckets.ts'
import {
  SUSPENSE_ORDERS,
  type SuspenseFilters,
  type SuspenseOrder,
  type SuspensePosition,
} from '#domain/suspense/suspense-list.ts'
import { Refusal } from '#errors.ts'
import { bankCode, digits } from '#http/schemas.ts'
import type { SuspenseItemId } from '#ids.ts'
import { type Kobo, parseKobo } from '#money.ts'

function choice<T extends string>(values: readonly T[], description?: string) {
  return Type.Optional(
    Type.Unsafe<T>({
      type: 'string',
      enum: [...values],
      ...(description ? { description } : {}),
      'x-says': `Must be one of ${values.join(', ')}.`,
    }),
  )
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

type Asked = {
  state?: ItemState
  reason?: string
  bankCode?: string
  age?: AgeBucket
  minAmount?: string
  maxAmount?: string
}

export function parseSuspenseFilters(asked: Asked): SuspenseFilters {
  const { state, reason, bankCode: bank, age, minAmount, maxAmount } = asked
  const minKobo = minAmount === undefined ? undefined : parseKobo(minAmount)
  const maxKobo = maxAmount === undefined ? undefined : parseKobo(maxAmount)
  if (minKobo !== undefined && maxKobo !== undefined && maxKobo < minKobo) {
    const message = 'Must not be less than minAmount.'
    throw new Refusal('invalid_request', [{ field: 'maxAmount', message }])
  }
  return { state, reason, bankCode: bank, age, minKobo, maxKobo }
}

export function positionOf({ id, amountKobo, openedAt }: SuspensePosition): Position {
  return [id.toString(), amountKobo.toString(), openedAt.toISOString()]
}

export function toPosition([id, amountKobo, openedAt]: Position): SuspensePosition {
  // A cursor of the previous release.
  if (openedAt === undefined) throw new Refusal('invalid_cursor')
  return {
    id: BigInt(id as string) as SuspenseItemId,
    amountKobo: BigInt(amountKobo as string) as Kobo,
    openedAt: new Date(openedAt as string),
  }
}
