// What Providus can be asked: a transfer by its session id or settlement id, and numbers. It has no
// list of transfers: one of which nothing is known can only be found on the statement.

import { type BankHttp, type BankRequest, bankHttp, jsonObject } from '#banks/bank-http.ts'
import type {
  BankCalls,
  CallOptions,
  ChangeAnswer,
  Mode,
  NoAnswer,
  TransferAnswer,
} from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import type { CreditIdentifier } from '#banks/notifications.ts'
import { readNotification } from './notifications.ts'

const TIMEOUT_BOUNDS = { least: 100, most: 60_000 }
const SUCCESS = '00'

type Answer = { status: 'answered'; body: Record<string, unknown> }
type Ask = (request: BankRequest, options: CallOptions) => Promise<Answer | NoAnswer>

export function providusCalls(
  settings: ConnectorSettings,
  { mode, clientId, signature }: { mode: Mode; clientId: string; signature: string },
): BankCalls {
  const baseUrl = settings.findUrl('baseUrl', mode)
  const timeoutMs = settings.findWhole('timeoutMs', TIMEOUT_BOUNDS)
  if (!baseUrl) return {}
  const headers = { 'client-id': clientId, 'x-auth-signature': signature }
  const ask = asking(bankHttp({ baseUrl, timeoutMs }), headers)
  return {
    findTransfer: (identifier, options) => findTransfer(ask, identifier, options),
    async reserveAccount({ kind, accountName, bvn }, options) {
      const isStatic = kind === 'static'
      const path = isStatic ? '/PiPCreateReservedAccountNumber' : '/PiPCreateDynamicAccountNumber'
      const body = { account_name: accountName, ...(isStatic ? { bvn: bvn ?? '' } : {}) }
      const answer = await ask({ method: 'POST', path, body }, options)
      if (answer.status === 'no_answer') return answer
      const { account_number: accountNumber, account_name: name, responseCode } = answer.body
      if (responseCode !== SUCCESS || typeof accountNumber !== 'string') {
        return { status: 'refused', reason: messageOf(answer) }
      }
      return {
        status: 'reserved',
        accountNumber,
        accountName: typeof name === 'string' ? name : accountName,
      }
    },
    renameAccount: ({ accountNumber, accountName }, options) => {
      const body = { account_number: accountNumber, account_name: accountName }
      return change(ask, { method: 'POST', path: '/PiPUpdateAccountName', body }, options)
    },
    blockAccount: ({ accountNumber }, options) => {
      const body = { account_number: accountNumber, blacklist_flg: '1' }
      return change(ask, { method: 'POST', path: '/PiPBlacklistAccount', body }, options)
    },
  }
}

function asking(http: BankHttp, headers: Record<string, string>): Ask {
  return async (request, options) => {
    const response = await http({ ...request, headers }, options)
    if (response.status === 'no_answer') return response
    if (response.httpStatus >= 500) {
      return { status: 'no_answer', reason: `HTTP ${response.httpStatus}` }
    }
    const body = jsonObject(response)
    if (body.status === 'no_answer') return body as NoAnswer
    return { status: 'answered', body: body as Record<string, unknown> }
  }
}

// An unknown transfer comes back with empty fields.
async function findTransfer(
  ask: Ask,
  { kind, value }: CreditIdentifier,
  options: CallOptions,
): Promise<TransferAnswer> {
  const request =
    kind === 'session_id'
      ? { path: '/PiPverifyTransaction_sessionid', query: { session_id: value } }
      : { path: '/PiPverifyTransaction_settlementid', query: { settlement_id: value } }
  if (kind === 'bank_reference') return { status: 'not_found' }
  const answer = await ask({ method: 'GET', ...request }, options)
  if (answer.status === 'no_answer') return answer
  const { transactionAmount, settlementId } = answer.body
  if (!transactionAmount || !settlementId) return { status: 'not_found' }
  return { status: 'found', items: [readNotification(answer.body)] }
}

async function change(ask: Ask, request: BankRequest, options: CallOptions): Promise<ChangeAnswer> {
  const answer = await ask(request, options)
  if (answer.status === 'no_answer') return answer
  if (answer.body.responseCode === SUCCESS) return { status: 'done' }
  return { status: 'refused', reason: messageOf(answer) }
}

function messageOf({ body: { responseMessage } }: Answer): string {
  return typeof responseMessage === 'string' ? responseMessage.slice(0, 200) : 'refused'
}
