// /api/v1/settlement-settings: a client's schedule, minimum and reserve for settlements.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import {
  PERCENT_BPS,
  parsePercent,
  ReserveDays,
  ReserveFloorView,
  ReservePercent,
} from '#payouts/setting-routes.ts'
import { readHolidays } from './holidays.ts'
import {
  nextSlot,
  normalSchedule,
  readSettings,
  SCHEDULE_PATTERN,
  type SettlementSettings,
  writeSettings,
} from './settings.ts'

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

type PlannedSettings = SettlementSettings & { nextCloseAt: Date | null }

const SettingsView = view('SettlementSettings', (f: Fields<PlannedSettings>) => ({
  schedule: f.text('schedule'),
  minimumAmount: f.naira('minimumKobo'),
  reservePercent: f.number(
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

async function withNextClose(
  db: Queryable,
  settings: SettlementSettings,
): Promise<PlannedSettings> {
  const { schedule, handledTo } = settings
  const next = handledTo && nextSlot(schedule, handledTo, await readHolidays(db))
  return { ...settings, nextCloseAt: next ? next.at : null }
}
