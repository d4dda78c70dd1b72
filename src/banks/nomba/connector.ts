// Connects Nomba, an aggregator. It signs nine fields of a notification, one of them the time in its header,
// but neither the amount nor the account number. So live mode also demands an address allow-list or mutual
// TLS. Nomba's transaction id is signed and identifies the credit, so a captured call books no credit twice.

import { createHmac } from 'node:crypto'
import {
  type Ask,
  type AuthenticationResult,
  asking,
  askingWithToken,
  asNoAnswer,
  type BankRequest,
  type CallOptions,
  type ChangeAnswer,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  findBankHttp,
  isObject,
  isSecretEqual,
  type JsonAnswer,
  type Mode,
  messageOf,
  nameEnquiry,
  nameNotFound,
  objectIn,
  onlyFormat,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  providerCode,
  type RailCall,
  type ReservationAnswer,
  readNestedJson,
  signedValue,
  singleHeader,
  type TransferAnswer,
  toNaira,
} from '#banks/kit.ts'
import { nombaFormat, readRecord } from './notifications.ts'

// Nomba tries again for up to 95 minutes, and does not say whether a retry has a new timestamp.
const AGE_MAX_MS = 7_200_000
const CLOCK_SKEW_MAX_MS = 300_000

export const nombaConnector: Connector = {
  name: 'nomba',
  needsKnownSource: true,
  payoutScope: 'accountId',
  connect(settings, { mode }) {
    const signatureKey = settings.requireSecret('signatureKey')
    const calls = nombaCalls(settings, mode)
    return {
      authenticate: (call) => authenticate(signatureKey, call),
      signsFieldsOnly: true,
      findFormat: onlyFormat(nombaFormat),
      nameEnquiry,
      calls,
    }
  },
}

// Checks the signature and its age.
function authenticate(key: string, { headers, rawBody, now }: RailCall): AuthenticationResult {
  const signature = singleHeader(headers['nomba-signature']) ?? ''
  const timestamp = singleHeader(headers['nomba-timestamp']) ?? ''
  const expectedText = signedText(rawBody, timestamp)
  const expected = createHmac('sha256', key)
    .update(expectedText ?? '')
    .digest('base64')
  if (!isSecretEqual(signature, expected) || expectedText === undefined) return 'invalid_signature'
  const ageMs = now.getTime() - Date.parse(timestamp)
  return ageMs <= AGE_MAX_MS && ageMs >= -CLOCK_SKEW_MAX_MS ? 'ok' : 'signature_too_old'
}

// Returns the text that Nomba signs, or undefined if Nomba cannot have signed it. Only times may have colons:
// with a colon in another field, text could move from one field into the next under the same signature.
function signedText(rawBody: Buffer, timestamp: string): string | undefined {
  const body = readNestedJson(rawBody)
  // `isRepeated`: an object has a field twice, and Nomba may have signed the other one of the two values.
  if ('malformed' in body || body.isRepeated) return undefined
  const event = objectIn(body.value)
  const { merchant, transaction } = objectIn(event.data)
  const { userId, walletId } = objectIn(merchant)
  const { transactionId, type, time, responseCode } = objectIn(transaction)
  // Only the transaction id identifies the credit under the signature. If it could be absent or empty, one
  // captured signature would fit credits with any session id.
  if (!signedValue(transactionId)) return undefined
  const ids = [event.event_type, event.requestId, userId, walletId, transactionId, type]
  const code = responseCode === 'null' ? '' : responseCode // Nomba signs the word null as an empty text.
  if ([...ids, code].some((value) => signedValue(value)?.includes(':'))) return undefined
  const values = [...ids, time, code].map(signedValue)
  return values.includes(undefined) ? undefined : [...values, timestamp].join(':')
}

// Calls to Nomba use an access token of the OAuth client credentials. Every answer has Nomba's own code,
// which is 00 for success.

const PAGE_SIZE = '100'
const TOKEN_MS = 30 * 60_000 // As Nomba publishes.
const IN_PROGRESS = ['NEW', 'PENDING', 'PENDING_BILLING', 'PENDING_PAYMENT']

// Returns the calls that the settings allow. Payouts need `senderName`.
function nombaCalls(settings: ConnectorSettings, mode: Mode): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const accountId = settings.findText('accountId')
  const clientId = settings.findText('clientId')
  const clientSecret = settings.findSecret('clientSecret')
  const senderName = settings.findText('senderName')
  const subAccountId = settings.findText('subAccountId')
  if (!http) return {}
  for (const [name, value] of Object.entries({ accountId, clientId })) {
    if (!value) settings.report(`settings.${name} is missing: settings.baseUrl needs it`)
  }
  if (!clientSecret) settings.report('secrets.clientSecret is missing: settings.baseUrl needs it')
  const headers = { accountid: accountId ?? '' }
  const body = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  }
  const { ask, prepareOrders } = askingWithToken(http, async () => {
    const path = '/v1/auth/token/issue'
    const answer = await asking(http, headers)({ method: 'POST', path, body }, {})
    if (answer.status === 'no_answer') return answer
    const token = objectIn(answer.body.data).access_token
    if (typeof token !== 'string') return asNoAnswer(answer, 'description')
    const authorization = `Bearer ${token}`
    return {
      status: 'logged_in',
      headers: { ...headers, authorization },
      lifetimeMs: TOKEN_MS,
    }
  })
  return {
    ...transactionCalls(ask),
    ...accountCalls(ask, subAccountId),
    ...(senderName ? { ...payoutCalls(ask, senderName), prepareOrders } : {}),
  }
}

// Returns the calls that query Nomba's transactions. An answer with the code 00 is a success.
function transactionCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Nomba finds a transfer only by its session id.
      if (kind !== 'session_id') return { status: 'not_found' }
      const path = `/v1/transactions/requery/${encodeURIComponent(value)}`
      const answer = await ask({ method: 'GET', path }, options)
      return answer.status === 'no_answer' ? answer : readTransfer(answer)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const query = {
        dateFrom: secondsOf(from),
        dateTo: secondsOf(to),
        limit: PAGE_SIZE,
        cursor: cursor ?? undefined,
        virtual_account: accountNumber ?? undefined,
      }
      // Nomba lists the transactions of all accounts, or those of one virtual account.
      const path = `/v1/transactions/${accountNumber === null ? 'accounts' : 'virtual'}`
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return answer
      const { results, cursor: next } = objectIn(answer.body.data)
      if (answer.body.code !== '00' || !Array.isArray(results)) {
        return asNoAnswer(answer, 'description')
      }
      const items = results
        .filter(isObject)
        .filter(({ type, status }) => type === 'vact_transfer' && status === 'SUCCESS')
        .map(readRecord)
      const nextCursor = typeof next === 'string' && next !== '' ? next : null
      return { status: 'listed', items, nextCursor }
    },
  }
}

// Reads the answer to a query of one transfer. An answer without a record may mean that Nomba has no record
// yet.
function readTransfer(answer: JsonAnswer): TransferAnswer {
  const { code, data } = answer.body
  const { status } = objectIn(data)
  if (code !== '00') {
    const isAnswer = typeof code === 'string' || answer.httpStatus === 404
    return isAnswer ? { status: 'not_found' } : asNoAnswer(answer, 'description')
  }
  if (IN_PROGRESS.includes(String(status))) return { status: 'in_progress' }
  return status === 'SUCCESS'
    ? { status: 'found', items: [readRecord(objectIn(data))] }
    : { status: 'not_found' }
}

// Returns the time in UTC as Nomba takes it, without milliseconds and offset.
function secondsOf(at: Date): string {
  return at.toISOString().slice(0, 19)
}

// Nomba identifies a virtual account by our reference (accountRef, 16 to 64 characters). Without an expiry
// date, an account lasts only for minutes. Its name has 8 to 64 characters. We send only letters, digits and
// spaces in names, because Nomba does not publish which other characters it accepts.

const ACCOUNTS = '/v1/accounts/virtual'
const NEVER = '2099-12-31 23:59:59'
const NAME_MIN = 8
const NAME_MAX = 64
const NAME_SUFFIX = 'Account' // Makes every name long enough.

// Returns the name enquiry and the calls that reserve, rename and delete virtual accounts.
function accountCalls(ask: Ask, subAccountId: string | undefined): ConnectorCalls {
  const newAccounts = subAccountId ? `${ACCOUNTS}/${encodeURIComponent(subAccountId)}` : ACCOUNTS
  return {
    async reserveAccount({ reference, accountName, customer }, options) {
      const body = {
        accountRef: reference,
        accountName: plainName(accountName),
        currency: 'NGN',
        expiryDate: NEVER,
        ...(customer?.bvn ? { bvn: customer.bvn } : {}),
      }
      const answer = await ask({ method: 'POST', path: newAccounts, body }, options)
      if (answer.status === 'no_answer') return answer
      const reserved = readReserved(answer, accountName)
      if (reserved) return reserved
      // Nomba may have refused because an earlier request with this reference succeeded, so look it up.
      const existing = await ask({ method: 'GET', path: accountPath(reference) }, options)
      if (existing.status === 'no_answer') return existing
      const reason = messageOf(answer, 'description')
      return readReserved(existing, accountName) ?? { status: 'refused', reason }
    },
    renameAccount({ reference, accountName }, options) {
      const body = { accountName: plainName(accountName) }
      return changeAccount(ask, { method: 'PUT', path: accountPath(reference), body }, options)
    },
    // Deletes the account instead of suspending it: a suspension needs an account id, which Nomba's answers
    // about a virtual account do not have. The only id in them is the holder's, which is the whole business.
    blockAccount({ reference }, options) {
      return changeAccount(ask, { method: 'DELETE', path: accountPath(reference) }, options)
    },
    async enquireName({ accountNumber, bankCode }, options) {
      const body = { accountNumber, bankCode: nombaCode(bankCode) }
      const answer = await ask({ method: 'POST', path: '/v1/transfers/bank/lookup', body }, options)
      if (answer.status === 'no_answer') return answer
      const { accountName } = objectIn(answer.body.data)
      const { code, description } = answer.body
      if (code === '00' && typeof accountName === 'string') return { status: 'found', accountName }
      const isFromBank = typeof code === 'string' && typeof description === 'string'
      return nameNotFound(answer, { isFromBank, field: 'description' })
    },
  }
}

// Returns the account of the answer; undefined if Nomba refused. Nomba's code for success is 00.
function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer | undefined {
  const { bankAccountNumber, bankAccountName } = objectIn(answer.body.data)
  if (answer.body.code !== '00' || typeof bankAccountNumber !== 'string') return undefined
  return {
    status: 'reserved',
    accountNumber: bankAccountNumber,
    accountName: typeof bankAccountName === 'string' ? bankAccountName : accountName,
  }
}

// Sends a request that renames or deletes an account. Nomba's code for success is 00.
async function changeAccount(
  ask: Ask,
  request: BankRequest,
  options: CallOptions,
): Promise<ChangeAnswer> {
  const answer = await ask(request, options)
  if (answer.status === 'no_answer') return answer
  if (answer.body.code === '00') return { status: 'done' }
  return { status: 'refused', reason: messageOf(answer, 'description') }
}

function accountPath(reference: string): string {
  return `${ACCOUNTS}/${encodeURIComponent(reference)}`
}

// Returns a name that Nomba certainly accepts: without marks and signs, and neither too short nor too long.
function plainName(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
    .trimEnd()
  return plain.length >= NAME_MIN ? plain : `${plain || 'Virtual'} ${NAME_SUFFIX}`
}

// Payouts are transfers from our Nomba account to a bank. REFUND is the only definite failure. An answer is
// used only if it repeats our reference, `merchantTxRef`, because Nomba has answered queries with the record
// of another transfer. `transactionRef` is Nomba's own id.

// Returns the calls that order transfers and query their state. payoutUnanswered() gets `true` for
// an order and `false` for a query.
function payoutCalls(ask: Ask, senderName: string): ConnectorCalls {
  return {
    async sendMoney({ reference, amountKobo, to, narration }, options) {
      const body = {
        amount: toNaira(amountKobo),
        accountNumber: to.accountNumber,
        accountName: to.accountName,
        bankCode: nombaCode(to.bankCode),
        merchantTxRef: reference,
        senderName,
        narration,
      }
      const answer = await ask(
        { method: 'POST', path: '/v2/transfers/bank', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      const { meta } = objectIn(answer.body.data)
      return readPayout(answer, objectIn(meta).merchantTxRef)
    },
    async findPayout(reference, options) {
      const query = { merchantTxRef: reference }
      const path = '/v1/transactions/accounts/single'
      const answer = await ask({ method: 'GET', path, query }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) {
        const { code, description } = answer.body
        const isFromBank = typeof code === 'string' && typeof description === 'string'
        return payoutNotFound(answer, isFromBank)
      }
      const { merchantTxRef } = objectIn(answer.body.data)
      return readPayout(answer, merchantTxRef)
    },
  }
}

function nombaCode(bankCode: string): string {
  return providerCode(bankCode, 'cbn', 'nomba')
}

// Reads the state of a payout.
function readPayout(answer: JsonAnswer, reference: unknown): PayoutReading {
  const { id, status } = objectIn(answer.body.data)
  const hasOrder = answer.body.code === '00'
  if (hasOrder && status === 'SUCCESS' && typeof id === 'string') {
    return { status: 'confirmed', bankReference: id, reference }
  }
  const reason = messageOf(answer, 'description')
  if (hasOrder && status === 'REFUND') return { status: 'failed', reason, reference }
  return hasOrder
    ? { status: 'unknown', reason, isAccepted: true, reference }
    : { status: 'unknown', reason }
}
