// Calls the service: JSON with the session cookie, and the CSRF token on writes. A refusal is thrown as
// a Problem that a view can show as is.

import { appStrings } from './strings/app.ts'

export type FieldFault = { field: string; message: string }

export class Problem extends Error {
  readonly code: string
  readonly fields: readonly FieldFault[]
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined

  constructor(code: string, message: string, more: Partial<Problem> = {}) {
    super(message)
    this.code = code
    this.fields = more.fields ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
    this.requestId = more.requestId
  }
}

export type Page<Row> = { data: Row[]; hasMore: boolean; nextCursor: string | null }
export type Query = Readonly<Record<string, string | undefined>>

let csrfToken = ''
let sessionLost: () => void = () => {}

export function keepCsrfToken(token: string): void {
  csrfToken = token
}

// Called when a response says that the session has ended.
export function onSessionLost(handler: () => void): void {
  sessionLost = handler
}

export async function getData<Data>(
  path: string,
  query?: Query,
  signal?: AbortSignal,
): Promise<Data> {
  const body = await ask<{ data: Data }>('GET', withQuery(path, query), undefined, signal)
  return body.data
}

export function getPage<Row>(
  path: string,
  query?: Query,
  signal?: AbortSignal,
): Promise<Page<Row>> {
  return ask<Page<Row>>('GET', withQuery(path, query), undefined, signal)
}

export async function send<Data>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Data> {
  const answer = await ask<{ data: Data }>(method, path, body, undefined, headers)
  return answer.data
}

export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(given).toString()
  return text === '' ? path : `${path}?${text}`
}

async function ask<Body>(
  method: string,
  path: string,
  body: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Body> {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new Problem('unreachable', appStrings.problems.unreachable)
  })
  const answered = await answer.json().catch(() => undefined)
  if (answer.ok && answered) return answered as Body
  throw problemOf(answer, answered)
}

type Failure = { code?: string; message?: string; errors?: FieldFault[]; requestId?: string }

function problemOf(answer: Response, body: Failure | undefined): Problem {
  const code = body?.code ?? 'unknown'
  if (code === 'session_needed') sessionLost()
  const retryAfter = answer.headers.get('retry-after')
  const requestId = body?.requestId ?? answer.headers.get('x-request-id')
  return new Problem(code, body?.message ?? appStrings.problems.unknown(answer.status), {
    fields: body?.errors ?? [],
    ...(retryAfter ? { retryAfterSeconds: Number(retryAfter) } : {}),
    ...(requestId ? { requestId } : {}),
  })
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('page_failed', appStrings.problems.page)
}
