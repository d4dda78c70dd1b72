// Corruptions of reconciliation, each of which the audit must find.

import type { Corruption } from './settlement-corruptions.ts'

export const RECONCILIATION_CORRUPTIONS: readonly Corruption[] = [
  [
    'lines_are_matched_or_differ',
    `update differences set amount_kobo = amount_kobo + 1 where state = 'resolved'`,
    /^line \d+$/,
  ],
  [
    'lines_are_matched_or_differ',
    `update differences set state = 'open', decided_by = null where action = 'book'`,
    /^line \d+$/,
  ],
  ['lines_are_matched_or_differ', `delete from statement_matches`, /^line \d+$/],
  ['lines_are_matched_or_differ', `delete from statement_lines`, /^line \d+$/],
  [
    'items_are_matched_or_differ',
    `update statement_matches set amount_kobo = amount_kobo + 1 where item_kind = 'credit'`,
    /^credit \d+$/,
  ],
  [
    'items_are_matched_or_differ',
    `update statement_matches set item_id = 999999 where item_kind = 'credit'`,
    /^credit 999999$/,
  ],
  [
    'items_are_matched_or_differ',
    `update statement_matches set bank_code = '058' where item_kind = 'credit'`,
    /^credit \d+$/,
  ],
  [
    'items_are_matched_or_differ',
    `insert into differences (bank_code, currency, day, kind, amount_kobo, item_kind, item_id,
                              opened_at)
     select bank_code, currency, item_day, 'missing_at_bank', -5, item_kind, item_id, now()
       from statement_matches where item_kind = 'credit'`,
    /^credit \d+$/,
  ],
  [
    'bookings_are_matched_to_their_lines',
    `delete from statement_matches where item_kind = 'booked'`,
    /^transfer \d+$/,
  ],
  [
    'bookings_are_matched_to_their_lines',
    `update statement_matches set line_id = 999999 where item_kind = 'booked'`,
    /^transfer \d+$/,
  ],
  [
    'bookings_are_matched_to_their_lines',
    `update differences set action = 'note' where action = 'book'`,
    /^transfer \d+$/,
  ],
  [
    'adjusting_entries_are_their_differences',
    `insert into adjusting_entries
       (reference, difference_id, account, amount_kobo, reason, state, requested_by,
        requested_by_user, requested_at, decided_by, decided_by_user, decided_at)
     select 'AJE000000000000001', id, 'bank_cost', amount_kobo - 1, 'x', 'approved', 'user:a',
            gen_random_uuid(), now(), 'user:b', gen_random_uuid(), now()
       from differences where action = 'book' limit 1`,
    /^adjusting entry AJE/,
  ],
  [
    'reconciled_days_add_up',
    `update reconciled_days set matched_items_kobo = matched_items_kobo + 1`,
    /^bank \d+, NGN, /,
  ],
  [
    'covered_items_are_matched_or_differ',
    `insert into reconciled_banks (bank_code, currency, from_day, to_day, seen_until)
     select bank_code, currency, current_date - 3650, current_date, now() + interval '2 days'
       from credits group by 1, 2
     on conflict (bank_code, currency) do update
       set from_day = excluded.from_day, to_day = excluded.to_day,
           seen_until = excluded.seen_until`,
    /^bank \d+, NGN, /,
  ],
]
