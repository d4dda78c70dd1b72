// Converts time windows to ranges of a client's event numbers by binary search (some 25 look-ups in one
// statement), so that the outbox needs no index on time. The bounds are wide: callers still compare
// times.
//
// The clock may have been wrong for a while, so each probe reads a run of events. One event within the
// window keeps the bound outside of it, whatever the times of its neighbours.

import type { Queryable } from '#db/pool.ts'
import type { Window } from '#db/time-bounds.ts'
import type { ClientId } from '#ids.ts'

// How far an event's time may lie before the time of an earlier number: batches wait for one another, and
// the clocks of several processes differ.
const DISORDER_MS = 300_000
// Consecutive events. A wrong clock is harmless if it stamped fewer of a client's events.
const RUN = 256

// From `first` on, before `past`. Leaves out events that are no longer stored.
export async function sequenceBounds(
  db: Queryable,
  clientId: ClientId,
  { from, to }: Window,
): Promise<{ first: bigint; past: bigint }> {
  const { rows } = await db.query<{ first: bigint; past: bigint }>({
    name: 'event-sequence-bounds',
    text: `select coalesce(min(sequence), 1) as first, coalesce(max(sequence), 0) + 1 as past
             from events where client_id = $1`,
    values: [clientId],
  })
  const { first, past } = rows[0] as { first: bigint; past: bigint }
  const all = { clientId, first, past }
  return {
    first: from
      ? await bound(db, 'first', { at: new Date(from.getTime() - DISORDER_MS), ...all })
      : first,
    past: to ? await bound(db, 'past', { at: new Date(to.getTime() + DISORDER_MS), ...all }) : past,
  }
}

// `first`: all earlier events are older than `at`. `past`: this event and all later ones are not older.
async function bound(
  db: Queryable,
  which: 'first' | 'past',
  { at, clientId, first, past }: { at: Date; clientId: ClientId; first: bigint; past: bigint },
): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: `${which}-event-of-window`,
    text: `with recursive halving (low, high) as (
             select $3::bigint, $4::bigint
             union all
             select case when probe.is_before then middle + 1 else low end,
                    case when probe.is_before then high else middle end
               from halving
              cross join lateral (select (low + high) / 2 as middle) as m
              cross join lateral (select ${PROBES[which]}) as probe
              where low < high
           )
           select low as sequence from halving where low >= high`,
    values: [clientId, at, first, past],
  })
  return (rows[0] as { sequence: bigint }).sequence
}

const PROBES = {
  first: `not exists (select from events where client_id = $1 and created_at >= $2
                         and sequence > middle - ${RUN} and sequence <= middle) as is_before`,
  past: `exists (select from events where client_id = $1 and created_at < $2
                    and sequence >= middle and sequence < middle + ${RUN}) as is_before`,
}
