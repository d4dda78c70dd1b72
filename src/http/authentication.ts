// Who is asking. A token names a client; the client is looked up at most every few seconds, so one
// that was suspended is out within that time, whatever tokens it holds.

import type { FastifyRequest } from 'fastify'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { type Client, findClient } from '#domain/clients.ts'
import { Refusal } from '#errors.ts'
import type { Tokens } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    client: Client // Set by `require`; routes without it must not look.
  }
}

const CLIENT_FRESH_MS = 5_000
const CLIENTS_MAX = 10_000

export class Authentication {
  readonly #db: Queryable
  readonly #tokens: Tokens
  readonly #clock: Clock
  readonly #clients = new Map<string, { client: Client; readAtMs: number }>()

  constructor({ db, tokens, clock }: { db: Queryable; tokens: Tokens; clock: Clock }) {
    this.#db = db
    this.#tokens = tokens
    this.#clock = clock
  }

  // As a route's hook: nobody gets past it without a valid token, before any body is read.
  readonly require = async (request: FastifyRequest): Promise<void> => {
    request.client = await this.client(request)
  }

  async client(request: FastifyRequest): Promise<Client> {
    const token = bearerToken(request.headers.authorization)
    if (token === undefined) throw new Refusal('unauthorized')
    const clientId = await this.#tokens.clientIdOf(token)
    const nowMs = this.#clock().getTime()
    const known = this.#clients.get(clientId)
    if (known && nowMs - known.readAtMs < CLIENT_FRESH_MS) return known.client
    return this.#read(clientId, nowMs)
  }

  // For endpoints that anybody may call: no token is fine, a bad one is not.
  async optionalClient(request: FastifyRequest): Promise<Client | undefined> {
    return request.headers.authorization === undefined ? undefined : this.client(request)
  }

  async #read(clientId: string, nowMs: number): Promise<Client> {
    const client = await findClient(this.#db, clientId)
    if (!client?.isActive) {
      this.#clients.delete(clientId)
      throw new Refusal('unauthorized')
    }
    if (this.#clients.size >= CLIENTS_MAX) this.#clients.clear()
    this.#clients.set(clientId, { client, readAtMs: nowMs })
    return client
  }
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
}
