// The credentials that the fuzzer sends: the right ones for an operation (a client's token or a user's
// session), those of another client or role, or none. Credentials that an operation has ended are renewed.

import type { Role } from '#access/permissions.ts'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { newBrowser } from '../test/support/people.ts'
import { signedHeaders } from '../test/support/rail.ts'
import type { Bench } from '../test/support/running-service.ts'
import type { Caller, HostileRequest, Signing } from './hostile-requests.ts'
import type { Target } from './operations.ts'
import { MOVING, ROTATING } from './seed-world.ts'

type Headers = Record<string, string>

export const OTHER = 'OTHER1'
const OTHER_ROLE: Role = 'support'
const WRONG_SECRET = `whsec_${Buffer.alloc(32, 'w').toString('base64')}`
const TRIES_MAX = 5
const STALE_SECONDS = 3_600

export class Credentials {
  readonly #bench: Bench
  readonly #cached = new Map<string, Promise<Headers>>()

  constructor(bench: Bench) {
    this.#bench = bench
  }

  // Returns the headers with which `caller` calls the operation. They are made once and then reused.
  headersOf(target: Target, caller: Caller): Promise<Headers> | Headers {
    const [scheme] = target.operation.security ?? []
    if (!scheme || caller === 'nobody') return {}
    const key = keyOf(target, caller)
    const headers = this.#cached.get(key) ?? this.#logIn(target, caller)
    this.#cached.set(key, headers)
    return headers
  }

  // Forgets the own credentials of an operation, so that the next request logs in again. Called after a 401.
  renew(target: Target): void {
    this.#cached.delete(keyOf(target, 'own'))
  }

  async #logIn(target: Target, caller: Caller): Promise<Headers> {
    const isForUsers = isForPeople(target)
    if (caller === 'other role') return this.#session(OTHER_ROLE)
    if (caller === 'other client') {
      if (isForUsers) return this.#session('owner', OTHER)
      return bearer(await this.#bench.login(OTHER, 's3cret'))
    }
    if (isForUsers) return this.#session('owner', clientOf(target))
    return bearer(
      await (isMoving(target) ? this.#bench.login(MOVING, 's3cret') : this.#bench.login()),
    )
  }

  async #session(role: Role, clientId?: string): Promise<Headers> {
    for (let tries = 1; ; tries++) {
      try {
        const { cookie, csrfToken } = await newBrowser(this.#bench, role, clientId)
        return { cookie, 'x-csrf-token': csrfToken }
      } catch (error) {
        if (tries === TRIES_MAX) throw error // The service may be busy once or twice.
      }
    }
  }

  // Returns the headers of a bank's signature, for the operations that banks call. `signing` makes it right,
  // or wrong in one way.
  signatureOf(target: Target, { payload, headers, signing }: HostileRequest): Headers {
    if (!target.path.startsWith('/rails/') || payload === undefined || signing === 'none') return {}
    const contentType = headers['content-type'] ?? 'application/json'
    const signed = signing === 'altered' ? `${payload} ` : payload
    return signedHeaders(this.#bench, signed, { contentType, ...this.#signingOptions(signing) })
  }

  #signingOptions(signing: Signing) {
    const nowSeconds = Math.floor(this.#bench.clock().getTime() / 1000)
    if (signing === 'stale') return { atSeconds: nowSeconds - STALE_SECONDS }
    return { secrets: [signing === 'wrong secret' ? WRONG_SECRET : SANDBOX_RAIL_SECRET] }
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

// Whether the operation takes the session of a signed-in user instead of a client's token.
function isForPeople({ operation }: Target): boolean {
  return 'session' in (operation.security?.[0] ?? {})
}

// Operations that move a client's clock or delete its data use the client MOVING, so that they do not disturb
// the other operations.
function isMoving({ path }: Target): boolean {
  return /^\/sandbox\/(clock|seed|reset)/.test(path)
}

// A rotation with an overlap of 0 ends every token of its client. So the operation that rotates has
// its own client.
function clientOf({ operation }: Target): string | undefined {
  return operation.operationId === 'rotateOwnSecret' ? ROTATING : undefined
}

// Names the token or session to call an operation with; equal names share one. Each operation for users has a
// session of its own, because some operations end the session. An operation that moves a clock or deletes
// data (isMoving) uses the token of another client.
function keyOf(target: Target, caller: Caller): string {
  if (caller !== 'own') return `${caller} ${isForPeople(target)}`
  return isForPeople(target) ? target.operation.operationId : `token ${isMoving(target)}`
}
