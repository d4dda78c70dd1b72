// Test clocks: sandbox clients with their own time (docs/test-clock.md).
//
//   none ──set──▶ frozen ──advance──▶ frozen, later ──release──▶ none
//
// I76: a client's time never goes back while it has a clock. It also never lags behind the current
// day, because the books of a past day may be closed to postings (I68).
//
// I77: a round does the work of one client with a clock, or of all clients without one; never both.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { watDayStart } from '#wat-time.ts'

const AHEAD_MAX_DAYS = 400
const DAY_MS = 86_400_000

// Whether a row belongs to this client. If the parameter is null: whether it belongs to a client
// without a clock, or to none. The list is read once per statement through an index, so it costs
// nothing while empty.
export const livesIn = (column: string, parameter: string) =>
  `case when ${parameter}::bigint is null
        then (${column} <> all (array(select client_id from test_clocks))) is not false
        else ${column} = ${parameter} end`

// The clients with a clock, as this process knows them: its own changes at once, others' within a
// second. Always empty in live mode, where nobody refreshes it.
export class TestClocks {
  #ids: ReadonlySet<ClientId> = new Set()

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  get ids(): readonly ClientId[] {
    return [...this.#ids]
  }

  has(clientId: ClientId): boolean {
    return this.#ids.has(clientId)
  }

  async refresh(db: Queryable): Promise<void> {
    const { rows } = await db.query<{ id: ClientId }>({
      name: 'list-test-clocks',
      text: 'select client_id as id from test_clocks where archived_at is null order by client_id',
    })
    this.#ids = new Set(rows.map(({ id }) => id))
  }
}

// A client with a test clock ahead of real time books ahead of real time.
export async function findLatestTime(db: Queryable, now: Date): Promise<Date> {
  const { rows } = await db.query<{ latest: Date | null }>({
    name: 'latest-test-clock',
    text: 'select max(now_at) as latest from test_clocks where archived_at is null',
  })
  const { latest } = rows[0] as { latest: Date | null }
  return latest && latest > now ? latest : now
}

export async function findTestTime(
  db: Queryable,
  real: Date,
  clientId: ClientId,
): Promise<Date | undefined> {
  return readTime(db, real, { clientId, lock: '' })
}

// Stops the clock from moving until the transaction ends.
export async function holdTestTime(
  tx: Transaction,
  real: Date,
  clientId: ClientId,
): Promise<Date | undefined> {
  return readTime(tx, real, { clientId, lock: 'for share' })
}

type ClockRead = { clientId: ClientId; lock: '' | 'for share' }

async function readTime(
  db: Queryable,
  real: Date,
  { clientId, lock }: ClockRead,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ now: Date }>({
    name: `read-test-clock ${lock}`,
    text: `select greatest(now_at, $2) as now from test_clocks where client_id = $1 ${lock}`,
    values: [clientId, watDayStart(real)],
  })
  return rows[0]?.now
}

// Keeps an existing clock.
export async function startClock(tx: Transaction, real: Date, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'start-test-clock',
    text: `insert into test_clocks (client_id, now_at, set_at) values ($1, $2, $2)
           on conflict do nothing`,
    values: [clientId, real],
  })
}

// The caller must hold the clock's lock (run-test-clocks.ts).
export async function moveClock(
  db: Queryable,
  { clientId, to }: { clientId: ClientId; to: Date },
): Promise<void> {
  await db.query({
    name: 'move-test-clock',
    text: 'update test_clocks set now_at = greatest(now_at, $2) where client_id = $1',
    values: [clientId, to],
  })
}

// Returns the client to real time. Its settlement schedule continues from now, not from the clock's time.
export async function releaseClock(
  tx: Transaction,
  real: Date,
  clientId: ClientId,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'release-test-clock',
    text: 'delete from test_clocks where client_id = $1',
    values: [clientId],
  })
  await tx.query({
    name: 'release-settlement-schedule',
    text: `update settlement_settings set handled_to = $2
            where client_id = $1 and handled_to > $2`,
    values: [clientId, real],
  })
  return rowCount === 1
}

// Refusals, in this order: clock_backwards, clock_too_far.
export function checkTarget({ now, to, real }: { now: Date; to: Date; real: Date }): void {
  if (to < now) throw new Refusal('clock_backwards')
  if (to.getTime() > real.getTime() + AHEAD_MAX_DAYS * DAY_MS) throw new Refusal('clock_too_far')
}
