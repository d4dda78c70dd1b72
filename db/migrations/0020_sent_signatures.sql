-- The signature that went out with each attempt, so that the request can be shown as it was sent: the
-- other headers follow from the event and the time. Null: nothing was sent, or it was before this.

alter table delivery_attempts add column signature text;
