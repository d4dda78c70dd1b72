// Connects Providus Bank. Its signature is a constant, the SHA-512 of ClientId:ClientSecret, and covers
// neither body nor time. So live mode also demands an address allow-list or mutual TLS (needsKnownSource).

import { createHash } from 'node:crypto'
import {
  type Ask,
  asking,
  asNoAnswer,
  type BankRequest,
  type CallOptions,
  type ChangeAnswer,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  type CreditIdentifier,
  findBankHttp,
  isSecretEqual,
  type Mode,
  messageOf,
  nameEnquiry,
  onlyFormat,
  singleHeader,
  type TransferAnswer,
} from '#banks/kit.ts'
import { providusFormat, readNotification } from './notifications.ts'

export const providusConnector: Connector = {
  name: 'providus',
  needsKnownSource: true,
  connect(settings, { mode }) {
    const clientId = settings.requireText('clientId')
    const clientSecret = settings.requireSecret('clientSecret')
    const signature = createHash('sha512').update(`${clientId}:${clientSecret}`).digest('hex')
    const calls = providusCalls(settings, { mode, clientId, signature })
    return {
      authenticate: ({ headers }) => {
        const header = singleHeader(headers['x-auth-signature']) ?? ''
        return isSecretEqual(header.toLowerCase(), signature) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(providusFormat),
      nameEnquiry,
      calls,
      reserves: { kinds: ['static'] },
    }
  },
}

// The calls to Providus query a transfer by its session id or settlement id, and reserve static numbers.
// Providus has no list of transfers, so a transfer that was never reported to us can only be found on the
// statement.
//
// A dynamic number lives for 10 minutes, at most 48 hours, and then belongs to another merchant, so we
// reserve no dynamic numbers. A blacklisted number still takes money, but Providus stops notifying us, so we
// block no numbers.

const SUCCESS = '00'
const SYSTEM_FAILURE = '03'
const NO_DYNAMIC = 'Providus gives a dynamic number to another merchant after 48 hours at most.'

// Returns the calls to Providus; none without settings.baseUrl.
function providusCalls(
  settings: ConnectorSettings,
  { mode, clientId, signature }: { mode: Mode; clientId: string; signature: string },
): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  if (!http) return {}
  const headers = { 'client-id': clientId, 'x-auth-signature': signature }
  const ask = asking(http, headers)
  return {
    findTransfer: (identifier, options) => findTransfer(ask, identifier, options),
    async reserveAccount({ kind, accountName, customer }, options) {
      if (kind !== 'static') return { status: 'refused', reason: NO_DYNAMIC }
      const path = '/PiPCreateReservedAccountNumber'
      const body = { account_name: accountName, bvn: customer?.bvn ?? '' }
      const answer = await askToChange(ask, { method: 'POST', path, body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_number: accountNumber, account_name: name, responseCode } = answer.body
      if (responseCode !== SUCCESS || typeof accountNumber !== 'string') {
        return { status: 'refused', reason: messageOf(answer, 'responseMessage') }
      }
      return {
        status: 'reserved',
        accountNumber,
        accountName: typeof name === 'string' ? name : accountName,
      }
    },
    renameAccount: ({ accountNumber, accountName }, options) => {
      const body = { account_number: accountNumber, account_name: accountName }
      return rename(ask, { method: 'POST', path: '/PiPUpdateAccountName', body }, options)
    },
  }
}

// Queries one transfer. Providus answers with empty fields if it does not know the transfer. An answer
// without the fields is about something else, such as our credentials.
async function findTransfer(
  ask: Ask,
  { kind, value }: CreditIdentifier,
  options: CallOptions,
): Promise<TransferAnswer> {
  // Providus can only be queried by session id or settlement id.
  if (kind === 'bank_reference') return { status: 'not_found' }
  const request =
    kind === 'session_id'
      ? { path: '/PiPverifyTransaction_sessionid', query: { session_id: value } }
      : { path: '/PiPverifyTransaction_settlementid', query: { settlement_id: value } }
  const answer = await ask({ method: 'GET', ...request }, options)
  if (answer.status === 'no_answer') return answer
  const { transactionAmount, settlementId } = answer.body
  const hasFields = transactionAmount !== undefined && settlementId !== undefined
  if (!hasFields) {
    return answer.httpStatus === 404
      ? { status: 'not_found' }
      : asNoAnswer(answer, 'responseMessage')
  }
  if (Number(transactionAmount) === 0 || !settlementId) return { status: 'not_found' }
  return { status: 'found', items: [readNotification(answer.body)] }
}

// Sends a request that changes something. A failure of the bank's own system is treated as no answer.
async function askToChange(ask: Ask, request: BankRequest, options: CallOptions) {
  const answer = await ask(request, options)
  const isFailure = answer.status === 'answered' && answer.body.responseCode === SYSTEM_FAILURE
  return isFailure ? asNoAnswer(answer, 'responseMessage') : answer
}

// Sends a request that renames an account.
async function rename(ask: Ask, request: BankRequest, options: CallOptions): Promise<ChangeAnswer> {
  const answer = await askToChange(ask, request, options)
  if (answer.status === 'no_answer') return answer
  if (answer.body.responseCode === SUCCESS) return { status: 'done' }
  return { status: 'refused', reason: messageOf(answer, 'responseMessage') }
}
