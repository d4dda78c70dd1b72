// Calls by method and path, typed by the description of the API. Returns the data of answers, without their
// envelope.

import type { CallOptions, HttpClient, Query } from './http-client.ts'
import { List } from './lists.ts'
import type {
  BodyOf,
  DataOf,
  FilterOf,
  ItemOf,
  ListPath,
  Method,
  Params,
  PathOf,
  QueryOf,
} from './operations.ts'

type CallInput<M extends Method, P> = CallOptions & {
  query?: M extends 'get' ? QueryOf<P> : Query
  body?: BodyOf<M, P>
}
// Only paths with parameters in braces take `params`.
export type CallArgs<M extends Method, P extends string> = CallInput<M, P> &
  (Record<never, never> extends Params<P> ? { params?: Params<P> } : { params: Params<P> })
type Optional<P extends string, T> = Record<never, never> extends Params<P> ? [args?: T] : [args: T]

export type ListArgs<P extends ListPath> = {
  filter?: FilterOf<P> | undefined
  signal?: AbortSignal | undefined
} & (Record<never, never> extends Params<P> ? { params?: Params<P> } : { params: Params<P> })

type TextArgs<P extends string> = CallOptions & { params: Params<P>; query?: Query | undefined }

type Envelope<Data> = { data: Data } | { responseData: Data }

export class Api {
  readonly http: HttpClient

  constructor(http: HttpClient) {
    this.http = http
  }

  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[args]: Optional<P, CallArgs<M, P>>
  ): Promise<DataOf<M, P>> {
    const { params, ...options } = (args ?? {}) as CallArgs<Method, string>
    const request = { ...options, method: method.toUpperCase(), path: fillIn(path, params) }
    const answer = await this.http.json<Envelope<DataOf<M, P>>>(request as never)
    if ('responseData' in answer) return answer.responseData
    return 'data' in answer ? answer.data : (answer as DataOf<M, P>)
  }

  text<P extends PathOf<'get'>>(path: P, args: TextArgs<P>): Promise<string> {
    const { params, ...options } = args
    const headers = { ...options.headers, accept: '*/*' }
    return this.http.text({ ...options, headers, method: 'GET', path: fillIn(path, params) })
  }

  list<P extends ListPath>(path: P, ...[args]: Optional<P, ListArgs<P>>): List<ItemOf<P>> {
    const { params, filter, signal } = (args ?? {}) as ListArgs<ListPath>
    return new List(async (cursor) =>
      this.http.json({
        method: 'GET',
        path: fillIn(path, params),
        query: { ...filter, cursor },
        signal,
      }),
    )
  }
}

// Fills the parameters into a path. Refuses `.` and `..`, which every URL parser would read as another path,
// even escaped.
export function fillIn(path: string, params: Record<string, string | number> = {}): string {
  return path.replace(/{(\w+)}/g, (_, name: string) => {
    const value = params[name]
    if (/^(?:|\.|\.\.|undefined|null)$/.test(String(value))) {
      throw new TypeError(`${name} is missing or invalid`)
    }
    return encodeURIComponent(value as string)
  })
}
