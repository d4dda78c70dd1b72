// The route to each bank, shared by all processes: each adds what it observed of its calls, and whoever
// writes decides (route-states.ts) under the lock of the row.
//
// Locks: rows of bank_routes, in the order of their keys.

import type { CallCount, Direction } from '#banks/observe-calls.ts'
import { plainArray } from '#db/arrays.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import {
  advanceRoute,
  isTrialDue,
  newRoute,
  putOff,
  type Route,
  type RouteState,
} from './route-states.ts'

export type BankRoute = Route & { bankCode: string; direction: Direction }
type Key = Pick<BankRoute, 'bankCode' | 'direction'>

const COLUMNS = `
  bank_code as "bankCode", direction, state, since, reason, failed_at as "failedAt",
  retry_at as "retryAt", times_left as "timesLeft", recent`

export type RouteNews = {
  counts: readonly CallCount[]
  tried: readonly string[] // Banks that were given a payment as a trial.
}

// Adds the news, and answers all routes as they are then. While every bank is in use and none was called,
// this reads and writes nothing.
export async function syncRoutes(
  db: Pool,
  now: Date,
  { counts, tried }: RouteNews,
): Promise<BankRoute[]> {
  const routes = await readRoutes(db)
  const silent = await readSilent(db)
  const changing = new Map<string, Key>()
  const add = ({ bankCode, direction }: Key) =>
    changing.set(`${bankCode} ${direction}`, { bankCode, direction })
  for (const count of counts) add(count)
  for (const bankCode of silent) add({ bankCode, direction: 'in' })
  for (const route of routes) if (route.state !== 'in_use') add(route)
  if (changing.size === 0) return routes
  await withTransaction(db, async (tx) => {
    for (const before of await lockRoutes(tx, now, [...changing.values()])) {
      const { bankCode, direction } = before
      const isThis = (key: Key) => key.bankCode === bankCode && key.direction === direction
      const { answered = 0, failed = 0 } = counts.find(isThis) ?? {}
      const isSilent = direction === 'in' && silent.includes(bankCode)
      const isTried = direction === 'in' && tried.includes(bankCode)
      const after = advanceRoute(before, { answered, failed, isSilent, isTried }, now)
      await writeRoute(tx, { ...after, bankCode, direction })
    }
  })
  return readRoutes(db)
}

export async function readRoutes(db: Queryable): Promise<BankRoute[]> {
  const { rows } = await db.query<BankRoute>({
    name: 'read-bank-routes',
    text: `select ${COLUMNS} from bank_routes order by bank_code, direction`,
  })
  return rows
}

async function readSilent(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'read-silent-banks',
    text: `select bank_code as "bankCode" from bank_health where silent_since is not null`,
  })
  return rows.map(({ bankCode }) => bankCode)
}

async function lockRoutes(tx: Transaction, now: Date, keys: readonly Key[]): Promise<BankRoute[]> {
  const columns = [
    plainArray(keys.map(({ bankCode }) => bankCode)),
    plainArray(keys.map(({ direction }) => direction)),
  ]
  await tx.query({
    name: 'open-bank-routes',
    text: `insert into bank_routes (bank_code, direction, since)
           select k.*, $3 from unnest($1::text[], $2::text[]) as k (bank_code, direction)
            order by 1, 2
           on conflict do nothing`,
    values: [...columns, newRoute(now).since],
  })
  const { rows } = await tx.query<BankRoute>({
    name: 'lock-bank-routes',
    text: `select ${COLUMNS} from bank_routes
            where (bank_code, direction) in (select * from unnest($1::text[], $2::text[]))
            order by bank_code, direction for no key update`,
    values: columns,
  })
  return rows
}

async function writeRoute(tx: Transaction, route: BankRoute): Promise<void> {
  await tx.query({
    name: 'write-bank-route',
    text: `update bank_routes
              set state = $3, since = $4, reason = $5, failed_at = $6, retry_at = $7,
                  times_left = $8, recent = $9
            where bank_code = $1 and direction = $2`,
    values: [
      route.bankCode,
      route.direction,
      route.state,
      route.since,
      route.reason,
      route.failedAt,
      route.retryAt,
      route.timesLeft,
      JSON.stringify(route.recent),
    ],
  })
}

// How many orders may be sent to the bank at once, of `limit`: all; one at a time while it returns; while it
// is left one, when its trial is due, and none otherwise. Whoever gets the trial has put off the next.
export async function claimOrders(
  tx: Transaction,
  now: Date,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<number> {
  const { rows } = await tx.query<{ state: RouteState }>({
    name: 'read-order-route',
    text: `select state from bank_routes where bank_code = $1 and direction = 'out'`,
    values: [bankCode],
  })
  const state = rows[0]?.state ?? 'in_use'
  if (state === 'in_use') return limit
  if (state === 'returning') return Math.min(limit, 1)
  const [route] = await lockRoutes(tx, now, [{ bankCode, direction: 'out' }])
  if (!route || !isTrialDue(route, now)) return 0
  await writeRoute(tx, { ...putOff(route, now), bankCode, direction: 'out' })
  return Math.min(limit, 1)
}
