// The reserve of settlements in percent, and the least of it, which the operator sets.

import { Type } from '@fastify/type-provider-typebox'
import type { PayoutSettings } from '#domain/payouts/payout-settings.ts'
import { Refusal } from '#errors.ts'
import { koboOf } from '#money.ts'

export const PERCENT_BPS = 100
const PERCENT_SAYS = 'Must be from 0 to 100, with at most two decimals.'

export const ReservePercent = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100, description, 'x-says': PERCENT_SAYS }))

export const ReserveDays = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description,
      'x-says': 'Must be a whole number from 0 to 365.',
    }),
  )

export const ReserveFloorFields = {
  reserveFloorPercent: Type.Number({
    description: 'Least reserve of settlements, set by the operator. 0: none.',
  }),
  reserveFloorDays: Type.Integer({ description: 'Least time that it is held back.' }),
}

// Two decimals, read like money: a float times a hundred is not always whole.
export function parsePercent(field: string, percent: number): number {
  const bps = koboOf(percent)
  if (bps !== undefined) return Number(bps)
  throw new Refusal('invalid_request', [{ field, message: PERCENT_SAYS }])
}

type Floor = Pick<PayoutSettings, 'reserveFloorBps' | 'reserveFloorDays'>

type FloorRequest = {
  reserveFloorPercent?: number | undefined
  reserveFloorDays?: number | undefined
}

// Both or neither: a reserve without days is none.
export function parseFloor(body: FloorRequest): Floor | undefined {
  const { reserveFloorPercent: percent, reserveFloorDays } = body
  if (percent === undefined && reserveFloorDays === undefined) return undefined
  const reserveFloorBps = parsePercent('reserveFloorPercent', percent ?? 0)
  const days = reserveFloorDays ?? 0
  if ((reserveFloorBps === 0) !== (days === 0)) {
    const field = reserveFloorBps === 0 ? 'reserveFloorPercent' : 'reserveFloorDays'
    const message = 'Set both reserveFloorPercent and reserveFloorDays, or both to 0.'
    throw new Refusal('invalid_request', [{ field, message }])
  }
  return { reserveFloorBps, reserveFloorDays: days }
}

export function presentFloor({ reserveFloorBps, reserveFloorDays }: Floor) {
  return { reserveFloorPercent: reserveFloorBps / PERCENT_BPS, reserveFloorDays }
}
