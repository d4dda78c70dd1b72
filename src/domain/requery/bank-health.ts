// How each bank is doing: when it was last heard, how long its notifications take, what had to be
// asked for, and whether it answers. Of the last 24 hours.

import type { BankConnections } from '#banks/connector.ts'
import type { Direction } from '#banks/observe-calls.ts'
import { FAILURES_TO_PAUSE } from '#circuit-breaker.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Queryable } from '#db/pool.ts'
import {
  type AbandonedReservation,
  readAbandonedReservations,
} from '#domain/accounts/customer-numbers.ts'
import { type BankRoute, readRoutes } from '#domain/routing/bank-routes.ts'
import type { Route, RouteState } from '#domain/routing/route-states.ts'
import { MEASURED_MS, readMeasures } from './bank-measures.ts'
import { later } from './questions.ts'

export const CIRCUITS = ['closed', 'open', 'half_open'] as const
export type Circuit = (typeof CIRCUITS)[number]

export type BankHealth = {
  code: string
  name: string
  connector: string
  lastHeardAt: Date | null
  silentSince: Date | null
  lagP50: number | null // In seconds.
  lagP99: number | null
  queries: number
  errorRate: number | null // From 0 to 1. Null: nothing was asked.
  foundByRequery: number
  isLosing: boolean // So much was found by asking that its notifications cannot be relied on.
  openQuestions: number
  circuit: Circuit
  circuitUntil: Date | null
  abandonedReservations: Omit<AbandonedReservation, 'bankCode'>[]
  canFind: boolean
  canList: boolean
  routing: Record<'payments' | 'payouts', RoutingView | null> // Null: it takes none.
}

// Unknown: nothing was observed yet, and it is used.
export type RoutingView = {
  state: RouteState | 'unknown'
  since: Date | null
  reason: Route['reason']
  retryAt: Date | null
}

type Row = {
  bankCode: string
  lastHeardAt: Date | null
  silentSince: Date | null
  failures: number
  pausedUntil: Date | null
}
type AskedRow = { bankCode: string; queries: number; errors: number; found: number; open: number }

// A single one may have been asked for before its notification came.
const FOUND_MIN = 3
const FOUND_SHARE = 0.01

export async function readBankHealth(
  db: Queryable,
  now: Date,
  { banks, connections }: { banks: readonly BankSettings[]; connections: BankConnections },
): Promise<BankHealth[]> {
  const measures = await readMeasures(db, now)
  const codes = banks.map(({ code }) => code)
  const rows = new Map((await readRows(db, codes)).map((row) => [row.bankCode, row]))
  const routes = await readRoutes(db)
  const viewOf = (bankCode: string, direction: Direction) =>
    viewRoute(routes.find((each) => each.bankCode === bankCode && each.direction === direction))
  const asked = new Map((await readAsked(db, now, codes)).map((row) => [row.bankCode, row]))
  const abandoned = Map.groupBy(
    await readAbandonedReservations(db, now),
    ({ bankCode }) => bankCode,
  )
  return banks.map((bank) => {
    const { code, name, connector = 'manilla' } = bank
    const row = rows.get(code)
    const { queries = 0, errors = 0, found = 0, open = 0 } = asked.get(code) ?? {}
    const { lag, gap } = measures.get(code) ?? {}
    const notified = Math.max(lag?.count ?? 0, gap?.count ?? 0) // Not every bank says when.
    const calls = connections.get(code)?.calls
    return {
      code,
      name,
      connector,
      lastHeardAt: row?.lastHeardAt ?? null,
      silentSince: row?.silentSince ?? null,
      lagP50: lag?.p50 ?? null,
      lagP99: lag?.p99 ?? null,
      queries,
      errorRate: queries === 0 ? null : Math.round((errors / queries) * 10_000) / 10_000,
      foundByRequery: found,
      isLosing: found >= FOUND_MIN && found >= FOUND_SHARE * (found + notified),
      openQuestions: open,
      ...circuitOf(row, now),
      abandonedReservations: (abandoned.get(code) ?? []).map(({ bankCode: _, ...rest }) => rest),
      canFind: calls?.findTransfer !== undefined,
      canList: calls?.listTransfers !== undefined,
      routing: {
        payments: issuesNumbers(bank, 'dynamic') ? viewOf(code, 'in') : null,
        payouts: calls?.sendMoney ? viewOf(code, 'out') : null,
      },
    }
  })
}

function viewRoute(route: BankRoute | undefined): RoutingView {
  if (!route) return { state: 'unknown', since: null, reason: null, retryAt: null }
  const { direction, state, since, reason } = route
  // Payments are no trial of a bank whose calls fail (payment-router.ts).
  const isTried = direction === 'out' || reason === 'silent'
  return { state, since, reason, retryAt: isTried ? route.retryAt : null }
}

// Half open: the pause is over, and the next question is the probe.
function circuitOf(row: Row | undefined, now: Date) {
  if (!row || row.failures < FAILURES_TO_PAUSE) {
    return { circuit: 'closed' as const, circuitUntil: null }
  }
  const isOpen = row.pausedUntil !== null && row.pausedUntil > now
  return isOpen
    ? { circuit: 'open' as const, circuitUntil: row.pausedUntil }
    : { circuit: 'half_open' as const, circuitUntil: null }
}

async function readRows(db: Queryable, codes: readonly string[]): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: 'read-bank-health',
    text: `select bank_code as "bankCode", last_heard_at as "lastHeardAt",
                  silent_since as "silentSince", failures, paused_until as "pausedUntil"
             from bank_health where bank_code = any($1::text[])`,
    values: [codes],
  })
  return rows
}

async function readAsked(db: Queryable, now: Date, codes: readonly string[]): Promise<AskedRow[]> {
  const { rows } = await db.query<AskedRow>({
    name: 'read-bank-queries',
    text: `select b.code as "bankCode", a.queries, a.errors, a.found, q.open
             from unnest($1::text[]) as b (code)
            cross join lateral (
              select count(*)::int as queries,
                     count(*) filter (where r.answer = 'no_answer')::int as errors,
                     coalesce(sum(r.new_credits) filter (where s.reason <> 'notification'), 0)::int
                       as found
                from requery_attempts r join requeries s on s.id = r.requery_id
               where r.bank_code = b.code and r.asked_at > $2) as a
            cross join lateral (
              select count(*)::int as open
                from requeries where bank_code = b.code and state = 'open') as q`,
    values: [codes, later(now, -MEASURED_MS)],
  })
  return rows
}
