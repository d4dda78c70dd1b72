// The errors that any operation may return. An operation declares all its others: in its resource, or as
// `config.errors` of its route. A test fails if an operation returns an error that it does not declare
// (test/support/declared-errors.ts).

import type { RefusalCode } from '#errors.ts'

export const COMMON_ERRORS: readonly RefusalCode[] = [
  'invalid_request',
  'invalid_http',
  'invalid_json',
  'ambiguous_json',
  'body_missing',
  'invalid_reference',
  'invalid_cursor',
  'route_not_found',
  'method_not_allowed',
  'body_too_large',
  'media_type_unsupported',
  'headers_too_large',
  'request_timeout',
  'unauthorized',
  'token_expired',
  'scope_missing',
  'address_not_allowed',
  'session_needed',
  'csrf_token_wrong',
  'password_change_needed',
  'role_not_allowed',
  'people_only',
  'merchants_restricted',
  'idempotency_key_reused',
  'rate_limited',
  'busy',
  'try_again',
  'internal',
  'too_many_exports',
]
