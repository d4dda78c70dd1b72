// /api/v1/settlement-settings: when and how a client is settled.
// /api/v1/operator/settlement-holidays: days on which nothing is closed, for all clients.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
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
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import {
  PERCENT_BPS,
  parsePercent,
  presentFloor,
  ReserveDays,
  ReserveFloorFields,
  ReservePercent,
} from '#http/routes/payouts/reserve-floor.ts'
import { ApiEnvelope, BEARER, named, nullable, text } from '#http/schemas.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { dayAlone, timestamp } from '#wat-time.ts'

const SETTINGS = '/api/v1/settlement-settings'
const HOLIDAYS = '/api/v1/operator/settlement-holidays'
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

export const settlementSettingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(settings, deps)
  await app.register(holidays, deps)
}

const settings: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const response = { 200: ApiEnvelope(SettingsBody) }
  const about = { tags: ['Settlements'], security: BEARER, querystring: NoQuery, response }

  app.get(
    SETTINGS,
    {
      onRequest: authentication.requires('payouts:read'),
      schema: {
        ...about,
        operationId: 'getSettlementSettings',
        summary: 'Retrieve settlement settings',
        description: 'Schedule, minimum amount and reserve of your settlements.',
      },
    },
    async ({ client }) => {
      refuseRestricted(client)
      const shown = await readSettings(db, client.id)
      return accepted('Settings retrieved successfully', await present(deps, shown))
    },
  )

  app.put(
    SETTINGS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'setSettlementSettings',
        summary: 'Update settlement settings',
        description:
          'Replaces all of them. A schedule begins when it is set. Without a reserve, the operator’s ' +
          'floor is held back; one below it is refused (reserve_below_floor).',
        body: SettingsRequest,
      },
    },
    async ({ client, actor, body }) => {
      refuseRestricted(client)
      const terms = parseSettings(body)
      const by = { client, actor, now: clock() }
      const shown = await withTransaction(db, (tx) => writeSettings(tx, by, terms))
      return accepted('Settings updated successfully', await present(deps, shown))
    },
  )
}

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

async function present({ db }: Pick<Deps, 'db'>, shown: SettlementSettings) {
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

const holidays: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('operator')
  const response = { 200: ApiEnvelope(HolidaysBody) }
  const about = { tags: ['Operator'], security: BEARER, querystring: NoQuery, response }
  const shown = async () => (await listHolidays(db)).map(({ day, name }) => ({ date: day, name }))

  app.get(
    HOLIDAYS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listSettlementHolidays',
        summary: 'List settlement holidays',
        description: 'Days on which nothing is settled, besides weekends.',
      },
    },
    async () => accepted('Holidays retrieved successfully', { holidays: await shown() }),
  )

  app.put(
    HOLIDAYS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'setSettlementHolidays',
        summary: 'Replace the settlement holidays',
        description: 'Days besides Saturdays and Sundays on which no schedule closes anything.',
        body: HolidaysBody,
      },
    },
    async ({ client, actor, body }) => {
      const given = body.holidays.map(({ date, name }) => ({ day: requireDay(date), name }))
      const days = new Map(given.map((holiday) => [holiday.day, holiday]))
      const by = { client, actor, now: clock() }
      await withTransaction(db, (tx) => replaceHolidays(tx, by, [...days.values()]))
      return accepted('Holidays updated successfully', { holidays: await shown() })
    },
  )
}

function requireDay(date: string): string {
  const day = dayAlone(date)
  if (!day) throw new Refusal('invalid_request', [{ field: 'holidays', message: DATE_SAYS }])
  return day
}
