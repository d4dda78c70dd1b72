// Corruptions of payouts, fees, shares of subaccounts and debts, each of which the audit must find.

import type { Corruption } from './settlement-corruptions.ts'

export const MONEY_OUT_CORRUPTIONS: readonly Corruption[] = [
  [
    'paying_is_its_payouts',
    `update payouts set status = 'failed', failure_reason = '', settled_at = now(), settled_by = '',
            sending_at = now() where status = 'queued'`,
    /^paying client:\d+ NGN$/,
  ],
  [
    'paying_is_its_payouts',
    `update payouts set amount_kobo = amount_kobo + 1 where status = 'queued'`,
    /^paying client:\d+ NGN$/,
  ],
  [
    'payout_fees_are_booked',
    `delete from transfers where reason = 'fee_vat' and payout_id is not null`,
    /^payout \d+$/,
  ],
  ['payout_fees_are_booked', `update payouts set fee_kobo = fee_kobo + 1`, /^payout \d+$/],
  [
    'payout_costs_are_booked',
    `delete from transfers where reason = 'bank_charge' and payout_id is not null`,
    /^payout \d+$/,
  ],
  [
    'payout_costs_are_booked',
    `update payouts set cost_kobo = 0 where status = 'confirmed'`,
    /^payout \d+$/,
  ],
  [
    'payouts_are_sent_once',
    `insert into payout_changes (payout_id, change, changed_by, changed_at)
     select id, 'sending', 'bank:035', now() from payouts where status = 'confirmed'`,
    /^payout \d+$/,
  ],
  [
    'payout_returns_are_booked',
    `insert into payout_returns (payout_id, amount_kobo, told_by, returned_at)
     select id, amount_kobo, 'bank:035', now() from payouts where status = 'confirmed'`,
    /^payout \d+$/,
  ],
  [
    'shares_are_booked',
    `update credit_splits set returned_kobo = 1`,
    /^credit \d+, subaccount \d+$/,
  ],
  ['shares_are_booked', `delete from credit_splits`, /^credit \d+, subaccount \d+$/],
  [
    'shares_are_booked',
    `delete from transfers where reason = 'split'`,
    /^credit \d+, subaccount \d+$/,
  ],
  [
    'subaccounts_are_their_shares',
    `update ledger_accounts set credits_kobo = credits_kobo + 1 where kind = 'subaccount'`,
    /^subaccount \d+$/,
  ],
  [
    'subaccounts_are_their_shares',
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
     select min(id), 999999, 1, 1, 'settlement', now() from ledger_accounts
      where kind = 'subaccount'`,
    /^subaccount \d+$/,
  ],
  ['shares_fit_what_was_booked', `update credit_splits set share_kobo = base_kobo`, /^credit \d+$/],
  ['payments_show_their_fees', `update payments set charged_fee_kobo = 0`, /^payment [0-9a-f-]+$/],
  [
    'receivables_are_their_reversals',
    `insert into receivables (reversal_id, client_id, account_id, amount_kobo)
     select 1, client_id, id, 5 from collection_accounts limit 1`,
    /^client \d+$/,
  ],
  [
    'receivables_are_their_reversals',
    `insert into reversals
       (bank_code, session_id, credit_id, amount_kobo, receivable_kobo, received_at)
     select bank_code, 'again', id, 5, 5, now() from credits limit 1`,
    /^reversal \d+$/,
  ],
  [
    'held_is_in_holds',
    `insert into ledger_accounts (kind, owner, credits_kobo) values ('held', 'client:1', 5)`,
    /^held account \d+$/,
  ],
  [
    'provisions_fit_their_debts',
    `insert into ledger_accounts (kind, owner, credits_kobo) values ('provision', 'operator:1', 5000000)`,
    /^client 1$/,
  ],
  [
    'payouts_booked_from_statements_fit',
    `update transfers set reason = 'paid' where difference_id is not null`,
    /^payout$/,
  ],
  [
    'bank_items_are_the_balance',
    `update payouts set cost_kobo = cost_kobo + 1 where status = 'confirmed'`,
    /^bank \d+, [A-Z]{3}$/,
  ],
  [
    'bank_items_are_the_balance',
    `update ledger_accounts set debits_kobo = debits_kobo + 1 where kind = 'bank'`,
    /^bank \d+, [A-Z]{3}$/,
  ],
]
