// /api/v1/report-schedules: exports that users get a link to, daily, weekly or monthly.
// /api/v1/reports: the export of one period, for the user who opens its link.

import { Type } from '@fastify/type-provider-typebox'
import { grantedScopes } from '#access/permissions.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { ExportRoute } from '#http/csv.ts'
import { referenceKey } from '#http/path-keys.ts'
import { type Call, resource } from '#http/resource.ts'
import {
  chosen,
  Deleted,
  Email,
  named,
  namedBody,
  oneOf,
  text,
  wholeNumber,
} from '#http/schemas.ts'
import { fieldErrors } from '#http/validation.ts'
import { type Fields, view } from '#http/view.ts'
import {
  createSchedule,
  type Filters,
  FORMATS,
  FREQUENCIES,
  type Frequency,
  getRun,
  getSchedule,
  LINK_DAYS,
  listColleagues,
  listSchedules,
  RECIPIENTS_MAX,
  type Run,
  removeSchedule,
  SCHEDULES_MAX,
  type Schedule,
} from './schedule.ts'

const SCHEDULES = '/api/v1/report-schedules'
const FILTER_LENGTH_MAX = 200

const FilterFields = Type.Record(Type.String(), Type.String(), {
  description: 'Query parameters of the export, without its period.',
})

const ScheduleView = view('ReportSchedule', (f: Fields<Schedule>) => ({
  reference: f.text('reference'),
  name: f.text('name'),
  operation: f.text('operation', 'The export, such as exportPayments.'),
  filters: f.as(FilterFields, ({ filters }) => ({ ...filters })),
  frequency: f.oneOf('frequency', FREQUENCIES, 'daily, weekly (from Monday) or monthly.'),
  hour: f.integer('hour', 'Of the day after the period, in Lagos.'),
  format: f.oneOf('format', FORMATS, 'csv or xlsx.'),
  recipients: f.as(Type.Array(Type.String()), ({ recipients }) => [...recipients]),
  createdBy: f.text('createdBy'),
  createdAt: f.time('createdAt'),
  nextDueAt: f.time('nextDueAt'),
  lastRunAt: f.timeOrNull('lastRunAt'),
}))

const ReportView = view('Report', (f: Fields<Run & { path: string }>) => ({
  reference: f.text('reference'),
  name: f.text('name'),
  operation: f.text('operation'),
  format: f.oneOf('format', FORMATS, 'csv or xlsx.'),
  from: f.text('from', 'The first day.'),
  to: f.text('to', 'The day after the last one.'),
  path: f.text('path', 'Path and query of the export, with the period.'),
  createdAt: f.time('createdAt'),
  expiresAt: f.time('expiresAt'),
}))

const Choices = named('ReportChoices', {
  exports: Type.Array(
    named('ReportExport', {
      operation: Type.String(),
      path: Type.String({ description: 'Of the export, without its extension.' }),
      filters: Type.Array(Type.String()),
      frequencies: Type.Array(oneOf(FREQUENCIES, 'Those that fit its period.')),
    }),
  ),
  recipients: Type.Array(Type.String()),
})

const ScheduleRequest = namedBody('ReportScheduleRequest', {
  name: text(100, 'Its name in the message.'),
  operation: text(60, 'One of the exports of listReportExports.'),
  filters: Type.Optional(
    Type.Record(Type.String(), text(FILTER_LENGTH_MAX, 'Value of the filter.'), {
      description: 'Query parameters of the export, without its period.',
      'x-says': 'Must be an object.',
    }),
  ),
  frequency: chosen(FREQUENCIES, 'How often.'),
  hour: wholeNumber(0, 23, 'Hour of the day in Lagos.'),
  format: chosen(FORMATS, 'Of the file.'),
  recipients: Type.Array(Email, {
    minItems: 1,
    maxItems: RECIPIENTS_MAX,
    description: 'Email addresses of active users of your client.',
    'x-says': `Must be a list of 1 to ${RECIPIENTS_MAX} email addresses.`,
  }),
})

// The parts of a request that the checks of this file need.
type ReportCall = Pick<Call, 'request' | 'now' | 'sealer' | 'actor'>

// Returns the signed-in user with client and role, and what else the queries of schedules need of the call.
function viewerOf({ request, now, sealer, actor }: ReportCall) {
  const { user, client } = request.session
  return { clientId: client.id, userId: user.id, role: user.role, now, sealer, actor }
}

// Returns the export that a schedule or report names. Refuses one that does not exist, or that the user's
// role does not allow now.
function requireExport({ request }: ReportCall, operation: string): ExportRoute {
  const route = request.server.listExports.find(operation)
  if (!route) throw invalidField('operation', 'Must be an export that listReportExports names.')
  const { user, client } = request.session
  if (!grantedScopes(user.role, client).includes(route.scope)) {
    throw new Refusal('role_not_allowed')
  }
  return route
}

// Returns how often an export can be scheduled. An export of one day (a journal) can only be daily, and an
// export of one month (a tax report) only monthly.
function frequenciesOf({ timing }: ExportRoute): readonly Frequency[] {
  if (timing === 'day') return ['daily']
  return timing === 'month' ? ['monthly'] : FREQUENCIES
}

type Body = { operation: string; frequency: Frequency; filters?: Filters }

// Checks the parts of a new schedule that depend on the export: the user's access, the frequency, and the
// filters, by the export's own schema.
function checkBody(call: ReportCall & { body: Body }): void {
  const { operation, frequency, filters = {} } = call.body
  const route = requireExport(call, operation)
  if (!frequenciesOf(route).includes(frequency)) {
    throw invalidField('frequency', `Must be ${frequenciesOf(route).join(' or ')} for this export.`)
  }
  const check = call.request.compileValidationSchema({
    type: 'object',
    properties: {
      filters: { type: 'object', properties: route.filters, additionalProperties: false },
    },
  })
  if (!check({ filters })) {
    throw new Refusal('invalid_request', fieldErrors(check.errors ?? [], 'body'))
  }
}

export const reportSchedules = resource(SCHEDULES, {
  tag: 'Reports',
  noun: 'report schedule',
  view: ScheduleView,
  scopes: 'session',
  params: { reference: referenceKey('RSC', 'report_schedule_not_found') },
})
  .list('listReportSchedules', {
    summary: 'List scheduled reports',
    description: 'Yours; an owner’s or operator’s list has those of every user of the client.',
    rows: (db, call) => listSchedules(db, viewerOf(call), call),
  })
  .get('listReportExports', {
    path: '/choices',
    summary: 'List what can be scheduled',
    description:
      'The exports that your role allows, and the active users of your client, you first.',
    message: 'Choices retrieved successfully',
    view: Choices,
    run: async (db, call) => {
      const { request } = call
      const { user, client } = request.session
      const scopes = grantedScopes(user.role, client)
      const routes = request.server.listExports.all.filter(({ scope }) => scopes.includes(scope))
      return {
        exports: routes.map((route) => ({
          operation: route.operation,
          path: route.path,
          filters: Object.keys(route.filters),
          frequencies: [...frequenciesOf(route)],
        })),
        recipients: await listColleagues(db, viewerOf(call)),
      }
    },
  })
  .get('getReportSchedule', {
    summary: 'Retrieve a scheduled report',
    description: 'Its export, its recipients and its next run.',
    errors: ['report_schedule_not_found'],
    run: (db, call) => getSchedule(db, viewerOf(call), { ...call, ...call.params }),
  })
  .create('createReportSchedule', {
    summary: 'Schedule a report',
    description:
      `Its recipients get a link by email after each period, for ${LINK_DAYS} days. The link asks them to ` +
      'sign in, and their role must allow the export then. The first period is the one that has begun. ' +
      `At most ${SCHEDULES_MAX} for each client.`,
    body: ScheduleRequest,
    errors: ['too_many_report_schedules'],
    parse: (call) => checkBody(call),
    run: (tx, call) => createSchedule(tx, viewerOf(call), { filters: {}, ...call.body }),
  })
  .remove('deleteReportSchedule', {
    summary: 'Delete a scheduled report',
    description: 'The links that were sent lead nowhere afterwards.',
    view: Deleted,
    errors: ['report_schedule_not_found'],
    run: async (tx, call) => {
      const { reference } = await removeSchedule(tx, viewerOf(call), call.params.reference)
      return { id: reference }
    },
  })

export const reports = resource('/api/v1/reports', {
  tag: 'Reports',
  noun: 'report',
  view: ReportView,
  scopes: 'session',
  params: { reference: referenceKey('RPT', 'report_not_found') },
}).get('getReport', {
  summary: 'Retrieve a report',
  description:
    'Leads to the export of its period, if the link has not expired and your role allows the export now.',
  errors: ['report_expired', 'report_not_found'],
  run: async (db, call) => {
    const run = await getRun(db, viewerOf(call), call.params.reference)
    return { ...run, path: pathOf(requireExport(call, run.operation), run) }
  },
})

// Returns the path of the export with the period of the run. Exports take their period in different
// parameters, by their `timing`. A CSV is written for spreadsheets if the export can.
function pathOf(
  { path, timing, isForSpreadsheets }: ExportRoute,
  { filters, format, from, to }: Run,
): string {
  const period = {
    window: { from, to },
    day: { day: from },
    month: { month: from.slice(0, 'yyyy-MM'.length) },
    end: { at: to },
    now: {},
  }[timing]
  const isPlain = format === 'xlsx' || !isForSpreadsheets
  const csvForm = isPlain ? {} : { for: 'spreadsheet' }
  return `${path}.${format}?${new URLSearchParams({ ...filters, ...period, ...csvForm })}`
}
