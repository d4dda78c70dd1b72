// Connects a bank through our own rail, the default: signed by Standard Webhooks, in our JSON (one credit or
// a list) or in camt.054. A bank whose gateway writes Providus-style JSON can send it under our signature
// with ?format=providus.
//
// During a rotation two secrets are valid: the bank signs with the old one until it has the new one.

import { camt054Format } from '#banks/iso20022/camt054.ts'
import {
  type Ask,
  asking,
  type CallOptions,
  type ChangeAnswer,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  findBankHttp,
  formatKobo,
  type JsonAnswer,
  type Mode,
  messageOf,
  type NotificationFormat,
  noAnswer,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  type RailCall,
  singleHeader,
} from '#banks/kit.ts'
import { providusFormat } from '#banks/providus/notifications.ts'
import { loadSecret, type SigningSecret, verify } from '#standard-webhooks.ts'
import { jsonFormat, nameEnquiry, readItem } from './notifications.ts'

export const FORMATS: readonly NotificationFormat[] = [jsonFormat, providusFormat, camt054Format]

export const manillaConnector: Connector = {
  name: 'manilla',
  needsKnownSource: false,
  connect(settings, { mode }) {
    const secrets = readSecrets(settings)
    const calls = manillaCalls(settings, mode)
    return {
      authenticate: (call) => authenticate(secrets, call),
      findFormat,
      nameEnquiry,
      calls,
      notFoundIsProof: true, // Promised by docs/bank-api.md.
    }
  },
}

// Returns the secrets with which the bank may sign: the current one and, during a rotation, the previous one.
function readSecrets(settings: ConnectorSettings): SigningSecret[] {
  const texts = ['railSecret', 'previousRailSecret'].map((name) => settings.findSecret(name))
  if (texts[0] === undefined) {
    settings.report('railSecrets or secrets.railSecret is missing')
  }
  return texts.flatMap((text, index) => {
    if (text === undefined) return []
    try {
      return [loadSecret(text)]
    } catch (error) {
      settings.report(`rail secret ${index + 1}: ${(error as Error).message}`)
      return []
    }
  })
}

// Verifies the signature over the raw body, because parsing could change the body.
function authenticate(secrets: readonly SigningSecret[], { headers, rawBody, now }: RailCall) {
  const verdict = verify({
    secrets,
    headers: {
      id: singleHeader(headers['webhook-id']),
      timestamp: singleHeader(headers['webhook-timestamp']),
      signature: singleHeader(headers['webhook-signature']),
    },
    body: rawBody,
    nowMs: now.getTime(),
  })
  if (verdict === 'ok') return verdict
  return verdict === 'too_old' || verdict === 'too_new' ? 'signature_too_old' : 'invalid_signature'
}

// Finds the format by the content type, and by `?format=` if the bank names one.
function findFormat({ headers, format: name }: RailCall): NotificationFormat | undefined {
  const contentType = headers['content-type']
  const type = typeof contentType === 'string' ? contentType : ''
  return FORMATS.find(
    (format) => (name === undefined || format.name === name) && format.accepts(type),
  )
}

// The calls to a bank that implements our own API (docs/bank-api.md). Every request carries the bearer token
// `secrets.apiKey`. Without `settings.baseUrl` there are no calls.
//
//   GET   /transfers/{sessionId}                     a credit as on the rail, or 404
//   GET   /transfers?from=&to=&accountNumber=&cursor={data: [credit …], nextCursor}
//   POST  /name-enquiry  {bankCode, accountNumber}   {accountName}, or 404
//   POST  /accounts      {reference, kind, …}        {accountNumber, accountName}
//   PATCH /accounts/{n}  {accountName} | {isActive}  200
//   POST  /payouts       {reference, amount, …}      {status: confirmed | failed | pending, …}
//   GET   /payouts/{reference}                       the same, or 404

// Returns the calls of our own API; none without settings.baseUrl.
function manillaCalls(settings: ConnectorSettings, mode: Mode): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const apiKey = settings.findSecret('apiKey')
  if (!http) return {}
  if (!apiKey) settings.report('secrets.apiKey is missing: settings.baseUrl needs it')
  const ask = asking(http, { authorization: `Bearer ${apiKey}` })
  return { ...transferCalls(ask), ...accountCalls(ask), ...payoutCalls(ask) }
}

// Returns the calls that query transfers. `readItem(…, false)`: no field occurs twice, because jsonObject()
// treats a body with a repeated field as no answer.
function transferCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ value }, options) {
      const path = `/transfers/${encodeURIComponent(value)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (answer.httpStatus === 404) return { status: 'not_found' }
      if (answer.httpStatus === 202) return { status: 'in_progress' }
      if (answer.httpStatus !== 200) return noAnswer(answer.httpStatus)
      return { status: 'found', items: [readItem(answer.body, false)] }
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const query = {
        from: from.toISOString(),
        to: to.toISOString(),
        accountNumber: accountNumber ?? undefined,
        cursor: cursor ?? undefined,
      }
      const answer = await ask({ method: 'GET', path: '/transfers', query }, options)
      if (answer.status === 'no_answer') return answer
      const { data, nextCursor } = answer.body
      const isCursor = nextCursor === null || ['string', 'undefined'].includes(typeof nextCursor)
      if (answer.httpStatus !== 200 || !Array.isArray(data) || !isCursor) {
        return noAnswer(answer.httpStatus)
      }
      const items = data.map((item) => readItem(item, false))
      return { status: 'listed', items, nextCursor: (nextCursor as string | undefined) ?? null }
    },
  }
}

// Returns the name enquiry and the calls that reserve, rename and block numbers.
function accountCalls(ask: Ask): ConnectorCalls {
  // Renames or blocks an account.
  const change = async (
    accountNumber: string,
    body: object,
    options: CallOptions,
  ): Promise<ChangeAnswer> => {
    const path = `/accounts/${accountNumber}`
    const answer = await ask({ method: 'PATCH', path, body }, options)
    if (answer.status === 'no_answer') return answer
    if (answer.httpStatus === 200) return { status: 'done' }
    return { status: 'refused', reason: messageOf(answer, 'message') }
  }
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const body = { bankCode, accountNumber }
      const request = { method: 'POST', path: '/name-enquiry', body } as const
      const answer = await ask(request, options)
      if (answer.status === 'no_answer') return answer
      if (answer.httpStatus === 404) return { status: 'not_found' }
      const { accountName } = answer.body
      if (answer.httpStatus !== 200 || typeof accountName !== 'string') {
        return noAnswer(answer.httpStatus)
      }
      return { status: 'found', accountName }
    },
    async reserveAccount({ customer, ...request }, options) {
      const body = { ...request, bvn: customer?.bvn ?? null }
      const answer = await ask({ method: 'POST', path: '/accounts', body }, options)
      if (answer.status === 'no_answer') return answer
      const { accountNumber, accountName } = answer.body
      if (typeof accountNumber !== 'string')
        return { status: 'refused', reason: messageOf(answer, 'message') }
      return {
        status: 'reserved',
        accountNumber,
        accountName: typeof accountName === 'string' ? accountName : request.accountName,
      }
    },
    renameAccount: ({ accountNumber, accountName }, options) =>
      change(accountNumber, { accountName }, options),
    blockAccount: ({ accountNumber }, options) =>
      change(accountNumber, { isActive: false }, options),
  }
}

// Returns the calls that order payouts and query their state. payoutUnanswered() gets `true` for
// an order and `false` for a query.
function payoutCalls(ask: Ask): ConnectorCalls {
  return {
    async sendMoney({ amountKobo, ...instruction }, options) {
      const body = { ...instruction, amount: formatKobo(amountKobo) }
      const answer = await ask({ method: 'POST', path: '/payouts', body, isOrder: true }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      if (answer.httpStatus === 400)
        return { status: 'refused', reason: messageOf(answer, 'message') }
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const path = `/payouts/${encodeURIComponent(reference)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) {
        return payoutNotFound(answer, answer.body.status === 'not_found')
      }
      return readPayout(answer)
    },
  }
}

// Reads the state of a payout. Every state other than confirmed or failed is unknown.
function readPayout(answer: JsonAnswer): PayoutReading {
  const { status, bankReference, reference } = answer.body
  if (answer.httpStatus === 200 && status === 'confirmed' && typeof bankReference === 'string') {
    return { status, bankReference, reference }
  }
  if (answer.httpStatus === 200 && status === 'failed') {
    return { status, reason: messageOf(answer, 'message'), reference }
  }
  const isAccepted = answer.httpStatus === 200 && status === 'pending'
  const reason = messageOf(answer, 'message')
  return isAccepted
    ? { status: 'unknown', reason, isAccepted, reference }
    : { status: 'unknown', reason }
}
