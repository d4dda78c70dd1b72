// Schemas of what people do with differences.

import { Type } from '@fastify/type-provider-typebox'
import { ACTIONS } from '#domain/reconciliation/allowed-actions.ts'
import { READINGS } from '#domain/reconciliation/reversed-credits.ts'
import { Refusal } from '#errors.ts'
import { named, oneOf, text } from '#http/schemas.ts'
import type { DifferenceId } from '#ids.ts'

export const IDS_MAX = 500
const REASON_MAX = 500
const ID = /^[1-9][0-9]{0,14}$/

export const Reason = text(REASON_MAX, 'Reason, kept with the difference.')

export const Action = {
  ...oneOf(
    ACTIONS,
    'book: bring the line into the books. match: confirm the suggested item. note: explain it; it ' +
      'stays in the arithmetic.',
  ),
  'x-says': `Must be one of ${ACTIONS.join(', ')}.`,
}

export const ResolutionRequest = named(
  'ResolutionRequest',
  {
    action: Action,
    reading: Type.Optional({
      ...oneOf(
        READINGS,
        'To book a debit that is smaller than the credit it names, say what it is. charge: the bank ' +
          'charged it. reversal: the bank took back a part of the credit.',
      ),
      'x-says': `Must be one of ${READINGS.join(', ')}.`,
    }),
    reason: Reason,
  },
  { additionalProperties: false },
)

export const Ids = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: IDS_MAX,
    description,
    'x-says': `Must be a list of 1 to ${IDS_MAX} ids of differences.`,
  })

export const BulkResolutionRequest = named(
  'BulkResolutionRequest',
  { ids: Ids('Differences, each resolved on its own.'), action: Action, reason: Reason },
  { additionalProperties: false },
)

export const ResolutionResult = named('ResolutionResult', {
  id: Type.Integer(),
  ok: Type.Boolean(),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})

export function requireDifferenceId(id: string): DifferenceId {
  if (!ID.test(id)) throw new Refusal('difference_not_found')
  return BigInt(id) as DifferenceId
}
