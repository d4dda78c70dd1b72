// Corruptions of closed days, packs of closed months and VAT documents, each of which the audit must find.
// integrity-checks.test.ts writes them with the database's triggers off.

import type { Corruption } from './settlement-corruptions.ts'

// SQL that closes one day. `kobo` is SQL that is appended to the sum of the debits, for example '- 1'.
const CLOSED = (day: string, previous: string, kobo: string) => `
  insert into closed_days (day, previous, ends_at, chart, unbalanced, closed_by, closed_at,
                           transfers, journal_hash, completed_at)
  values ('${day}', ${previous}, ('${day}'::date + 1)::timestamp at time zone interval '1 hour',
          '{}', '[]', 'test', now(),
          (select count(*) from transfers
            where (posted_at at time zone interval '1 hour')::date = '${day}'), '\\x00', now());
  insert into closed_day_lines (day, kind, currency, reason, debit_kobo, credit_kobo)
  select '${day}', 'bank', 'NGN', 'credit', sum(amount_kobo) ${kobo}, sum(amount_kobo)
    from transfers where (posted_at at time zone interval '1 hour')::date = '${day}'
   having count(*) > 0;`

const WITH_TWO_DAYS = `${CLOSED('2026-11-15', 'null', '')} ${CLOSED('2026-11-16', `'2026-11-15'`, '')}`

export const ACCOUNTING_CORRUPTIONS: readonly Corruption[] = [
  ['journals_are_their_transfers', CLOSED('2026-11-15', 'null', '- 1'), /^day 2026-11-15$/],
  [
    'journals_are_their_transfers',
    `${CLOSED('2026-11-15', 'null', '')}
     insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
     select debit_account_id, credit_account_id, 1, credit_id, reason, '2026-11-15T12:00:00Z'
       from transfers where credit_id is not null limit 1`,
    /^day 2026-11-15$/,
  ],
  [
    'closed_balances_follow_from_journals',
    `${WITH_TWO_DAYS}
     insert into closed_day_balances values ('2026-11-15', 'bank', 'NGN', 5, 7),
                                            ('2026-11-16', 'bank', 'NGN', 6, 7)`,
    /^day 2026-11-16, bank NGN$/,
  ],
  [
    'packs_are_as_signed',
    `with closing as (
       insert into closed_months (month, version, ends_at, checklist, manifest, closed_by, closed_at)
       values ('2026-10-01', 1, '2026-10-31T23:00:00Z', '[]',
               '{"files": [{"name": "journal.csv", "sha256": "00"}]}', 'test', now())
       returning id)
     insert into closed_month_files select id, 'journal.csv', 'date' from closing`,
    /^month 2026-10, version 1, journal\.csv$/,
  ],
  [
    'vat_documents_are_their_fees',
    `insert into vat_documents (kind, number, client_id, month, currency, fees_kobo, vat_kobo, wht_kobo,
                                parties, issued_by, issued_at)
     select 'invoice', 1, id, '2026-10-01', 'NGN', 1, 0, 0, '{}', 'test', now() from clients limit 1`,
    /^invoice 1$/,
  ],
]
