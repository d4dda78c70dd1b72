// Connects Monnify, an aggregator. It signs the raw body with the client secret, and issues the account
// numbers itself (reserved accounts).

import { createHmac } from 'node:crypto'
import {
  type Ask,
  asking,
  askingWithToken,
  asNoAnswer,
  type CallOptions,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  cleanText,
  findBankHttp,
  inTurn,
  isSecretEqual,
  isText,
  type JsonAnswer,
  type Mode,
  messageOf,
  type NoAnswer,
  nameEnquiry,
  nameNotFound,
  noAnswer,
  objectIn,
  onlyFormat,
  type ParsedItem,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  type ReservationAnswer,
  singleHeader,
  type TransferAnswer,
  toNaira,
  watTime,
} from '#banks/kit.ts'
import { monnifyFormat, readTransaction } from './notifications.ts'

export const monnifyConnector: Connector = {
  name: 'monnify',
  needsKnownSource: false,
  payoutScope: 'walletAccountNumber',
  connect(settings, { mode }) {
    const clientSecret = settings.requireSecret('clientSecret')
    const calls = monnifyCalls(settings, { mode, clientSecret })
    return {
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['monnify-signature']) ?? ''
        const expected = createHmac('sha512', clientSecret).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(monnifyFormat),
      nameEnquiry,
      calls,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}

const TOKEN_MS = 55 * 60_000 // Used if the login has no lifetime. Monnify publishes about an hour.

// Returns the calls that the settings allow. Payouts need `walletAccountNumber`, reservations need a contract
// code and an email domain.
function monnifyCalls(
  settings: ConnectorSettings,
  { mode, clientSecret }: { mode: Mode; clientSecret: string },
): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const apiKey = settings.findText('apiKey')
  const contract = {
    code: settings.findText('contractCode'),
    emailDomain: settings.findText('emailDomain'),
    bankCode: settings.findText('preferredBank'),
  }
  const walletNumber = settings.findText('walletAccountNumber')
  if (!http) return {}
  if (!apiKey) settings.report('settings.apiKey is missing: settings.baseUrl needs it')
  const basic = Buffer.from(`${apiKey}:${clientSecret}`).toString('base64')
  const { ask, prepareOrders } = askingWithToken(http, () =>
    logIn(asking(http, { authorization: `Basic ${basic}` })),
  )
  return {
    ...transactionCalls(ask),
    ...notificationCalls(ask),
    ...reservationCalls(ask, contract),
    ...payoutCalls(ask, walletNumber),
    ...(walletNumber ? { prepareOrders } : {}),
  }
}

// Exchanges the API key for an access token.
async function logIn(ask: Ask) {
  const answer = await ask({ method: 'POST', path: '/api/v1/auth/login', body: {} }, {})
  if (answer.status === 'no_answer') return answer
  const { accessToken, expiresIn } = objectIn(answer.body.responseBody)
  if (typeof accessToken !== 'string') return refusal(answer.httpStatus)
  const seconds = Number(expiresIn)
  const lifetimeMs = seconds > 0 ? seconds * 1_000 : TOKEN_MS
  const headers = { authorization: `Bearer ${accessToken}` }
  return { status: 'logged_in', headers, lifetimeMs } as const
}

function refusal(httpStatus: number): NoAnswer {
  return { ...noAnswer(httpStatus), reason: 'the login was refused' }
}

// Returns the call that makes Monnify send failed notifications of a period again.
function notificationCalls(ask: Ask): ConnectorCalls {
  return {
    async resendNotifications({ from, to }, options) {
      const path = '/api/v1/transaction-notification/resend-failed-notifications'
      // Monnify takes these times without an offset, as in its published example.
      const body = { startDate: watTime(from), endDate: watTime(to) }
      const answer = await ask({ method: 'POST', path, body }, options)
      if (answer.status === 'no_answer') return answer
      if (answer.body.requestSuccessful === true) return { status: 'done' }
      return { status: 'refused', reason: messageOf(answer, 'responseMessage') }
    },
  }
}

type Contract = Record<'code' | 'emailDomain' | 'bankCode', string | undefined>

// A reserved account belongs to a customer, whom Monnify identifies by BVN or NIN and by email. For a
// customer without an email, we make one from the reference. Without a contract code and an email domain,
// there are no reservations.
function reservationCalls(ask: Ask, { code, emailDomain, bankCode }: Contract): ConnectorCalls {
  if (!code || !emailDomain) return {}
  return {
    async reserveAccount({ reference, accountName, customer }, options) {
      const { bvn, nin } = customer ?? {}
      if (!bvn && !nin) {
        return { status: 'refused', reason: 'Monnify needs the BVN or NIN of the customer.' }
      }
      const body = {
        accountReference: reference,
        accountName,
        currencyCode: 'NGN',
        contractCode: code,
        customerEmail: customer?.email ?? `${reference}@${emailDomain}`,
        customerName: customer?.name ?? accountName,
        ...(bvn ? { bvn } : { nin }),
        getAllAvailableBanks: false,
        ...(bankCode ? { preferredBanks: [bankCode] } : {}),
      }
      const path = '/api/v2/bank-transfer/reserved-accounts'
      const answer = await ask({ method: 'POST', path, body }, options)
      if (answer.status === 'no_answer') return answer
      const reserved = readReserved(answer, accountName)
      if (reserved) return reserved
      // Monnify may have refused because an earlier request with this reference succeeded, so look it up.
      const existing = await ask({ method: 'GET', path: `${path}/${reference}` }, options)
      if (existing.status === 'no_answer') return existing
      const reason = messageOf(answer, 'responseMessage')
      return readReserved(existing, accountName) ?? { status: 'refused', reason }
    },
  }
}

// Returns the first account of the answer; undefined if Monnify refused.
function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer | undefined {
  const { accounts } = objectIn(answer.body.responseBody)
  const [account] = Array.isArray(accounts) ? accounts.map(objectIn) : []
  if (typeof account?.accountNumber !== 'string') return undefined
  const name = account.accountName
  return {
    status: 'reserved',
    accountNumber: account.accountNumber,
    accountName: typeof name === 'string' ? name : accountName,
  }
}

// Monnify can be asked for one transaction by its reference, or for a page of a time window. As documented,
// neither answer names the number that received the money, so we query the reserved account by its reference.
// Newer answers have the number, but Monnify does not document that.

const PAGE_SIZE = 10 // Each row takes up to two more requests.
const IN_PROGRESS = ['PENDING']

// Returns the calls that query Monnify's transactions. A call needs several requests, so inTurn() makes every
// request after the first wait for its turn within the rate limit.
function transactionCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Monnify finds a transaction only by its own reference.
      if (kind !== 'bank_reference') return { status: 'not_found' }
      return findByReference(inTurn(ask), value, options)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const askInTurn = inTurn(ask)
      const page = Number(cursor ?? 0)
      const query = {
        page: String(page),
        size: String(PAGE_SIZE),
        paymentStatus: 'PAID',
        from: String(from.getTime()),
        to: String(to.getTime()),
      }
      const path = '/api/v1/transactions/search'
      const answer = await askInTurn({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { content } = objectIn(answer.body.responseBody)
      if (answer.httpStatus !== 200 || !Array.isArray(content)) {
        return asNoAnswer(answer, 'responseMessage')
      }
      const items: ParsedItem[] = []
      for (const row of content.map(objectIn)) {
        const rowAnswer = await findByReference(
          askInTurn,
          String(row.transactionReference),
          options,
        )
        // Returns no page, because the caller would take a page with a missing row as complete.
        if (rowAnswer.status === 'no_answer') return rowAnswer
        if (rowAnswer.status === 'found')
          items.push(...rowAnswer.items.filter(isForAccount(accountNumber)))
      }
      const nextCursor = content.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items, nextCursor }
    },
  }
}

// Returns the filter of the items of a list. Items without a number are kept if they name money, so that an
// operator sees them.
function isForAccount(accountNumber: string | null) {
  return (item: ParsedItem) =>
    item.ok
      ? accountNumber === null || item.credit.accountNumber === accountNumber
      : item.money !== null
}

// Queries one transaction, and the number of its account.
async function findByReference(
  ask: Ask,
  reference: string,
  options: CallOptions,
): Promise<TransferAnswer> {
  const path = `/api/v2/transactions/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  if (answer.httpStatus === 404) return { status: 'not_found' }
  const transaction = objectIn(answer.body.responseBody)
  if (answer.httpStatus !== 200 || transaction.paymentStatus === undefined)
    return asNoAnswer(answer, 'responseMessage')
  if (IN_PROGRESS.includes(String(transaction.paymentStatus))) return { status: 'in_progress' }
  const accountNumber = await findNumber(ask, transaction, options)
  if (typeof accountNumber === 'object') return accountNumber // No answer.
  const destinationAccountInformation = { accountNumber }
  return {
    status: 'found',
    items: [readTransaction({ ...transaction, destinationAccountInformation })],
  }
}

// Finds the number that received the money. Returns undefined if it is ambiguous, as for an account with
// numbers at several banks.
async function findNumber(
  ask: Ask,
  { product, destinationAccountInformation }: Record<string, unknown>,
  options: CallOptions,
): Promise<string | undefined | NoAnswer> {
  const { accountNumber } = objectIn(destinationAccountInformation)
  if (typeof accountNumber === 'string') return accountNumber
  const { type, reference } = objectIn(product)
  if (type !== 'RESERVED_ACCOUNT' || typeof reference !== 'string') return undefined
  const path = `/api/v2/bank-transfer/reserved-accounts/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  const { accounts } = objectIn(answer.body.responseBody)
  const numbers = Array.isArray(accounts)
    ? accounts.map((account) => objectIn(account).accountNumber)
    : []
  return numbers.length === 1 && typeof numbers[0] === 'string' ? numbers[0] : undefined
}

// Payouts are single disbursements at Monnify. A disbursement has failed only if Monnify calls it FAILED,
// REVERSED or EXPIRED. Monnify may refuse a request because it has seen the reference before, so after a
// refusal we query the disbursement by its reference.

type Body = Record<string, unknown>

const PAID = ['SUCCESS', 'COMPLETED']
const FAILED = ['FAILED', 'EXPIRED']
const REVERSED = 'REVERSED' // May follow SUCCESS.
// Monnify waits for a one-time password, which the service cannot enter.
const WAITS_FOR_OTP = [
  'PENDING_AUTHORIZATION',
  'PENDING_BATCH_AUTHORIZATION',
  'OTP_EMAIL_DISPATCH_FAILED',
]
const NARRATION_MAX = 100

function payoutCalls(ask: Ask, walletNumber: string | undefined): ConnectorCalls {
  return { ...nameCalls(ask), ...(walletNumber ? disbursementCalls(ask, walletNumber) : {}) }
}

// Returns the name enquiry.
function nameCalls(ask: Ask): ConnectorCalls {
  return {
    async enquireName({ accountNumber, bankCode }, options) {
      const query = { accountNumber, bankCode }
      const path = '/api/v1/disbursements/account/validate'
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { accountName } = objectIn(answer.body.responseBody)
      if (typeof accountName === 'string') return { status: 'found', accountName }
      const isFromBank = answer.body.requestSuccessful === false
      return nameNotFound(answer, { isFromBank, field: 'responseMessage' })
    },
  }
}

// Returns the calls that order disbursements from our wallet and query their state. payoutUnanswered() gets
// `true` for an order and `false` for a query.
function disbursementCalls(ask: Ask, sourceAccountNumber: string): ConnectorCalls {
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const body = {
        amount: toNaira(amountKobo),
        reference,
        narration: narration.slice(0, NARRATION_MAX),
        destinationBankCode: to.bankCode,
        destinationAccountNumber: to.accountNumber,
        destinationAccountName: to.accountName,
        currency,
        sourceAccountNumber,
        async: true,
      }
      const path = '/api/v2/disbursements/single'
      const answer = await ask({ method: 'POST', path, body, isOrder: true }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const path = '/api/v2/disbursements/single/summary'
      const answer = await ask({ method: 'GET', path, query: { reference } }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) {
        return payoutNotFound(answer, answer.body.requestSuccessful === false)
      }
      return readPayout(answer)
    },
  }
}

// Reads the state of a disbursement. A state that is neither paid nor failed is unknown.
function readPayout(answer: JsonAnswer): PayoutReading {
  const body = objectIn(answer.body.responseBody)
  const { status, transactionReference, reference } = body
  if (typeof status !== 'string') {
    return { status: 'unknown', reason: messageOf(answer, 'responseMessage') }
  }
  if (PAID.includes(status) && typeof transactionReference === 'string') {
    return { status: 'confirmed', bankReference: transactionReference, reference }
  }
  const failed = { status: 'failed', reason: failureReason(body, status), reference } as const
  if (FAILED.includes(status)) return failed
  if (status === REVERSED) return { ...failed, isReversed: true }
  const accepted = { status: 'unknown', reason: status, isAccepted: true, reference } as const
  return WAITS_FOR_OTP.includes(status) ? { ...accepted, waitsFor: 'authorization' } : accepted
}

// Returns the reason why a payout failed. Ignores the message of the envelope, which is about the request and
// says "success" for a failed payout.
function failureReason({ comment, transactionDescription }: Body, status: string): string {
  const text = [comment, transactionDescription].find(isText)
  return (text && cleanText(text)) ?? status
}
