-- Two people may release unidentified money that screening stopped: its decision then has no hold, for good.
--
-- works beside: 0023

-- safe: it allows one more, so every row there fits
alter table screening_decisions
  drop constraint screening_decisions_unheld_reason_known,
  add constraint screening_decisions_unheld_reason_known
    check (unheld_reason in ('nothing_left', 'currency', 'released')) not valid;
