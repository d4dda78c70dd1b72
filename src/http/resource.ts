// Declares the operations of one kind of object, so that a routes file reads like a table of contents. The
// helper adds the parts that all operations share: scope, schemas, envelope, paging, transaction,
// Idempotency-Key and the list of errors.
//
//   export const splits = resource('/api/v1/splits', {
//     tag: 'Splits', noun: 'split', view: SplitView, params: { splitCode: requireSplitCode },
//     scopes: { read: 'payouts:read', write: 'payouts:write' },
//   })
//     .list('listSplits', { summary: …, description: …, rows: (db, { clientId, after, limit }) => … })
//     .act('deactivateSplit', { path: '/:splitCode/deactivate', message: …, run: (tx, call) => … })
//
// `run` gets a pool to read from, or a transaction to write in. It also gets the call: the dependencies
// (Deps), the caller, the time, and the parsed request. It returns a row, which the view converts to JSON.

import { type Static, type TObject, type TSchema, Type } from '@fastify/type-provider-typebox'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify'
import { refuseRestricted, type Scope } from '#access/permissions.ts'
import type { SignedInSession } from '#access/sessions.ts'
import { type List, type Order, readCursor, type Summary, writeCursor } from '#db/paging.ts'
import type { Pool } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Identity } from './authentication.ts'
import { withCaller } from './caller.ts'
import { type Columns, CsvExports, FileQuery, readBatches } from './csv.ts'
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
  presentSummary,
  presentTotal,
  SummaryBody,
  scannedPage,
} from './lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, SESSION, strictObject } from './schemas.ts'
import type { Json, View } from './view.ts'

type Properties = Parameters<typeof strictObject>[0]
export type QueryOf<Q extends Properties> = Static<TObject<Q>>
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

// The view of a row, or a schema for a result of `run` that needs no view.
// biome-ignore lint/suspicious/noExplicitAny: any row.
type Shape = View<any, any, any> | TSchema
type RowOf<V> =
  // biome-ignore lint/suspicious/noExplicitAny: of any row.
  V extends View<infer Row, any, any> ? Row : V extends TSchema ? Static<V> : never

type DataOf<V> =
  // biome-ignore lint/suspicious/noExplicitAny: of any row.
  V extends View<any, any, infer F> ? Json<F> : V extends TSchema ? Static<V> : never

// The callers that an operation admits: callers with this scope or, with `session`, people who are signed in
// to the dashboard, whose role the operation itself checks. `any_session` also admits people with a temporary
// password. With `anyone`, callers are not identified: the call has neither client nor actor.
type Access = Scope | 'session' | 'any_session' | 'anyone'

type Operation<V> = {
  path?: string // Relative to the path of the resource.
  summary: string
  description: string
  scope?: Access
  isForPeople?: true // For the reference: needs a session instead of a token. A guard enforces it.
  guard?: Guard // In addition to the scope.
  route?: Pick<RouteOptions, 'config' | 'bodyLimit' | 'preValidation' | 'exposeHeadRoute'>
  headers?: Properties // Headers besides the Idempotency-Key, such as If-Match.
  errors?: readonly RefusalCode[]
  message?: string
  view?: V
}

type Guard = (deps: Deps) => onRequestHookHandler | onRequestAsyncHookHandler

type GetOptions<V, P extends Parsers, Q extends Properties> = Operation<V> & {
  query?: Q
  run: (db: Pool, call: Call<P, QueryOf<Q>>) => Promise<RowOf<V>>
}

type IdOf<Row, T> = Row extends { id: infer Id extends T } ? Id : T
type Paging<Id> = { after: Id | null; limit: number; order: Order | undefined }
type PagedCall<V, P extends Parsers, Q extends Properties, T> = Call<P, QueryOf<Q>> &
  Paging<IdOf<RowOf<V>, T extends true ? string : bigint>>
type RowsRead<Row> = readonly Row[] | { rows: readonly Row[]; scannedTo: bigint | string | null }

type ListOptions<V, P extends Parsers, Q extends Properties, T> = Operation<V> & {
  name?: string // The list's name in cursors. Default: the last part of the path.
  filters?: Q
  // Filters that change only how a row is shown. A cursor stays valid if the caller changes them.
  unbound?: readonly (keyof Q)[]
  isOrdered?: true // Callers choose newest or oldest first.
  isWhole?: true // The list has no pages.
  hasTextIds?: T
  position?: (row: RowOf<V>) => bigint | number | string // Default: the row's id.
  exportAs?: string // The operation that exports the list, as in exportPayouts.
  exportColumns?: Columns<never> // Columns of the export in addition to the fields of the view.
  // Reads one row more than the page shows, which tells whether there is a next page. A list that scans a
  // bounded number of rows also returns where its scan ended.
  rows: (db: Pool, call: PagedCall<V, P, Q, T>) => Promise<RowsRead<RowOf<V>>>
}

type SummaryOptions<P extends Parsers, Q extends Properties> = Omit<Operation<never>, 'view'> & {
  filters: Q
  run: (db: Pool, call: Call<P, QueryOf<Q>>) => Promise<Summary>
}

type WriteOptions<V, P extends Parsers, B extends TSchema, Input, Prepared> = Operation<V> & {
  body?: B
  pool?: 'batchPool' | 'settlementPool'
  isKeyed?: false // For a POST that takes no Idempotency-Key.
  // Locks this table before the transaction takes its snapshot, so that only one such operation runs at a
  // time.
  lockedTable?: string
  // Runs before the transaction. Refuses requests that the schema cannot refuse.
  parse?: (call: Call<P, object, Static<B>>) => Input
  // Runs before the transaction, but not for a retry that has a stored response. Asks other parties, such as
  // a bank.
  prepare?: (call: Call<P, object, Static<B>> & { input: Input }) => Promise<Prepared>
  run: (
    tx: Transaction,
    call: Call<P, object, Static<B>> & { input: Input; prepared: Prepared },
  ) => Promise<RowOf<V>>
  // Runs after the commit. `data` is the data of the response, even of a replayed one.
  after?: (call: Call<P, object, Static<B>>, data: DataOf<V>) => void | Promise<void>
  // Runs after a refusal, whose transaction was rolled back. The caller then gets the refusal.
  refused?: (call: Call<P, object, Static<B>>, refusal: unknown) => Promise<void>
}

type Options<V, P extends Parsers> = {
  tag: string
  noun: string
  view: V
  scopes: { read: Scope; write: Scope } | 'session' | 'anyone'
  params?: P // The parser of each path parameter.
  paramDescriptions?: { [K in keyof P]?: string }
  isForWholeClient?: true // Clients that are restricted to some merchants are refused.
}

// A method of a resource that declares an operation with a body. `Needed` are options without a default.
type Write<V extends Shape, P extends Parsers, Needed = object> = <
  W extends Shape = V,
  B extends TSchema = typeof Nothing,
  Input = undefined,
  Prepared = undefined,
>(
  id: string,
  how: WriteOptions<W, P, B, Input, Prepared> & Needed,
) => Resource<V, P>

// For operations that none of the other methods fits. `handle` returns the whole body of the response.
type CustomRoute<P extends Parsers, Q extends Properties, B extends TSchema> = Omit<
  Operation<Shape>,
  'message'
> & {
  query?: Q
  body?: B
  isKeyed?: true
  handle: (call: Call<P, QueryOf<Q>, Static<B>>) => unknown
}

const EXPORT_BATCH = 500
const EXPORT_NOTE =
  'Streamed as UTF-8. Amounts have two decimals. Cells that a spreadsheet would read as a formula ' +
  'are prefixed with an apostrophe. A truncated file ends with a connection error. At most 3 ' +
  'concurrent exports.'

type ExportOptions = Operation<Shape> & {
  filters?: Properties
  isOrdered?: true
  hasTextIds?: boolean
  exportColumns?: Columns<never>
  // biome-ignore lint/suspicious/noExplicitAny: of any row.
  shape: View<any, any, any>
  idOf: (row: unknown) => bigint | string
  rows: (db: Pool, call: object) => Promise<RowsRead<unknown>>
}

export const Nothing = strictObject({})

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = {
  method: Method
  path: string
  scope: Access
  guard: Guard | undefined
  schema: object
  errors: readonly RefusalCode[]
  route: Operation<unknown>['route']
  handle: (call: Call, deps: Deps) => Promise<unknown>
}

// Begins the declaration of a resource (see the example at the top of this file).
export function resource<V extends Shape, P extends Parsers = None>(
  path: string,
  options: Options<V, P>,
): Resource<V, P> {
  return new Resource(path, options)
}

// Collects the operations of a resource, and registers their routes. `id` is the operationId of an operation.
class Resource<V extends Shape, P extends Parsers> {
  readonly #path: string
  readonly #options: Options<V, P>
  readonly #routes: Route[] = []

  constructor(path: string, options: Options<V, P>) {
    this.#path = path
    this.#options = options
  }

  // Lists rows page by page. A cursor is valid only for the same list, client, order and filters.
  list<W extends Shape = V, Q extends Properties = None, T extends boolean = false>(
    id: string,
    how: ListOptions<W, P, Q, T>,
  ): this {
    const { name = this.#path.split('/').at(-1), filters = {}, unbound = [], rows, isWhole } = how
    const shape = how.view ?? this.#options.view
    const message = how.message ?? `${capitalized(this.#options.noun)}s retrieved successfully`
    const order = how.isOrdered ? OrderQuery : {}
    const idOf = how.position ?? (({ id }: RowOf<W> & { id: bigint | string }) => id)
    if (how.exportAs) this.#export(how.exportAs, { ...how, shape, idOf } as never)
    return this.#add('GET', id, {
      ...how,
      querystring: strictObject({ ...filters, ...order, ...(isWhole ? {} : PageQuery) }),
      response: ListEnvelope(schemaOf(shape)),
      handle: async (call) => {
        const fields = call.query as Record<string, string | undefined>
        const { cursor, order: sortOrder } = fields
        const boundFields = Object.keys(filters).filter((field) => !unbound.includes(field))
        const params = Object.entries(call.params).map(([name, value]) => [name, String(value)])
        const values = Object.fromEntries([
          ...params,
          ...boundFields.map((field) => [field, fields[field]]),
        ])
        const list = { name, order: sortOrder, clientId: call.clientId, filters: values } as List
        const position = readCursor(call.sealer, list, cursor)?.[0]
        const after = position === undefined || how.hasTextIds ? position : BigInt(position)
        const limit = isWhole ? Number.POSITIVE_INFINITY : parseLimit(fields)
        const paging = { after: after ?? null, limit: limit + 1, order: sortOrder }
        const result = await rows(call.db, { ...call, ...paging } as never)
        const scan = 'scannedTo' in result ? result : { rows: result, scannedTo: null }
        const page = scannedPage(scan as { rows: RowOf<W>[]; scannedTo: null }, {
          limit,
          idOf: (row) => idOf(row as never).toString(),
          cursorAfter: (last) => writeCursor(call.sealer, list, [last.toString()]),
        })
        return listResponse(message, page, (row) => present(shape, row, call))
      },
    })
  }

  // Exports all rows of a list as a file, with the filters and in the order of the list.
  #export(id: string, how: ExportOptions): void {
    const { path = '', filters = {}, isOrdered, shape, idOf, rows, ...operation } = how
    const exports = new CsvExports()
    const { exportColumns = [], hasTextIds } = how
    const columns = [...shape.columns(), ...exportColumns]
    const extra = exportColumns.map(([column]) => `, ${column}`).join('')
    const name = `${this.#path}${path}`.split('/').at(-1) as string
    this.#add('GET', id, {
      ...operation,
      path: `${path}.csv`,
      summary: `Export ${this.#options.noun}s as CSV`,
      description: `${EXPORT_NOTE} Columns: the fields of the list that are no lists or objects${extra}.`,
      querystring: strictObject({ ...filters, ...(isOrdered ? OrderQuery : {}), ...FileQuery }),
      response: { content: { 'text/csv': { schema: Type.String() } } } as never,
      route: { ...how.route, exposeHeadRoute: false },
      handle: async (call) => {
        const { order } = call.query as { order?: Order }
        // Reads the rows batch by batch, while the file is being sent. `after` is the last id of the previous
        // batch. Ids are numbers (bigint) unless the list `hasTextIds`.
        const batches = readBatches<never, bigint | string>(async (after) => {
          const page = { after: after ?? null, limit: EXPORT_BATCH, order }
          const result = await rows(call.db, { ...call, ...page })
          const scan = 'scannedTo' in result ? result : { rows: result, scannedTo: null }
          const isFull = scan.rows.length === EXPORT_BATCH
          // A filtered read may stop before its batch is full. `scannedTo` is then the last id that it looked
          // at, or null at the end of the list.
          const lastId = isFull ? idOf(scan.rows.at(-1)) : scan.scannedTo
          const next = lastId === null || hasTextIds ? lastId : BigInt(lastId)
          return { rows: scan.rows.map((row) => present(shape, row, call) as never), next }
        })
        return exports.send(call.reply, call.clientId, { name, columns, batches })
      },
    })
  }

  // Counts and sums the rows that a list with the same filters would show.
  summary<Q extends Properties>(id: string, how: SummaryOptions<P, Q>): this {
    return this.#add('GET', id, {
      ...how,
      path: how.path ?? '/summary',
      querystring: strictObject(how.filters),
      response: ApiEnvelope(SummaryBody),
      handle: async (call) => {
        const summary = await how.run(call.db, call as never)
        const message = how.message ?? `${capitalized(this.#options.noun)}s added up successfully`
        return accepted(message, presentSummary(summary, presentTotal))
      },
    })
  }

  get<W extends Shape = V, Q extends Properties = None>(
    id: string,
    how: GetOptions<W, P, Q>,
  ): this {
    const shape = how.view ?? this.#options.view
    const message = how.message ?? `${capitalized(this.#options.noun)} retrieved successfully`
    return this.#add('GET', id, {
      ...how,
      path: how.path ?? this.#itemPath,
      querystring: strictObject(how.query ?? {}),
      response: ApiEnvelope(schemaOf(shape)),
      handle: async (call) =>
        accepted(message, present(shape, await how.run(call.db, call as never), call)),
    })
  }

  readonly create: Write<V, P> = (id, how) =>
    this.#write('POST', id, { path: '', message: this.#successMessage('created'), ...how })

  // Declares a POST that does something to an object, such as deactivating or approving it.
  readonly act: Write<V, P, { path: string; message: string }> = (id, how) =>
    this.#write('POST', id, how)

  readonly update: Write<V, P> = (id, how) => this.#change('PATCH', id, how)

  readonly replace: Write<V, P> = (id, how) => this.#change('PUT', id, how)

  remove<W extends Shape = V, Input = undefined>(
    id: string,
    how: Omit<WriteOptions<W, P, TSchema, Input, undefined>, 'body'>,
  ): this {
    return this.#write('DELETE', id, {
      path: this.#itemPath,
      message: this.#successMessage('deleted'),
      ...how,
    })
  }

  // Declares an operation that none of the other methods fits. `handle` returns the whole body.
  route<Q extends Properties = None, B extends TSchema = typeof Nothing>(
    method: Method,
    id: string,
    how: CustomRoute<P, Q, B>,
  ): this {
    const { query: fields = {}, isKeyed, view = this.#options.view, handle } = how
    return this.#add(method, id, {
      ...how,
      querystring: strictObject(fields),
      ...headersOf(how, isKeyed),
      response: ApiEnvelope(schemaOf(view)),
      handle: async (call) => handle(call as never),
    })
  }

  // Registers the routes of all operations that were declared.
  register(app: FastifyInstance, deps: Deps): void {
    const { params: parsers = {} as P, isForWholeClient } = this.#options
    for (const { method, path, scope, guard, schema, errors, route, handle } of this.#routes) {
      app.route({
        ...route,
        method,
        url: this.#path + path,
        onRequest: [...identityHooks(deps, scope), ...(guard ? [guard(deps)] : [])],
        config: { ...route?.config, errors },
        schema,
        handler: async (request, reply) => {
          if (isForWholeClient) refuseRestricted(request.client)
          return handle(toCall(deps, { request, reply, parsers }), deps)
        },
      })
    }
  }

  // The path of one object, relative to the resource: its first path parameter.
  get #itemPath(): string {
    return `/:${Object.keys(this.#options.params ?? {})[0]}`
  }

  #successMessage(verb: string): string {
    return `${capitalized(this.#options.noun)} ${verb} successfully`
  }

  // Declares an operation that changes one object.
  #change<W extends Shape, B extends TSchema, Input, Prepared>(
    method: 'PATCH' | 'PUT',
    id: string,
    how: WriteOptions<W, P, B, Input, Prepared>,
  ): this {
    const message = this.#successMessage('updated')
    return this.#write(method, id, { path: this.#itemPath, message, ...how })
  }

  // Declares an operation that writes. Work and response commit in one transaction, with the Idempotency-Key
  // if the operation takes one. `after` runs once the transaction has committed.
  #write<W extends Shape, B extends TSchema, Input, Prepared>(
    method: Method,
    id: string,
    how: WriteOptions<W, P, B, Input, Prepared> & { path: string; message: string },
  ): this {
    const { message, parse, prepare, run, after, refused } = how
    const shape = how.view ?? this.#options.view
    const takesBody = method !== 'DELETE'
    const isKeyed = method === 'POST' && how.isKeyed !== false
    return this.#add(method, id, {
      ...how,
      ...(takesBody && { body: how.body ?? Nothing }),
      ...headersOf(how, isKeyed),
      response: ApiEnvelope(schemaOf(shape)),
      handle: async (call, deps) => {
        const input = parse?.(call as never)
        // Performs the operation in the transaction, and builds its response.
        const work = async (tx: Transaction, prepared?: Prepared) => {
          const acting = { ...call, now: deps.clock(), input, prepared }
          return accepted(message, present(shape, await run(tx, acting as never), acting))
        }
        const { lockedTable } = how
        const keyed = { ...call, pool: deps[how.pool ?? 'db'], lockedTable, by: call }
        const runPrepare = prepare && (() => prepare({ ...call, input } as never))
        const answerCall = async (): Promise<{ data: unknown }> => {
          if (isKeyed && runPrepare)
            return withPreparation(deps, { ...keyed, prepare: runPrepare }, work)
          if (isKeyed) return withIdempotency(deps, keyed, work)
          const prepared = await runPrepare?.()
          return withCaller(deps, keyed, (tx) => work(tx, prepared))
        }
        const answer = await answerCall().catch(async (refusal) => {
          await refused?.(call as never, refusal)
          throw refusal
        })
        deps.onWritten()
        await after?.(call as never, answer.data as never)
        return answer
      },
    })
  }

  // Stores the route of an operation, with its schema for validation and the API reference.
  #add(method: Method, operationId: string, how: RouteDescription): this {
    const { path = '', summary, description, guard, errors = [], route, handle, ...input } = how
    const { tag, scopes, paramDescriptions: descriptions = {} } = this.#options
    const scope =
      how.scope ??
      (typeof scopes === 'string' ? scopes : scopes[method === 'GET' ? 'read' : 'write'])
    const hasSession = how.isForPeople || scope === 'session' || scope === 'any_session'
    const params = [...(this.#path + path).matchAll(/:(\w+)/g)].map(([, name]) => name as string)
    const describe = (name: string) => ({
      description: descriptions[name as keyof typeof descriptions],
    })
    const fields = Object.fromEntries(
      params.map((name) => [
        name,
        name in descriptions ? Type.String(describe(name)) : Type.String(),
      ]),
    )
    const { querystring = NoQuery, headers, body, response } = input
    const schema = {
      tags: [tag],
      ...(scope !== 'anyone' && { security: hasSession ? SESSION : BEARER }),
      operationId,
      summary,
      description,
      ...(headers && { headers }),
      ...(params.length > 0 && { params: Type.Object(fields) }),
      querystring,
      ...(body && { body }),
      response: { 200: response },
    }
    this.#routes.push({ method, path, scope, guard, schema, errors, route, handle })
    return this
  }
}

type RouteDescription = Omit<Operation<unknown>, 'view' | 'message' | 'headers'> & {
  querystring?: TSchema
  headers?: TSchema
  body?: TSchema
  response: TSchema
  handle: Route['handle']
}

// Returns the hooks that identify the caller, and refuse a caller whom the operation does not admit.
// `any_session` also admits a user whose password is temporary. Any other value of `access` is a scope that
// the caller must have.
function identityHooks({ authentication, sessionCookies }: Deps, access: Access) {
  if (access === 'anyone') return []
  if (access === 'session') return [sessionCookies.requirePermanentPassword]
  return [access === 'any_session' ? sessionCookies.require : authentication.requires(access)]
}

type RequestParts = { request: FastifyRequest; reply: FastifyReply; parsers: Parsers }

// Builds the call that an operation gets from the request, with the path's parameters parsed.
function toCall(deps: Deps, { request, reply, parsers }: RequestParts): Call {
  const { session, scopes } = request
  const identity = session && !scopes ? toPerson(session) : toIdentity(request)
  const texts = request.params as Record<string, string>
  const params = Object.entries(texts).map(([name, text]) => [
    name,
    parsers[name] ? parsers[name](text, deps) : text,
  ])
  return {
    ...deps,
    ...identity,
    clientId: identity.client?.id,
    now: deps.clock(),
    params: Object.fromEntries(params),
    query: request.query as object,
    body: request.body,
    request,
    reply,
  }
}

// Copies the caller's identity from a request, which has many other fields.
function toIdentity(request: Identity): Identity {
  const { client, actor, scopes, isPerson, userId, withoutAlerts } = request
  return { client, actor, scopes, isPerson, userId, withoutAlerts }
}

// The identity of a person with a session but without a checked scope. The operation checks the person's
// role.
function toPerson({ client, user }: SignedInSession): Identity {
  const scopes = new Set<Scope>()
  const actor = `user:${user.email}`
  return { client, actor, scopes, isPerson: true, userId: user.id, withoutAlerts: false }
}

// Returns the schema of the request headers that an operation takes. An operation that `isKeyed` takes an
// Idempotency-Key.
function headersOf({ headers }: Pick<Operation<unknown>, 'headers'>, isKeyed: boolean | undefined) {
  if (!headers) return isKeyed ? { headers: IdempotencyHeaders } : {}
  return { headers: Type.Object({ ...(isKeyed && IdempotencyHeaders.properties), ...headers }) }
}

// Returns the schema of an operation's result.
function schemaOf(shape: Shape): TSchema {
  return 'present' in shape ? shape.schema : shape
}

// Converts the result of `run` to JSON, by its view if it has one.
function present(shape: Shape, row: unknown, call: Call): unknown {
  return 'present' in shape ? shape.present(row, call) : row
}

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}
