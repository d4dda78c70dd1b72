// Calls to Flutterwave's API, under the secret key.

import { findBankHttp } from '#banks/bank-http.ts'
import type { AccountReservation, BankCalls, Mode, ReservationAnswer } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, asking, type JsonAnswer, messageOf } from '#banks/json-calls.ts'
import { payoutCalls } from './payout-calls.ts'
import { transactionCalls } from './transaction-calls.ts'

const CREATED = '02' // "Transaction in progress".

export function flutterwaveCalls(
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
