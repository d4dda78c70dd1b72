// Connects Flutterwave (v3), an aggregator. Its notifications carry the secret hash but no signature, so each
// is treated as a hint and checked with a query (I103). Amounts are in naira. Flutterwave issues account
// numbers itself, to customers with a BVN. A transfer identifies its account by tx_ref, the reference that we
// gave when we reserved the number.

import type { TimeWindow, TransferListQuery } from '#banks/connector.ts'
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
  findBank,
  findBankHttp,
  isObject,
  isSecretEqual,
  isText,
  type JsonAnswer,
  type Mode,
  messageOf,
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
  toNaira,
} from '#banks/kit.ts'
import { DAY_MS, parseBankTime } from '#clock.ts'
import { FAILED, flutterwaveFormat, idOf, PENDING, readTransaction } from './notifications.ts'

export const flutterwaveConnector: Connector = {
  name: 'flutterwave',
  needsKnownSource: false,
  payoutScope: 'merchantId',
  connect(settings, { mode }) {
    const secretHash = settings.requireSecret('secretHash')
    const secretKey = settings.requireSecret('secretKey')
    const calls = flutterwaveCalls(settings, { mode, secretKey })
    return {
      authenticate: ({ headers }) => {
        const hash = singleHeader(headers['verif-hash']) ?? ''
        return isSecretEqual(hash, secretHash) ? 'ok' : 'invalid_signature'
      },
      hintsOnly: true,
      findFormat: onlyFormat(flutterwaveFormat),
      nameEnquiry,
      calls,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}

const CREATED = '02' // Flutterwave's "Transaction in progress": the account number was issued.

// Returns the calls to Flutterwave's API, which are authenticated by the secret key. Payouts need
// `merchantId`, and reservations need `emailDomain`.
function flutterwaveCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const emailDomain = settings.findText('emailDomain')
  const merchantId = settings.findText('merchantId')
  if (!http) return {}
  const ask = asking(http, { authorization: `Bearer ${secretKey}` })
  return {
    ...transactionCalls(ask),
    ...reservationCalls(ask, emailDomain),
    ...payoutCalls(ask, { paysOut: merchantId !== undefined }),
  }
}

// Flutterwave demands an email for each account. For a customer without one, the address is made of our
// reference and `emailDomain`.
function reservationCalls(ask: Ask, emailDomain: string | undefined): ConnectorCalls {
  if (!emailDomain) return {}
  return {
    async reserveAccount(request, options) {
      const body = reservationBody(request, emailDomain)
      if (!body) {
        return { status: 'refused', reason: 'Flutterwave needs the BVN of the customer.' }
      }
      const path = '/v3/virtual-account-numbers'
      const answer = await ask({ method: 'POST', path, body }, options)
      return answer.status === 'no_answer' ? answer : readReserved(answer, request.accountName)
    },
  }
}

// Returns the request for a number; undefined if the customer has no BVN. Flutterwave shows the narration as
// the account's name.
function reservationBody(
  { reference, accountName, customer }: AccountReservation,
  emailDomain: string,
): object | undefined {
  if (!customer?.bvn) return undefined
  const [firstName = '', ...otherNames] = customer.name.trim().split(/\s+/)
  return {
    email: customer.email ?? `${reference}@${emailDomain}`,
    is_permanent: true,
    bvn: customer.bvn,
    tx_ref: reference,
    ...(customer.phone ? { phonenumber: customer.phone } : {}),
    firstname: firstName,
    lastname: otherNames.join(' ') || firstName,
    narration: accountName,
  }
}

// Reads the answer to a reservation. Flutterwave may answer with success around an inner refusal.
function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer {
  const account = objectIn(answer.body.data)
  const { response_code: code, account_number: accountNumber } = account
  const isCreated = answer.body.status === 'success' && code === CREATED
  if (isCreated && typeof accountNumber === 'string') {
    return { status: 'reserved', accountNumber, accountName }
  }
  const hasInnerRefusal = answer.body.status === 'success' && code !== CREATED
  const reason = hasInnerRefusal
    ? messageOf({ ...answer, body: account }, 'response_message')
    : messageOf(answer, 'message')
  return { status: 'refused', reason }
}

// Flutterwave can be asked for one transaction by its id, or for a page of a list. A transaction names its
// account only by the tx_ref of the reservation, so we look up the account number. The list can be filtered
// only by day.

const NOT_FOUND = /^no transaction was found\b/i

type Transaction = Record<string, unknown>

// Returns the calls that query Flutterwave's transactions.
function transactionCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value: reference }, options) {
      // Flutterwave finds a transaction only by its own id.
      if (kind !== 'bank_reference') return { status: 'not_found' }
      const path = `/v3/transactions/${encodeURIComponent(reference)}/verify`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (isUnknown(answer)) return { status: 'not_found' }
      const transaction = objectIn(answer.body.data)
      const isRequested = answer.body.status === 'success' && idOf(transaction) === reference
      if (!isRequested || !isText(transaction.status)) return asNoAnswer(answer, 'message')
      if (transaction.status === PENDING) return { status: 'in_progress' }
      if (transaction.status === FAILED) return { status: 'not_found' }
      return { status: 'found', items: [await readWithNumber(transaction, options)] }
    },
    async listTransfers(query, options) {
      const { accountNumber, cursor } = query
      const reference =
        accountNumber === null ? undefined : await options.reservations?.referenceOf(accountNumber)
      const page = Number(cursor ?? 1)
      const path = '/v3/transactions'
      const filters = { ...daysOf(query), page: String(page), tx_ref: reference }
      const answer = await ask({ method: 'GET', path, query: filters }, options)
      if (answer.status === 'no_answer') return answer
      const { data } = answer.body
      if (answer.body.status !== 'success' || !Array.isArray(data)) {
        return asNoAnswer(answer, 'message')
      }
      const rows = data.filter(isObject)
      const items: ParsedItem[] = []
      for (const row of rows.filter((candidate) => isListed(candidate, query, reference))) {
        items.push(await readWithNumber(row, options))
      }
      const isLast = rows.length === 0 || page >= pagesOf(answer) || isPast(rows, query)
      return { status: 'listed', items, nextCursor: isLast ? null : String(page + 1) }
    },
  }
}

// Reads a transaction, with the number that we reserved under its tx_ref.
async function readWithNumber(transaction: Transaction, options: CallOptions): Promise<ParsedItem> {
  const { tx_ref: reference } = transaction
  const accountNumber = isText(reference) && (await options.reservations?.numberOf(reference))
  return readTransaction(transaction, accountNumber || undefined)
}

// Returns the days that contain the window, and one more: Flutterwave does not publish the time zone of the
// days, nor whether the last day is included.
function daysOf({ from, to }: TimeWindow): { from: string; to: string } {
  const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10)
  return { from: dayOf(from.getTime()), to: dayOf(to.getTime() + DAY_MS) }
}

// Returns whether a row is a completed transfer in the window and, if `reference` is set, to that account.
function isListed(
  row: Transaction,
  { from, to }: TransferListQuery,
  reference: string | undefined,
): boolean {
  if (row.status === PENDING || row.status === FAILED) return false
  if (reference !== undefined && row.tx_ref !== reference) return false
  const time = timeOf(row)
  return time === undefined || (time >= from && time <= to)
}

function timeOf({ created_at: time }: Transaction): Date | undefined {
  return typeof time === 'string' ? parseBankTime(time) : undefined
}

// Returns the number of pages of a list; infinity if the answer does not say, so that all pages are read.
function pagesOf({ body }: JsonAnswer): number {
  const pages = objectIn(objectIn(body.meta).page_info).total_pages
  return typeof pages === 'number' ? pages : Number.POSITIVE_INFINITY
}

// Returns whether all later rows are outside the window, because the rows are ordered by time and have left
// the window. Without this check, a query would read all pages of the day.
function isPast(rows: readonly Transaction[], { from, to }: TimeWindow): boolean {
  const times = rows.map((row) => timeOf(row)?.getTime() ?? Number.NaN)
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
  const isOrdered = (isNext: (previous: number, next: number) => boolean) =>
    times.every((time, index) => index === 0 || isNext(times[index - 1] ?? Number.NaN, time))
  if (first > last) return last < from.getTime() && isOrdered((previous, next) => previous >= next)
  return first < last && last > to.getTime() && isOrdered((previous, next) => previous <= next)
}

// Returns whether Flutterwave says that it does not know the transaction. Any other refusal tells nothing
// about the transaction.
function isUnknown(answer: JsonAnswer): boolean {
  return answer.body.status === 'error' && NOT_FOUND.test(messageOf(answer, 'message'))
}

// Amounts of payouts are in naira. An answer about a payout is used only if it repeats our reference, because
// Flutterwave answers a query by reference with a list.

const BANK_KINDS = ['commercial', 'merchant', 'non_interest']

function payoutCalls(ask: Ask, { paysOut }: { paysOut: boolean }): ConnectorCalls {
  return { ...nameCalls(ask), ...(paysOut ? transferCalls(ask) : {}) }
}

// Returns the name enquiry, which names a bank by its CBN or NIP code.
function nameCalls(ask: Ask): ConnectorCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const body = { account_number: accountNumber, account_bank: flutterwaveCode(bankCode) }
      const answer = await ask({ method: 'POST', path: '/v3/accounts/resolve', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.status === 'success' && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.status === 'error', field: 'message' })
    },
  }
}

// Returns the calls that order transfers and query their state. payoutUnanswered() gets `true` for
// an order and `false` for a query.
function transferCalls(ask: Ask): ConnectorCalls {
  const path = '/v3/transfers'
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const body = {
        account_bank: flutterwaveCode(to.bankCode),
        account_number: to.accountNumber,
        amount: toNaira(amountKobo),
        currency,
        narration,
        reference,
        debit_currency: currency,
      }
      const answer = await ask({ method: 'POST', path, body, isOrder: true }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, true)
      const transfer = objectIn(answer.body.data)
      return answer.body.status === 'success' ? readTransfer(transfer) : unknownOutcome(answer)
    },
    async findPayout(reference, options) {
      const answer = await ask({ method: 'GET', path, query: { reference } }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.status === 'error')
      const { data } = answer.body
      if (answer.body.status !== 'success' || !Array.isArray(data)) return unknownOutcome(answer)
      if (data.length === 0) return { status: 'not_found' }
      const [transfer, ...duplicates] = data
        .filter(isObject)
        .filter((row) => row.reference === reference)
      if (!transfer)
        return { status: 'unknown', reason: 'The list has no transfer of this reference.' }
      return duplicates.length === 0
        ? readTransfer(transfer)
        : { status: 'unknown', reason: 'The list has several transfers of this reference.' }
    },
  }
}

// Reads the state of a payout.
function readTransfer(transfer: Record<string, unknown>): PayoutReading {
  const { status, complete_message: message, reference } = transfer
  const id = idOf(transfer)
  if (!isText(status)) return { status: 'unknown', reason: 'The transfer has no status.' }
  if (status === 'SUCCESSFUL' && id) return { status: 'confirmed', bankReference: id, reference }
  if (status === 'FAILED') {
    return {
      status: 'failed',
      reason: (isText(message) && cleanText(message)) || status,
      reference,
    }
  }
  const accepted = { status: 'unknown', reason: status, isAccepted: true, reference } as const
  return waitsForApproval(transfer) ? { ...accepted, waitsFor: 'authorization' } : accepted
}

// Returns whether an operator must approve the transfer in Flutterwave's dashboard.
function waitsForApproval(transfer: Record<string, unknown>): boolean {
  return Number(transfer.requires_approval) === 1 && Number(transfer.is_approved) !== 1
}

function unknownOutcome(answer: JsonAnswer): PayoutReading {
  return { status: 'unknown', reason: messageOf(answer, 'message') }
}

// Returns Flutterwave's code of a bank: the three digits of the CBN for banks, the six digits of NIP for all
// other institutions.
function flutterwaveCode(bankCode: string): string {
  const isBank = BANK_KINDS.includes(findBank(bankCode)?.kind ?? '')
  return providerCode(bankCode, isBank ? 'cbn' : 'nip', 'flutterwave')
}
