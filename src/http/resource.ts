// The operations of one kind of object, declared as a table of contents. The helper adds what all
// operations share: scope, schemas, envelope, paging, transaction, Idempotency-Key and the list of errors.
//
//   export const splits = resource('/api/v1/splits', {
//     tag: 'Splits', noun: 'split', view: SplitView, params: { splitCode: requireSplitCode },
//     scopes: { read: 'payouts:read', write: 'payouts:write' },
//   })
//     .list('listSplits', { summary: …, description: …, rows: (db, { clientId, after, limit }) => … })
//     .act('deactivateSplit', { path: '/:splitCode/deactivate', message: …, run: (tx, call) => … })
//
// `run` gets a pool to read from, or a transaction to write in, and the call: the parts of the service,
// who calls, the time, and the parsed request. It returns a row, which the view presents.

import { type Static, type TObject, type TSchema, Type } from '@fastify/type-provider-typebox'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify'
import { type List, type Order, readCursor, writeCursor } from '#db/paging.ts'
import type { Pool } from '#db/pool.ts'
import type { Summary } from '#db/summaries.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Identity } from './authentication.ts'
import type { Deps } from './deps.ts'
import { accepted } from './envelopes.ts'
import { withIdempotency, withPreparation } from './idempotency.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  OrderQuery,
  PageQuery,
  parseLimit,
  query,
  scannedPage,
} from './lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from './schemas.ts'
import { presentSummary, presentTotal, SummaryBody } from './summaries.ts'
import type { View } from './view.ts'

type Properties = Parameters<typeof query>[0]
type Asked<Q extends Properties> = Static<TObject<Q>>
type Parsers = Record<string, (text: string, deps: Deps) => unknown>
type None = Record<never, never>

export type Call<P extends Parsers = None, Query = object, Body = unknown> = Deps &
  Identity & {
    clientId: ClientId
    now: Date
    params: { [K in keyof P]: ReturnType<P[K]> }
    query: Query
    body: Body
    request: FastifyRequest
    reply: FastifyReply
  }

// The view of a row, or the schema of what `run` returns as it is.
// biome-ignore lint/suspicious/noExplicitAny: of any row.
type Shape = View<any, any, any> | TSchema
// biome-ignore lint/suspicious/noExplicitAny: of any row.
type RowOf<V> = V extends View<infer Row, any, any> ? Row : V extends TSchema ? Static<V> : never

type Operation<V> = {
  path?: string // Below the resource's.
  summary: string
  description: string
  scope?: Scope
  guard?: Guard // Beside the scope.
  route?: Pick<RouteOptions, 'config' | 'bodyLimit' | 'preValidation'>
  errors?: readonly RefusalCode[]
  message?: string
  view?: V
}

type Guard = (deps: Deps) => onRequestHookHandler | onRequestAsyncHookHandler

type Reading<V, P extends Parsers, Q extends Properties> = Operation<V> & {
  query?: Q
  run: (db: Pool, call: Call<P, Asked<Q>>) => Promise<RowOf<V>>
}

type IdOf<Row, T> = Row extends { id: infer Id extends T } ? Id : T
type Paging<Id> = { after: Id | null; limit: number; order: Order | undefined }
type PagedCall<V, P extends Parsers, Q extends Properties, T> = Call<P, Asked<Q>> &
  Paging<IdOf<RowOf<V>, T extends true ? string : bigint>>
type Found<Row> = readonly Row[] | { rows: readonly Row[]; scannedTo: bigint | string | null }

type Listing<V, P extends Parsers, Q extends Properties, T> = Operation<V> & {
  name?: string // In cursors. Default: the last part of the path.
  filters?: Q
  unbound?: readonly (keyof Q)[] // Change how a row is shown: a cursor is good for any value.
  isOrdered?: true // Callers choose newest or oldest first.
  isWhole?: true // Without pages.
  hasTextIds?: T
  position?: (row: RowOf<V>) => bigint | number | string // Default: its id.
  // One more than the page shows tells whether there is a next. A list that looks at a bounded number of
  // rows says how far it looked.
  rows: (db: Pool, call: PagedCall<V, P, Q, T>) => Promise<Found<RowOf<V>>>
}

type Summing<P extends Parsers, Q extends Properties> = Omit<Operation<never>, 'view'> & {
  filters: Q
  run: (db: Pool, call: Call<P, Asked<Q>>) => Promise<Summary>
}

type Writing<V, P extends Parsers, B extends TSchema, Input, Prepared> = Operation<V> & {
  body?: B
  pool?: 'batchPool' | 'settlementPool'
  // Before the transaction: refuses what the schema cannot.
  parse?: (call: Call<P, object, Static<B>>) => Input
  // Before the transaction, and not for a retry that has its answer: asks others, such as a bank.
  prepare?: (call: Call<P, object, Static<B>> & { input: Input }) => Promise<Prepared>
  run: (
    tx: Transaction,
    call: Call<P, object, Static<B>> & { input: Input; prepared: Prepared },
  ) => Promise<RowOf<V>>
  after?: (call: Call<P, object, Static<B>>) => void // Once it is committed.
}

type Options<V, P extends Parsers> = {
  tag: string
  noun: string
  view: V
  scopes: { read: Scope; write: Scope }
  params?: P // How each parameter of a path is read.
  isForWholeClient?: true // Refused to clients that are restricted to some merchants.
}

// For what the other methods do not fit: `handle` returns the whole body.
type Handling<P extends Parsers, Q extends Properties, B extends TSchema> = Omit<
  Operation<Shape>,
  'message'
> & { query?: Q; body?: B; isKeyed?: true; handle: (call: Call<P, Asked<Q>, Static<B>>) => unknown }

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = {
  method: Method
  path: string
  scope: Scope
  guard: Guard | undefined
  schema: object
  errors: readonly RefusalCode[]
  route: Operation<unknown>['route']
  handle: (call: Call, deps: Deps) => Promise<unknown>
}

export const Nothing = Type.Object({}, { additionalProperties: false })

export function resource<V extends Shape, P extends Parsers = None>(
  path: string,
  options: Options<V, P>,
): Resource<V, P> {
  return new Resource(path, options)
}

class Resource<V extends Shape, P extends Parsers> {
  readonly #path: string
  readonly #options: Options<V, P>
  readonly #routes: Route[] = []

  constructor(path: string, options: Options<V, P>) {
    this.#path = path
    this.#options = options
  }

  list<W extends Shape = V, Q extends Properties = None, T extends boolean = false>(
    id: string,
    how: Listing<W, P, Q, T>,
  ): this {
    const { name = this.#path.split('/').at(-1), filters = {}, unbound = [], rows, isWhole } = how
    const shape = how.view ?? this.#options.view
    const message = how.message ?? `${sentence(this.#options.noun)}s retrieved successfully`
    const order = how.isOrdered ? OrderQuery : {}
    const idOf = how.position ?? (({ id }: RowOf<W> & { id: bigint | string }) => id)
    return this.#add('GET', id, {
      ...how,
      querystring: query({ ...filters, ...order, ...(isWhole ? {} : PageQuery) }),
      response: ListEnvelope(schemaOf(shape)),
      handle: async (call) => {
        const asked = call.query as Record<string, string | undefined>
        const { cursor, order: chosen } = asked
        const bound = Object.keys(filters).filter((field) => !unbound.includes(field))
        const of = Object.entries(call.params).map(([name, value]) => [name, String(value)])
        const values = Object.fromEntries([...of, ...bound.map((field) => [field, asked[field]])])
        const list = { name, order: chosen, clientId: call.clientId, filters: values } as List
        const position = readCursor(call.sealer, list, cursor)?.[0]
        const after = position === undefined || how.hasTextIds ? position : BigInt(position)
        const limit = isWhole ? Number.POSITIVE_INFINITY : parseLimit(asked)
        const from = { after: after ?? null, limit: limit + 1, order: chosen }
        const found = await rows(call.db, { ...call, ...from } as never)
        const scan = 'scannedTo' in found ? found : { rows: found, scannedTo: null }
        const page = scannedPage(scan as { rows: RowOf<W>[]; scannedTo: null }, {
          limit,
          idOf: (row) => idOf(row as never).toString(),
          cursorAfter: (last) => writeCursor(call.sealer, list, [last.toString()]),
        })
        return listResponse(message, page, (row) => present(shape, row, call))
      },
    })
  }

  summary<Q extends Properties>(id: string, how: Summing<P, Q>): this {
    return this.#add('GET', id, {
      ...how,
      path: how.path ?? '/summary',
      querystring: query(how.filters),
      response: ApiEnvelope(SummaryBody),
      handle: async (call) => {
        const summary = await how.run(call.db, call as never)
        const message = how.message ?? `${sentence(this.#options.noun)}s added up successfully`
        return accepted(message, presentSummary(summary, presentTotal))
      },
    })
  }

  get<W extends Shape = V, Q extends Properties = None>(id: string, how: Reading<W, P, Q>): this {
    const shape = how.view ?? this.#options.view
    const message = how.message ?? `${sentence(this.#options.noun)} retrieved successfully`
    return this.#add('GET', id, {
      ...how,
      path: how.path ?? this.#one,
      querystring: query(how.query ?? {}),
      response: ApiEnvelope(schemaOf(shape)),
      handle: async (call) =>
        accepted(message, present(shape, await how.run(call.db, call as never), call)),
    })
  }

  create<
    W extends Shape = V,
    B extends TSchema = typeof Nothing,
    Input = undefined,
    Prepared = undefined,
  >(id: string, how: Writing<W, P, B, Input, Prepared>): this {
    return this.#write('POST', id, { path: '', message: this.#done('created'), ...how })
  }

  // Any other POST.
  act<
    W extends Shape = V,
    B extends TSchema = typeof Nothing,
    Input = undefined,
    Prepared = undefined,
  >(id: string, how: Writing<W, P, B, Input, Prepared> & { path: string; message: string }): this {
    return this.#write('POST', id, how)
  }

  update<
    W extends Shape = V,
    B extends TSchema = typeof Nothing,
    Input = undefined,
    Prepared = undefined,
  >(id: string, how: Writing<W, P, B, Input, Prepared>): this {
    return this.#write('PATCH', id, { path: this.#one, message: this.#done('updated'), ...how })
  }

  replace<
    W extends Shape = V,
    B extends TSchema = typeof Nothing,
    Input = undefined,
    Prepared = undefined,
  >(id: string, how: Writing<W, P, B, Input, Prepared>): this {
    return this.#write('PUT', id, { path: this.#one, message: this.#done('updated'), ...how })
  }

  remove<W extends Shape = V, Input = undefined>(
    id: string,
    how: Omit<Writing<W, P, TSchema, Input, undefined>, 'body'>,
  ): this {
    return this.#write('DELETE', id, { path: this.#one, message: this.#done('deleted'), ...how })
  }

  route<Q extends Properties = None, B extends TSchema = typeof Nothing>(
    method: Method,
    id: string,
    how: Handling<P, Q, B>,
  ): this {
    const { query: asked = {}, isKeyed, view = this.#options.view, handle } = how
    return this.#add(method, id, {
      ...how,
      querystring: query(asked),
      ...(isKeyed && { headers: IdempotencyHeaders }),
      response: ApiEnvelope(schemaOf(view)),
      handle: async (call) => handle(call as never),
    })
  }

  register(app: FastifyInstance, deps: Deps): void {
    const { params: parsers = {} as P, isForWholeClient } = this.#options
    for (const { method, path, scope, guard, schema, errors, route, handle } of this.#routes) {
      const identify = deps.authentication.requires(scope)
      app.route({
        ...route,
        method,
        url: this.#path + path,
        onRequest: guard ? [identify, guard(deps)] : identify,
        config: { ...route?.config, errors },
        schema,
        handler: async (request, reply) => {
          if (isForWholeClient) refuseRestricted(request.client)
          return handle(toCall(deps, { request, reply, parsers }), deps)
        },
      })
    }
  }

  get #one(): string {
    return `/:${Object.keys(this.#options.params ?? {})[0]}`
  }

  #done(verb: string): string {
    return `${sentence(this.#options.noun)} ${verb} successfully`
  }

  #write<W extends Shape, B extends TSchema, Input, Prepared>(
    method: Method,
    id: string,
    how: Writing<W, P, B, Input, Prepared> & { path: string; message: string },
  ): this {
    const { message, parse, prepare, run, after } = how
    const shape = how.view ?? this.#options.view
    const takesBody = method !== 'DELETE'
    return this.#add(method, id, {
      ...how,
      ...(takesBody && { body: how.body ?? Nothing }),
      ...(method === 'POST' && { headers: IdempotencyHeaders }),
      response: ApiEnvelope(schemaOf(shape)),
      handle: async (call, deps) => {
        const input = parse?.(call as never)
        const work = async (tx: Transaction, prepared?: Prepared) => {
          const acting = { ...call, now: deps.clock(), input, prepared }
          return accepted(message, present(shape, await run(tx, acting as never), acting))
        }
        const { request, reply } = call
        const pool = deps[how.pool ?? 'db']
        const preparing = prepare && (() => prepare({ ...call, input } as never))
        let answer: object
        if (method !== 'POST') {
          const prepared = await preparing?.()
          answer = await withTransaction(pool, (tx) => work(tx, prepared))
        } else if (preparing) {
          const asking = { request, reply, pool, prepare: preparing }
          answer = await withPreparation(deps, asking, work)
        } else {
          answer = await withIdempotency(deps, { request, reply, pool }, work)
        }
        after?.(call as never)
        return answer
      },
    })
  }

  #add(method: Method, operationId: string, how: Described): this {
    const { path = '', summary, description, guard, errors = [], route, handle, ...input } = how
    const { tag, scopes } = this.#options
    const params = [...(this.#path + path).matchAll(/:(\w+)/g)].map(([, name]) => name as string)
    const fields = Object.fromEntries(params.map((name) => [name, Type.String()]))
    const { querystring = NoQuery, headers, body, response } = input
    const schema = {
      tags: [tag],
      security: BEARER,
      operationId,
      summary,
      description,
      ...(headers && { headers }),
      ...(params.length > 0 && { params: Type.Object(fields) }),
      querystring,
      ...(body && { body }),
      response: { 200: response },
    }
    const scope = how.scope ?? scopes[method === 'GET' ? 'read' : 'write']
    this.#routes.push({ method, path, scope, guard, schema, errors, route, handle })
    return this
  }
}

type Described = Omit<Operation<unknown>, 'view' | 'message'> & {
  querystring?: TSchema
  headers?: TSchema
  body?: TSchema
  response: TSchema
  handle: Route['handle']
}

type Asking = { request: FastifyRequest; reply: FastifyReply; parsers: Parsers }

function toCall(deps: Deps, { request, reply, parsers }: Asking): Call {
  const { client, actor, scopes, isPerson, userId, withoutAlerts } = request
  const texts = request.params as Record<string, string>
  const params = Object.entries(texts).map(([name, text]) => [
    name,
    parsers[name] ? parsers[name](text, deps) : text,
  ])
  return {
    ...deps,
    ...{ client, actor, scopes, isPerson, userId, withoutAlerts, clientId: client.id },
    now: deps.clock(),
    params: Object.fromEntries(params),
    query: request.query as object,
    body: request.body,
    request,
    reply,
  }
}

function schemaOf(shape: Shape): TSchema {
  return 'present' in shape ? shape.schema : shape
}

function present(shape: Shape, row: unknown, call: Call): unknown {
  return 'present' in shape ? shape.present(row, call) : row
}

function sentence(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}
