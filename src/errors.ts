// Every refusal that the API can return: expected and actionable, with a machine-readable code whose meaning
// never changes once released.
//
// `responseCode` is the equivalent NIP (Nigerian interbank) response code, shown by the payment endpoints.

// Returns one entry of the table: HTTP status, NIP response code and message.
function ref<const S extends number>(status: S, responseCode: string, message: string) {
  return { status, responseCode, message }
}

// Returns a function for entries that differ only in their message.
const refs = <const S extends number>(status: S, responseCode: string) => {
  return (message: string) => ref(status, responseCode, message)
}

const malformed = refs(400, '30')
const unidentified = refs(401, '63')
const forbidden = refs(403, '57') // The caller lacks the permission.
const missing = refs(404, '25')
const conflict = refs(409, '12') // The state of an object does not allow it.
const refused = refs(409, '57') // A rule or a setting does not allow it.
const exceeded = refs(409, '61') // More than the limit.
const exists = refs(409, '94')
const tooOften = refs(429, '65')
const unavailable = refs(503, '91')

// Refusals because of an object's state: conflicts and business rules.
const CONFLICTS = {
  idempotency_key_reused: exists(
    'This Idempotency-Key was already used for a different request. Use a new key.',
  ),
  account_changed: ref(412, '12', 'The account has changed since you read it. Fetch it again.'),
  identity_service_missing: conflict(
    'This service has no identity service that verifies BVNs and NINs.',
  ),
  account_inactive: refused('This collection account is inactive. Activate it first.'),
  account_name_not_pending: conflict(
    'This account name is not waiting for review: it was decided, changed or withdrawn.',
  ),
  number_ceiling_reached: exceeded(
    'This client holds as many account numbers of this bank as it may.',
  ),
  replay_running: conflict('Another replay of this client is running. Wait for it to finish.'),
  limit_profile_exists: exists('A limit profile with this code already exists.'),
  limit_profile_in_use: conflict('Collection accounts still use this limit profile.'),
  subaccount_exists: exists('A subaccount with this code already exists.'),
  split_exists: exists('A split with this code already exists.'),
  fee_rule_overlaps: exists('Another fee rule already starts on or after this date.'),
  fee_rule_in_force: conflict(
    'This fee rule has taken effect, or does so within a minute. It can no longer be withdrawn.',
  ),
  tier_taken: exists('Another limit profile already applies to one of these tiers.'),
  too_many_limit_profiles: exceeded('Limit of 100 limit profiles reached. Delete one first.'),
  merchant_ref_reused: exists('This merchantRef was already used with different terms.'),
  advice_paid: ref(409, '21', 'This advice is already paid.'),
  advice_reversed: conflict('This advice was paid, then reversed by the bank.'),
  advice_expired: conflict('This advice has expired. Create a new one.'),
  advice_cancelled: conflict('This advice was cancelled. Create a new one.'),
  payment_has_money: conflict('This payment can no longer be cancelled.'),
  advice_open: conflict('This advice can still be paid. Cancel it or wait until it expires.'),
  account_erased: refused('This account was erased and can no longer be changed.'),
  erasure_waits: refused(
    'This customer’s data is still needed, for money in suspense or by law. Nothing was erased.',
  ),
  suspense_closed: conflict('This suspense item is already closed.'),
  return_confirmed: conflict('This return is already confirmed.'),
  return_sending: conflict('The bank is being asked to send this return. Wait a moment.'),
  return_not_by_hand: conflict(
    'A connector or a payout file sends this return, or has sent it. Do not send it by hand.',
  ),
  return_may_have_been_sent: conflict(
    'This may have been sent before the database was restored or moved. Ask the bank, then confirm or ' +
      'fail it.',
  ),
  return_may_be_paid: conflict(
    'The bank may have this return. Request its failure as a payout: ' +
      'POST /api/v1/operator/payouts/{reference}/fail.',
  ),
  return_failed: conflict('This return already failed. The money is back in suspense.'),
  return_credit_reversed: conflict(
    'The bank has reversed the credit that this returns: the payer has the money. Fail the return.',
  ),
  payment_not_refundable: conflict('Only a paid payment can be refunded.'),
  credit_not_refundable: conflict('Nothing of this credit is left on a collection account.'),
  credit_of_payment: conflict('This credit paid a payment. Refund the payment instead.'),
  refund_too_large: exceeded('The amount is more than is left to refund.'),
  refund_not_queued: conflict('This refund can no longer be cancelled.'),
  refund_payer_unknown: ref(
    409,
    '07',
    'The bank did not report which account it came from. Pay it out to the payer instead.',
  ),
  credit_held: conflict('This credit is held. Its money stays until it is released.'),
  payout_under_review: conflict('The operator reviews this payout.'),
  screening_request_open: conflict('A request about this is already awaiting approval.'),
  screening_reviewed: conflict('This does not wait for review, or no longer.'),
  screening_rule_untested: conflict('Test this rule on history first.'),
  screening_rule_not_draft: conflict('Only a draft can be tested and activated.'),
  screening_rule_not_active: conflict('This rule is not active.'),
  screening_rule_list_missing: conflict('No version of the list of this rule is active.'),
  screening_list_not_draft: conflict('This version of the list is active already.'),
  screening_list_outdated: conflict('Another version was activated since it was uploaded.'),
  screening_rule_name_taken: exists('A rule of this name screens something else.'),
  case_closed: conflict('This case is closed.'),
  case_not_closed: conflict('This case is not closed.'),
  case_has_holds: conflict('Money is still held for this case.'),
  case_full: conflict('This case has as many files or links as one may have.'),
  evidence_refused: ref(400, '12', 'This is no PDF, PNG, JPEG, WebP or plain text.'),
  hold_ended: conflict('This hold has ended.'),
  hold_of_person: conflict('This hold ends with the hold of the person.'),
  hold_of_accounts: conflict('The money is held on the person’s accounts, each with its own hold.'),
  hold_empty: conflict('This hold has no money yet.'),
  hold_too_small: exceeded('The amount is more than is held.'),
  hold_too_large: exceeded('The amount is more than the credit.'),
  hold_request_open: conflict('The end of this hold already awaits a decision.'),
  document_recorded: exists('This document is recorded already, or its request is open.'),
  adjustment_too_large: exceeded('The amount is more than is owed.'),
  difference_resolved: conflict('This difference is already resolved, or has cleared.'),
  difference_asked: conflict('A resolution of this difference is already awaiting approval.'),
  entry_not_the_difference: exceeded(
    'An adjusting entry has exactly the amount of its difference. See errors for the amount.',
  ),
  entry_overdraws_account: exceeded(
    'This account has less than the amount of the entry. Choose another account.',
  ),
  entry_not_possible: conflict(
    'This difference takes no adjusting entry: it has no amount, or its payout is in transit.',
  ),
  owner_changed: conflict('The owner of this difference has changed.'),
  owner_without_access: refused('This user is disabled or has no access to reconciliation.'),
  action_not_allowed: conflict('A difference of this kind cannot be resolved that way.'),
  reading_needed: conflict(
    'This debit is smaller than the credit it names. Say whether it is a charge or a reversal.',
  ),
  line_known_otherwise: exists(
    'The books have this transfer with another account number or amount, or matched to another ' +
      'line. Nothing was booked.',
  ),
  reversal_not_possible: conflict(
    'The reversed credit is not known, or less of it is left than the bank took.',
  ),
  suggestion_gone: conflict('The suggested item is already matched to another line.'),
  cost_not_booked: conflict('No bank charge is booked that this could refund.'),
  suspense_not_fitting: conflict(
    'This money cannot be assigned there. Choose another account or payment.',
  ),
  approval_needed: refused('Maker-checker is on. Create an approval request instead.'),
  reserve_floor_reached: conflict('The operator keeps a reserve that this would draw on.'),
  insufficient_balance: conflict(
    'The available balance, less anything owed, is less than the amount.',
  ),
  bank_account_unknown: ref(409, '07', 'The bank does not know this account number.'),
  bank_account_exists: exists('You already have this bank account.'),
  client_suspended: refused(
    'This client is suspended, so no money leaves it. An operator resumes it.',
  ),
  client_held: refused('The operator holds all money of this client.'),
  bank_account_inactive: refused('This bank account is inactive. Activate it, or choose another.'),
  bank_account_mismatch: refused(
    'The bank has another name for this account, or does not know it. Add it again as the bank has it.',
  ),
  bank_account_needed: conflict('There is no default bank account. Specify bankAccount.'),
  too_many_bank_accounts: exceeded('Limit of 200 active bank accounts reached.'),
  settlement_empty: conflict('There is nothing to settle.'),
  settlement_below_minimum: conflict('There is less to settle than the minimum amount.'),
  settlement_in_progress: conflict('Another settlement is being closed. Retry in a moment.'),
  cut_off_passed: conflict('The cut-off must be later than that of the last settlement.'),
  settlement_not_closed: conflict('Only a closed settlement can be approved.'),
  settlement_not_cancellable: conflict(
    'Only your latest settlement can be cancelled, before it is approved.',
  ),
  no_default_bank_account: conflict(
    'There is no bank account to settle to. Make one your default.',
  ),
  bank_account_unconfirmed: refused(
    'No bank has confirmed the name on an account it is paid to. Another user may approve the payees.',
  ),
  payout_limit: exceeded('The amount exceeds your limit per payout.'),
  daily_payout_limit: exceeded('The amount exceeds what is left of your daily payout limit.'),
  payout_not_queued: conflict('This payout can no longer be cancelled.'),
  refund_credit_reversed: conflict(
    'The bank has reversed the credit that this refunds. Cancel the refund.',
  ),
  payout_may_have_been_sent: conflict(
    'This may have been sent before the database was restored or moved. The bank is asked first.',
  ),
  payout_decided: conflict('This payout is not awaiting approval.'),
  payout_settled: conflict('This payout is already settled, or was never sent.'),
  reserve_below_floor: refused(
    'The reserve is below the least that the operator set. Hold back at least that much, for as long.',
  ),
  payout_approval_kept: refused(
    'Approval can only be made stricter. Ask the operator to relax it.',
  ),
  payouts_held: conflict(
    'Payouts are held: nothing is sent to a bank until an operator releases them.',
  ),
  no_payouts_queued: conflict('No approved payouts are queued at this bank.'),
  payout_files_off: refused('This bank has no payoutFiles in the banks file.'),
  payout_file_paid: conflict('The bank has paid payouts of this file.'),
  payout_file_not_delivered: conflict(
    'This file was marked as not delivered, and its payouts have failed. Create a new file.',
  ),
  payout_file_settled: conflict(
    'Payouts of this file were settled by hand: uploaded now, it would pay them again. See errors for ' +
      'which. If the bank does not have the file, mark it as not delivered, or fail its open payouts.',
  ),
  payout_file_may_have_been_sent: conflict(
    'This file is older than the restored or moved database, and the bank may have it. Upload the ' +
      'bank’s report, settle its payouts by hand, or, if the bank does not have it, mark it as not ' +
      'delivered.',
  ),
  tariff_overlaps: exists('Another tariff already starts on or after this date.'),
  tariff_in_force: conflict(
    'This tariff has taken effect, or does so within a minute. It can no longer be withdrawn.',
  ),
  suspense_requested: conflict('An approval request for this money is already pending.'),
  failure_requested: conflict('A request to fail this is already pending.'),
  request_decided: conflict('This approval request is already decided.'),
  request_changed: conflict(
    'This has changed since you read it. Read it again before you approve.',
  ),
  other_person_needed: refused('You cannot approve or reject your own request.'),
  maker_counts_as_you: refused(
    'You cannot approve this: it counts as yours. You, or the same person as behind you, set the ' +
      'requester’s password or made the client’s secret; or the operator made that secret, and none of you ' +
      'who may manage secrets has rotated it.',
  ),
  second_approver_needed: refused('You have approved this. It takes a second approver.'),
  user_password_temporary: conflict('The user must choose a password of their own first.'),
  voucher_not_independent: refused(
    'You cannot vouch for this user: you set their password or gave them access.',
  ),
  approver_gave_access: refused(
    'You cannot approve this: you gave the requester access, directly or through others.',
  ),
  approver_too_new: refused(
    'You cannot approve yet: your access was granted or changed too recently.',
  ),
  approver_not_independent: refused(
    'You cannot approve this: the requester granted or changed your access.',
  ),
  approver_chose_account: refused(
    'You cannot approve this: you, or whoever gave you access, chose the bank account that it pays to.',
  ),
  disable_requested: conflict('An approval request for this is already pending.'),
  maker_checker_off: conflict('Maker-checker is already off.'),
  own_request_only: refused('Only the requester can withdraw a request. Reject it instead.'),
  client_id_taken: exists('This client ID is already taken.'),
  own_client: conflict('Operators cannot do this to their own client. Use the command line.'),
  too_many_endpoints: exceeded('Limit of 20 webhook endpoints reached. Delete one first.'),
  user_exists: exists('A user with this email address already exists.'),
  too_many_users: exceeded('Limit of 500 users reached. Delete one first.'),
  last_of_role: refused('This is the last owner or operator. Add another one first.'),
  operators_only: refused('Only an operator client can have operators.'),
  totp_not_begun: conflict('Start two-factor enrolment first.'),
  nowhere_to_send: refused('No webhook destination is configured. Add an endpoint first.'),
  endpoint_inactive: refused('This webhook endpoint is inactive. Activate it first.'),
  payment_not_late: conflict(
    'This payment is not late: it is paid, or its grace period is not over.',
  ),
  payment_not_open: conflict('This payment no longer accepts money. Choose an open one.'),
  requery_not_supported: refused(
    'This bank cannot be queried by account number. Enter the session ID of the transfer, if the ' +
      'bank supports it.',
  ),
  too_many_requeries: exceeded(
    'Limit of 10 open session IDs for this payment reached. Wait until the bank has answered.',
  ),
  sandbox_only: ref(400, '57', 'Available in the sandbox only.'),
  seed_running: conflict('A seed is being written. Wait until it is finished.'),
  clock_busy: conflict('Another call is moving the test clock. Try again when it has answered.'),
  clock_backwards: conflict('A test clock only moves forward. Release it to go back.'),
  clock_days_closed: conflict(
    'A day is closed that is not over in real time. The test clock stays until it is.',
  ),
  clock_too_far: exceeded('A test clock moves at most 400 days ahead of real time.'),
  numbers_exhausted: unavailable(
    'No account numbers are available at this bank. Try another bank.',
  ),

  // Accounting.
  month_open: conflict('The last day of the month is not closed yet.'),
  day_not_over: conflict('A day can be closed five minutes after its end (WAT).'),
  later_day_closed: conflict('A later day is already closed.'),
  earlier_day_open: conflict(
    'An earlier day is still open. Close days in order. See errors for the days.',
  ),
  day_not_balanced: conflict(
    'A bank is not balanced on this day. Resolve its differences, or close the day with a reason. ' +
      'See errors for the banks.',
  ),
  month_not_over: conflict('A month can be closed once its last day is closed.'),
  earlier_month_open: conflict(
    'An earlier month is still open. Close months in order. See errors for the months.',
  ),
  month_not_ready: conflict(
    'A check of this month is not done. Complete it, or close the month with a reason. See errors ' +
      'for the checks.',
  ),
  month_not_closed: missing('This month is not closed.'),
  reopening_requested: exists('Reopening this month is already requested.'),
  reopening_not_found: missing('No such request to reopen a month.'),
  passkey_needed: unidentified('Use your passkey, or enter an authentication or recovery code.'),
  invalid_passkey: unidentified('This passkey could not be verified. Try again.'),
  passkey_exists: exists('This passkey is already registered.'),
  too_many_passkeys: exceeded('Limit of 20 passkeys reached. Remove one first.'),
  saved_view_exists: exceeded('You have a view of this list with this name.'),
  too_many_saved_views: exceeded('Limit of 50 saved views reached. Delete one first.'),
} as const

export const REFUSALS = {
  // Malformed requests.
  invalid_request: malformed('The request is invalid. See errors for details.'),
  invalid_http: malformed('Malformed HTTP request.'),
  invalid_json: malformed('The request body is not valid JSON.'),
  ambiguous_json: malformed('The request body repeats a key or is nested too deeply.'),
  oauth_request: malformed(
    'Send grant_type=client_credentials as a form, with client credentials.',
  ),
  statement_refused: malformed(
    'The statement was rejected, and nothing was stored. See errors for the line and the reason.',
  ),
  body_missing: malformed('A JSON request body is required.'),
  invalid_reference: malformed('Invalid reference format.'),
  invalid_cursor: malformed('This cursor is invalid or belongs to another list.'),
  route_not_found: missing('No such endpoint.'),
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
  unauthorized: unidentified('Missing or invalid bearer token.'),
  token_expired: unidentified('The bearer token has expired. Log in again.'),
  invalid_credentials: unidentified('Invalid client ID or client secret.'),
  scope_missing: forbidden('This client lacks the required scope.'),
  address_not_allowed: forbidden('This client is not allowed to call from this IP address.'),
  session_needed: unidentified('Sign in to continue.'),
  csrf_token_wrong: ref(403, '63', 'Missing or invalid x-csrf-token header.'),
  invalid_sign_in: unidentified(
    'Incorrect email address or password. After repeated failures, wait 15 minutes or sign in ' +
      'with your second factor.',
  ),
  wrong_password: ref(403, '63', 'Incorrect password.'),
  code_needed: unidentified('Enter the code from your authenticator app, or a recovery code.'),
  invalid_code: unidentified('This code is incorrect, expired or already used.'),
  client_id_needed: ref(409, '63', 'Your user belongs to several clients. Specify clientId.'),
  password_expired: unidentified('This temporary password has expired. Request a new one.'),
  invitation_invalid: unidentified(
    'This link is not valid: it was used, has expired or was replaced. Ask for a new one.',
  ),
  reset_invalid: unidentified('This link was used or has expired. Ask for a new one.'),
  chat_not_found: missing('No chat is set.'),
  provider_not_found: missing('No sign-in provider is set up for this client.'),
  provider_unavailable: unavailable(
    'The sign-in provider of your organisation cannot be reached, or is set up wrongly. Try again.',
  ),
  provider_sign_in_failed: unidentified(
    'The sign-in provider of your organisation did not confirm who you are. Sign in again.',
  ),
  provider_sign_in_expired: unidentified(
    'This sign-in is over, was used, or began in another browser. Sign in again.',
  ),
  provider_sign_in_needed: ref(
    403,
    '63',
    'Sign in with your organisation: it admits no passwords and passkeys here.',
  ),
  provider_user_unknown: forbidden(
    'Your organisation knows you, but you are no user here. Ask an owner to invite you.',
  ),
  provider_email_missing: forbidden(
    'Your organisation’s sign-in must name your verified email address (the claims email and ' +
      'email_verified).',
  ),
  provider_role_missing: forbidden(
    'Your organisation gives you no role here. Ask whoever manages its sign-in.',
  ),
  second_factor_needed: ref(
    409,
    '63',
    'Add a second factor first: it is your way in when the provider fails.',
  ),
  password_change_needed: ref(403, '63', 'Change your temporary password to continue.'),
  role_not_allowed: forbidden('Your role does not allow this action.'),
  people_only: forbidden('Only a signed-in user can do this.'),
  too_many_attempts: tooOften('Too many failed attempts. Try again later.'),
  merchant_not_allowed: forbidden('This client is not allowed to use this merchantCode.'),
  merchants_restricted: forbidden('Not available to clients restricted to certain merchant codes.'),
  grant_type_unsupported: malformed('Unsupported grant type. Use client_credentials.'),
  invalid_signature: unidentified('Missing or invalid signature.'),
  source_not_allowed: unidentified('Calls from this address are not allowed.'),
  signature_too_old: unidentified('The signature timestamp is outside the five-minute tolerance.'),

  // An object does not exist, or the caller may not see it.
  account_not_found: missing('No such collection account.'),
  advice_not_found: missing('No such payment advice.'),
  payment_not_found: missing('No such payment.'),
  mistyped_code: missing('This code is mistyped: its last character does not fit.'),
  number_not_found: missing('No virtual account has this number.'),
  credit_not_found: missing('No such credit.'),
  suspense_not_found: missing('No such suspense item.'),
  return_not_found: missing('No such return.'),
  refund_not_found: missing('No such refund.'),
  difference_not_found: missing('No such difference.'),
  screening_rule_not_found: missing('No such screening rule.'),
  screening_list_not_found: missing('No such version of a list.'),
  screening_decision_not_found: missing('No such screening decision.'),
  screening_request_not_found: missing('No such screening request.'),
  case_not_found: missing('No such case.'),
  evidence_not_found: missing('No such evidence.'),
  hold_not_found: missing('No such hold.'),
  hold_request_not_found: missing('Nobody has asked to end this hold.'),
  message_not_found: missing('No such message.'),
  suppression_not_found: missing('No such suppressed address.'),
  report_schedule_not_found: missing('No such scheduled report.'),
  report_not_found: missing('No such report.'),
  report_expired: conflict('The link of this report has expired.'),
  too_many_report_schedules: conflict('This client has as many scheduled reports as it may.'),
  adjustment_not_found: missing('No such adjustment.'),
  entry_not_found: missing('No such adjusting entry.'),
  holiday_not_found: missing('No such holiday.'),
  vat_invoice_not_found: missing('No such VAT invoice or credit note.'),
  payout_not_found: missing('No such payout.'),
  settlement_not_found: missing('No such settlement.'),
  payout_file_not_found: missing('No such payout file.'),
  statement_not_found: missing('No such statement.'),
  statement_import_not_found: missing('No such statement import.'),
  bank_account_not_found: missing('No such bank account.'),
  alert_not_found: missing('No such alert.'),
  request_not_found: missing('No such approval request.'),
  ledger_account_not_found: missing('No such ledger account.'),
  limit_profile_not_found: missing('No such limit profile.'),
  fee_rule_not_found: missing('No such fee rule. It may have been withdrawn.'),
  tariff_not_found: missing('No such tariff. It may have been withdrawn.'),
  subaccount_not_found: missing('No such subaccount.'),
  split_not_found: missing('No such split.'),
  replay_not_found: missing('Nothing was replayed to this webhook endpoint within 30 days.'),
  endpoint_not_found: missing('No such webhook endpoint.'),
  event_not_found: missing('No such event.'),
  user_not_found: missing('No such user.'),
  session_not_found: missing('No such session.'),
  rail_item_not_found: missing('No such rail item.'),
  passkey_not_found: missing('No such passkey.'),
  saved_view_not_found: missing('No such saved view.'),
  client_not_found: missing('No such client.'),
  bank_not_supported: ref(400, '16', 'This bank is not supported.'),

  // Numbers that a bank reserves for a customer.
  numbers_per_customer: refused(
    'This bank reserves each number for its customer. Create such accounts one at a time.',
  ),
  customer_refused: refused(
    'The bank reserved no number for this customer. See errors for its reason.',
  ),
  no_bank_usable: unavailable('No bank has account numbers left. Try again later.'),
  bank_silent: unavailable(
    'The bank did not answer in time. Send the same request again, with the same Idempotency-Key: ' +
      'it continues, and reserves no second number.',
  ),

  ...CONFLICTS,

  // The service is busy or temporarily unavailable.
  rate_limited: tooOften('Too many requests. Retry after the time in Retry-After.'),
  too_many_streams: tooOften('Too many open event streams. Close one first.'),
  statement_too_long: malformed(
    'Too many movements for a page. Choose a shorter period, or export it as CSV.',
  ),
  too_many_replays: tooOften('Too many replays in an hour. Retry after the time in Retry-After.'),
  too_many_imports: tooOften('Too many imports in progress. Wait for one to finish.'),
  too_many_exports: tooOften('Too many exports in progress. Wait for one to finish.'),
  busy: unavailable('The service is overloaded. Retry shortly.'),
  pages_not_built: unavailable('The web pages are not built. Run npm run build and restart.'),
  try_again: unavailable('The service is temporarily unavailable. It is safe to retry.'),
  internal: ref(500, '96', 'Internal error. It is safe to retry.'),
} as const

export type RefusalCode = keyof typeof REFUSALS
export type FieldError = { field: string; message: string }

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly fields: readonly FieldError[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: RefusalCode, fields: readonly FieldError[] = [], retryAfterSeconds?: number) {
    super(REFUSALS[code].message)
    this.name = 'Refusal'
    this.code = code
    this.fields = fields
    this.retryAfterSeconds = retryAfterSeconds
  }
}

// Returns the refusal of one field of the request.
export function invalidField(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }])
}
