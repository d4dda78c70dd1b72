// The database's clock as SQL sees it: `clock_timestamp()`, `now()` and the like are functions in a
// schema before pg_catalog on the search path, and are shifted by the value in a table. The clock
// that the server itself reads (timeouts, logs, the statistics views) is not shifted.

import type { Store } from './target.ts'

const SCHEMA = 'torture_clock'
const FUNCTIONS = ['clock_timestamp', 'now', 'statement_timestamp', 'transaction_timestamp']

// Creates functions such as now() that add the shift, in a schema that the search path has before pg_catalog.
// Must run before the service connects: a connection keeps its search path.
export async function makeClockMovable(database: Store): Promise<void> {
  const functions = FUNCTIONS.map(
    (name) => `
      create function ${SCHEMA}.${name}() returns timestamptz language sql volatile as
        'select pg_catalog.${name}() + (select by_ms from ${SCHEMA}.shift) * interval ''1 millisecond'''`,
  )
  await database.query(`
    create schema ${SCHEMA};
    create table ${SCHEMA}.shift (by_ms bigint not null);
    insert into ${SCHEMA}.shift values (0);
    ${functions.join(';')};
    alter database manilla set search_path = public, ${SCHEMA}, pg_catalog`)
}

export async function shiftDatabaseClock(database: Store, byMs: number): Promise<void> {
  await database.query(`update ${SCHEMA}.shift set by_ms = ${byMs}`)
}
