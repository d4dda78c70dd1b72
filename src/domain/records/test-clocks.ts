// Test clocks: clients of a sandbox whose time is their own (docs/test-clock.md).
//
//   none ──set──▶ frozen ──advance──▶ frozen, later ──release──▶ none
//
// I76: a client's time never goes back while it has a clock. Nor does it lag behind the day that it is:
// the books of a day that is over may be closed, and nothing posts into them (I68).
// I77: a round takes the work of one client with a clock, or of all without; never both.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { watDayStart } from '#wat-time.ts'

export const AHEAD_MAX_DAYS = 400
const DAY_MS = 86_400_000

// Whether a row is this client's; where the parameter is null, whether it is of a client without a clock
// or of no client. The list is read once for a statement, and by an index: free while there are none.
export const livesIn = (column: string, parameter: string) =>
  `case when ${parameter}::bigint is null
        then (${column} <> all (array(select client_id from test_clocks))) is not false
        else ${column} = ${parameter} end`

// Which clients have one, as far as this process knows: at once after its own changes, within a second
// after those of others. Always none in live mode, where nobody refreshes it.
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

// The latest time of any client: bookings of one whose test clock is ahead are ahead of the real time.
export async function findLatestTime(db: Queryable, now: Date): Promise<Date> {
  const { rows } = await db.query<{ latest: Date | null }>({
    name: 'latest-test-clock',
    text: 'select max(now_at) as latest from test_clocks where archived_at is null',
  })
  const { latest } = rows[0] as { latest: Date | null }
  return latest && latest > now ? latest : now
}

// Undefined: it has none.
export async function findTestTime(
  db: Queryable,
  real: Date,
  clientId: ClientId,
): Promise<Date | undefined> {
  return readTime(db, real, { clientId, lock: '' })
}

// Keeps the clock where it is until the transaction ends.
export async function holdTestTime(
  tx: Transaction,
  real: Date,
  clientId: ClientId,
): Promise<Date | undefined> {
  return readTime(tx, real, { clientId, lock: 'for share' })
}

type Reading = { clientId: ClientId; lock: '' | 'for share' }

async function readTime(
  db: Queryable,
  real: Date,
  { clientId, lock }: Reading,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ now: Date }>({
    name: `read-test-clock ${lock}`,
    text: `select greatest(now_at, $2) as now from test_clocks where client_id = $1 ${lock}`,
    values: [clientId, watDayStart(real)],
  })
  return rows[0]?.now
}

// A client that has one keeps it as it is.
export async function startClock(tx: Transaction, real: Date, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'start-test-clock',
    text: `insert into test_clocks (client_id, now_at, set_at) values ($1, $2, $2)
           on conflict do nothing`,
    values: [clientId, real],
  })
}

// By whoever holds its lock (run-test-clocks.ts).
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

// Back to real time. Its schedule of settlements goes on from now, not from the time it had.
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

// Refused, in this order: clock_backwards, clock_too_far.
export function checkTarget({ now, to, real }: { now: Date; to: Date; real: Date }): void {
  if (to < now) throw new Refusal('clock_backwards')
  if (to.getTime() > real.getTime() + AHEAD_MAX_DAYS * DAY_MS) throw new Refusal('clock_too_far')
}
