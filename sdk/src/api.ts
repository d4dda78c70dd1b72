// Calls by method and path, typed by the description of the API. What an envelope wraps is answered
// without it.

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

type Given<M extends Method, P> = CallOptions & {
  query?: M extends 'get' ? QueryOf<P> : Query
  body?: BodyOf<M, P>
}
// Only paths with braces take params.
export type Asked<M extends Method, P extends string> = Given<M, P> &
  (Record<never, never> extends Params<P> ? { params?: Params<P> } : { params: Params<P> })
type Optional<P extends string, T> =
  Record<never, never> extends Params<P> ? [given?: T] : [given: T]

export type ListGiven<P extends ListPath> = {
  filter?: FilterOf<P> | undefined
  signal?: AbortSignal | undefined
} & (Record<never, never> extends Params<P> ? { params?: Params<P> } : { params: Params<P> })

type TextGiven<P extends string> = CallOptions & { params: Params<P>; query?: Query | undefined }

type Envelope<Data> = { data: Data } | { responseData: Data }

export class Api {
  readonly http: HttpClient

  constructor(http: HttpClient) {
    this.http = http
  }

  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[given]: Optional<P, Asked<M, P>>
  ): Promise<DataOf<M, P>> {
    const { params, ...asked } = (given ?? {}) as Asked<Method, string>
    const request = { ...asked, method: method.toUpperCase(), path: fillIn(path, params) }
    const answer = await this.http.json<Envelope<DataOf<M, P>>>(request as never)
    if ('responseData' in answer) return answer.responseData
    return 'data' in answer ? answer.data : (answer as DataOf<M, P>)
  }

  text<P extends PathOf<'get'>>(path: P, given: TextGiven<P>): Promise<string> {
    const { params, ...asked } = given
    const headers = { ...asked.headers, accept: '*/*' }
    return this.http.text({ ...asked, headers, method: 'GET', path: fillIn(path, params) })
  }

  list<P extends ListPath>(path: P, ...[given]: Optional<P, ListGiven<P>>): List<ItemOf<P>> {
    const { params, filter, signal } = (given ?? {}) as ListGiven<ListPath>
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

// Dots would be read as another path by every URL parser, escaped or not.
export function fillIn(path: string, params: Record<string, string | number> = {}): string {
  return path.replace(/{(\w+)}/g, (_, name: string) => {
    const value = params[name]
    if (/^(?:|\.|\.\.|undefined|null)$/.test(String(value))) {
      throw new TypeError(`${name} is missing or invalid`)
    }
    return encodeURIComponent(value as string)
  })
}
