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

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type List, readCursor, writeCursor } from '#db/paging.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import type { SignedInSession } from '#domain/access/sessions.ts'
import type { RefusalCode } from '#errors.ts'
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
import {
  type Call,
  type Guard,
  type Handling,
  type Listing,
  type None,
  Nothing,
  type Operation,
  type Options,
  type Parsers,
  type Properties,
  type Reading,
  type RowOf,
  type Shape,
  type Summing,
  type Writing,
} from './operations.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, SESSION } from './schemas.ts'
import { presentSummary, presentTotal, SummaryBody } from './summaries.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = {
  method: Method
  path: string
  scope: Scope | undefined
  guard: Guard | undefined
  schema: object
  errors: readonly RefusalCode[]
  route: Operation<unknown>['route']
  handle: (call: Call, deps: Deps) => Promise<unknown>
}

export { type Call, Nothing } from './operations.ts'

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
      const { authentication, sessionCookies } = deps
      const identify = scope
        ? authentication.requires(scope)
        : sessionCookies.requirePermanentPassword
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
    const isKeyed = method === 'POST' && how.isKeyed !== false
    return this.#add(method, id, {
      ...how,
      ...(takesBody && { body: how.body ?? Nothing }),
      ...(isKeyed && { headers: IdempotencyHeaders }),
      response: ApiEnvelope(schemaOf(shape)),
      handle: async (call, deps) => {
        const input = parse?.(call as never)
        const work = async (tx: Transaction, prepared?: Prepared) => {
          const acting = { ...call, now: deps.clock(), input, prepared }
          return accepted(message, present(shape, await run(tx, acting as never), acting))
        }
        const keyed = { ...call, pool: deps[how.pool ?? 'db'], by: call }
        const preparing = prepare && (() => prepare({ ...call, input } as never))
        let answer: object
        if (!isKeyed) {
          const prepared = await preparing?.()
          answer = await withTransaction(keyed.pool, (tx) => work(tx, prepared))
        } else if (preparing) {
          answer = await withPreparation(deps, { ...keyed, prepare: preparing }, work)
        } else {
          answer = await withIdempotency(deps, keyed, work)
        }
        after?.(call as never)
        return answer
      },
    })
  }

  #add(method: Method, operationId: string, how: Described): this {
    const { path = '', summary, description, guard, errors = [], route, handle, ...input } = how
    const hasSession = how.isForPeople || this.#options.scopes === 'session'
    const { tag, scopes } = this.#options
    const params = [...(this.#path + path).matchAll(/:(\w+)/g)].map(([, name]) => name as string)
    const fields = Object.fromEntries(params.map((name) => [name, Type.String()]))
    const { querystring = NoQuery, headers, body, response } = input
    const schema = {
      tags: [tag],
      security: hasSession ? SESSION : BEARER,
      operationId,
      summary,
      description,
      ...(headers && { headers }),
      ...(params.length > 0 && { params: Type.Object(fields) }),
      querystring,
      ...(body && { body }),
      response: { 200: response },
    }
    const needed = scopes === 'session' ? undefined : scopes[method === 'GET' ? 'read' : 'write']
    const scope = how.scope ?? needed
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
  const identity = request.session ? toPerson(request.session) : toIdentity(request)
  const texts = request.params as Record<string, string>
  const params = Object.entries(texts).map(([name, text]) => [
    name,
    parsers[name] ? parsers[name](text, deps) : text,
  ])
  return {
    ...deps,
    ...identity,
    clientId: identity.client.id,
    now: deps.clock(),
    params: Object.fromEntries(params),
    query: request.query as object,
    body: request.body,
    request,
    reply,
  }
}

function toIdentity(request: Identity): Identity {
  const { client, actor, scopes, isPerson, userId, withoutAlerts } = request
  return { client, actor, scopes, isPerson, userId, withoutAlerts }
}

// By a session alone, a person has the rights of their role, which the operation checks.
function toPerson({ client, user }: SignedInSession): Identity {
  const scopes = new Set<Scope>()
  const actor = `user:${user.email}`
  return { client, actor, scopes, isPerson: true, userId: user.id, withoutAlerts: false }
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
