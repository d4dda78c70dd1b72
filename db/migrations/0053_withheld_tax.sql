-- Withheld tax in parts, reversed, written off, or decided not to be withheld (I178). A wrong credit note is
-- taken back. Constraints are validated in 0054.
--
-- works beside: 0023

-- safe: the new constraints admit all that the old ones did
alter table adjustments
  drop constraint adjustments_kind_known,
  drop constraint adjustments_of_withholding,
  add constraint adjustments_kind_known check (kind in
    ('recovery', 'write_off', 'reserve_use', 'provision', 'provision_release', 'withholding',
     'withholding_reversal', 'not_withheld', 'wht_credit_note', 'wht_credit_note_reversal',
     'wht_write_off')) not valid,
  add constraint adjustments_of_withholding check (
    (subject = 'withholding') = (kind in
      ('withholding', 'withholding_reversal', 'not_withheld', 'wht_credit_note',
       'wht_credit_note_reversal', 'wht_write_off'))
    and (subject = 'withholding') = (document is not null)) not valid;

-- Several bookings of one invoice add up to its tax. One request of a kind waits at a time.
-- safe: a few rows; the previous release books nothing of documents
drop index adjustments_document_once;
-- safe: a few rows
create unique index adjustments_document_open_once on adjustments (kind, document)
 where document is not null and state = 'open';
-- safe: a few rows
create index adjustments_by_document on adjustments (document) where document is not null;
