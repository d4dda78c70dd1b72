-- From which day on a statement says all that happened. `from_day` is that of its first line, which may
-- be dated back by weeks. Null: from `from_day` on.
--
-- works beside: 0060

alter table statements
  add column covers_from date;
