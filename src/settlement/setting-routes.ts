// /api/v1/settlement-settings: a client's schedule, minimum and reserve for settlements; and
// /api/v1/operator/holidays: the calendar of holidays, for all clients.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { dayAlone } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { invalidField } from '#errors.ts'
import { wholeQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { amountOrZero, chosen, Deleted, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import {
  PERCENT_BPS,
  parsePercent,
  ReserveDays,
  ReserveFloorView,
  ReservePercent,
} from '#payouts/setting-routes.ts'
import { type Holiday, listHolidays, readHolidays, removeHoliday, setHoliday } from './holidays.ts'
import { nextSlot, normalSchedule, SCHEDULE_PATTERN } from './schedule.ts'
import { readSettings, type SettlementSettings, writeSettings } from './settings.ts'

const SettingsRequest = namedBody('SettlementSettingsRequest', {
  schedule: Type.String({
    pattern: SCHEDULE_PATTERN,
    description:
      'manual, daily@HH:MM, T+1@HH:MM or weekly@Mon@HH:MM (Mon to Fri), in West Africa Time, on ' +
      'business days. weekly alone is weekly@Mon@09:00.',
    examples: ['T+1@09:00'],
    'x-says': 'Must be manual, daily@HH:MM, T+1@HH:MM or weekly@Mon@HH:MM.',
  }),
  minimumAmount: Type.Optional(amountOrZero('The schedule skips less than this. Default 0.')),
  reservePercent: ReservePercent('Held back of each settlement. Default 0.'),
  reserveDays: ReserveDays('For how long. Default 0.'),
})

type PlannedSettings = SettlementSettings & { nextCloseAt: Date | null }

const SettingsView = view('SettlementSettings', (f: Fields<PlannedSettings>) => ({
  schedule: f.text('schedule'),
  minimumAmount: f.naira('minimumKobo'),
  reservePercent: f.decimal(
    ({ reserveBps }) => reserveBps / PERCENT_BPS,
    'In force: at least reserveFloorPercent.',
  ),
  reserveDays: f.integer('reserveDays', 'In force: at least reserveFloorDays.'),
  ...ReserveFloorView.fields,
  nextCloseAt: f.timeOrNull('nextCloseAt', 'Null: not by itself.'),
}))

export const settlementSettings = resource('/api/v1/settlement-settings', {
  tag: 'Settlements',
  noun: 'setting',
  view: SettingsView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  isForWholeClient: true,
})
  .get('getSettlementSettings', {
    path: '',
    summary: 'Retrieve settlement settings',
    description: 'Schedule, minimum amount and reserve of your settlements.',
    message: 'Settings retrieved successfully',
    run: async (db, { clientId }) => withNextClose(db, await readSettings(db, clientId)),
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
    run: async (tx, call) => withNextClose(tx, await writeSettings(tx, call, call.input)),
  })

// Parses new settings. A reserve needs both a percentage and a number of days.
function parseSettings(body: Static<typeof SettingsRequest>) {
  const reserveBps = parsePercent('reservePercent', body.reservePercent ?? 0)
  const { reserveDays = 0 } = body
  if ((reserveBps === 0) !== (reserveDays === 0)) {
    const field = reserveBps === 0 ? 'reservePercent' : 'reserveDays'
    throw invalidField(field, 'Set both reservePercent and reserveDays, or neither.')
  }
  const { minimumAmount } = body
  return {
    schedule: normalSchedule(body.schedule),
    minimumKobo: minimumAmount === undefined ? kobo(0n) : (koboOf(minimumAmount) as Kobo),
    reserveBps,
    reserveDays,
  }
}

// Adds the time at which the schedule closes the next settlement; null without a schedule.
async function withNextClose(
  db: Queryable,
  settings: SettlementSettings,
): Promise<PlannedSettings> {
  const { schedule, handledTo } = settings
  const next = handledTo && nextSlot(schedule, handledTo, await readHolidays(db))
  return { ...settings, nextCloseAt: next ? next.at : null }
}

const STATUSES = ['confirmed', 'expected'] as const
const DATE_SAYS = 'Must be a date, e.g. 2026-12-25.'
const NAME_MAX = 100
const SOURCE_MAX = 300

const HolidayRequest = namedBody('HolidayRequest', {
  name: text(NAME_MAX, 'What is celebrated.'),
  status: chosen(
    STATUSES,
    'expected: to be announced. It counts as a business day until it is confirmed.',
  ),
  source: text(SOURCE_MAX, 'Where the date comes from, such as an announcement.'),
})

const HolidayView = view('Holiday', (f: Fields<Holiday>) => ({
  date: f.text('day'),
  name: f.text('name'),
  status: f.oneOf(
    ({ isConfirmed }) => (isConfirmed ? 'confirmed' : 'expected'),
    STATUSES,
    'expected: to be announced. It counts as a business day until it is confirmed.',
  ),
  source: f.text('source', 'Where the date comes from.'),
  updatedBy: f.textOrNull('updatedBy', 'Null: supplied.'),
  updatedAt: f.time('updatedAt'),
}))

const YearQuery = {
  year: wholeQuery(
    '^[12][0-9]{3}$',
    { minimum: 1000, maximum: 2999, examples: [2027] },
    { description: 'Only of this year.', 'x-says': 'Must be a year, e.g. 2027.' },
  ),
}

export const holidays = resource('/api/v1/operator/holidays', {
  tag: 'Operator',
  noun: 'holiday',
  view: HolidayView,
  scopes: { read: 'operator', write: 'operator' },
  params: { date: requireDay },
})
  .list('listHolidays', {
    summary: 'List holidays',
    description:
      'Days besides Saturdays and Sundays on which banks do not work. Confirmed ones are no business ' +
      'days: nothing is settled on them.',
    filters: YearQuery,
    isWhole: true,
    position: ({ day }) => day,
    rows: (db, { query }) => listHolidays(db, query.year),
  })
  .replace('setHoliday', {
    summary: 'Set a holiday',
    description: 'Adds the day, or replaces its name, status and source.',
    body: HolidayRequest,
    run: (tx, call) => {
      const { name, status, source } = call.body
      const isConfirmed = status === 'confirmed'
      return setHoliday(tx, call, { day: call.params.date, name, isConfirmed, source })
    },
  })
  .remove('removeHoliday', {
    summary: 'Remove a holiday',
    description: 'The day is a business day again, unless it is a Saturday or Sunday.',
    view: Deleted,
    errors: ['holiday_not_found'],
    run: async (tx, call) => {
      await removeHoliday(tx, call, call.params.date)
      return { id: call.params.date }
    },
  })

// Refuses a path that names no day of the calendar.
function requireDay(date: string): string {
  const day = dayAlone(date)
  if (day !== date) throw invalidField('date', DATE_SAYS)
  return day
}
