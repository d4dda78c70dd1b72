// Calls to Squad, under the secret key.

import { findBankHttp } from '#banks/bank-http.ts'
import type { BankCalls, Mode, NoAnswer } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { isObject, objectIn } from '#banks/json-body.ts'
import { type Ask, asking, type JsonAnswer, messageOf, noAnswer } from '#banks/json-calls.ts'
import { watDay } from '#clock.ts'
import { readTransfer } from './notifications.ts'
import { payoutCalls } from './payout-calls.ts'

const LIST = '/virtual-account/merchant/transactions/all'
const PAGE_SIZE = 100

export function squadCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): BankCalls {
  const http = findBankHttp(settings, mode)
  const merchantId = settings.findText('merchantId')
  const owner = {
    mobileNumber: settings.findText('mobileNumber'),
    beneficiaryAccount: settings.findText('beneficiaryAccount'),
  }
  if (!http) return {}
  const ask = asking(http, { authorization: `Bearer ${secretKey}` })
  return { ...transferCalls(ask), ...reservationCalls(ask, owner), ...payoutCalls(ask, merchantId) }
}

function transferCalls(ask: Ask): BankCalls {
  return {
    async findTransfer({ kind, value }, options) {
      if (kind === 'settlement_id') return { status: 'not_found' }
      const field = kind === 'session_id' ? 'session_id' : 'transactionReference'
      const answer = await ask({ method: 'GET', path: LIST, query: { [field]: value } }, options)
      if (answer.status === 'no_answer') return answer
      const rows = rowsOf(answer)
      if (!Array.isArray(rows)) return answer.httpStatus === 404 ? { status: 'not_found' } : rows
      if (rows.length === 0) return { status: 'not_found' }
      return { status: 'found', items: rows.map(readTransfer) }
    },
    // Squad lists whole days of West Africa.
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const page = Number(cursor ?? 1)
      const query = {
        page: String(page),
        perPage: String(PAGE_SIZE),
        startDate: monthFirst(from),
        endDate: monthFirst(to),
        virtualAccount: accountNumber ?? undefined,
        dir: 'ASC',
      }
      const answer = await ask({ method: 'GET', path: LIST, query }, options)
      if (answer.status === 'no_answer') return answer
      const rows = rowsOf(answer)
      if (!Array.isArray(rows)) return rows
      const nextCursor = rows.length < PAGE_SIZE ? null : String(page + 1)
      return { status: 'listed', items: rows.map(readTransfer), nextCursor }
    },
  }
}

function rowsOf(answer: JsonAnswer): Record<string, unknown>[] | NoAnswer {
  const { rows } = objectIn(answer.body.data)
  if (answer.body.success === true && Array.isArray(rows)) return rows.filter(isObject)
  return { ...noAnswer(answer.httpStatus), reason: messageOf(answer, 'message') }
}

// Reserves accounts of the business model: the customer model needs more data than we have of a payer.
function reservationCalls(
  ask: Ask,
  owner: { mobileNumber: string | undefined; beneficiaryAccount: string | undefined },
): BankCalls {
  const { mobileNumber, beneficiaryAccount } = owner
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

// Returns the eleven digits of 0801… or +234801…. Undefined if the number is missing or of another country.
function localPhone(phone: string | null): string | undefined {
  const [, digits] = /^(?:\+?234|0)([0-9]{10})$/.exec(phone ?? '') ?? []
  return digits && `0${digits}`
}

// MM-DD-YYYY
function monthFirst(at: Date): string {
  const [year, month, day] = watDay(at).split('-')
  return `${month}-${day}-${year}`
}
