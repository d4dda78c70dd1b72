-- A bank that signs nothing of its reports is asked for what it reports: one more reason for a question.
--
-- works beside: 0060

-- safe: it allows one more, so every row there is fits
alter table requeries
  drop constraint requeries_reason_known,
  add constraint requeries_reason_known
    check (reason in ('notification', 'name_enquiry', 'payer', 'expiry', 'grace', 'demand', 'silence',
                      'sweep')) not valid;
