// SQL of what a restored or moved database does not know. A database is moved if its server is another than
// the one last noted: a standby was promoted, or a backup or dump was restored. It may lack the last changes,
// on which banks, clients and payers still act.
//
//   on the other server   nothing is written; reads take everything for doubtful
//   then                  the first transaction settles the move: ids and numbers are skipped, payouts are
//                         held, and the server is noted (db/functions/settle_moved_database.sql)
//   then                  what existed is doubtful until an operator has said that nothing is missing
//
// These functions are the only ones that decide what is doubtful (I211).

// The first statement of every transaction that writes: raises MN003 on a server that is not the noted one.
// The same start and timeline are the same server, which is cheaper to see than its identity.
export const REQUIRE_KNOWN_DATABASE = `
  select require_known_database()
   where not exists (
     select from known_database
      where case when pg_is_in_recovery() then true -- A standby refuses to write anyway.
                 when server_started_at = pg_postmaster_start_time()
                 then right(identity, 8) = left(pg_walfile_name(pg_current_wal_lsn()), 8) end)`

// SQL condition: the server is not the noted one, and nobody has settled the move yet.
export const IS_MOVED = '(select is_database_moved())'

// SQL scalar: the last payout that may have been sent although the database says that it was not, or 0.
export const LAST_DOUBTFUL_PAYOUT = '(select last_doubtful_payout())'

// SQL scalar: the end of the time of which changes may be missing, or null if none may be.
export const DOUBTFUL_UNTIL = '(select doubtful_until())'

// SQL condition on a row of `payout_holds`: changes were lost. After a move for which an operator may say
// that nothing is missing, this is not known before the release.
export const IS_LOSS = `(restored_to is not null and not lacks_nothing
                         and (not may_lack_nothing or released_at is not null))`

// SQL scalar: when changes were last lost, or null if they never were.
export const LOST_UNTIL = `(select max(held_at) from payout_holds where ${IS_LOSS})`
