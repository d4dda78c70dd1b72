// Connects Squad (HabariPay), an aggregator of GTBank. The agreed version of its webhooks decides what the
// signature covers: version 1 signs the raw body, versions 2 and 3 sign six fields and no time. The six
// fields do not show a reversal, a return or an enquiry.
//
// Version 3 reports a transfer under another reference than Squad's list. Without a session id, nothing shows
// that both are the same transfer, so prefer version 2.

import { createHmac } from 'node:crypto'
import {
  type Ask,
  asking,
  asNoAnswer,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  cleanText,
  findBank,
  findBankHttp,
  isNipSessionId,
  isObject,
  isSecretEqual,
  type JsonAnswer,
  type Mode,
  messageOf,
  type NoAnswer,
  nameEnquiry,
  nameNotFound,
  objectIn,
  onlyFormat,
  type PayoutReading,
  payoutNotFound,
  payoutUnanswered,
  type RailCall,
  readNestedJson,
  singleHeader,
  watDay,
} from '#banks/kit.ts'
import { readTransfer, squadFormat } from './notifications.ts'

const SIGNED_FIELDS = [
  'transaction_reference',
  'virtual_account_number',
  'currency',
  'principal_amount',
  'settled_amount',
  'customer_identifier',
]

export const squadConnector: Connector = {
  name: 'squad',
  needsKnownSource: false, // With signed fields, signsFieldsOnly demands a known source.
  payoutScope: 'merchantId',
  connect(settings, { mode }) {
    const secretKey = settings.requireSecret('secretKey')
    const signed = settings.findChoice('signed', ['body', 'fields']) ?? 'body'
    const merchantId = settings.findText('merchantId') ?? ''
    const calls = squadCalls(settings, { mode, secretKey })
    return {
      authenticate: (call) =>
        isAuthentic(call, { secretKey, signed }) ? 'ok' : 'invalid_signature',
      signsFieldsOnly: signed === 'fields',
      findFormat: onlyFormat(squadFormat),
      nameEnquiry,
      calls,
      referenceAt: (reference) => squadReference(merchantId, reference),
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}

// Checks the signature of a call, over the body or the six fields.
function isAuthentic(
  { headers, rawBody }: RailCall,
  { secretKey, signed }: { secretKey: string; signed: 'body' | 'fields' },
): boolean {
  // Squad publishes both names for the header of version 1.
  const versionOneHeader = signed === 'body' ? headers['x-squad-encrypted-body'] : undefined
  const signature = singleHeader(versionOneHeader ?? headers['x-squad-signature']) ?? ''
  const text = signed === 'body' ? rawBody : signedFields(rawBody)
  const expected = createHmac('sha512', secretKey)
    .update(text ?? '')
    .digest('hex')
  return isSecretEqual(signature.toLowerCase(), expected) && text !== undefined
}

// Returns the text that Squad signs, or undefined if Squad cannot have signed it: with the separator inside a
// field, text could move from one field into the next.
function signedFields(rawBody: Buffer): string | undefined {
  const body = readNestedJson(rawBody)
  if ('malformed' in body || body.isRepeated) return undefined
  const notification = objectIn(body.value)
  const values = SIGNED_FIELDS.map((field) => notification[field])
  const areSound = values.every((value) => typeof value === 'string' && !value.includes('|'))
  return areSound ? values.join('|') : undefined
}

const LIST = '/virtual-account/merchant/transactions/all'
const PAGE_SIZE = 100

// Returns the calls to Squad's API, which are authenticated by the secret key. Payouts need `merchantId`.
function squadCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const merchantId = settings.findText('merchantId')
  const business = {
    mobileNumber: settings.findText('mobileNumber'),
    beneficiaryAccount: settings.findText('beneficiaryAccount'),
  }
  if (!http) return {}
  const ask = asking(http, { authorization: `Bearer ${secretKey}` })
  return {
    ...transferCalls(ask),
    ...reservationCalls(ask, business),
    ...payoutCalls(ask, merchantId),
  }
}

// Returns the calls that query transfers, both of which read Squad's list.
function transferCalls(ask: Ask): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Squad's transfers have no settlement id.
      if (kind === 'settlement_id') return { status: 'not_found' }
      const field = kind === 'session_id' ? 'session_id' : 'transactionReference'
      const answer = await ask({ method: 'GET', path: LIST, query: { [field]: value } }, options)
      if (answer.status === 'no_answer') return answer
      const rowsOrFailure = rowsOf(answer)
      if (!Array.isArray(rowsOrFailure)) {
        return answer.httpStatus === 404 ? { status: 'not_found' } : rowsOrFailure
      }
      if (rowsOrFailure.length === 0) return { status: 'not_found' }
      return { status: 'found', items: rowsOrFailure.map(readTransfer) }
    },
    // Squad lists whole days of West Africa.
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const page = Number(cursor ?? 1)
      const query = {
        page: String(page),
        perPage: String(PAGE_SIZE),
        startDate: formatMonthDayYear(from),
        endDate: formatMonthDayYear(to),
        virtualAccount: accountNumber ?? undefined,
        dir: 'ASC',
      }
      const answer = await ask({ method: 'GET', path: LIST, query }, options)
      if (answer.status === 'no_answer') return answer
      const rowsOrFailure = rowsOf(answer)
      if (!Array.isArray(rowsOrFailure)) return rowsOrFailure
      const nextCursor = rowsOrFailure.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items: rowsOrFailure.map(readTransfer), nextCursor }
    },
  }
}

// Returns the rows of Squad's list. If the response has no list, returns a failure (NoAnswer) instead.
function rowsOf(answer: JsonAnswer): Record<string, unknown>[] | NoAnswer {
  const { rows } = objectIn(answer.body.data)
  if (answer.body.success === true && Array.isArray(rows)) return rows.filter(isObject)
  return asNoAnswer(answer, 'message')
}

// Reserves accounts of the business model: the customer model needs more data than we have of a payer.
function reservationCalls(
  ask: Ask,
  business: { mobileNumber: string | undefined; beneficiaryAccount: string | undefined },
): ConnectorCalls {
  const { mobileNumber, beneficiaryAccount } = business
  if (!mobileNumber || !beneficiaryAccount) return {}
  return {
    async reserveAccount({ reference, accountName, customer }, options) {
      const bvn = customer?.bvn
      if (!bvn) return { status: 'refused', reason: 'Squad needs the BVN of the customer.' }
      const body = {
        customer_identifier: reference,
        business_name: accountName,
        mobile_num: localPhone(customer.phone) ?? mobileNumber,
        beneficiary_account: beneficiaryAccount,
        bvn,
      }
      const answer = await ask({ method: 'POST', path: '/virtual-account/business', body }, options)
      if (answer.status === 'no_answer') return answer
      const { virtual_account_number: accountNumber } = objectIn(answer.body.data)
      if (answer.body.success !== true || typeof accountNumber !== 'string') {
        return { status: 'refused', reason: messageOf(answer, 'message') }
      }
      return { status: 'reserved', accountNumber, accountName }
    },
  }
}

// Returns the eleven digits of 0801… or +234801…; undefined if the number is missing or of another country.
function localPhone(phone: string | null): string | undefined {
  const [, digits] = /^(?:\+?234|0)([0-9]{10})$/.exec(phone ?? '') ?? []
  return digits && `0${digits}`
}

// Returns the day in West Africa as MM-DD-YYYY, the form of dates in Squad's queries.
function formatMonthDayYear(at: Date): string {
  const [year, month, day] = watDay(at).split('-')
  return `${month}-${day}-${year}`
}

// In name enquiries and payouts, Squad identifies banks by their six-digit NIP code. Amounts are in kobo, and
// a reference has to start with our merchant id.

const REVERSED = 412
const FAILED = ['failed', 'reversed']
const NIP_CODE = /^[0-9]{6}$/
// Squad's published answers have no word for the state of a paid transfer, only these descriptions.
const PAID_WORDS = ['approved or completed successfully', 'transaction success']

function payoutCalls(ask: Ask, merchantId: string | undefined): ConnectorCalls {
  return { ...nameCalls(ask), ...(merchantId ? payoutTransferCalls(ask, merchantId) : {}) }
}

// Returns the name enquiry, which names a bank by its NIP code.
function nameCalls(ask: Ask): ConnectorCalls {
  return {
    async enquireName({ bankCode, accountNumber }, options) {
      const code = nipCode(bankCode)
      if (!code) return { status: 'no_answer', reason: noNipCode(bankCode), isUp: true }
      const body = { bank_code: code, account_number: accountNumber }
      const answer = await ask({ method: 'POST', path: '/payout/account/lookup', body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_name: accountName } = objectIn(answer.body.data)
      return answer.body.success === true && typeof accountName === 'string'
        ? { status: 'found', accountName }
        : nameNotFound(answer, { isFromBank: answer.body.success === false, field: 'message' })
    },
  }
}

// Returns our reference as Squad knows it.
function squadReference(merchantId: string, reference: string): string {
  return `${merchantId}_${reference}`
}

// Returns the calls that order transfers and query their state.
function payoutTransferCalls(ask: Ask, merchantId: string): ConnectorCalls {
  return {
    async sendMoney({ reference, amountKobo, currency, to, narration }, options) {
      const code = nipCode(to.bankCode)
      if (!code) return { status: 'refused', reason: noNipCode(to.bankCode) }
      const body = {
        transaction_reference: squadReference(merchantId, reference),
        amount: amountKobo.toString(),
        bank_code: code,
        account_number: to.accountNumber,
        account_name: to.accountName,
        currency_id: currency,
        remark: narration,
      }
      const answer = await ask(
        { method: 'POST', path: '/payout/transfer', body, isOrder: true },
        options,
      )
      if (answer.status === 'no_answer') return payoutUnanswered(answer, /* isOrder */ true)
      return readPayout(answer)
    },
    async findPayout(reference, options) {
      const body = { transaction_reference: squadReference(merchantId, reference) }
      const answer = await ask({ method: 'POST', path: '/payout/requery', body }, options)
      if (answer.status === 'no_answer') return payoutUnanswered(answer, /* isOrder */ false)
      if (answer.httpStatus === 404) return payoutNotFound(answer, answer.body.success === false)
      return readPayout(answer)
    },
  }
}

// Reads the state of a payout. Status 424 is a timeout, and another refusal may concern a reference that was
// sent before. After both, the payout is queried. Squad does not publish its answer about a pending transfer,
// so a transfer is treated as paid only if the answer has a session id and a message that says so.
function readPayout(answer: JsonAnswer): PayoutReading {
  const { httpStatus, body } = answer
  const data = objectIn(body.data)
  const { nip_transaction_reference: bankReference, transaction_reference: reference } = data
  const state = lowerCase(data.transaction_status)
  if (httpStatus === REVERSED || FAILED.includes(state)) {
    const reason = failureReason(answer, data.response_description)
    // Squad's error answers show no transfer: after an order, they are about the order itself.
    if (reference === undefined) return { status: 'refused', reason }
    return { status: 'failed', reason, reference }
  }
  const isAnswered = httpStatus === 200 && body.success === true
  const saysPaid = state === 'success' || PAID_WORDS.includes(lowerCase(data.response_description))
  const isPending = state !== '' && state !== 'success'
  const hasSession = typeof bankReference === 'string' && isNipSessionId(bankReference)
  if (isAnswered && saysPaid && !isPending && hasSession) {
    return { status: 'confirmed', bankReference, reference }
  }
  const reason = messageOf(answer, 'message')
  return isAnswered
    ? { status: 'unknown', reason, isAccepted: true, reference }
    : { status: 'unknown', reason }
}

// Returns the reason why a payout failed. The message of an answer with status 200 is about the request: it
// is "Success" even for a failed transfer.
function failureReason(answer: JsonAnswer, description: unknown): string {
  if (answer.httpStatus !== 200) return messageOf(answer, 'message')
  return (typeof description === 'string' && cleanText(description)) || 'The transfer failed.'
}

function lowerCase(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : ''
}

// Returns the NIP code of a bank. Returns undefined if the bank has none, because Squad could take another
// code for another bank.
function nipCode(bankCode: string): string | undefined {
  const bank = findBank(bankCode)
  if (bank) return bank.nipCode
  return NIP_CODE.test(bankCode) ? bankCode : undefined
}

function noNipCode(bankCode: string): string {
  return `Squad names banks by their NIP code, and that of bank ${bankCode} is not known.`
}
