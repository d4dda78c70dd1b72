// Every refusal the API can return: expected, actionable, with a machine-readable code whose
// meaning never changes once released.
//
// `responseCode` is the equivalent NIP (Nigerian interbank) response code, shown by the payment
// endpoints.

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
  body_missing: ref(400, '30', 'A JSON request body is required.'),
  invalid_reference: ref(400, '30', 'Invalid reference format.'),
  invalid_cursor: ref(400, '30', 'Invalid cursor, or a cursor of another list.'),
  route_not_found: ref(404, '25', 'No such endpoint.'),
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
  passkey_needed: ref(401, '63', 'Use your passkey, or enter an authentication or recovery code.'),
  invalid_passkey: ref(401, '63', 'This passkey could not be verified. Try again.'),
  client_id_needed: ref(409, '63', 'Your user belongs to several clients. Specify clientId.'),
  password_expired: ref(401, '63', 'This temporary password has expired. Request a new one.'),
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
  adjustment_not_found: ref(404, '25', 'No such adjustment.'),
  payout_not_found: ref(404, '25', 'No such payout.'),
  settlement_not_found: ref(404, '25', 'No such settlement.'),
  payout_file_not_found: ref(404, '25', 'No such payout file.'),
  bank_account_not_found: ref(404, '25', 'No such bank account.'),
  alert_not_found: ref(404, '25', 'No such alert.'),
  request_not_found: ref(404, '25', 'No such approval request.'),
  ledger_account_not_found: ref(404, '25', 'No such ledger account.'),
  limit_profile_not_found: ref(404, '25', 'No such limit profile.'),
  subaccount_not_found: ref(404, '25', 'No such subaccount.'),
  split_not_found: ref(404, '25', 'No such split.'),
  endpoint_not_found: ref(404, '25', 'No such webhook endpoint.'),
  event_not_found: ref(404, '25', 'No such event.'),
  user_not_found: ref(404, '25', 'No such user.'),
  session_not_found: ref(404, '25', 'No such session.'),
  passkey_not_found: ref(404, '25', 'No such passkey.'),
  rail_item_not_found: ref(404, '25', 'No such rail item.'),
  client_not_found: ref(404, '25', 'No such client.'),
  bank_not_supported: ref(400, '16', 'This bank is not supported.'),

  // Conflicts.
  idempotency_key_reused: ref(
    409,
    '94',
    'This Idempotency-Key was already used for a different request.',
  ),
  account_changed: ref(412, '12', 'The account has changed since you read it. Fetch it again.'),
  account_inactive: ref(409, '57', 'This collection account is inactive. Activate it first.'),
  limit_profile_exists: ref(409, '94', 'A limit profile with this code already exists.'),
  limit_profile_in_use: ref(409, '12', 'Collection accounts still use this limit profile.'),
  subaccount_exists: ref(409, '94', 'A subaccount with this code already exists.'),
  split_exists: ref(409, '94', 'A split with this code already exists.'),
  fee_rule_overlaps: ref(409, '94', 'Another fee rule already begins then or later.'),
  tier_taken: ref(409, '94', 'Another limit profile already applies to one of these tiers.'),
  too_many_limit_profiles: ref(409, '61', 'Limit of 100 limit profiles reached. Delete one first.'),
  merchant_ref_reused: ref(409, '94', 'This merchantRef was already used with different terms.'),
  advice_paid: ref(409, '21', 'This advice is already paid.'),
  advice_reversed: ref(409, '12', 'This advice was paid, then reversed by the bank.'),
  advice_expired: ref(409, '12', 'This advice has expired. Create a new one.'),
  advice_cancelled: ref(409, '12', 'This advice was cancelled.'),
  payment_has_money: ref(409, '12', 'This payment can no longer be cancelled.'),
  advice_open: ref(409, '12', 'This advice can still be paid. Cancel it or wait until it expires.'),
  account_erased: ref(409, '57', 'This account was erased and can no longer be changed.'),
  erasure_waits: ref(409, '57', 'Assign or return its money in suspense first.'),
  suspense_closed: ref(409, '12', 'This suspense item is already closed.'),
  return_confirmed: ref(409, '12', 'This return is already confirmed.'),
  return_sending: ref(409, '12', 'The bank is being asked to send this return. Wait a moment.'),
  return_failed: ref(409, '12', 'This return already failed. The money is back in suspense.'),
  payment_not_refundable: ref(409, '12', 'Only a paid payment can be refunded.'),
  credit_not_refundable: ref(409, '12', 'None of this credit is on a collection account.'),
  credit_of_payment: ref(409, '12', 'This credit paid a payment. Refund the payment instead.'),
  refund_too_large: ref(409, '61', 'The amount is more than is left to refund.'),
  refund_not_queued: ref(409, '12', 'This refund can no longer be cancelled.'),
  refund_payer_unknown: ref(
    409,
    '07',
    'The bank did not report which account it came from. Pay it out to the payer instead.',
  ),
  adjustment_too_large: ref(409, '61', 'The amount is more than is owed.'),
  suspense_not_fitting: ref(409, '12', 'This money cannot be assigned there.'),
  approval_needed: ref(409, '57', 'Maker-checker is on. Create an approval request instead.'),
  insufficient_balance: ref(409, '12', 'The available balance is less than the amount.'),
  bank_account_unknown: ref(409, '07', 'The bank does not know this account number.'),
  bank_account_exists: ref(409, '94', 'You already have this bank account.'),
  bank_account_inactive: ref(409, '57', 'This bank account is inactive. Activate it first.'),
  bank_account_mismatch: ref(
    409,
    '57',
    'The name on this bank account is not the one you gave. Nothing can be paid to it.',
  ),
  bank_account_needed: ref(409, '12', 'There is no default bank account. Specify bankAccount.'),
  too_many_bank_accounts: ref(409, '61', 'Limit of 200 bank accounts reached.'),
  settlement_empty: ref(409, '12', 'There is nothing to settle.'),
  settlement_below_minimum: ref(409, '12', 'There is less to settle than the minimum amount.'),
  settlement_in_progress: ref(
    409,
    '12',
    'A settlement is being closed at the moment. Retry when it is.',
  ),
  cut_off_passed: ref(409, '12', 'The cut-off is not later than that of the last settlement.'),
  settlement_not_closed: ref(409, '12', 'Only a settlement that is closed can be approved.'),
  settlement_not_cancellable: ref(
    409,
    '12',
    'Only your latest settlement can be cancelled, before it is approved.',
  ),
  no_default_bank_account: ref(
    409,
    '12',
    'There is no bank account to settle to. Make one your default.',
  ),
  bank_account_unconfirmed: ref(
    409,
    '57',
    'The name on the bank account is not confirmed yet. Nothing can be paid to it.',
  ),
  payout_limit: ref(409, '61', 'The amount exceeds your limit per payout.'),
  daily_payout_limit: ref(409, '61', 'The amount exceeds what is left of your daily payout limit.'),
  payout_not_queued: ref(409, '12', 'This payout can no longer be cancelled.'),
  payout_decided: ref(409, '12', 'This payout does not wait for approval.'),
  payout_settled: ref(409, '12', 'This payout is already settled, or was never sent.'),
  payout_approval_kept: ref(
    409,
    '57',
    'Approval can only be extended to more payouts. Ask the operator to relax it.',
  ),
  no_payouts_queued: ref(409, '12', 'No approved payouts are queued at this bank.'),
  payout_files_off: ref(409, '57', 'This bank has no payoutFiles in the banks file.'),
  payout_file_paid: ref(409, '12', 'The bank has paid payouts of this file.'),
  payout_file_not_delivered: ref(
    409,
    '12',
    'This file was marked as not delivered, and its payouts have failed. Create another one.',
  ),
  tariff_overlaps: ref(409, '94', 'Another tariff already begins then or later.'),
  suspense_requested: ref(409, '12', 'An approval request for this money is already pending.'),
  request_decided: ref(409, '12', 'This approval request is already decided.'),
  other_person_needed: ref(409, '57', 'You cannot approve or reject your own request.'),
  approver_too_new: ref(
    409,
    '57',
    'You cannot approve yet: your access was granted or changed too recently.',
  ),
  approver_not_independent: ref(
    409,
    '57',
    'You cannot approve this: the requester granted or changed your access.',
  ),
  disable_requested: ref(409, '12', 'An approval request for this is already pending.'),
  maker_checker_off: ref(409, '12', 'Maker-checker is already off.'),
  own_request_only: ref(409, '57', 'Only the requester can withdraw a request. Reject it instead.'),
  client_id_taken: ref(409, '94', 'This client ID is already taken.'),
  own_client: ref(409, '12', 'Operators cannot do this to their own client. Use the command line.'),
  too_many_endpoints: ref(409, '61', 'Limit of 20 webhook endpoints reached. Delete one first.'),
  user_exists: ref(409, '94', 'A user with this email address already exists.'),
  too_many_users: ref(409, '61', 'Limit of 500 users reached. Delete one first.'),
  last_of_role: ref(409, '57', 'This is the last owner or operator. Add another one first.'),
  operators_only: ref(409, '57', 'Only an operator client can have operators.'),
  totp_not_begun: ref(409, '12', 'Start two-factor enrolment first.'),
  passkey_exists: ref(409, '94', 'This passkey is already registered.'),
  too_many_passkeys: ref(409, '61', 'Limit of 20 passkeys reached. Remove one first.'),
  nowhere_to_send: ref(409, '57', 'No webhook destination is configured.'),
  endpoint_inactive: ref(409, '57', 'This webhook endpoint is inactive. Activate it first.'),
  payment_not_late: ref(409, '12', 'This payment is still open. Wait until its grace period ends.'),
  payment_not_open: ref(409, '12', 'This payment no longer accepts money. Choose an open one.'),
  requery_not_supported: ref(
    409,
    '57',
    'This bank cannot be queried by account number. Enter the session ID of the transfer, if the ' +
      'bank supports it.',
  ),
  too_many_requeries: ref(
    409,
    '61',
    'Limit of 10 open session IDs for this payment reached. Wait until the bank has answered.',
  ),
  sandbox_only: ref(400, '57', 'Available in the sandbox only.'),
  numbers_exhausted: ref(
    503,
    '91',
    'No account numbers are available at this bank. Try another bank.',
  ),

  // Availability.
  rate_limited: ref(429, '65', 'Too many requests. Retry after the time in Retry-After.'),
  too_many_streams: ref(429, '65', 'Too many open event streams. Close one first.'),
  statement_too_long: ref(
    400,
    '30',
    'Too many movements for a page. Choose a shorter period, or export it as CSV.',
  ),
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

function ref<const S extends number>(status: S, responseCode: string, message: string) {
  return { status, responseCode, message }
}
