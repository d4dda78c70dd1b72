-- Which connection a payout was given to when it was claimed: a fingerprint of its connector, its address
-- and who we are there (src/banks/connectors.ts). Only that one knows that it never saw it. Null: in a
-- file, by hand, not sent yet, or by a release that did not say; the previous release leaves it so.
--
-- works beside: 0060

alter table payouts
  add column sent_over text collate "C";
