// A connector to copy for a new bank (docs/adding-a-bank.md): "Example Bank", which signs the raw body. The
// sandbox accepts it and the conformance suite runs it, so that copies work.
//
// The six questions that a connector answers are numbered here and in notifications.ts.

import { createHmac } from 'node:crypto'
import {
  type Ask,
  asking,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  findBankHttp,
  formatKobo,
  isSecretEqual,
  type JsonAnswer,
  type Mode,
  messageOf,
  nameEnquiry,
  nameNotFound,
  noAnswer,
  objectIn,
  onlyFormat,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  providerCode,
  singleHeader,
} from '#banks/kit.ts'
import { readTransfer, templateFormat } from './notifications.ts'

export const templateConnector: Connector = {
  name: 'template',
  // True for a token that is the same in every call. Live mode then requires settings.allow or
  // settings.mutualTls. The service itself checks these two, for all connectors.
  needsKnownSource: false,
  connect(settings, { mode }) {
    const signingKey = settings.requireSecret('signingKey')
    const calls = templateCalls(settings, mode)
    return {
      // 1. How is a call authenticated? Check the raw bytes, always with isSecretEqual. Refuse a header that
      // is missing or comes twice.
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['x-template-signature']) ?? ''
        const expected = createHmac('sha256', signingKey).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      // signsFieldsOnly: true, for a bank whose signature covers named fields rather than the body. Read
      // them with signedValue, and let one of them identify the credit (isRequired).
      // 2. How does a body become credits, and how is it acknowledged? See notifications.ts.
      findFormat: onlyFormat(templateFormat),
      // Only for a bank that asks us for names: the field of its request, and our answer.
      nameEnquiry,
      calls,
    }
  },
}

// Returns the calls to Example Bank. Leave out each call that your bank does not have: the features that need
// it are then off for that bank.
function templateCalls(settings: ConnectorSettings, mode: Mode): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const apiKey = settings.findSecret('apiKey')
  if (!http) return {}
  if (!apiKey) settings.report('secrets.apiKey is missing: settings.baseUrl needs it')
  // Silence, server errors and refused credentials are `no_answer` already. Nothing here throws.
  const ask = asking(http, { authorization: `Bearer ${apiKey}` })
  return { ...transferCalls(ask), ...accountCalls(ask), ...payoutCalls(ask) }
}

// 5. How is the bank queried? These calls find one transfer, and list the transfers of a period. After the
// answers "not found" and "in progress", the service queries the bank again.
function transferCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Example Bank finds a transfer by its session id only.
      if (kind !== 'session_id') return { status: 'not_found' }
      const path = `/transfers/${encodeURIComponent(value)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (answer.httpStatus === 404) return { status: 'not_found' }
      if (answer.body.state === 'pending') return { status: 'in_progress' }
      if (answer.httpStatus !== 200) return noAnswer(answer.httpStatus)
      return { status: 'found', items: [readTransfer(objectIn(answer.body.transfer))] }
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const query = {
        from: from.toISOString(),
        to: to.toISOString(),
        account: accountNumber ?? undefined,
        page: cursor ?? undefined,
      }
      const answer = await ask({ method: 'GET', path: '/transfers', query }, options)
      if (answer.status === 'no_answer') return answer
      const { transfers, nextPage } = answer.body
      if (answer.httpStatus !== 200 || !Array.isArray(transfers)) return noAnswer(answer.httpStatus)
      const items = transfers.map((transfer) => readTransfer(objectIn(transfer)))
      const nextCursor = typeof nextPage === 'number' ? String(nextPage) : null
      return { status: 'listed', items, nextCursor }
    },
  }
}

// 6. Who issues account numbers? This call reserves one at the bank. Leave it out if the bank grants us a
// range of numbers, from which the service issues them itself.
function accountCalls(ask: Ask): ConnectorCalls {
  return {
    async reserveAccount({ reference, accountName }, options) {
      const body = { reference, name: accountName }
      const answer = await ask({ method: 'POST', path: '/accounts', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account } = answer.body
      return typeof account === 'string'
        ? { status: 'reserved', accountNumber: account, accountName }
        : { status: 'refused', reason: messageOf(answer, 'message') }
    },
  }
}

// Returns the name enquiry and the calls that order payouts and query their state. A refusal by Example Bank
// has the state `refused`; a refusal by a gateway has no state.
function payoutCalls(ask: Ask): ConnectorCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      // The numbering that the bank uses: 'cbn' has three or five digits, 'nip' six.
      const query = { bank: providerCode(bankCode, 'nip'), account: accountNumber }
      const answer = await ask({ method: 'GET', path: '/names', query }, options)
      if (answer.status === 'no_answer') return answer
      const { name } = answer.body
      return answer.httpStatus === 200 && typeof name === 'string'
        ? { status: 'found', accountName: name }
        : nameNotFound(answer, { isFromBank: isRefusal(answer), field: 'message' })
    },
    // isOrder: the request is never repeated. A payout whose outcome is not certain is `unknown`, and the
    // service queries it.
    async sendMoney({ reference, amountKobo, to, narration }, options) {
      const body = {
        reference,
        amount: formatKobo(amountKobo),
        bank: providerCode(to.bankCode, 'nip'),
        account: to.accountNumber,
        name: to.accountName,
        narration,
      }
      const answer = await ask({ method: 'POST', path: '/payouts', body, isOrder: true }, options)
      return answer.status === 'no_answer'
        ? payoutUnanswered(answer, /* isOrder */ true)
        : readPayout(answer)
    },
    async findPayout(reference, options) {
      const path = `/payouts/${encodeURIComponent(reference)}`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, /* isOrder */ false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, isRefusal(answer))
      return readPayout(answer)
    },
  }
}

// A payout is `failed` only if the bank says that it will not pay. A refused order may repeat an earlier
// order.
function readPayout(answer: JsonAnswer): PayoutReading {
  const { state, bankReference, reference } = answer.body
  const reason = messageOf(answer, 'message')
  if (answer.httpStatus !== 200) return { status: 'unknown', reason }
  if (state === 'paid' && typeof bankReference === 'string') {
    return { status: 'confirmed', bankReference, reference }
  }
  if (state === 'failed') return { status: 'failed', reason, reference }
  return state === 'pending'
    ? { status: 'unknown', reason, isAccepted: true, reference }
    : { status: 'unknown', reason }
}

function isRefusal({ body }: JsonAnswer): boolean {
  return body.state === 'refused'
}
