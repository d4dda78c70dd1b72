// Every "no" the service can give. A refusal is an answer, not an accident: it is expected, it is
// the caller's to act on, and its code never changes meaning once released.
//
// `responseCode` is what the payment family shows beside the code; the values are those of
// Nigeria's interbank system (NIP), where the same situations have long had numbers.

export const REFUSALS = {
  // The request itself.
  invalid_request: ref(400, '30', 'The request is not valid: see errors for each field.'),
  invalid_http: ref(400, '30', 'This is not an HTTP request that can be understood.'),
  invalid_json: ref(400, '30', 'The body is not valid JSON.'),
  ambiguous_json: ref(400, '30', 'The body has a field twice, or nests too deeply.'),
  oauth_request: ref(400, '30', 'Send grant_type=client_credentials as a form, with credentials.'),
  body_missing: ref(400, '30', 'The request needs a JSON body.'),
  invalid_reference: ref(400, '30', 'This reference is not of the right form.'),
  invalid_cursor: ref(400, '30', 'This cursor was not issued by us, or belongs to another list.'),
  route_not_found: ref(404, '25', 'There is nothing at this address.'),
  body_too_large: ref(413, '30', 'The request body is too large.'),
  media_type_unsupported: ref(415, '30', 'Send the body as application/json.'),
  headers_too_large: ref(431, '30', 'The request headers are too large.'),
  request_timeout: ref(408, '68', 'The request took too long to arrive.'),

  // Who is asking.
  unauthorized: ref(401, '63', 'A valid bearer token is needed: log in first.'),
  token_expired: ref(401, '63', 'The token has expired: log in again.'),
  invalid_credentials: ref(401, '63', 'The client id or the client secret is wrong.'),
  scope_missing: ref(403, '57', 'This client may not do this: a scope is missing.'),
  address_not_allowed: ref(403, '57', 'This client may not call from this address.'),
  session_needed: ref(401, '63', 'Sign in first.'),
  csrf_token_wrong: ref(403, '63', 'The x-csrf-token header is missing or wrong: see the session.'),
  invalid_sign_in: ref(
    401,
    '63',
    'The email address or the password is wrong. After many failed attempts, wait a quarter of ' +
      'an hour, or sign in with a code of your second factor.',
  ),
  wrong_password: ref(403, '63', 'The password is wrong.'),
  code_needed: ref(401, '63', 'Enter the code of your authenticator app, or a recovery code.'),
  invalid_code: ref(401, '63', 'This code is wrong, too old or used already.'),
  client_id_needed: ref(409, '63', 'You are a user of several clients: say which.'),
  password_expired: ref(401, '63', 'This temporary password has run out: ask for a new one.'),
  password_change_needed: ref(403, '63', 'Choose a password of your own first.'),
  role_not_allowed: ref(403, '57', 'Your role may not do this.'),
  people_only: ref(403, '57', 'Only a person who is signed in may do this.'),
  too_many_attempts: ref(429, '65', 'Too many failed attempts: wait before you try again.'),
  merchant_not_allowed: ref(403, '57', 'This client may not use this merchantCode.'),
  merchants_restricted: ref(403, '57', 'This covers all merchants, and this client has only some.'),
  grant_type_unsupported: ref(400, '30', 'Only the grant type client_credentials is known.'),
  invalid_signature: ref(401, '63', 'The signature is missing or wrong.'),
  signature_too_old: ref(401, '63', 'The signature is outside the five-minute window.'),

  // What is asked for.
  account_not_found: ref(404, '25', 'There is no such collection account.'),
  advice_not_found: ref(404, '25', 'There is no such payment advice.'),
  payment_not_found: ref(404, '25', 'There is no such payment.'),
  number_not_found: ref(404, '25', 'No virtual account has this number.'),
  credit_not_found: ref(404, '25', 'There is no such credit.'),
  suspense_not_found: ref(404, '25', 'There is no such money in suspense.'),
  return_not_found: ref(404, '25', 'There is no such return.'),
  alert_not_found: ref(404, '25', 'There is no such alert.'),
  request_not_found: ref(404, '25', 'There is no such request.'),
  ledger_account_not_found: ref(404, '25', 'There is no such ledger account.'),
  endpoint_not_found: ref(404, '25', 'There is no such webhook endpoint.'),
  event_not_found: ref(404, '25', 'There is no such event.'),
  user_not_found: ref(404, '25', 'There is no such user.'),
  session_not_found: ref(404, '25', 'There is no such session.'),
  rail_item_not_found: ref(404, '25', 'There is no such rail item.'),
  client_not_found: ref(404, '25', 'There is no such client.'),
  bank_not_supported: ref(400, '16', 'This bank is not supported: see the supported banks.'),

  // What stands in the way.
  idempotency_key_reused: ref(409, '94', 'This Idempotency-Key was used for another request.'),
  account_changed: ref(412, '12', 'The account was changed meanwhile: get it again.'),
  account_inactive: ref(409, '57', 'This collection account is not active: activate it first.'),
  merchant_ref_reused: ref(409, '94', 'This merchantRef was used for an advice on other terms.'),
  advice_paid: ref(409, '21', 'This advice has been paid already.'),
  advice_reversed: ref(409, '12', 'This advice was paid, and the bank took money back.'),
  advice_expired: ref(409, '12', 'This advice has expired: create a new one.'),
  advice_cancelled: ref(409, '12', 'This advice was cancelled.'),
  payment_has_money: ref(409, '12', 'This payment can no longer be cancelled.'),
  advice_open: ref(409, '12', 'This advice may still be paid: cancel it, or wait for its finish.'),
  account_erased: ref(409, '57', 'This account was erased: it can no longer be changed.'),
  erasure_waits: ref(409, '57', 'Its money in suspense must be assigned or returned first.'),
  suspense_closed: ref(409, '12', 'This money has left suspense already.'),
  return_confirmed: ref(409, '12', 'This return was confirmed already: the payer has the money.'),
  return_failed: ref(409, '12', 'This return failed already: the money is in suspense again.'),
  suspense_not_fitting: ref(409, '12', 'This money cannot go there.'),
  approval_needed: ref(409, '57', 'Two people are needed: ask for it, and another one approves.'),
  suspense_requested: ref(
    409,
    '12',
    'Somebody asked for this money: decide on that request first.',
  ),
  request_decided: ref(409, '12', 'This request was decided already.'),
  other_person_needed: ref(409, '57', 'You asked for this yourself: another person must decide.'),
  approver_too_new: ref(
    409,
    '57',
    'You cannot approve yet: your access was granted or changed too recently.',
  ),
  approver_not_independent: ref(
    409,
    '57',
    'You cannot approve this: whoever requested it gave you access, or changed it.',
  ),
  disable_requested: ref(409, '12', 'Somebody asked for this already: decide on that request.'),
  maker_checker_off: ref(409, '12', 'Maker-checker is off already.'),
  own_request_only: ref(409, '57', 'Only who asked can withdraw a request: reject it instead.'),
  client_id_taken: ref(409, '94', 'There is a client with this id already.'),
  own_client: ref(409, '12', 'An operator cannot do this to its own client: use the command line.'),
  too_many_endpoints: ref(409, '61', 'There are 20 webhook endpoints already: delete one first.'),
  user_exists: ref(409, '94', 'There is a user with this email address already.'),
  too_many_users: ref(409, '61', 'There are 500 users already: remove one first.'),
  last_of_role: ref(409, '57', 'This is the last owner or operator: make another one first.'),
  operators_only: ref(409, '57', 'Only a client that runs the service has operators.'),
  totp_not_begun: ref(409, '12', 'Begin with a new secret first.'),
  nowhere_to_send: ref(409, '57', 'There is no address to send this to.'),
  endpoint_inactive: ref(409, '57', 'This webhook endpoint is not active: switch it on first.'),
  payment_not_late: ref(
    409,
    '12',
    'This payment can still be paid: wait for its finish and grace.',
  ),
  payment_not_open: ref(409, '12', 'This payment takes no more money: choose an open one.'),
  sandbox_only: ref(400, '57', 'This exists in the sandbox only.'),
  numbers_exhausted: ref(503, '91', 'No account number is free at this bank: try another bank.'),

  // Our side.
  rate_limited: ref(429, '65', 'Too many requests: wait as long as Retry-After says.'),
  too_many_streams: ref(429, '65', 'Too many streams are open: Close one first.'),
  too_many_exports: ref(429, '65', 'Too many exports are progress: wait for one to finish.'),
  busy: ref(503, '91', 'The service is busy: try again in a moment.'),
  pages_not_built: ref(503, '91', 'The pages are not built: type npm run build, then start again.'),
  try_again: ref(503, '91', 'The service is unavailable at the moment: try again, it is safe.'),
  internal: ref(500, '96', 'Something went wrong on our side: try again, it is safe.'),
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
