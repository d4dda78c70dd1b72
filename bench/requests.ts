// The requests of a load, built before it starts so that building them does not affect the
// measurement: valid bodies, real signatures, the token of a real login. Credits have every field
// filled. Session ids have NIP's form (institution, time, unique part), so new ones are inserted at two
// dozen places of the index, one for each institution.

import { watDigits } from '#clock.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import { accountNumber, BANK, INSTITUTIONS, SCATTER } from './history.ts'

export type Workload =
  // `first` continues from load to load, so that no two share a session id.
  | { kind: 'credits'; accounts: number; perRequest: number; first: number; count: number }
  | { kind: 'create'; token: string; count: number }
  | { kind: 'initiate'; adviceIds: readonly string[] }
  | { kind: 'get'; token: string; accounts: number; count: number }
  | { kind: 'view'; token: string; paths: readonly string[] }
  | { kind: 'empty' }

export type Requests = {
  all: Buffer[]
  isRepeated: boolean // Starts again when all requests were sent.
  items: number // The number that a correct answer acknowledges.
  mark: string // Appears once per item in a correct answer.
}

export const CREDITS = `/rails/${BANK}/credits`
const SESSIONS_PER_SECOND = 10_000
const secret = loadSecret(SANDBOX_RAIL_SECRET)

// Builds the bytes of all requests of a load. `mark` is the text that a correct answer has once for each
// acknowledged item; requests that are not `isRepeated` may be sent only once.
export function makeRequests(load: Workload): Requests {
  const mark = '"responseCode":"00"'
  const sentOnce = { isRepeated: false, items: 1 }
  switch (load.kind) {
    case 'credits': {
      const [items, nowMs] = [load.perRequest, Date.now()]
      const all = list(load.count, (at) => creditRequest(load, load.first + at * items, nowMs))
      return { all, isRepeated: false, items, mark }
    }
    case 'create': {
      const auth = bearer(load.token)
      const all = list(load.count, (at) => post('/api/v1/accounts/static', account(at), auth))
      return { ...sentOnce, all, mark: '"isSuccessful":true' }
    }
    case 'initiate': {
      const path = (at: number) => `/Payment/process/banktransfer/${load.adviceIds[at]}`
      const all = list(load.adviceIds.length, (at) => post(path(at), '{"bankCode":"035"}'))
      return { ...sentOnce, all, mark }
    }
    case 'get': {
      const path = (at: number) => `/api/v1/accounts/static/${accountNumber(at, load.accounts)}`
      const all = list(load.count, (at) => request('GET', path(at), bearer(load.token)))
      return { all, isRepeated: true, items: 1, mark: '"accountBalance":' }
    }
    case 'view': {
      const all = load.paths.map((path) => request('GET', path, bearer(load.token)))
      return { all, isRepeated: true, items: 1, mark: '{"isSuccessful":true' }
    }
    case 'empty':
      return { all: [request('GET', '/')], isRepeated: true, items: 1, mark: '"isSuccessful":true' }
  }
}

type Credits = Extract<Workload, { kind: 'credits' }>

// Builds one notification with `perRequest` credits; the first has the number `from`. Session ids
// move on by a second after every 10,000 credits, as the clock of a real bank does.
function creditRequest({ accounts, first, perRequest }: Credits, from: number, nowMs: number) {
  // After every SESSIONS_PER_SECOND credits, the time in the session ids is a second later.
  const credits = list(perRequest, (at) => {
    const seconds = Math.floor((from + at - first) / SESSIONS_PER_SECOND)
    return credit(from + at, accounts, nowMs + seconds * 1000)
  })
  const body = JSON.stringify(perRequest === 1 ? credits[0] : credits)
  const signed = Object.entries(signature(body, `msg_${from}`, nowMs))
  const headers = signed.map(([name, value]) => `${name}: ${value}\r\n`)
  return post(CREDITS, body, headers.join(''))
}

// Returns the headers that sign a notification as the sandbox bank.
export function signature(body: string, id: string, nowMs: number): Record<string, string> {
  const timestampSeconds = Math.floor(nowMs / 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign({ secrets: [secret], id, timestampSeconds, body }),
  }
}

// Returns the index-th credit of a notification. Equal indexes give equal credits, except for the time.
export function credit(index: number, accounts: number, atMs: number) {
  const at = new Date(atMs)
  // Ten digits that differ for each index, and are not in order.
  const unique = String((index * SCATTER) % 1e10).padStart(10, '0')
  return {
    sessionId: `${INSTITUTIONS[(index * 7) % INSTITUTIONS.length]}${watDigits(at)}${unique}00`,
    accountNumber: accountNumber(index, accounts),
    amount: `${100 + ((index * 37) % 9_000)}.50`,
    currency: 'NGN',
    sourceAccountNumber: String(1_000_000_000 + ((index * 13) % 1_000_000)),
    sourceAccountName: `Payer Number ${index % 100_000}`,
    sourceBankCode: '058',
    narration: `Transfer for order ${index}`,
    transactionTime: at.toISOString(),
  }
}

// Returns the body of a request that creates the index-th collection account.
export function account(index: number): string {
  return JSON.stringify({
    accountName: `Customer ${index}`,
    bvn: String(22_200_000_000 + index),
    email: `customer${index}@example.com`,
    merchantId: 'M-0001',
    merchantCode: 'Nai0000319',
    notificationUrl: 'http://127.0.0.1:9/', // Nothing calls it: no worker runs.
    phoneNumber: `+23480${String(index).padStart(8, '0')}`,
    channel: 'API',
  })
}

// Builds the bytes of an HTTP request. `headers` are whole lines.
function request(method: string, path: string, headers = '', body = ''): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${headers}\r\n`
  return Buffer.from(head + body, 'latin1') // The text is ASCII only.
}

// Builds the bytes of a POST with a JSON body.
function post(path: string, body: string, headers = ''): Buffer {
  const bodyHeaders = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return request('POST', path, bodyHeaders + headers, body)
}

const bearer = (token: string) => `authorization: Bearer ${token}\r\n`

const list = <T>(length: number, make: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => make(at))
