// Flutterwave (v3), an aggregator. Its notifications carry the secret hash but no signature, so each is
// treated as a hint and checked with a query (I103). Amounts are in naira. Flutterwave issues account numbers
// itself, to customers with a BVN. A transfer identifies its account by tx_ref, the reference that we gave
// when we reserved the number.

import { findBankHttp } from '#banks/bank-http.ts'
import type {
  AccountReservation,
  BankCalls,
  CallOptions,
  Connector,
  Mode,
  PayoutAnswer,
  ReservationAnswer,
  TimeWindow,
  TransferListQuery,
} from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { cleanText } from '#banks/credit-fields.ts'
import { findBank, providerCode } from '#banks/directory.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  asking,
  asNoAnswer,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  payoutNotFound,
  payoutUnanswered,
} from '#banks/json-calls.ts'
import { nameEnquiry } from '#banks/manilla/notifications.ts'
import {
  isSecretEqual,
  isText,
  onlyFormat,
  type ParsedItem,
  singleHeader,
} from '#banks/notifications.ts'
import { parseBankTime } from '#clock.ts'
import { toNaira } from '#money.ts'
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

// Calls to Flutterwave's API are authenticated by the secret key.

const CREATED = '02' // "Transaction in progress".

function flutterwaveCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): BankCalls {
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

// Flutterwave demands an email for each account. For a customer without one, we make an email from the
// reference.
function reservationCalls(ask: Ask, emailDomain: string | undefined): BankCalls {
  if (!emailDomain) return {}
  return {
    async reserveAccount(request, options) {
      const body = accountOf(request, emailDomain)
      if (!body) {
        return { status: 'refused', reason: 'Flutterwave needs the BVN of the customer.' }
      }
      const path = '/v3/virtual-account-numbers'
      const answer = await ask({ method: 'POST', path, body }, options)
      return answer.status === 'no_answer' ? answer : readReserved(answer, request.accountName)
    },
  }
}

// Flutterwave shows the narration as the account's name.
function accountOf(
  { reference, accountName, customer }: AccountReservation,
  emailDomain: string,
): object | undefined {
  if (!customer?.bvn) return undefined
  const [first = '', ...others] = customer.name.trim().split(/\s+/)
  return {
    email: customer.email ?? `${reference}@${emailDomain}`,
    is_permanent: true,
    bvn: customer.bvn,
    tx_ref: reference,
    ...(customer.phone ? { phonenumber: customer.phone } : {}),
    firstname: first,
    lastname: others.join(' ') || first,
    narration: accountName,
  }
}

function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer {
  const account = objectIn(answer.body.data)
  const { response_code: code, account_number: accountNumber } = account
  const isCreated = answer.body.status === 'success' && code === CREATED
  if (isCreated && typeof accountNumber === 'string') {
    return { status: 'reserved', accountNumber, accountName }
  }
  const isRefusedInside = answer.body.status === 'success' && code !== CREATED
  const reason = isRefusedInside
    ? messageOf({ ...answer, body: account }, 'response_message')
    : messageOf(answer, 'message')
  return { status: 'refused', reason }
}

// Queries of Flutterwave's transactions: one by its id, or a page of a list. A transaction names its account
// by the tx_ref of the reservation, so we look up the number. The list can be filtered only by day.

const NOT_FOUND = /^no transaction was found\b/i
const DAY_MS = 86_400_000

type Transaction = Record<string, unknown>

function transactionCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value: reference }, options) {
      if (kind !== 'bank_reference') return { status: 'not_found' }
      const path = `/v3/transactions/${encodeURIComponent(reference)}/verify`
      const answer = await ask({ method: 'GET', path }, options)
      if (answer.status === 'no_answer') return answer
      if (isUnknown(answer)) return { status: 'not_found' }
      const transaction = objectIn(answer.body.data)
      const isOfThis = answer.body.status === 'success' && idOf(transaction) === reference
      if (!isOfThis || !isText(transaction.status)) return asNoAnswer(answer, 'message')
      if (transaction.status === PENDING) return { status: 'in_progress' }
      if (transaction.status === FAILED) return { status: 'not_found' }
      return { status: 'found', items: [await read(transaction, options)] }
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
      for (const row of rows.filter((each) => isListed(each, query, reference))) {
        items.push(await read(row, options))
      }
      const isLast = rows.length === 0 || page >= pagesOf(answer) || isPast(rows, query)
      return { status: 'listed', items, nextCursor: isLast ? null : String(page + 1) }
    },
  }
}

async function read(transaction: Transaction, options: CallOptions): Promise<ParsedItem> {
  const { tx_ref: reference } = transaction
  const accountNumber = isText(reference) && (await options.reservations?.numberOf(reference))
  return readTransaction(transaction, accountNumber || undefined)
}

// Flutterwave does not publish the time zone of the days, nor whether the last day is included.
function daysOf({ from, to }: TimeWindow): { from: string; to: string } {
  const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10)
  return { from: dayOf(from.getTime()), to: dayOf(to.getTime() + DAY_MS) }
}

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

function pagesOf({ body }: JsonAnswer): number {
  const pages = objectIn(objectIn(body.meta).page_info).total_pages
  return typeof pages === 'number' ? pages : Number.POSITIVE_INFINITY
}

// Returns whether all later rows are outside the window, because the rows are ordered by time and have left
// it. The listed days have many more rows than the window.
function isPast(rows: readonly Transaction[], { from, to }: TimeWindow): boolean {
  const times = rows.map((row) => timeOf(row)?.getTime() ?? Number.NaN)
  const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)]
  const runs = (isNext: (one: number, next: number) => boolean) =>
    times.every((time, at) => at === 0 || isNext(times[at - 1] ?? Number.NaN, time))
  if (first > last) return last < from.getTime() && runs((one, next) => one >= next)
  return first < last && last > to.getTime() && runs((one, next) => one <= next)
}

// Returns whether Flutterwave says that it does not know the transaction. Any other refusal says nothing
// about the transaction.
function isUnknown(answer: JsonAnswer): boolean {
  return answer.body.status === 'error' && NOT_FOUND.test(messageOf(answer, 'message'))
}

// Name enquiry and transfers at Flutterwave, in naira. An answer is used only if it repeats our reference,
// because Flutterwave answers a query by reference with a list.

const BANK_KINDS = ['commercial', 'merchant', 'non_interest']

function payoutCalls(ask: Ask, { paysOut }: { paysOut: boolean }): BankCalls {
  return { ...nameCalls(ask), ...(paysOut ? transferCalls(ask) : {}) }
}

function nameCalls(ask: Ask): BankCalls {
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

function transferCalls(ask: Ask): BankCalls {
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
      const isOurs = answer.body.status === 'success' && transfer.reference === reference
      return isOurs ? readTransfer(transfer) : unclear(answer)
    },
    async findPayout(reference, options) {
      const answer = await ask({ method: 'GET', path, query: { reference } }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.status === 'error')
      const { data } = answer.body
      if (answer.body.status !== 'success' || !Array.isArray(data)) return unclear(answer)
      if (data.length === 0) return { status: 'not_found' }
      const [ours, ...others] = data.filter(isObject).filter((row) => row.reference === reference)
      if (!ours) return { status: 'unknown', reason: 'The list has no transfer of this reference.' }
      return others.length === 0
        ? readTransfer(ours)
        : { status: 'unknown', reason: 'The list has several transfers of this reference.' }
    },
  }
}

function readTransfer(transfer: Record<string, unknown>): PayoutAnswer {
  const { status, complete_message: message } = transfer
  const id = idOf(transfer)
  if (!isText(status)) return { status: 'unknown', reason: 'The transfer has no status.' }
  if (status === 'SUCCESSFUL' && id) return { status: 'confirmed', bankReference: id }
  if (status === 'FAILED') {
    return { status: 'failed', reason: (isText(message) && cleanText(message)) || status }
  }
  return waitsForApproval(transfer)
    ? { status: 'unknown', reason: status, isAccepted: true, waitsFor: 'authorization' }
    : { status: 'unknown', reason: status, isAccepted: true }
}

// Returns whether an operator must approve the transfer in Flutterwave's dashboard.
function waitsForApproval(transfer: Record<string, unknown>): boolean {
  return Number(transfer.requires_approval) === 1 && Number(transfer.is_approved) !== 1
}

function unclear(answer: JsonAnswer): PayoutAnswer {
  return { status: 'unknown', reason: messageOf(answer, 'message') }
}

// Flutterwave names banks by the three digits of the CBN, all other institutions by the six digits of NIP.
function flutterwaveCode(bankCode: string): string {
  const isBank = BANK_KINDS.includes(findBank(bankCode)?.kind ?? '')
  return providerCode(bankCode, isBank ? 'cbn' : 'nip', 'flutterwave')
}
