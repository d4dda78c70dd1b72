-- The client's last payout when a settlement closed. The operator's floor of the reserve includes each payout
-- in one settlement, whatever the cut-off and the clocks say (I96). Null: closed by an earlier release.
--
-- works beside: 0023

alter table settlements add column payouts_to_id bigint;
