-- An authenticator app that is being added belongs to the session that began it, for some minutes. One
-- that the previous release began has neither, and is begun again.
--
-- works beside: 0060

-- safe: columns without a default
alter table users
  add column totp_pending_session_id uuid,
  add column totp_pending_until timestamptz;
