// Prepares claimed deliveries: bodies and signing secrets, read set-wise for a whole round.

import type { Queryable } from '#db/pool.ts'
import { isUnavailable } from '#db/transaction.ts'
import { findEventTraces } from '#domain/records/event-traces.ts'
import type { Disturbance } from '#domain/webhooks/apply-chaos.ts'
import type { Claim } from '#domain/webhooks/claim-deliveries.ts'
import { EVENT_COLUMNS, type StoredEvent } from '#domain/webhooks/event-list.ts'
import { type Rendering, renderEvents } from '#domain/webhooks/render-events.ts'
import {
  findSigningSecrets,
  ownerName,
  type SecretOwner,
} from '#domain/webhooks/signing-secrets.ts'
import type { EventId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { loadSecret, type SigningSecret } from '#standard-webhooks.ts'
import type { Tracer } from '#trace-context.ts'

export type PreparedDelivery = {
  claim: Claim
  secrets: SigningSecret[]
  traceparent: string | undefined // The event's trace, if sampled.
  disturbance?: Disturbance // From the endpoint's chaos settings.
} & ({ body: Buffer } | { body: null; problem: string })

type DeliveryPreparerOptions = {
  pool: Queryable
  sealer: Sealer
  rendering: Rendering
  onError: (error: unknown) => void
  tracer?: Tracer | undefined
}

const SECRETS_KEPT_MAX = 10_000
const NOT_KEPT = 'event no longer retained'
const NOT_PREPARED = 'event could not be rendered'

export class DeliveryPreparer {
  readonly #deps: DeliveryPreparerOptions
  // Cached by row id, because rows never change and opening a secret costs more than signing.
  readonly #opened = new Map<bigint, SigningSecret>()

  constructor(deps: DeliveryPreparerOptions) {
    this.#deps = deps
  }

  async prepare(claims: readonly Claim[], now: Date): Promise<PreparedDelivery[]> {
    if (claims.length === 0) return []
    const { pool, tracer } = this.#deps
    const ids = [...new Set(claims.map(({ eventId }) => eventId))].sort()
    const [events, secrets, traces] = await Promise.all([
      findEvents(pool, ids),
      this.#findSecrets(claims, now),
      tracer && findEventTraces(pool, ids),
    ])
    const bodies = await this.#render(events)
    const existing = new Set(events.map(({ id }) => id))
    return claims.map((claim) => {
      const signing = secretOwners(claim).flatMap((owner) => secrets.get(ownerName(owner)) ?? [])
      const body = bodies.get(claim.eventId)
      const traceparent = traces?.get(claim.eventId)
      if (body) return { claim, secrets: signing, traceparent, body }
      const problem = existing.has(claim.eventId) ? NOT_PREPARED : NOT_KEPT
      return { claim, secrets: signing, traceparent, body: null, problem }
    })
  }

  // An event that cannot be rendered must not stop the others.
  async #render(events: readonly StoredEvent[]): Promise<Map<string, Buffer>> {
    const { pool, sealer, rendering, onError } = this.#deps
    try {
      const bodies = await renderEvents(pool, { sealer, events, how: rendering })
      return new Map(bodies.map((body) => [body.id, Buffer.from(JSON.stringify(body))]))
    } catch (error) {
      if (isUnavailable(error)) throw error
      if (events.length === 1) onError(error)
      if (events.length <= 1) return new Map()
    }
    const alone: [string, Buffer][] = []
    for (const event of events) alone.push(...(await this.#render([event])))
    return new Map(alone)
  }

  async #findSecrets(claims: readonly Claim[], now: Date): Promise<Map<string, SigningSecret[]>> {
    const { pool, sealer } = this.#deps
    const owners = new Map(claims.flatMap(secretOwners).map((owner) => [ownerName(owner), owner]))
    const found = await findSigningSecrets(pool, { sealer, now, owners: [...owners.values()] })
    if (this.#opened.size > SECRETS_KEPT_MAX) this.#opened.clear()
    const byOwner = new Map<string, SigningSecret[]>()
    for (const { id, sealed, ...owner } of found) {
      const secret = this.#opened.get(id) ?? loadSecret(sealer.open(sealed))
      this.#opened.set(id, secret)
      const name = ownerName(owner)
      byOwner.set(name, [...(byOwner.get(name) ?? []), secret])
    }
    return byOwner
  }
}

// An endpoint has its own secret; a notificationUrl or callBackUrl is signed with the client's.
function secretOwners({ clientId, endpointId, kind }: Claim): SecretOwner[] {
  const owners: SecretOwner[] = []
  if (endpointId !== null) owners.push({ clientId, endpointId })
  if (kind !== 'endpoint') owners.push({ clientId, endpointId: null })
  return owners
}

// The bounds let PostgreSQL prune partitions.
async function findEvents(db: Queryable, ids: readonly EventId[]): Promise<StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>({
    name: 'events-to-deliver',
    text: `select ${EVENT_COLUMNS} from events e
            where e.id = any($1::uuid[]) and e.id between $2 and $3`,
    values: [ids, ids[0], ids.at(-1)],
  })
  return rows
}
