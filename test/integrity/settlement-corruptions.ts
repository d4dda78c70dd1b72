// Corruptions of settlements, each of which the audit must find.

// The name of the check that must find the corruption, the SQL that corrupts the books, and the subject that
// the check must name.
export type Corruption = readonly [check: string, tamper: string, subject: RegExp]

export const SETTLEMENT_CORRUPTIONS: readonly Corruption[] = [
  [
    'credits_are_settled_once',
    `delete from settlement_lines where id = (select min(id) from settlement_lines)`,
    /^credit \d+$/,
  ],
  [
    'credits_are_settled_once',
    `drop index settlement_lines_credit_settled_once;
     insert into settlement_lines
       (settlement_id, kind, account_id, credit_id, brought_id, posted_at, gross_kobo)
     select settlement_id, kind, account_id, credit_id, brought_id, posted_at, gross_kobo
       from settlement_lines where kind = 'credit'`,
    /^credit \d+$/,
  ],
  ['settlements_are_their_lines', `update settlements set lines = lines + 1`, /^settlement \d+$/],
  [
    'settlements_are_their_lines',
    `delete from settlement_lines where kind = 'reserve'`,
    /^settlement \d+$/,
  ],
  [
    'settlements_are_their_transfers',
    `delete from transfers where reason = 'reserve'`,
    /^settlement \d+$/,
  ],
  [
    'settling_is_unpaid_settlements',
    `update settlement_shares set net_kobo = net_kobo - 1`,
    /^settling account \d+ client:\d+$/,
  ],
  [
    'reserves_are_held',
    `update settlement_reserves set amount_kobo = amount_kobo + 1`,
    /^reserve of client:\d+$/,
  ],
]
