// Corruptions of the books, each of which the audit must find. The database refuses all of them while its
// constraints and triggers are on.

import { ACCOUNTING_CORRUPTIONS } from './accounting-corruptions.ts'
import { MONEY_OUT_CORRUPTIONS } from './money-out-corruptions.ts'
import { RECONCILIATION_CORRUPTIONS } from './reconciliation-corruptions.ts'
import { type Corruption, SETTLEMENT_CORRUPTIONS } from './settlement-corruptions.ts'

const LEDGER_HOUR = /^\w+ of client \d*, bank \d*, NGN, .+ of (credit|adjustment|settlement|other)$/

export const CORRUPTIONS: readonly Corruption[] = [
  [
    'balances_are_their_transfers',
    `update ledger_accounts set credits_kobo = credits_kobo + 1 where kind = 'available'`,
    /^ledger account \d+$/,
  ],
  [
    'balances_are_their_transfers',
    `delete from transfers where id = (select min(id) from transfers)`,
    /^ledger account \d+$/,
  ],
  [
    'balances_are_their_transfers',
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
     select 999998, 999999, 1, min(id), 'settle', now() from credits`,
    /^ledger account 99999[89]$/,
  ],
  [
    'currencies_sum_to_zero',
    `update ledger_accounts set currency = 'USD' where kind = 'available'`,
    /^(NGN|USD)$/,
  ],
  [
    'nothing_is_overdrawn',
    `alter table ledger_accounts drop constraint ledger_accounts_not_overdrawn;
     update ledger_accounts set debits_kobo = credits_kobo + 1 where kind = 'collection'`,
    /^ledger account \d+ \(collection \)$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update credits set amount_kobo = amount_kobo + 1 where reason is null`,
    /^credit \d+$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `delete from credits where id = (select min(id) from credits)`,
    /^credit \d+$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update credits set suspended_kobo = suspended_kobo - 1 where reason = 'late'`,
    /^credit \d+$/,
  ],
  [
    'bank_charges_are_booked',
    `update credits set fee_kobo = fee_kobo + 1 where vat_kobo > 0`,
    /^credit \d+$/,
  ],
  ['bank_charges_are_booked', `update credits set fee_kobo = 0, vat_kobo = 0`, /^credit \d+$/],
  [
    'bank_charges_are_booked',
    `delete from transfers where reason = 'bank_charge' and amount_kobo = 75 and credit_id is not null`,
    /^credit \d+$/,
  ],
  [
    'bank_charges_are_booked',
    `update transfers set debit_account_id =
       (select id from ledger_accounts where kind = 'bank_cost') where reason = 'bank_charge'`,
    /^credit \d+$/,
  ],
  [
    'net_is_held_or_paid_out',
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, payout_id, reason, posted_at)
     select a.id, b.id, 1, 1, 'payout', now() from ledger_accounts a, ledger_accounts b
      where a.kind = 'available' and b.kind = 'bank' limit 1`,
    /^client \d+, NGN$/,
  ],
  [
    'merchant_totals_are_their_transfers',
    `update merchant_totals set balance_kobo = balance_kobo + 1`,
    /^client \d+, merchant /,
  ],
  [
    'merchant_totals_are_their_transfers',
    `update merchant_totals set suspended_kobo = suspended_kobo - 1`,
    /^client \d+, merchant /,
  ],
  ['merchant_totals_are_their_transfers', `delete from merchant_totals`, /^client \d+, merchant /],
  [
    'merchant_totals_are_their_transfers',
    `update merchant_totals_cursor set to_id = to_id / 2`,
    /^client \d+, merchant /,
  ],
  [
    'ledger_hours_are_their_transfers',
    `update ledger_hours set debit_kobo = debit_kobo + 1`,
    LEDGER_HOUR,
  ],
  [
    'ledger_hours_are_their_transfers',
    `update ledger_hours set credits = credits + 1`,
    LEDGER_HOUR,
  ],
  [
    'ledger_hours_are_their_transfers',
    `update ledger_hours set cause = 'settlement' where cause = 'credit'`,
    LEDGER_HOUR,
  ],
  ['ledger_hours_are_their_transfers', `delete from ledger_hours where kind = 'bank'`, LEDGER_HOUR],
  [
    'ledger_hours_are_their_transfers',
    `update ledger_hours_cursor set to_id = to_id / 2`,
    LEDGER_HOUR,
  ],
  [
    'fees_are_booked',
    `delete from transfers where reason = 'fee_vat' and credit_id is not null`,
    /^credit \d+$/,
  ],
  ['fees_are_booked', `update credit_fees set fee_returned_kobo = 1`, /^credit \d+$/],
  ['fees_are_booked', `delete from credit_fees`, /^credit \d+$/],
  [
    'credits_are_known_by_their_identifiers',
    `delete from credit_identifiers where credit_id = (select min(id) from credits)`,
    /^credit \d+$/,
  ],
  [
    'credits_are_known_by_their_identifiers',
    `update credit_identifiers set value = 'another' where is_first
        and credit_id = (select min(id) from credits)`,
    /^credit \d+$/,
  ],
  [
    'credits_are_known_by_their_identifiers',
    `update credit_identifiers set credit_id = 999999 where not is_first`,
    /^credit 999999$/,
  ],
  [
    'credits_are_known_by_their_identifiers',
    `insert into credit_identifiers (value, bank_code, kind, credit_id, is_first)
     values ('of nothing', '035', 'session_id', 999999, true)`,
    /^credit 999999$/,
  ],
  [
    'payments_hold_what_was_paid',
    `update payments set amount_paid_kobo = amount_paid_kobo + 1 where status = 'PartPayment'`,
    /^payment [0-9a-f-]{36}$/,
  ],
  [
    'credits_are_where_their_parts_say',
    `update transfers set credit_id = (select max(id) from credits) where id = 1`,
    /^credit \d+$/,
  ],
  [
    'pending_and_available_are_their_payments',
    `update payments set status = 'Cancelled' where status = 'PartPayment'`,
    /^pending client:\d+ NGN$/,
  ],
  [
    'payments_hold_what_was_paid',
    `delete from payments where status = 'Successful'`,
    /^payment [0-9a-f-]{36}$/,
  ],
  [
    'pending_and_available_are_their_payments',
    `update ledger_accounts set kind = 'returning' where kind = 'pending'`,
    /^pending client:\d+ NGN$/,
  ],
  [
    'pending_and_available_are_their_payments',
    `update ledger_accounts set kind = 'returning' where kind = 'available'`,
    /^available client:\d+ NGN$/,
  ],
  [
    'collection_balances_are_their_credits',
    `update credits set collection_account_id = (select max(id) from collection_accounts)
      where collection_account_id is not null`,
    /^collection account \d+$/,
  ],
  [
    'suspense_is_its_open_items',
    `update suspense_items set state = 'returned', closed_at = now() where reason = 'late'`,
    /^suspense account \d+ client:\d+$/,
  ],
  [
    'money_on_its_way_back_is_in_items',
    `update suspense_items set state = 'returning', closed_at = now() where reason = 'late'`,
    /^NGN$/,
  ],
  [
    'returns_are_with_their_items',
    `insert into returns (reference, item_id, amount_kobo, requested_at)
     select 'RTN' || id, id, amount_kobo, now() from suspense_items
      where state = 'open' order by id limit 1`,
    /^suspense item \d+$/,
  ],
  [
    'numbers_have_one_owner',
    `delete from numbers where collection_account_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'numbers_have_one_owner',
    `update numbers set payment_id = gen_random_uuid() where payment_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'additional_numbers_are_elsewhere',
    `update numbers set added_at = now() where collection_account_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'reserved_numbers_are_used_once',
    `insert into reserved_numbers
       (reference, bank_code, purpose, state, account_number, account_name, asked_at, reserved_at)
     select gen_random_uuid(), bank_code, 'static', 'available', account_number, '', now(), now()
       from numbers where collection_account_id is not null`,
    /^reserved number \d{10}$/,
  ],
  [
    'reserved_numbers_are_used_once',
    `insert into reserved_numbers
       (reference, bank_code, purpose, state, account_number, account_name, asked_at, reserved_at)
     values (gen_random_uuid(), '035', 'static', 'used', '9999999999', '', now(), now())`,
    /^reserved number 9999999999$/,
  ],
  [
    'reserved_numbers_are_used_once',
    `insert into reserved_numbers
       (reference, bank_code, purpose, state, account_number, account_name, asked_at, reserved_at)
     select gen_random_uuid(), bank_code, 'dynamic', 'used', account_number, '', now(), now()
       from numbers where collection_account_id is not null`,
    /^reserved number \d{10}$/,
  ],
  [
    'leases_are_with_their_payments',
    `update numbers set payment_id = (select id from payments order by id desc limit 1)
      where payment_id is not null`,
    /^number \d{10}$/,
  ],
  [
    'leases_are_with_their_payments',
    `delete from payment_numbers where bank_code = '035'`,
    /^number \d{10}$/,
  ],
  ...MONEY_OUT_CORRUPTIONS,
  ...RECONCILIATION_CORRUPTIONS,
  ...SETTLEMENT_CORRUPTIONS,
  ['events_are_numbered_without_gaps', `delete from events where sequence = 3`, /^client \d+$/],
  [
    'events_are_numbered_without_gaps',
    `update events set sequence = sequence - 1 where sequence = 3`,
    /^client \d+$/,
  ],
  ['events_are_numbered_without_gaps', `delete from events where sequence = 1`, /^client \d+$/],
  [
    'events_are_numbered_without_gaps',
    `update event_counters set sequence = sequence + 1`,
    /^client \d+$/,
  ],
  ['events_are_numbered_without_gaps', `delete from event_counters`, /^client \d+$/],
  ...[
    `update credits set client_id = OTHER where collection_account_id is not null`,
    `update credits set client_id = null where payment_id is not null`,
    `update events set client_id = OTHER where collection_account_id is not null`,
    `update events set client_id = OTHER where payment_id is not null`,
    `insert into destinations (client_id, url) select OTHER, 'https://elsewhere.example';
     insert into deliveries (event_id, destination_id, client_id, kind, next_attempt_at, created_at)
     select e.id, d.id, e.client_id, 'notification', now(), now() from events e, destinations d`,
    `insert into destinations (client_id, url) select OTHER, 'https://elsewhere.example';
     insert into deliveries (event_id, destination_id, client_id, kind, next_attempt_at, created_at)
     select e.id, d.id, d.client_id, 'notification', now(), now() from events e, destinations d`,
  ].map(
    (tamper) =>
      [
        'nothing_points_at_another_client',
        tamper.replaceAll('OTHER', `(select id from clients where client_id = 'MAN0000002')`),
        /^(credit|event|delivery) [0-9a-f-]+$/,
      ] as const,
  ),
  ...[`max(received_at) + interval '1 second'`, `max(received_at) - interval '1 second'`].map(
    (lastAt) =>
      [
        'credit_blocks_have_their_times',
        `insert into credit_blocks select 0, least(min(received_at), ${lastAt}), ${lastAt} from credits`,
        /^credit block 0$/,
      ] as const,
  ),
  ...ACCOUNTING_CORRUPTIONS,
]
