// Calls to Paystack, under the secret key.

import { findBankHttp } from '#banks/bank-http.ts'
import type { AccountReservation, BankCalls, Mode, ReservationAnswer } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { objectIn } from '#banks/json-body.ts'
import { type Ask, asking, inTurn, type JsonAnswer, messageOf } from '#banks/json-calls.ts'
import { isText } from '#banks/json-notifications.ts'
import { payoutCalls } from './payout-calls.ts'
import { transactionCalls } from './transaction-calls.ts'

export function paystackCalls(
  settings: ConnectorSettings,
  { mode, secretKey }: { mode: Mode; secretKey: string },
): BankCalls {
  const http = findBankHttp(settings, mode)
  const owner = {
    emailDomain: settings.findText('emailDomain'),
    preferredBank: settings.findText('preferredBank'),
  }
  const integration = settings.findText('integration')
  if (!http) return {}
  const ask = asking(http, { authorization: `Bearer ${secretKey}` })
  return {
    ...transactionCalls(ask),
    ...reservationCalls(ask, owner),
    ...payoutCalls(ask, { paysOut: integration !== undefined }),
  }
}

type Owner = Record<'emailDomain' | 'preferredBank', string | undefined>

// A dedicated account belongs to a customer, whom Paystack identifies by email. Each account gets a customer
// of its own, with an email made from our reference: for a second account of the same customer, Paystack may
// return the first.
function reservationCalls(ask: Ask, { emailDomain, preferredBank }: Owner): BankCalls {
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

// Paystack names the account after the customer, with the business before it.
function customerOf(
  { reference, accountName, customer }: AccountReservation,
  emailDomain: string,
): object | undefined {
  if (!customer?.phone) return undefined
  const [first = '', ...others] = accountName.trim().split(/\s+/)
  return {
    email: `${reference}@${emailDomain}`,
    first_name: first,
    last_name: others.join(' ') || first,
    phone: customer.phone.replace(/^0(?=[0-9]{10}$)/, '+234'),
  }
}

function readReserved(answer: JsonAnswer, accountName: string): ReservationAnswer {
  const { account_number: accountNumber, ...account } = objectIn(answer.body.data)
  const isOurs = account.assigned !== false && account.active !== false
  if (answer.body.status !== true || typeof accountNumber !== 'string' || !isOurs) {
    return refused(messageOf(answer, 'message'))
  }
  const name = account.account_name
  return { status: 'reserved', accountNumber, accountName: isText(name) ? name : accountName }
}

function refused(reason: string): ReservationAnswer {
  return { status: 'refused', reason }
}
