// /api/v1/operator/days: which days are closed, and closing one.

import { Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { completeDay, markDay } from '#domain/accounting/close-day.ts'
import {
  type ClosedDay,
  DAY_MS,
  listClosedDays,
  periodOf,
  readDayTotals,
} from '#domain/accounting/closed-days.ts'
import { timingWindows } from '#domain/reconciliation/daily-proof.ts'
import { resource } from '#http/resource.ts'
import { text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { watDay } from '#wat-time.ts'
import { journalText } from './journal-layouts.ts'
import { SidesView } from './report-formats.ts'
import { dayField, OPERATOR, parseDay, refused, SCOPES, withReport } from './report-query.ts'

const DAYS_MAX = 366
const DAYS_DEFAULT = 31
const REASON_MAX = 500

type Day = {
  day: string
  closed: ClosedDay | undefined
  totals: readonly { currency: string; kobo: Kobo }[]
}

const DayView = view('AccountingDay', (f: Fields<Day>) => ({
  day: f.text('day', 'In West Africa.'),
  isClosed: f.flag(({ closed }) => closed !== undefined, 'Nothing posts into it any more.'),
  closedBy: f.textOrNull(({ closed }) => closed?.closedBy ?? null),
  closedAt: f.timeOrNull(({ closed }) => closed?.closedAt ?? null),
  reason: f.textOrNull(
    ({ closed }) => closed?.reason ?? null,
    'Why it was closed although not balanced.',
  ),
  unbalancedBanks: f.as(
    Type.Array(Type.String(), { description: 'Banks that were not balanced then.' }),
    ({ closed }) => closed?.unbalanced.map(({ bankCode }) => bankCode) ?? [],
  ),
  journalHash: f.textOrNull(
    ({ closed }) => closed?.journalHash?.toString('hex') ?? null,
    'SHA-256 of /api/v1/operator/journal.csv of the day. Null until it is completed.',
  ),
  transfers: f.numberOrNull(({ closed }) =>
    closed?.transfers == null ? null : Number(closed.transfers),
  ),
  debit: f.nairaOrNull(ownTotal, `In ${CURRENCY}.`),
  credit: f.nairaOrNull(ownTotal, `In ${CURRENCY}.`),
  totals: f.list(
    SidesView,
    ({ totals }) =>
      totals.map(({ currency, kobo: sum }) => ({ currency, debitKobo: sum, creditKobo: sum })),
    'One per currency.',
  ),
}))

// Null until the day is completed.
function ownTotal({ closed, totals }: Day): Kobo | null {
  if (closed?.transfers == null) return null
  return totals.find(({ currency }) => currency === CURRENCY)?.kobo ?? kobo(0n)
}

export const days = resource(`${OPERATOR}/days`, {
  tag: 'Accounting',
  noun: 'day',
  view: DayView,
  scopes: SCOPES,
  params: { day: (text: string) => parseDay(text) },
})
  .act('closeDay', {
    path: '/:day/close',
    summary: 'Close a day',
    description:
      'Nothing posts into a closed day, its journal never changes, and it never opens again. ' +
      'A day can be closed five minutes after its end, after the day before it (the first one ' +
      'closed begins the series), and when every bank is balanced, unless a reason is given. ' +
      'Closing a closed day changes nothing.',
    body: Type.Object(
      {
        reason: Type.Optional(
          text(REASON_MAX, 'Why it is closed although a bank is not balanced. Audited.'),
        ),
      },
      { additionalProperties: false },
    ),
    message: 'Day closed successfully',
    errors: [
      'day_not_balanced',
      'day_not_over',
      'earlier_day_open',
      'later_day_closed',
      'period_archived',
    ],
    pool: 'settlementPool',
    // Committed first: nothing posts into the day while its journal is read.
    prepare: ({ db, clock, clientId, actor, chart, banks, params, body }) => {
      const by = { clientId, actor }
      const windows = timingWindows(banks)
      const closing = { day: params.day, reason: body.reason ?? null, chart, windows, by }
      return withTransaction(db, (tx) => markDay(tx, clock(), closing))
    },
    run: async (tx, { now, params: { day } }) => {
      const closed = await completeDay(tx, now, { day, textOf: journalText })
      const totals = await readDayTotals(tx, { first: day, last: day })
      return { day, closed, totals }
    },
  })
  .get('listAccountingDays', {
    path: '',
    summary: 'List days and whether they are closed',
    description: `Newest first, at most ${DAYS_MAX}.`,
    query: {
      from: Type.Optional(dayField('First day. Default: 30 days before to.')),
      to: Type.Optional(dayField('Last day, inclusive. Default: today.')),
    },
    view: Type.Array(DayView.schema),
    message: 'Days retrieved successfully',
    run: async (db, { query, now }) => {
      const listed = listDays(query, now)
      const bounds = { first: listed.at(-1) as string, last: listed[0] as string }
      const [closed, totals] = await withReport(db, async (tx) => [
        await listClosedDays(tx, bounds),
        await readDayTotals(tx, bounds),
      ])
      return listed.map((day) =>
        DayView.present({
          day,
          closed: closed.find((each) => each.day === day),
          totals: totals.filter((each) => each.day === day),
        }),
      )
    },
  })

type Bounds = { from?: string | undefined; to?: string | undefined }

// Newest first.
function listDays({ from, to }: Bounds, now: Date): string[] {
  const last = to === undefined ? watDay(now) : parseDay(to, 'to')
  const lastMs = periodOf(last).from.getTime()
  const first = from === undefined ? lastMs - (DAYS_DEFAULT - 1) * DAY_MS : startOf(from)
  const count = Math.round((lastMs - first) / DAY_MS) + 1
  if (count < 1) throw refused('to', 'Must not be earlier than from.')
  if (count > DAYS_MAX) throw refused('from', `Must be at most ${DAYS_MAX} days before to.`)
  return Array.from({ length: count }, (_, at) => watDay(new Date(lastMs - at * DAY_MS)))
}

const startOf = (from: string) => periodOf(parseDay(from, 'from')).from.getTime()
