// Connects Paystack, an aggregator. It signs the raw body with the secret key, writes amounts in kobo, and
// issues the numbers itself (dedicated virtual accounts of Wema or Titan).

import { createHmac } from 'node:crypto'
import {
  type AccountReservation,
  type Ask,
  asking,
  asNoAnswer,
  type CallOptions,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  cleanText,
  findBankHttp,
  inTurn,
  isObject,
  isSecretEqual,
  isText,
  type JsonAnswer,
  type Mode,
  messageOf,
  type NoAnswer,
  nameEnquiry,
  nameNotFound,
  objectIn,
  onlyFormat,
  type ParsedItem,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  providerCode,
  type ReservationAnswer,
  singleHeader,
  type TransferAnswer,
} from '#banks/kit.ts'
import { paystackFormat, paystackReference, readTransaction, receiverOf } from './notifications.ts'

export const paystackConnector: Connector = {
  name: 'paystack',
  needsKnownSource: false,
  payoutScope: 'integration',
  connect(settings, { mode }) {
    const secretKey = settings.requireSecret('secretKey')
    const calls = paystackCalls(settings, { mode, secretKey })
    return {
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['x-paystack-signature']) ?? ''
        const expected = createHmac('sha512', secretKey).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(paystackFormat),
      nameEnquiry,
      calls,
      referenceAt: paystackReference,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}

// Returns the calls to Paystack's API, which are authenticated by the secret key. Payouts need `integration`,
// and reservations need `emailDomain`.
function paystackCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const reservationSettings = {
    emailDomain: settings.findText('emailDomain'),
    preferredBank: settings.findText('preferredBank'),
  }
  const integration = settings.findText('integration')
  if (!http) return {}
  const ask = asking(http, { authorization: `Bearer ${secretKey}` })
  return {
    ...transactionCalls(ask),
    ...reservationCalls(ask, reservationSettings),
    ...payoutCalls(ask, { paysOut: integration !== undefined }),
  }
}

// Returns the call that reserves an account.
//
// A dedicated account belongs to a customer, whom Paystack identifies by email. Each account gets a separate
// customer, with an email made from our reference: for a second account of the same customer, Paystack may
// return the first account. `askInTurn` keeps the second request within the bank's rate limit.
function reservationCalls(
  ask: Ask,
  { emailDomain, preferredBank }: Record<'emailDomain' | 'preferredBank', string | undefined>,
): ConnectorCalls {
  if (!emailDomain) return {}
  return {
    async reserveAccount(request, options) {
      const askInTurn = inTurn(ask)
      const body = customerOf(request, emailDomain)
      if (!body) return refused('Paystack needs the phone number of the customer.')
      const created = await askInTurn({ method: 'POST', path: '/customer', body }, options)
      if (created.status === 'no_answer') return created
      const { customer_code: customer } = objectIn(created.body.data)
      if (!isText(customer)) return refused(messageOf(created, 'message'))
      const account = { customer, ...(preferredBank ? { preferred_bank: preferredBank } : {}) }
      const path = '/dedicated_account'
      const answer = await askInTurn({ method: 'POST', path, body: account }, options)
      return answer.status === 'no_answer' ? answer : readReserved(answer, request.accountName)
    },
  }
}

// Returns the request for a customer; undefined if the phone number is missing. Paystack names the account
// after the customer, with the business before it.
function customerOf(
  { reference, accountName, customer }: AccountReservation,
  emailDomain: string,
): object | undefined {
  if (!customer?.phone) return undefined
  const [firstName = '', ...otherNames] = accountName.trim().split(/\s+/)
  return {
    email: `${reference}@${emailDomain}`,
    first_name: firstName,
    last_name: otherNames.join(' ') || firstName,
    phone: customer.phone.replace(/^0(?=[0-9]{10}$)/, '+234'),
  }
}

// Reads the answer to a reservation. An account that is not yet assigned or not active is no use to us.
function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer {
  const { account_number: accountNumber, ...account } = objectIn(answer.body.data)
  const isUsable = account.assigned !== false && account.active !== false
  if (answer.body.status !== true || typeof accountNumber !== 'string' || !isUsable) {
    return refused(messageOf(answer, 'message'))
  }
  const name = account.account_name
  return { status: 'reserved', accountNumber, accountName: isText(name) ? name : accountName }
}

function refused(reason: string): ReservationAnswer {
  return { status: 'refused', reason }
}

// Paystack can be asked for one transaction by its reference, or for a page of a time window. As published, a
// row of the list does not name the number that received the money, so we query each row without a number by
// its reference.

const PAGE_SIZE = 20 // Each row may take one more request.
const IN_PROGRESS = ['ongoing', 'pending', 'processing', 'queued']
const NEVER_PAID = ['failed', 'abandoned']
const NOT_FOUND = /^transaction (?:reference )?not found/i

type Transaction = Record<string, unknown>

// Returns the calls that query Paystack's transactions.
function transactionCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Credits from Paystack have no other identifier than its reference.
      if (kind !== 'bank_reference') return { status: 'not_found' }
      return findByReference(ask, { reference: value, accountNumber: null }, options)
    },
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const askInTurn = inTurn(ask)
      const page = Number(cursor ?? 1)
      const query = {
        perPage: String(PAGE_SIZE),
        page: String(page),
        from: from.toISOString(),
        to: to.toISOString(),
        status: 'success',
        channel: 'dedicated_nuban',
        virtual_account_number: accountNumber ?? undefined,
      }
      const answer = await askInTurn({ method: 'GET', path: '/transaction', query }, options)
      if (answer.status === 'no_answer') return answer
      const rows = answer.body.data
      if (answer.body.status !== true || !Array.isArray(rows)) return asNoAnswer(answer, 'message')
      const items: ParsedItem[] = []
      for (const row of rows.filter(isObject)) {
        const rowItems = await readRow(askInTurn, { row, accountNumber }, options)
        // Returns no page, because the caller would take a page with a missing row as complete.
        if (!Array.isArray(rowItems)) return rowItems
        items.push(...rowItems)
      }
      const nextCursor = rows.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items, nextCursor }
    },
  }
}

// Reads a row of a list. If the row does not name the receiving number, queries the transaction by its
// reference.
async function readRow(
  ask: Ask,
  { row, accountNumber }: { row: Transaction; accountNumber: string | null },
  options: CallOptions,
): Promise<ParsedItem[] | NoAnswer> {
  if (receiverOf(row)) return [readTransaction(row)]
  const { reference } = row
  const answer =
    isText(reference) && (await findByReference(ask, { reference, accountNumber }, options))
  if (answer && answer.status === 'no_answer') return answer
  if (answer && answer.status === 'found') return [...answer.items]
  return [readTransaction(withReceiver(row, accountNumber))]
}

// Queries one transaction. `accountNumber` is the number that the list was filtered by, if any.
async function findByReference(
  ask: Ask,
  { reference, accountNumber }: { reference: string; accountNumber: string | null },
  options: CallOptions,
): Promise<TransferAnswer> {
  const path = `/transaction/verify/${encodeURIComponent(reference)}`
  const answer = await ask({ method: 'GET', path }, options)
  if (answer.status === 'no_answer') return answer
  const isRefused = answer.body.status === false
  const isUnknown = isRefused && NOT_FOUND.test(messageOf(answer, 'message'))
  if (answer.httpStatus === 404 || isUnknown) return { status: 'not_found' }
  const transaction = objectIn(answer.body.data)
  const isOurTransaction = answer.body.status === true && transaction.reference === reference
  if (!isOurTransaction || !isText(transaction.status)) return asNoAnswer(answer, 'message')
  if (IN_PROGRESS.includes(transaction.status)) return { status: 'in_progress' }
  if (NEVER_PAID.includes(transaction.status)) return { status: 'not_found' }
  return { status: 'found', items: [readTransaction(withReceiver(transaction, accountNumber))] }
}

// Adds the account number that we asked for if Paystack names no receiver. A list for one account
// holds only transactions to that account.
function withReceiver(transaction: Transaction, accountNumber: string | null): Transaction {
  if (receiverOf(transaction) || accountNumber === null) return transaction
  const authorization = objectIn(transaction.authorization)
  const receiver = { receiver_bank_account_number: accountNumber }
  return { ...transaction, authorization: { ...authorization, ...receiver } }
}

// Payouts are transfers at Paystack, in kobo. A transfer goes to a recipient, which we create first and may
// create again, because creating a recipient orders no payment. An answer is used only if it repeats our
// reference.

const FAILED = ['failed', 'abandoned', 'blocked', 'rejected']
const REVERSED = 'reversed' // May follow success.
const WAITS_FOR_OTP = 'otp' // Paystack waits for a one-time password, which the service cannot enter.
// Paystack publishes that this message means that no transfer was made.
const BALANCE_TOO_LOW = /^your balance is not enough\b/i

function payoutCalls(ask: Ask, { paysOut }: { paysOut: boolean }): ConnectorCalls {
  return { ...nameCalls(ask), ...(paysOut ? transferCalls(ask) : {}) }
}

// Returns the name enquiry.
function nameCalls(ask: Ask): ConnectorCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const query = { account_number: accountNumber, bank_code: paystackCode(bankCode) }
      const answer = await ask({ method: 'GET', path: '/bank/resolve', query }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.status === true && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.status === false, field: 'message' })
    },
  }
}

// Returns the calls that order transfers and query their state. A transfer needs two requests: the first
// creates its recipient, the second orders it. `askInTurn` keeps the second within the bank's rate limit.
function transferCalls(ask: Ask): ConnectorCalls {
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const paystackRef = paystackReference(reference)
      if (!paystackRef) return { status: 'refused', reason: 'Paystack cannot take this reference.' }
      const askInTurn = inTurn(ask)
      const recipient = {
        type: 'nuban',
        name: to.accountName,
        account_number: to.accountNumber,
        bank_code: paystackCode(to.bankCode),
        currency,
      }
      const path = '/transferrecipient'
      const recipientAnswer = await askInTurn({ method: 'POST', path, body: recipient }, options)
      if (recipientAnswer.status === 'no_answer') return notOrdered(recipientAnswer, options)
      const { recipient_code: code } = objectIn(recipientAnswer.body.data)
      if (recipientAnswer.body.status !== true || !isText(code)) {
        return { status: 'refused', reason: messageOf(recipientAnswer, 'message') }
      }
      const body = {
        source: 'balance',
        amount: Number(amountKobo),
        recipient: code,
        reference: paystackRef,
        reason: narration,
        currency,
      }
      const answer = await askInTurn(
        { method: 'POST', path: '/transfer', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, /* isOrder */ true)
      const message = messageOf(answer, 'message')
      if (answer.body.status === false && BALANCE_TOO_LOW.test(message)) {
        return { status: 'refused', reason: message }
      }
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const paystackRef = paystackReference(reference)
      if (!paystackRef) return { status: 'unknown', reason: 'Paystack cannot know this reference.' }
      const answer = await ask({ method: 'GET', path: `/transfer/verify/${paystackRef}` }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, /* isOrder */ false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.status === false)
      return readPayout(answer)
    },
  }
}

// Returns the result if creating the recipient failed. No payment was ordered, so the payout may be sent
// later. But if the call is too late, the payout stays unknown, because another process may already have
// recorded it as unknown.
function notOrdered(answer: NoAnswer, { isTooLate, signal }: CallOptions): PayoutReading {
  const isLate = isTooLate?.() === true || signal?.aborted === true
  return payoutUnanswered(isLate ? answer : { ...answer, isUnsent: true }, /* isOrder */ true)
}

// Reads the state of a transfer.
function readPayout(answer: JsonAnswer): PayoutReading {
  const { status, transfer_code: code, failures, reference } = objectIn(answer.body.data)
  if (answer.body.status !== true || !isText(status)) {
    return { status: 'unknown', reason: messageOf(answer, 'message') }
  }
  if (status === 'success' && isText(code)) {
    return { status: 'confirmed', bankReference: code, reference }
  }
  const reason = failureReason(failures) ?? status
  if (FAILED.includes(status)) return { status: 'failed', reason, reference }
  if (status === REVERSED) return { status: 'failed', reason, isReversed: true, reference }
  const accepted = { status: 'unknown', reason: status, isAccepted: true, reference } as const
  return status === WAITS_FOR_OTP ? { ...accepted, waitsFor: 'authorization' } : accepted
}

// Returns the reason why a transfer failed. Paystack does not publish the form of `failures`, so any value is
// turned into text.
function failureReason(failures: unknown): string | null {
  if (failures === null || failures === undefined) return null
  return cleanText(typeof failures === 'string' ? failures : JSON.stringify(failures))
}

function paystackCode(bankCode: string): string {
  return providerCode(bankCode, 'cbn', 'paystack')
}
