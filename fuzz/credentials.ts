// Whose name a request is made in: a client's token or a person's session, made anew when an operation
// has ended it; of another client; of another role.

import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import type { Role } from '#domain/access/roles.ts'
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
  readonly #held = new Map<string, Promise<Headers>>()

  constructor(bench: Bench) {
    this.#bench = bench
  }

  of(target: Target, caller: Caller): Promise<Headers> | Headers {
    const [scheme] = target.operation.security ?? []
    if (!scheme || caller === 'nobody') return {}
    const key = keyOf(target, caller)
    const held = this.#held.get(key) ?? this.#make(target, caller)
    this.#held.set(key, held)
    return held
  }

  renew(target: Target): void {
    this.#held.delete(keyOf(target, 'own'))
  }

  async #make(target: Target, caller: Caller): Promise<Headers> {
    const isPersons = isForPeople(target)
    if (caller === 'other role') return this.#session(OTHER_ROLE)
    if (caller === 'other client') {
      if (isPersons) return this.#session('owner', OTHER)
      return bearer(await this.#bench.login(OTHER, 's3cret'))
    }
    if (isPersons) return this.#session('owner', clientOf(target))
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
        if (tries === TRIES_MAX) throw error // It may be busy once or twice.
      }
    }
  }

  // Of a bank, on the rails alone.
  signatureOf(target: Target, { payload, headers, signing }: HostileRequest): Headers {
    if (!target.path.startsWith('/rails/') || payload === undefined || signing === 'none') return {}
    const contentType = headers['content-type'] ?? 'application/json'
    const signed = signing === 'altered' ? `${payload} ` : payload
    return signedHeaders(this.#bench, signed, { contentType, ...this.#signing(signing) })
  }

  #signing(signing: Signing) {
    const nowSeconds = Math.floor(this.#bench.clock().getTime() / 1000)
    if (signing === 'stale') return { atSeconds: nowSeconds - STALE_SECONDS }
    return { secrets: [signing === 'wrong secret' ? WRONG_SECRET : SANDBOX_RAIL_SECRET] }
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function isForPeople({ operation }: Target): boolean {
  return 'session' in (operation.security?.[0] ?? {})
}

// Whose time moves, and whose data goes, is somebody else.
function isMoving({ path }: Target): boolean {
  return /^\/sandbox\/(clock|seed|reset)/.test(path)
}

// A secret that is rotated at once ends every token of its client: not of the one that asks.
function clientOf({ operation }: Target): string | undefined {
  return operation.operationId === 'rotateOwnSecret' ? ROTATING : undefined
}

// A session for each operation, since some of them end it.
function keyOf(target: Target, caller: Caller): string {
  if (caller !== 'own') return `${caller} ${isForPeople(target)}`
  return isForPeople(target) ? target.operation.operationId : `token ${isMoving(target)}`
}
