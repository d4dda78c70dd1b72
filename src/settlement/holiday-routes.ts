// /api/v1/operator/holidays: the calendar of holidays, for all clients.

import { Type } from '@fastify/type-provider-typebox'
import { dayAlone } from '#clock.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { chosen, Deleted, named, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Holiday, listHolidays, removeHoliday, setHoliday } from './holidays.ts'

const STATUSES = ['confirmed', 'expected'] as const
const DATE_SAYS = 'Must be a date, e.g. 2026-12-25.'
const NAME_MAX = 100
const SOURCE_MAX = 300

const HolidayRequest = named(
  'HolidayRequest',
  {
    name: text(NAME_MAX, 'What is celebrated.'),
    status: chosen(
      STATUSES,
      'expected: to be announced. It counts as a business day until it is confirmed.',
    ),
    source: text(SOURCE_MAX, 'Where the date comes from, such as an announcement.'),
  },
  { additionalProperties: false },
)

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
  year: Type.Optional(
    Type.String({
      pattern: '^[12][0-9]{3}$',
      examples: ['2027'],
      description: 'Only of this year.',
      'x-says': 'Must be a year, e.g. 2027.',
    }),
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

function requireDay(date: string): string {
  const day = dayAlone(date)
  if (day !== date) throw new Refusal('invalid_request', [{ field: 'date', message: DATE_SAYS }])
  return day
}
