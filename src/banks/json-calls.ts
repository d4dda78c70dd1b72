// Calls the JSON API of a bank, authenticated by fixed headers or by an access token, and turns common
// answers into results.
//
// A response that does not answer the request itself is treated as no answer: a redirect, refused
// credentials, a rate limit, a server error, or a body that is no JSON object.

import { type Monotonic, systemMonotonic } from '#clock.ts'
import { type BankHttp, type BankRequest, type BankResponse, jsonObject } from './bank-http.ts'
import type { BankCalls, CallOptions, NameAnswer, NoAnswer, PayoutReading } from './connector.ts'
import { cleanText } from './credit-fields.ts'

const NOT_FOUND = 404
const CREDENTIALS_REFUSED = [401, 403]
const NO_ANSWER = [...CREDENTIALS_REFUSED, 408, 425, 429]
const MESSAGE_MAX = 200
const SPARE_MS = 300_000 // An order goes out only under a token that stays valid for at least this long.
// The messages of NIP's codes 25 and 07, and of banks, for an unknown account. A text must begin with them:
// "Merchant account not found" is about our own account.
const NO_SUCH_ACCOUNT = [
  /^(?:unable to locate (?:account|record)|no such account|invalid account)\b/i,
  /^(?:the |bank )?account (?:number )?(?:(?:is )?(?:not found|invalid)|does not exist)\b/i,
]

export type JsonAnswer = {
  status: 'answered'
  httpStatus: number
  body: Record<string, unknown> // Empty for a 404 without a JSON object.
}

export type Ask = (request: BankRequest, options: CallOptions) => Promise<JsonAnswer | NoAnswer>

type Headers = Readonly<Record<string, string>>

// Returns the function that calls a bank with fixed headers.
export function asking(http: BankHttp, headers: Headers): Ask {
  return async (request, options) => readAnswer(await http({ ...request, headers }, options))
}

// The result of a login. `lifetimeMs` is from the bank's answer or its documentation.
type Session = { status: 'logged_in'; headers: Headers; lifetimeMs: number } | NoAnswer
type Login = { session: Promise<Session>; atMs: number }

// Returns the function that calls a bank with an access token. It logs in if there is no token yet, and again
// if the bank refuses the token. Concurrent calls share one login. An order to pay is not repeated after a
// refused token, because a system behind the gateway may already have the order. Orders are sent only with a
// token that stays valid for minutes, so that refusals are rare.
export function askingWithToken(
  http: BankHttp,
  logIn: () => Promise<Session>,
  monotonic: Monotonic = systemMonotonic,
): { ask: Ask; prepareOrders: NonNullable<BankCalls['prepareOrders']> } {
  let login: Login | undefined
  // Forgets a login that cannot be used any more, unless a newer one has replaced it.
  const forget = (used: Login) => {
    if (login === used) login = undefined
  }
  // Returns the login of the current token, and logs in if there is none.
  const current = (): Login => {
    login ??= { session: logIn(), atMs: monotonic() }
    return login
  }
  // Returns a login for the next request. For an order, the token must stay valid for a while.
  const findLogin = async (isOrder: boolean): Promise<Login> => {
    const latest = current()
    const session = await latest.session
    if (!isOrder || session.status === 'no_answer') return latest
    if (monotonic() - latest.atMs <= session.lifetimeMs - SPARE_MS) return latest
    forget(latest)
    return current()
  }
  // Sends a request with the current token.
  const send = async (request: BankRequest, options: CallOptions) => {
    const used = await findLogin(request.isOrder === true)
    const session = await used.session
    if (session.status === 'no_answer') {
      forget(used)
      return { ...session, isUnsent: true } as const
    }
    const response = await http({ ...request, headers: session.headers }, options)
    if (isRefused(response)) forget(used)
    return response
  }
  return {
    async ask(request, options) {
      const response = await send(request, options)
      const isRepeated = isRefused(response) && !request.isOrder
      return readAnswer(isRepeated ? await send(request, options) : response)
    },
    async prepareOrders() {
      const used = await findLogin(true)
      const session = await used.session
      if (session.status !== 'no_answer') return { status: 'ready' }
      forget(used)
      return session
    },
  }
}

// Wraps `ask` for one call of several requests: every request after the first waits for its turn within the
// bank's rate limit. A request that gets no turn is not sent.
export function inTurn(ask: Ask): Ask {
  let isFirst = true
  return async (request, options) => {
    const hasTurn = isFirst || (await options.takeTurn?.()) !== false
    isFirst = false
    if (hasTurn) return ask(request, options)
    return { status: 'no_answer', reason: 'the rate left no room in time', isUnsent: true }
  }
}

// Returns whether the bank refused our credentials.
function isRefused(response: BankResponse | NoAnswer): boolean {
  return response.status === 'answered' && CREDENTIALS_REFUSED.includes(response.httpStatus)
}

// Turns a response into an answer. A redirect, a server error or a status of NO_ANSWER counts as no answer.
function readAnswer(response: BankResponse | NoAnswer): JsonAnswer | NoAnswer {
  if (response.status === 'no_answer') return response
  const { httpStatus } = response
  const isSilent = httpStatus >= 500 || (httpStatus >= 300 && httpStatus < 400)
  if (isSilent || NO_ANSWER.includes(httpStatus)) return noAnswer(httpStatus)
  const body = jsonObject(response)
  if (!isNoAnswer(body)) return { status: 'answered', httpStatus, body }
  return httpStatus === NOT_FOUND ? { status: 'answered', httpStatus, body: {} } : body
}

// Returns the result of a response that does not answer the request. A status such as 400 shows that the bank
// is up and only refused the request.
export function noAnswer(httpStatus: number): NoAnswer {
  const isUp = httpStatus >= 400 && httpStatus < 500 && !NO_ANSWER.includes(httpStatus)
  return { status: 'no_answer', reason: reasonOf(httpStatus), ...(isUp && { isUp }) }
}

// The result if a response does not answer the request. `field` names the field with the bank's message.
export function asNoAnswer(answer: JsonAnswer, field: string): NoAnswer {
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, field) }
}

// The result if the bank did not answer an order to pay or a query of a payout. Only an order that was not
// sent (`isUnsent`) has certainly not been paid.
export function payoutUnanswered({ reason, isUnsent }: NoAnswer, isOrder: boolean): PayoutReading {
  if (isOrder && isUnsent) return { status: 'unsent', reason: `Nothing was sent: ${reason}` }
  return { status: 'unknown', reason }
}

// The result if the bank answered the query of a payout with 404. If the answer does not look like the bank's
// own, it may come from a gateway or a proxy, even in JSON, and the payout may have been made.
export function payoutNotFound({ httpStatus }: JsonAnswer, isFromBank: boolean): PayoutReading {
  return isFromBank ? { status: 'not_found' } : { status: 'unknown', reason: reasonOf(httpStatus) }
}

// The result if the answer to a name enquiry has no name. Only the bank's own 404, or its words, show that
// there is no such account. Any other answer says nothing about the account: the other bank may be silent, or
// we may lack a permission.
export function nameNotFound(
  answer: JsonAnswer,
  { isFromBank, field }: { isFromBank: boolean; field: string },
): NameAnswer {
  const { httpStatus } = answer
  const message = messageOf(answer, field)
  const saysUnknown = NO_SUCH_ACCOUNT.some((pattern) => pattern.test(message))
  if (isFromBank && (saysUnknown || httpStatus === NOT_FOUND)) return { status: 'not_found' }
  return { ...noAnswer(httpStatus), reason: message }
}

// Returns the bank's message from this field, as a text that can be stored.
export function messageOf({ httpStatus, body }: JsonAnswer, field: string): string {
  const message = body[field]
  const text = typeof message === 'string' ? cleanText(message, MESSAGE_MAX) : null
  return text ?? reasonOf(httpStatus)
}

function reasonOf(httpStatus: number): string {
  return `HTTP ${httpStatus}`
}

function isNoAnswer(value: Record<string, unknown> | NoAnswer): value is NoAnswer {
  return value.status === 'no_answer'
}
