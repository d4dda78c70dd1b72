// Chaos settings of a sandbox webhook endpoint: the client has deliveries delayed, repeated, reordered or
// dropped, to test its handler.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, EndpointId } from '#ids.ts'
import { getEndpoint } from './webhook-endpoints.ts'

export type Chaos = {
  delayMs: number // From the event to its first delivery.
  duplicate: number // Repetitions per delivery.
  reorder: boolean
  dropNext: number // Remaining attempts to drop.
}

type OwnEndpoint = { clientId: ClientId; id: EndpointId }

const NONE: Chaos = { delayMs: 0, duplicate: 0, reorder: false, dropNext: 0 }

export const CHAOS_COLUMNS = `
  delay_ms as "delayMs", duplicate, reorder, drop_next as "dropNext"`

export async function readChaos(db: Queryable, { clientId, id }: OwnEndpoint): Promise<Chaos> {
  await getEndpoint(db, clientId, id)
  const { rows } = await db.query<Chaos>({
    name: 'read-webhook-chaos',
    text: `select ${CHAOS_COLUMNS} from webhook_chaos where endpoint_id = $1`,
    values: [id],
  })
  return rows[0] ?? NONE
}

export async function setChaos(
  tx: Transaction,
  now: Date,
  { clientId, id, chaos }: OwnEndpoint & { chaos: Partial<Chaos> },
): Promise<Chaos> {
  await getEndpoint(tx, clientId, id)
  const { delayMs, duplicate, reorder, dropNext } = { ...NONE, ...chaos }
  await tx.query({
    name: 'set-webhook-chaos',
    text: `insert into webhook_chaos
             (endpoint_id, client_id, delay_ms, duplicate, reorder, drop_next, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (endpoint_id) do update
             set delay_ms = $3, duplicate = $4, reorder = $5, drop_next = $6, updated_at = $7`,
    values: [id, clientId, delayMs, duplicate, reorder, dropNext, now],
  })
  return { delayMs, duplicate, reorder, dropNext }
}

export async function deleteChaos(tx: Transaction, { clientId, id }: OwnEndpoint): Promise<void> {
  await getEndpoint(tx, clientId, id)
  await tx.query({
    name: 'delete-webhook-chaos',
    text: 'delete from webhook_chaos where endpoint_id = $1',
    values: [id],
  })
}
