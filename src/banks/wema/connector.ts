// Connects Wema Bank (ALAT). Wema does not publish its interface. This code follows unofficial clients:
// compare it with the document that the bank supplies with a prefix.
//
// The way in which Wema authenticates is registered with the prefix: basic, bearer or a separate header. All
// are static tokens.

import {
  type Ask,
  asking,
  asNoAnswer,
  type CallOptions,
  type Connector,
  type ConnectorCalls,
  type ConnectorSettings,
  findBankHttp,
  isObject,
  isSecretEqual,
  type Mode,
  type NoAnswer,
  onlyFormat,
  type ParsedItem,
  type RailCall,
  singleHeader,
  watDay,
} from '#banks/kit.ts'
import { DAY_MS } from '#clock.ts'
import { nameEnquiry, readTransfer, wemaFormat } from './notifications.ts'

const SCHEMES = ['basic', 'bearer', 'header'] as const
const HEADER = /^[a-z][a-z0-9-]{0,60}$/

export const wemaConnector: Connector = {
  name: 'wema',
  needsKnownSource: true,
  connect(settings, { mode }) {
    const isAuthentic = readAuthentication(settings)
    const calls = wemaCalls(settings, mode)
    return {
      authenticate: (call) => (isAuthentic(call) ? 'ok' : 'invalid_signature'),
      findFormat: onlyFormat(wemaFormat),
      nameEnquiry,
      calls,
    }
  },
}

// Returns the check of a call's token, by the scheme in the settings.
function readAuthentication(settings: ConnectorSettings): (call: RailCall) => boolean {
  const scheme = settings.requireChoice('authentication', SCHEMES)
  if (scheme === 'basic') {
    const pair = `${settings.requireText('username')}:${settings.requireSecret('password')}`
    return hasHeader('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
  if (scheme === 'bearer') {
    return hasHeader('authorization', `Bearer ${settings.requireSecret('token')}`)
  }
  if (scheme === 'header') {
    const name = settings.requireText('headerName')
    if (name && !HEADER.test(name)) {
      settings.report('settings.headerName must be the name of a header in lower case')
    }
    return hasHeader(name, settings.requireSecret('token'))
  }
  return () => false
}

function hasHeader(name: string, value: string) {
  return ({ headers }: RailCall) => isSecretEqual(singleHeader(headers[name]) ?? '', value)
}

// Wema can be asked for past transactions (unofficial), by session id, or by day and account. Wema assigns
// the path of this query together with the prefix. The key goes into the header that the bank names. If the
// bank issues a second key, that key goes into x-api-key.

const PATH = /^\/[\w./-]{1,200}$/
const KEY_HEADER = 'ocp-apim-subscription-key'
const NONE_FOUND = ['25', '07'] // NIP's "unable to locate record" and "invalid account".

type Query = { sessionid: string; craccount: string; amount: number; txndate: string }

// Returns the query of transfers, if the settings have its path.
function wemaCalls(settings: ConnectorSettings, mode: Mode): ConnectorCalls {
  const http = findBankHttp(settings, mode)
  const path = settings.findText('queryPath')
  const keyHeader = settings.findText('apiKeyHeader') ?? KEY_HEADER
  const apiKey = settings.findSecret('apiKey')
  const accessKey = settings.findSecret('accessKey')
  if (path !== undefined && !PATH.test(path)) {
    settings.report('settings.queryPath must be a path, such as /api/TransQuery')
  }
  if (!http) return {}
  if (path === undefined) {
    settings.report('settings.queryPath is missing: settings.baseUrl needs it')
    return {}
  }
  if (!apiKey) settings.report('secrets.apiKey is missing: settings.baseUrl needs it')
  const keys = { [keyHeader]: apiKey ?? '', ...(accessKey && { 'x-api-key': accessKey }) }
  const ask = asking(http, keys)
  return queryCalls((query, options) => findTransfers(ask, { path, query }, options))
}

type Found = { status: 'found'; items: ParsedItem[] }
type Find = (query: Partial<Query>, options: CallOptions) => Promise<Found | NoAnswer>

// Returns the calls that query transfers, by session id or day by day. `findAll` sends one query to Wema and
// reads all transfers of its answer.
function queryCalls(findAll: Find): ConnectorCalls {
  return {
    async findTransfer({ kind, value }, options) {
      // Wema cannot be queried by other identifiers.
      if (kind !== 'session_id') return { status: 'not_found' }
      const answer = await findAll({ sessionid: value }, options)
      if (answer.status === 'no_answer') return answer
      return answer.items.length === 0 ? { status: 'not_found' } : answer
    },
    // Each page is one day in West Africa.
    async listTransfers({ accountNumber, from, to, cursor }, options) {
      const day = cursor ?? watDay(from)
      const answer = await findAll({ craccount: accountNumber ?? '', txndate: day }, options)
      if (answer.status === 'no_answer') return answer
      const next = watDay(new Date(Date.parse(`${day}T00:00:00+01:00`) + DAY_MS))
      const nextCursor = next <= watDay(to) ? next : null
      return { status: 'listed', items: answer.items, nextCursor }
    },
  }
}

// Sends one query. An answer that no transfer was found gives an empty list.
async function findTransfers(
  ask: Ask,
  { path, query }: { path: string; query: Partial<Query> },
  options: CallOptions,
): Promise<Found | NoAnswer> {
  const body: Query = { sessionid: '', craccount: '', amount: 0, txndate: '', ...query }
  const answer = await ask({ method: 'POST', path, body }, options)
  if (answer.status === 'no_answer') return answer
  const { status, transactions } = answer.body
  if (NONE_FOUND.includes(String(status))) return { status: 'found', items: [] }
  if (answer.httpStatus !== 200 || status !== '00' || !Array.isArray(transactions)) {
    return asNoAnswer(answer, 'status_desc')
  }
  return { status: 'found', items: transactions.filter(isObject).map(readTransfer) }
}
