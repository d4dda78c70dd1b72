// Calls to Monnify. Its transactions name the reserved account by our reference only, so we look up the
// number.

import { findBankHttp } from '#banks/bank-http.ts'
import type { BankCalls, Mode, NoAnswer, ReservationAnswer } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Ask,
  asking,
  askingWithToken,
  type JsonAnswer,
  messageOf,
  noAnswer,
} from '#banks/json-calls.ts'
import { watTime } from '#clock.ts'
import { payoutCalls } from './payout-calls.ts'
import { transactionCalls } from './transaction-calls.ts'

const TOKEN_MS = 55 * 60_000 // Used if Monnify does not say. It publishes about an hour.

export function monnifyCalls(
  settings: ConnectorSettings,
  { mode, clientSecret }: { mode: Mode; clientSecret: string },
): BankCalls {
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

function notificationCalls(ask: Ask): BankCalls {
  return {
    async resendNotifications({ from, to }, options) {
      const path = '/api/v1/transaction-notification/resend-failed-notifications'
      // Times without an offset, as in the published example.
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
function reservationCalls(ask: Ask, { code, emailDomain, bankCode }: Contract): BankCalls {
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
      // Monnify refused, perhaps because an earlier request with this reference got through.
      const known = await ask({ method: 'GET', path: `${path}/${reference}` }, options)
      if (known.status === 'no_answer') return known
      const reason = messageOf(answer, 'responseMessage')
      return readReserved(known, accountName) ?? { status: 'refused', reason }
    },
  }
}

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
