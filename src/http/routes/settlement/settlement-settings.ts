// /api/v1/settlement-settings: when and how a client is settled.
// /api/v1/operator/settlement-holidays: days on which nothing is closed, for all clients.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { nextSlot, normalSchedule, SCHEDULE_PATTERN } from '#domain/settlement/schedule.ts'
import {
  listHolidays,
  readHolidays,
  readSettings,
  replaceHolidays,
  type SettlementSettings,
  writeSettings,
} from '#domain/settlement/settlement-settings.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import {
  PERCENT_BPS,
  parsePercent,
  presentFloor,
  ReserveDays,
  ReserveFloorFields,
  ReservePercent,
} from '#http/routes/payouts/reserve-floor.ts'
import { named, nullable, text } from '#http/schemas.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { dayAlone, timestamp } from '#wat-time.ts'

const HOLIDAYS_MAX = 200
const DATE_SAYS = 'Must be a date, e.g. 2026-12-25.'

const SettingsRequest = named(
  'SettlementSettingsRequest',
  {
    schedule: Type.String({
      pattern: SCHEDULE_PATTERN,
      description:
        'manual, daily@HH:MM, T+1@HH:MM or weekly@Mon@HH:MM (Mon to Fri), in West Africa Time, on ' +
        'business days. weekly alone is weekly@Mon@09:00.',
      examples: ['T+1@09:00'],
      'x-says': 'Must be manual, daily@HH:MM, T+1@HH:MM or weekly@Mon@HH:MM.',
    }),
    minimumAmount: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        'x-money': 'or-zero',
        description: 'The schedule skips less than this. Default 0.',
        'x-says': 'Must be from 0 to 1000000000.00, with at most two decimals.',
      }),
    ),
    reservePercent: ReservePercent('Held back of each settlement. Default 0.'),
    reserveDays: ReserveDays('For how long. Default 0.'),
  },
  { additionalProperties: false },
)

const SettingsBody = named('SettlementSettings', {
  schedule: Type.String(),
  minimumAmount: Type.Number(),
  reservePercent: Type.Number({ description: 'In force: at least reserveFloorPercent.' }),
  reserveDays: Type.Integer({ description: 'In force: at least reserveFloorDays.' }),
  ...ReserveFloorFields,
  nextCloseAt: nullable('string', { description: 'Null: not by itself.' }),
})

const Holiday = named(
  'SettlementHoliday',
  {
    date: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'x-says': DATE_SAYS }),
    name: text(100, 'What is celebrated.'),
  },
  { additionalProperties: false },
)
const HolidaysBody = named(
  'SettlementHolidays',
  {
    holidays: Type.Array(Holiday, {
      maxItems: HOLIDAYS_MAX,
      'x-says': `Must be a list of at most ${HOLIDAYS_MAX} holidays.`,
    }),
  },
  { additionalProperties: false },
)

export const settlementSettings = resource('/api/v1/settlement-settings', {
  tag: 'Settlements',
  noun: 'setting',
  view: SettingsBody,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  isForWholeClient: true,
})
  .get('getSettlementSettings', {
    path: '',
    summary: 'Retrieve settlement settings',
    description: 'Schedule, minimum amount and reserve of your settlements.',
    message: 'Settings retrieved successfully',
    run: async (db, { clientId }) => present(db, await readSettings(db, clientId)),
  })
  .replace('setSettlementSettings', {
    path: '',
    summary: 'Update settlement settings',
    description:
      'Replaces all of them. A schedule begins when it is set. Without a reserve, the operator’s ' +
      'floor is held back; one below it is refused (reserve_below_floor).',
    body: SettingsRequest,
    errors: ['reserve_below_floor'],
    message: 'Settings updated successfully',
    parse: ({ body }) => parseSettings(body),
    run: async (tx, call) => present(tx, await writeSettings(tx, call, call.input)),
  })

export const settlementHolidays = resource('/api/v1/operator/settlement-holidays', {
  tag: 'Operator',
  noun: 'holiday',
  view: HolidaysBody,
  scopes: { read: 'operator', write: 'operator' },
})
  .get('listSettlementHolidays', {
    path: '',
    summary: 'List settlement holidays',
    description: 'Days on which nothing is settled, besides weekends.',
    message: 'Holidays retrieved successfully',
    run: presentHolidays,
  })
  .replace('setSettlementHolidays', {
    path: '',
    summary: 'Replace the settlement holidays',
    description: 'Days besides Saturdays and Sundays on which no schedule closes anything.',
    body: HolidaysBody,
    message: 'Holidays updated successfully',
    parse: ({ body }) => body.holidays.map(({ date, name }) => ({ day: requireDay(date), name })),
    run: async (tx, call) => {
      const days = new Map(call.input.map((holiday) => [holiday.day, holiday]))
      await replaceHolidays(tx, call, [...days.values()])
      return presentHolidays(tx)
    },
  })

function parseSettings(body: Static<typeof SettingsRequest>) {
  const reserveBps = parsePercent('reservePercent', body.reservePercent ?? 0)
  const { reserveDays = 0 } = body
  if ((reserveBps === 0) !== (reserveDays === 0)) {
    const field = reserveBps === 0 ? 'reservePercent' : 'reserveDays'
    const message = 'Set both reservePercent and reserveDays, or neither.'
    throw new Refusal('invalid_request', [{ field, message }])
  }
  const { minimumAmount } = body
  return {
    schedule: normalSchedule(body.schedule),
    minimumKobo: minimumAmount === undefined ? kobo(0n) : (koboOf(minimumAmount) as Kobo),
    reserveBps,
    reserveDays,
  }
}

async function present(db: Queryable, shown: SettlementSettings) {
  const { schedule, handledTo } = shown
  const next = handledTo && nextSlot(schedule, handledTo, await readHolidays(db))
  return {
    schedule,
    minimumAmount: toNaira(shown.minimumKobo),
    reservePercent: shown.reserveBps / PERCENT_BPS,
    reserveDays: shown.reserveDays,
    ...presentFloor(shown),
    nextCloseAt: next ? timestamp(next.at) : null,
  }
}

async function presentHolidays(db: Queryable) {
  const holidays = await listHolidays(db)
  return { holidays: holidays.map(({ day, name }) => ({ date: day, name })) }
}

function requireDay(date: string): string {
  const day = dayAlone(date)
  if (!day) throw new Refusal('invalid_request', [{ field: 'holidays', message: DATE_SAYS }])
  return day
}
