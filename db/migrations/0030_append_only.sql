-- A trigger for TRUNCATE of its own beside each that refuses UPDATE and DELETE. Whoever has to lift
-- one of them for a moment, to restore a table say, leaves the other in place.

drop trigger transfers_append_only on transfers;
create trigger transfers_append_only
  before update or delete on transfers
  for each statement execute function refuse_change();
create trigger transfers_not_truncated
  before truncate on transfers
  for each statement execute function refuse_change();

drop trigger ledger_accounts_kept on ledger_accounts;
create trigger ledger_accounts_kept
  before delete on ledger_accounts
  for each statement execute function refuse_change();
create trigger ledger_accounts_not_truncated
  before truncate on ledger_accounts
  for each statement execute function refuse_change();

drop trigger events_append_only on events;
create trigger events_append_only
  before update or delete on events
  for each statement execute function refuse_change();
create trigger events_not_truncated
  before truncate on events
  for each statement execute function refuse_change();

drop trigger actions_append_only on actions;
create trigger actions_append_only
  before update or delete on actions
  for each statement execute function refuse_change();
create trigger actions_not_truncated
  before truncate on actions
  for each statement execute function refuse_change();
