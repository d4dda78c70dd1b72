// Calls the service's API: JSON with the session cookie, and the CSRF token on writes. A refusal is thrown
// as a Problem, which a view can show as it is.

import type { components, paths } from '../../sdk/src/api-types.ts'
import { appStrings } from '../copy.ts'
import { isIdle } from './idleness.ts'

export type Schemas = components['schemas']
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type PathOf<M extends Method> = {
  [P in keyof paths]: Lowercase<M> extends keyof paths[P] ? P : never
}[keyof paths]
type Operation<P extends keyof paths, M extends Method> =
  Lowercase<M> extends keyof paths[P] ? paths[P][Lowercase<M>] : never
type Json<Body> = { content: { 'application/json': Body } }
type Answer<O> = O extends { responses: { 200: Json<infer Body> } } ? Body : never
type DataOf<O> =
  Answer<O> extends { data: infer Data } | { responseData: infer Data } ? Data : never
type BodyOf<O> = O extends { requestBody?: Json<infer Body> } ? Body : undefined
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

export type Params<P extends string> = { [Name in NamesIn<P>]: string | number }
export type GetPath = PathOf<'GET'>
export type Data<P extends GetPath> = DataOf<Operation<P, 'GET'>>
export type PagePath = {
  [P in GetPath]: Answer<Operation<P, 'GET'>> extends { nextCursor: unknown } ? P : never
}[GetPath]
export type Row<P extends PagePath> = Data<P> extends (infer Item)[] ? Item : never

export type FieldFault = { field: string; message: string }

export class Problem extends Error {
  readonly code: string
  readonly fields: readonly FieldFault[]
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(code: string, message: string, details: Partial<Problem> = {}) {
    super(message)
    this.code = code
    this.fields = details.fields ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.requestId = details.requestId
  }
}

export type Page<Row> = {
  data: Row[]
  hasMore: boolean
  nextCursor: string | null
}
export type Query = Readonly<Record<string, string | undefined>>

let csrfToken = ''
let handleSessionLost: () => void = () => {}

export function keepCsrfToken(token: string): void {
  csrfToken = token
}

// Runs when the service refuses a request because of its session or CSRF token: another tab may have signed
// in again. Resolves to whether the request is worth sending once more.
let restoreSession: () => Promise<boolean> = async () => false

export function onSessionWrong(handler: () => Promise<boolean>): void {
  restoreSession = handler
}

export function onSessionLost(handler: () => void): void {
  handleSessionLost = handler
}

// A request that hangs must not block a reload or a dialog. The service answers within 12 seconds, and the
// dashboard polls for the result of longer work.
const ANSWER_MAX_MS = 30_000

type GetOptions = { query?: Query; signal?: AbortSignal }
type RequestParts<Body> = { body?: Body; headers?: Record<string, string> }
type Filled<P extends string> =
  Record<never, never> extends Params<P> ? { params?: Params<P> } : { params: Params<P> }

export async function getData<P extends GetPath>(path: P, params: Params<P>, options?: GetOptions) {
  return unwrap(await requestGet<Envelope<Data<P>>>(path, params, options))
}

// Sends a GET request without trying to restore the session, which would call this function again.
export function findNow<P extends GetPath>(path: P): Promise<Data<P> | undefined> {
  return requestOnce<Envelope<Data<P>>>('GET', path, {}).then(unwrap, () => undefined)
}

export function getPage<P extends PagePath>(path: P, params: Params<P>, options?: GetOptions) {
  return requestGet<Page<Row<P>>>(path, params, options)
}

// Sends a write. The type of the path decides which parameters and body are allowed, and which data comes
// back.
export async function send<M extends Exclude<Method, 'GET'>, P extends PathOf<M>>(
  method: M,
  path: P,
  parts: Filled<P> & RequestParts<BodyOf<Operation<P, M>>>,
): Promise<DataOf<Operation<P, M>>> {
  type Body = Envelope<DataOf<Operation<P, M>>>
  return unwrap(await requestWithSession<Body>(method, fillIn(path, parts.params ?? {}), parts))
}

// Responses under /Payment have their data in `responseData`, all others in `data`.
type Envelope<Data> = { data: Data } | { responseData: Data }

// Returns the data of a response, without its envelope.
function unwrap<Data>(answer: Envelope<Data>): Data {
  return 'responseData' in answer ? answer.responseData : answer.data
}

type Upload = {
  file: Blob
  type: string
  headers: Record<string, string>
  params?: Record<string, string | number>
  query?: Query
  onSent?: (bytes: number) => void
}

export function upload<P extends PathOf<'POST'>>(path: P, request: Upload) {
  return withSession(() => uploadOnce(path, request))
}

// Sends a file with progress, which fetch cannot report.
async function uploadOnce<P extends PathOf<'POST'>>(path: P, request: Upload) {
  const { file, type, params = {}, query, onSent } = request
  const headers = { accept: 'application/json', 'x-csrf-token': csrfToken, ...request.headers }
  const body = new Blob([file], { type }) // The service chooses a reader by this type.
  const answer = await sendFile(withQuery(fillIn(path, params), query), {
    file: body,
    headers,
    onSent,
  }).catch(() => {
    throw unreachable()
  })
  type Body = { data: DataOf<Operation<P, 'POST'>> }
  if (answer.status < 300 && answer.body) return (answer.body as Body).data
  throw problemFromResponse(answer, answer.body as Failure | undefined)
}

function requestGet<Body>(
  path: string,
  params: Record<string, string | number>,
  { query, signal }: GetOptions = {},
) {
  return requestWithSession<Body>(
    'GET',
    withQuery(fillIn(path, params), query),
    signal && { signal },
  )
}

// Replaces {name} in the path with the encoded parameter.
function fillIn(path: string, params: Record<string, string | number>): string {
  return path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
}

// Appends the query to the path. Omits blank values.
export function withQuery(path: string, query: Query = {}): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(entries).toString()
  return text === '' ? path : `${path}?${text}`
}

// The link of a CSV for spreadsheets, which then keep the digits of session ids and bank codes.
export const csvLink = (path: string, query: Query = {}) =>
  withQuery(path, { ...query, for: 'spreadsheet' })

async function requestWithSession<Body>(
  method: Method,
  url: string,
  parts: RequestWithSignal = {},
): Promise<Body> {
  return withSession(() => requestOnce<Body>(method, url, parts))
}

// The service answers `unauthorized` if the session cookie has expired.
const SESSION_LOST = ['session_needed', 'unauthorized']

// Runs a request, and once more if another tab has restored the session. If the session is lost, the
// dashboard shows the sign-in page.
async function withSession<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Problem ? error.code : ''
    const isLost = SESSION_LOST.includes(code)
    if ((isLost || code === 'csrf_token_wrong') && (await restoreSession())) return work()
    if (isLost) handleSessionLost()
    throw error
  }
}

type RequestWithSignal = RequestParts<unknown> & { signal?: AbortSignal | null }

// Sends one request with a time limit. The service may have carried out a request whose response was lost,
// so the caller repeats a write with the same idempotency key.
async function requestOnce<Body>(
  method: Method,
  url: string,
  request: RequestWithSignal,
): Promise<Body> {
  const limit = new AbortController()
  const timer = window.setTimeout(() => limit.abort(unreachable()), ANSWER_MAX_MS)
  const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal
  try {
    return await fetchJson<Body>(method, url, { ...request, signal })
  } finally {
    window.clearTimeout(timer)
  }
}

const unreachable = () => new Problem('unreachable', appStrings.problems.unreachable)

// Returns the body of a successful response, and throws a Problem otherwise.
async function fetchJson<Body>(
  method: Method,
  url: string,
  { body, headers, signal }: RequestParts<unknown> & { signal: AbortSignal },
): Promise<Body> {
  const answer = await fetch(url, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' ? idleHeader() : { 'x-csrf-token': csrfToken }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  }).catch(() => {
    throw signal.aborted ? signal.reason : unreachable()
  })
  const responseBody = await answer.json().catch(() => undefined)
  signal.throwIfAborted()
  if (answer.ok && responseBody) return responseBody as Body
  const header = (name: string) => answer.headers.get(name)
  throw problemFromResponse({ status: answer.status, header }, responseBody)
}

// Marks requests of timers and events while the user is idle, so that they do not keep the session alive.
function idleHeader(): Record<string, string> {
  return isIdle() ? { 'x-idle': '1' } : {}
}

type Failure = { code?: string; message?: string; errors?: FieldFault[]; requestId?: string }

// Reads a refusal: its code, message and fields. A response that is not the API's gets the code `unknown`.
function problemFromResponse(
  { status, header }: Omit<FileAnswer, 'body'>,
  body: Failure | undefined,
) {
  const code = body?.code ?? 'unknown'
  const retryAfter = header('retry-after')
  const requestId = body?.requestId ?? header('x-request-id')
  return new Problem(code, body?.message ?? appStrings.problems.unknown(status), {
    fields: body?.errors ?? [],
    ...(retryAfter ? { retryAfterSeconds: Number(retryAfter) } : {}),
    ...(requestId ? { requestId } : {}),
  })
}

// Turns anything that was thrown into a Problem. An error of our own code is shown as a failed page.
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('page_failed', appStrings.problems.page)
}

type Sent = {
  file: Blob
  headers: Readonly<Record<string, string>>
  onSent?: ((bytes: number) => void) | undefined
}

type FileAnswer = { status: number; header: (name: string) => string | null; body: unknown }

// The longest pause in an upload that the service accepts (src/http/connections.ts), and the longest time
// that it takes to read a statement (src/reconciliation/statement-routes.ts).
const PAUSE_MAX_MS = 60_000
const UPLOAD_ANSWER_MAX_MS = 900_000

// Rejects if the upload stalls or no response comes in time. A response that is not JSON has no body.
function sendFile(url: string, { file, headers, onSent }: Sent): Promise<FileAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer = 0
    // Restarts the deadline: each progress event gives the upload more time.
    const abortAfter = (ms: number) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => request.abort(), ms)
    }
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      abortAfter(PAUSE_MAX_MS)
      onSent?.(loaded)
    })
    request.upload.addEventListener('load', () => abortAfter(UPLOAD_ANSWER_MAX_MS))
    request.addEventListener('loadend', () => window.clearTimeout(timer))
    request.addEventListener('load', () => {
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, header, body: parseOrUndefined(request.responseText) })
    })
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, reject)
    abortAfter(PAUSE_MAX_MS)
    request.send(file)
  })
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
