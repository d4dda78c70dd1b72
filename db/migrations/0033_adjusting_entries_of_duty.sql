-- An adjusting entry may be posted against stamp duty, which 0030 gave an account of its own.
--
-- The previous release offers no such entry.
--
-- works beside: 0023

-- safe: the new check allows one more value, so existing rows pass
alter table adjusting_entries
  drop constraint adjusting_entries_account_known,
  add constraint adjusting_entries_account_known
    check (account in ('shortfall', 'due_to_bank', 'bank_cost', 'stamp_duty', 'input_vat',
                       'write_off')) not valid;
