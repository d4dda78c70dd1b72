// How the operations of a resource are declared (resource.ts).

import { type Static, type TObject, type TSchema, Type } from '@fastify/type-provider-typebox'
import type {
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  RouteOptions,
} from 'fastify'
import type { Order } from '#db/paging.ts'
import type { Pool } from '#db/pool.ts'
import type { Summary } from '#db/summaries.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Scope } from '#domain/access/scopes.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Identity } from './authentication.ts'
import type { Deps } from './deps.ts'
import type { query } from './lists.ts'
import type { View } from './view.ts'

export type Properties = Parameters<typeof query>[0]
export type Asked<Q extends Properties> = Static<TObject<Q>>
export type Parsers = Record<string, (text: string, deps: Deps) => unknown>
export type None = Record<never, never>

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
export type Shape = View<any, any, any> | TSchema
export type RowOf<V> =
  // biome-ignore lint/suspicious/noExplicitAny: of any row.
  V extends View<infer Row, any, any> ? Row : V extends TSchema ? Static<V> : never

export type Operation<V> = {
  path?: string // Below the resource's.
  summary: string
  description: string
  scope?: Scope
  isForPeople?: true // Described with the session instead of a token; a guard refuses clients.
  guard?: Guard // Beside the scope.
  route?: Pick<RouteOptions, 'config' | 'bodyLimit' | 'preValidation'>
  errors?: readonly RefusalCode[]
  message?: string
  view?: V
}

export type Guard = (deps: Deps) => onRequestHookHandler | onRequestAsyncHookHandler

export type Reading<V, P extends Parsers, Q extends Properties> = Operation<V> & {
  query?: Q
  run: (db: Pool, call: Call<P, Asked<Q>>) => Promise<RowOf<V>>
}

export type IdOf<Row, T> = Row extends { id: infer Id extends T } ? Id : T
export type Paging<Id> = { after: Id | null; limit: number; order: Order | undefined }
export type PagedCall<V, P extends Parsers, Q extends Properties, T> = Call<P, Asked<Q>> &
  Paging<IdOf<RowOf<V>, T extends true ? string : bigint>>
export type Found<Row> =
  | readonly Row[]
  | { rows: readonly Row[]; scannedTo: bigint | string | null }

export type Listing<V, P extends Parsers, Q extends Properties, T> = Operation<V> & {
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

export type Summing<P extends Parsers, Q extends Properties> = Omit<Operation<never>, 'view'> & {
  filters: Q
  run: (db: Pool, call: Call<P, Asked<Q>>) => Promise<Summary>
}

export type Writing<V, P extends Parsers, B extends TSchema, Input, Prepared> = Operation<V> & {
  body?: B
  pool?: 'batchPool' | 'settlementPool'
  isKeyed?: false // A POST that takes no Idempotency-Key.
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

export type Options<V, P extends Parsers> = {
  tag: string
  noun: string
  view: V
  scopes: { read: Scope; write: Scope } | 'session' // A session alone: of a person at the dashboard.
  params?: P // How each parameter of a path is read.
  isForWholeClient?: true // Refused to clients that are restricted to some merchants.
}

// For what the other methods do not fit: `handle` returns the whole body.
export type Handling<P extends Parsers, Q extends Properties, B extends TSchema> = Omit<
  Operation<Shape>,
  'message'
> & { query?: Q; body?: B; isKeyed?: true; handle: (call: Call<P, Asked<Q>, Static<B>>) => unknown }

export const Nothing = Type.Object({}, { additionalProperties: false })
