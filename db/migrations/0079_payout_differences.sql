-- Lines of a statement that name a payout (src/domain/reconciliation/payout-differences.ts): one that the
-- bank paid and the books do not have as paid, or one that came back. No foreign key, as of items. The
-- previous release knows no such kind: it calls these lines what it always did, until this one looks
-- again, and answers 500 where it would show one.
--
-- works beside: 0060

alter table differences add column payout_id bigint;

-- safe: it allows two more, so every row there is fits
alter table differences
  drop constraint differences_kind_known,
  add constraint differences_kind_known
    check (kind in ('missing_in_books', 'missing_at_bank', 'amount_differs', 'duplicate_at_bank',
                    'duplicate_in_books', 'wrong_account', 'reversed_at_bank', 'payout_paid',
                    'payout_returned', 'fee_differs', 'unexplained_debit', 'currency_differs',
                    'sequence_gap', 'balance_gap')) not valid;
