-- Scopes of accounting, narrower than operator, which includes them (src/domain/access/scopes.ts): no client
-- that has operator needs a change.
--
-- works beside: 0060

-- safe: a few rows, and whatever was allowed still is
alter table clients
  drop constraint clients_scopes_known,
  drop constraint clients_operator_scopes_are_operators,
  add constraint clients_scopes_known check (scopes <@ array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
    'payouts:read', 'payouts:write', 'refunds:write', 'returns:read', 'returns:write',
    'accounting:read', 'accounting:write', 'operator']),
  add constraint clients_operator_scopes_are_operators
    check (is_operator or not scopes && array['returns:read', 'returns:write', 'accounting:read',
                                              'accounting:write', 'operator']);

-- Finance users of an operator's client get these scopes with it, whoever made them: like anybody whose
-- access has changed, they approve nothing at first.
-- safe: a few rows
update users set access_changed_at = now()
 where role = 'finance' and client_id in (select id from clients where is_operator);
