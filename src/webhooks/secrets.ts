// Signing secrets of deliveries: one per endpoint, and one per client (endpoint null) for its
// notificationUrls and callBackUrls. Created on first use.
//
//   current ──rotated──▶ retiring ──24 h──▶ gone
//
// A retiring secret still signs, alongside the current one. At most three secrets retire at a time.

import { randomBytes } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, EndpointId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { makeSecret } from '#standard-webhooks.ts'

export const RETIRING_MS = 24 * 3_600_000
const RETIRING_MAX = 3 // Limits the length of the signature header.

// Stands for a null endpoint in comparisons, because null equals nothing in SQL.
const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000'
const OF_OWNER = `client_id = $1 and coalesce(endpoint_id, '${NO_ENDPOINT}') = $2`

export type SecretOwner = { clientId: ClientId; endpointId: EndpointId | null }
type Sealing = { sealer: Sealer; now: Date }
type SealedSecret = SecretOwner & { id: bigint; sealed: Buffer }

// Returns the current secret. Creates it if it is missing.
export async function getOrCreateSecret(
  db: Queryable,
  { sealer, now }: Sealing,
  { clientId, endpointId }: SecretOwner,
): Promise<string> {
  const current = await findCurrent(db, { clientId, endpointId })
  if (current) return sealer.open(current)
  await addSecrets(db, { sealer, now, owners: [{ clientId, endpointId }] })
  // A concurrent request may have created the secret, so this reads it again.
  return sealer.open((await findCurrent(db, { clientId, endpointId })) as Buffer)
}

// Retires the current secret, creates a new one and returns it. Of the retiring secrets, only the newest
// RETIRING_MAX still sign; older ones end at once.
export async function rotateSecret(
  tx: Transaction,
  { sealer, now }: Sealing,
  { clientId, endpointId }: SecretOwner,
): Promise<string> {
  // Creates the first secret if there is none, so that it also retires.
  await getOrCreateSecret(tx, { sealer, now }, { clientId, endpointId })
  const owner = endpointId ?? NO_ENDPOINT
  await tx.query({
    name: 'retire-signing-secret',
    text: `update signing_secrets set retires_at = $3 where ${OF_OWNER} and retires_at is null`,
    values: [clientId, owner, new Date(now.getTime() + RETIRING_MS)],
  })
  await tx.query({
    name: 'end-oldest-retiring-secrets',
    text: `update signing_secrets set retires_at = $3
            where id = any(array(select id from signing_secrets
                                  where ${OF_OWNER} and retires_at > $3
                                  order by retires_at desc, id desc offset ${RETIRING_MAX}))`,
    values: [clientId, owner, now],
  })
  // No secret is current now, so this creates the new one.
  return getOrCreateSecret(tx, { sealer, now }, { clientId, endpointId })
}

// Returns all signing secrets of these owners, the current ones first. Creates missing secrets.
export async function findSigningSecrets(
  db: Queryable,
  { sealer, now, owners }: { sealer: Sealer; now: Date; owners: readonly SecretOwner[] },
): Promise<SealedSecret[]> {
  const secrets = await readSecrets(db, now, owners)
  const ownersWithSecret = new Set(secrets.map(ownerName))
  const withoutSecret = owners.filter((owner) => !ownersWithSecret.has(ownerName(owner)))
  if (withoutSecret.length === 0) return secrets
  await addSecrets(db, { sealer, now, owners: withoutSecret })
  return [...secrets, ...(await readSecrets(db, now, withoutSecret))]
}

// Returns the key under which maps hold the secrets of an endpoint or client.
export function ownerName({ clientId, endpointId }: SecretOwner): string {
  return `${clientId}/${endpointId ?? ''}`
}

// Reads the secrets that sign now, the current one of each owner before those that retire.
async function readSecrets(db: Queryable, now: Date, owners: readonly SecretOwner[]) {
  const { rows } = await db.query<SealedSecret>({
    name: 'signing-secrets',
    text: `select s.id, s.client_id, s.endpoint_id, s.secret_sealed as sealed
             from unnest($1::bigint[], $2::uuid[]) as o (client_id, endpoint_id)
             join signing_secrets s on s.client_id = o.client_id
              and coalesce(s.endpoint_id, '${NO_ENDPOINT}') = o.endpoint_id
            where s.retires_at is null or s.retires_at > $3
            order by s.retires_at desc nulls first`,
    values: [
      numberArray(owners.map(({ clientId }) => clientId)),
      owners.map(({ endpointId }) => endpointId ?? NO_ENDPOINT),
      now,
    ],
  })
  return rows
}

// Returns the sealed secret that the owner uses now, if it has one.
async function findCurrent(db: Queryable, owner: SecretOwner): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>({
    name: 'current-signing-secret',
    text: `select secret_sealed as sealed from signing_secrets
            where ${OF_OWNER} and retires_at is null`,
    values: [owner.clientId, owner.endpointId ?? NO_ENDPOINT],
  })
  return rows[0]?.sealed
}

// Creates a secret for each owner, unless a concurrent request has created it.
async function addSecrets(
  db: Queryable,
  { sealer, now, owners }: { sealer: Sealer; now: Date; owners: readonly SecretOwner[] },
): Promise<void> {
  await db.query({
    name: 'add-signing-secrets',
    text: `insert into signing_secrets (client_id, endpoint_id, secret_sealed, created_at)
           select o.*, $4 from unnest($1::bigint[], $2::uuid[], $3::bytea[]) as o
           on conflict do nothing`,
    values: [
      numberArray(owners.map(({ clientId }) => clientId)),
      owners.map(({ endpointId }) => endpointId),
      owners.map(() => sealer.seal(makeSecret(randomBytes))),
      now,
    ],
  })
}
