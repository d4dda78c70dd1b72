// Every refusal the API can return: expected, actionable, with a machine-readable code whose
// meaning never changes once released.
//
// `responseCode` is the equivalent NIP (Nigerian interbank) response code, shown by the payment
// endpoints.

import { CONFLICTS } from './conflict-errors.ts'
import { ref } from './error-entry.ts'

export const REFUSALS = {
  // Malformed requests.
  invalid_request: ref(400, '30', 'The request is invalid. See errors for details.'),
  invalid_http: ref(400, '30', 'Malformed HTTP request.'),
  invalid_json: ref(400, '30', 'The request body is not valid JSON.'),
  ambiguous_json: ref(400, '30', 'The request body repeats a key or is nested too deeply.'),
  oauth_request: ref(
    400,
    '30',
    'Send grant_type=client_credentials as a form, with client credentials.',
  ),
  statement_refused: ref(
    400,
    '30',
    'The statement was rejected, and nothing was stored. See errors for the line and the reason.',
  ),
  body_missing: ref(400, '30', 'A JSON request body is required.'),
  invalid_reference: ref(400, '30', 'Invalid reference format.'),
  invalid_cursor: ref(400, '30', 'This cursor is invalid or belongs to another list.'),
  route_not_found: ref(404, '25', 'No such endpoint.'),
  method_not_allowed: ref(
    405,
    '25',
    'This endpoint does not have this method. Allow lists those it has.',
  ),
  body_too_large: ref(413, '30', 'The request body is too large.'),
  media_type_unsupported: ref(415, '30', 'Unsupported media type. Send application/json.'),
  headers_too_large: ref(431, '30', 'The request headers are too large.'),
  request_timeout: ref(408, '68', 'Timed out while receiving the request.'),

  // Authentication and authorisation.
  unauthorized: ref(401, '63', 'Missing or invalid bearer token.'),
  token_expired: ref(401, '63', 'The bearer token has expired. Log in again.'),
  invalid_credentials: ref(401, '63', 'Invalid client ID or client secret.'),
  scope_missing: ref(403, '57', 'This client lacks the required scope.'),
  address_not_allowed: ref(403, '57', 'This client is not allowed to call from this IP address.'),
  session_needed: ref(401, '63', 'Sign in to continue.'),
  csrf_token_wrong: ref(403, '63', 'Missing or invalid x-csrf-token header.'),
  invalid_sign_in: ref(
    401,
    '63',
    'Incorrect email address or password. After repeated failures, wait 15 minutes or sign in ' +
      'with your second factor.',
  ),
  wrong_password: ref(403, '63', 'Incorrect password.'),
  code_needed: ref(401, '63', 'Enter the code from your authenticator app, or a recovery code.'),
  invalid_code: ref(401, '63', 'This code is incorrect, expired or already used.'),
  client_id_needed: ref(409, '63', 'Your user belongs to several clients. Specify clientId.'),
  password_expired: ref(401, '63', 'This temporary password has expired. Request a new one.'),
  invitation_invalid: ref(
    401,
    '63',
    'This link is not valid: it was used, has expired or was replaced. Ask for a new one.',
  ),
  password_change_needed: ref(403, '63', 'Change your temporary password to continue.'),
  role_not_allowed: ref(403, '57', 'Your role does not allow this action.'),
  people_only: ref(403, '57', 'Only a signed-in user can do this.'),
  too_many_attempts: ref(429, '65', 'Too many failed attempts. Try again later.'),
  merchant_not_allowed: ref(403, '57', 'This client is not allowed to use this merchantCode.'),
  merchants_restricted: ref(
    403,
    '57',
    'Not available to clients restricted to certain merchant codes.',
  ),
  grant_type_unsupported: ref(400, '30', 'Unsupported grant type. Use client_credentials.'),
  invalid_signature: ref(401, '63', 'Missing or invalid signature.'),
  source_not_allowed: ref(401, '63', 'Calls from this address are not allowed.'),
  signature_too_old: ref(
    401,
    '63',
    'The signature timestamp is outside the five-minute tolerance.',
  ),

  // Not found.
  account_not_found: ref(404, '25', 'No such collection account.'),
  advice_not_found: ref(404, '25', 'No such payment advice.'),
  payment_not_found: ref(404, '25', 'No such payment.'),
  number_not_found: ref(404, '25', 'No virtual account has this number.'),
  credit_not_found: ref(404, '25', 'No such credit.'),
  suspense_not_found: ref(404, '25', 'No such suspense item.'),
  return_not_found: ref(404, '25', 'No such return.'),
  refund_not_found: ref(404, '25', 'No such refund.'),
  difference_not_found: ref(404, '25', 'No such difference.'),
  adjustment_not_found: ref(404, '25', 'No such adjustment.'),
  payout_not_found: ref(404, '25', 'No such payout.'),
  settlement_not_found: ref(404, '25', 'No such settlement.'),
  payout_file_not_found: ref(404, '25', 'No such payout file.'),
  statement_not_found: ref(404, '25', 'No such statement.'),
  statement_import_not_found: ref(404, '25', 'No such statement import.'),
  bank_account_not_found: ref(404, '25', 'No such bank account.'),
  alert_not_found: ref(404, '25', 'No such alert.'),
  request_not_found: ref(404, '25', 'No such approval request.'),
  ledger_account_not_found: ref(404, '25', 'No such ledger account.'),
  limit_profile_not_found: ref(404, '25', 'No such limit profile.'),
  fee_rule_not_found: ref(404, '25', 'No such fee rule. It may have been withdrawn.'),
  tariff_not_found: ref(404, '25', 'No such tariff. It may have been withdrawn.'),
  subaccount_not_found: ref(404, '25', 'No such subaccount.'),
  split_not_found: ref(404, '25', 'No such split.'),
  endpoint_not_found: ref(404, '25', 'No such webhook endpoint.'),
  event_not_found: ref(404, '25', 'No such event.'),
  user_not_found: ref(404, '25', 'No such user.'),
  session_not_found: ref(404, '25', 'No such session.'),
  rail_item_not_found: ref(404, '25', 'No such rail item.'),
  passkey_not_found: ref(404, '25', 'No such passkey.'),
  client_not_found: ref(404, '25', 'No such client.'),
  bank_not_supported: ref(400, '16', 'This bank is not supported.'),

  // Numbers that a bank reserves for a customer.
  numbers_per_customer: ref(
    409,
    '57',
    'This bank reserves each number for its customer. Create such accounts one at a time.',
  ),
  customer_refused: ref(
    409,
    '57',
    'The bank reserved no number for this customer. See errors for its reason.',
  ),
  no_bank_usable: ref(503, '91', 'No bank has account numbers left. Try again later.'),
  bank_silent: ref(
    503,
    '91',
    'The bank did not answer in time. Send the same request again, with the same Idempotency-Key: ' +
      'it continues, and reserves no second number.',
  ),

  ...CONFLICTS,

  // Availability.
  rate_limited: ref(429, '65', 'Too many requests. Retry after the time in Retry-After.'),
  too_many_streams: ref(429, '65', 'Too many open event streams. Close one first.'),
  statement_too_long: ref(
    400,
    '30',
    'Too many movements for a page. Choose a shorter period, or export it as CSV.',
  ),
  too_many_imports: ref(429, '65', 'Too many imports in progress. Wait for one to finish.'),
  too_many_exports: ref(429, '65', 'Too many exports in progress. Wait for one to finish.'),
  busy: ref(503, '91', 'The service is overloaded. Retry shortly.'),
  pages_not_built: ref(503, '91', 'The web pages are not built. Run npm run build and restart.'),
  try_again: ref(503, '91', 'The service is temporarily unavailable. It is safe to retry.'),
  internal: ref(500, '96', 'Internal error. It is safe to retry.'),
} as const

export type RefusalCode = keyof typeof REFUSALS
export type FieldError = { field: string; message: string }

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: RefusalCode,
    fields: readonly FieldError[] = [],
    retryAfterSeconds: number | undefined = undefined,
  ) {
    super(REFUSALS[code].message)
    this.name = 'Refusal'
    this.code = code
    this.fields = fields
    this.retryAfterSeconds = retryAfterSeconds
  }
}
