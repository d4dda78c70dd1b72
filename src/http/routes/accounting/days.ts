// /api/v1/operator/days: which days are closed, and closing one.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
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
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, nullable, text } from '#http/schemas.ts'
import { CURRENCY, type Kobo, kobo, toNaira } from '#money.ts'
import { timestamp, watDay } from '#wat-time.ts'
import { journalText } from './journal-layouts.ts'
import { SidesTotal } from './report-formats.ts'
import { dayField, OPERATOR, parseDay, refused, withReport } from './report-query.ts'

const DAYS = `${OPERATOR}/days`
const DAYS_MAX = 366
const DAYS_DEFAULT = 31
const REASON_MAX = 500

const DayBody = named('AccountingDay', {
  day: Type.String({ description: 'In West Africa.' }),
  isClosed: Type.Boolean({ description: 'Nothing posts into it any more.' }),
  closedBy: nullable('string'),
  closedAt: nullable('string'),
  reason: nullable('string', { description: 'Why it was closed although not balanced.' }),
  unbalancedBanks: Type.Array(Type.String(), { description: 'Banks that were not balanced then.' }),
  journalHash: nullable('string', {
    description: 'SHA-256 of /api/v1/operator/journal.csv of the day. Null until it is completed.',
  }),
  transfers: nullable('number'),
  debit: nullable('number', { description: `In ${CURRENCY}.` }),
  credit: nullable('number', { description: `In ${CURRENCY}.` }),
  totals: Type.Array(SidesTotal, { description: 'One per currency.' }),
})

type Total = { currency: string; kobo: Kobo }

export const dayRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('accounting:read')
  await app.register(closing, deps)

  app.get(
    DAYS,
    {
      onRequest,
      schema: {
        operationId: 'listAccountingDays',
        tags: ['Accounting'],
        summary: 'List days and whether they are closed',
        description: `Newest first, at most ${DAYS_MAX}.`,
        security: BEARER,
        querystring: query({
          from: Type.Optional(dayField('First day. Default: 30 days before to.')),
          to: Type.Optional(dayField('Last day, inclusive. Default: today.')),
        }),
        response: { 200: ApiEnvelope(Type.Array(DayBody)) },
      },
    },
    async ({ query: { from, to } }) => {
      const days = listDays({ from, to }, clock())
      const bounds = { first: days.at(-1) as string, last: days[0] as string }
      const [closed, totals] = await withReport(db, async (tx) => [
        await listClosedDays(tx, bounds),
        await readDayTotals(tx, bounds),
      ])
      return accepted(
        'Days retrieved successfully',
        days.map((day) =>
          present(
            day,
            closed.find((each) => each.day === day),
            totals.filter((each) => each.day === day),
          ),
        ),
      )
    },
  )
}

const closing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, settlementPool, authentication, clock, chart, banks } = deps
  const windows = timingWindows(banks)

  app.post(
    `${DAYS}/:day/close`,
    {
      onRequest: authentication.requires('accounting:write'),
      schema: {
        operationId: 'closeDay',
        tags: ['Accounting'],
        summary: 'Close a day',
        description:
          'Nothing posts into a closed day, its journal never changes, and it never opens again. ' +
          'A day can be closed five minutes after its end, after the day before it (the first one ' +
          'closed begins the series), and when every bank is balanced, unless a reason is given. ' +
          'Closing a closed day changes nothing.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Type.Object({ day: Type.String() }),
        querystring: NoQuery,
        body: Type.Object(
          {
            reason: Type.Optional(
              text(REASON_MAX, 'Why it is closed although a bank is not balanced. Audited.'),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(DayBody) },
      },
    },
    async (request, reply) => {
      const day = parseDay(request.params.day)
      const { client, actor, body } = request
      const by = { clientId: client.id, actor }
      const marking = { day, reason: body.reason ?? null, chart, windows, by }
      await withTransaction(db, (tx) => markDay(tx, clock(), marking))
      return withIdempotency(deps, { request, reply, pool: settlementPool }, async (tx) => {
        const closed = await completeDay(tx, clock(), { day, textOf: journalText })
        const totals = await readDayTotals(tx, { first: day, last: day })
        return accepted('Day closed successfully', present(day, closed, totals))
      })
    },
  )
}

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

function present(day: string, closed: ClosedDay | undefined, totals: readonly Total[]) {
  const isCompleted = closed?.transfers != null
  const own = totals.find(({ currency }) => currency === CURRENCY)?.kobo ?? kobo(0n)
  return {
    day,
    isClosed: closed !== undefined,
    closedBy: closed?.closedBy ?? null,
    closedAt: closed ? timestamp(closed.closedAt) : null,
    reason: closed?.reason ?? null,
    unbalancedBanks: closed?.unbalanced.map(({ bankCode }) => bankCode) ?? [],
    journalHash: closed?.journalHash?.toString('hex') ?? null,
    transfers: isCompleted ? Number(closed.transfers) : null,
    debit: isCompleted ? toNaira(own) : null,
    credit: isCompleted ? toNaira(own) : null,
    totals: totals.map(({ currency, kobo: sum }) => {
      return { currency, debit: toNaira(sum), credit: toNaira(sum) }
    }),
  }
}
