// Client secrets.
//
//   current ──rotate──▶ retiring ──overlap ends──▶ gone
//
// A generated secret is `<key id>.<random>`. The key id selects the hash, so a login costs one comparison
// however many secrets there are, and its duration does not reveal whether the client exists.

import { randomBytes, randomInt } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { dummyHash, hashSecret, verifySecret } from './passwords.ts'
import { CLIENT_COLUMNS, type Client, defaultScopes } from './permissions.ts'

export const SANDBOX_CLIENT = {
  clientId: 'MAN0000001',
  secret: 'sandbox-secret',
  // Computed once: it would add 40 ms to every start.
  secretHash: 'scrypt$16384$EMD5T8QyKEpJAyFDLp4oXg==$/NzhBCUnFpsHGyXKRkZb7luNSKeo97jRHwrWhIZZw1k=',
  name: 'Sandbox Merchant',
  isOperator: true, // So one login can try the operations of a client and of an operator.
} as const

// About 16 MiB and 40 ms per attempt. OWASP's minimum for scrypt with a parallelism of 1 is 2^17; a
// lower cost is safe here because a client secret is random.
const COST = 2 ** 14
const DUMMY_HASH = dummyHash(COST)

export const OVERLAP_SECONDS_DEFAULT = 86_400
export const OVERLAP_SECONDS_MAX = 30 * 86_400
const RETIRING_MAX = 3 // Limits retiring secrets, so that repeated rotation does not accumulate valid keys.
const USED_EXACT_MS = 3_600_000 // The precision of used_at: avoids a write at every login.

const KEY_ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const KEY_ID_LENGTH = 8
const KEY_ID = /^([a-z0-9]{8})\./

// Returns '' for a secret that was not generated here, such as the sandbox client's.
function readKeyId(secret: string): string {
  return KEY_ID.exec(secret)?.[1] ?? ''
}

export type NewSecret = { secret: string; keyId: string; hash: string }

// Call before the transaction: hashing is slow, and no lock should wait for it.
export async function makeSecret(): Promise<NewSecret> {
  const indexes = Array.from({ length: KEY_ID_LENGTH }, () => randomInt(KEY_ID_CHARACTERS.length))
  const keyId = indexes.map((index) => KEY_ID_CHARACTERS[index]).join('')
  const secret = `${keyId}.${randomBytes(32).toString('base64url')}`
  return { secret, keyId, hash: await hashSecret(secret, COST) }
}

// Returns the client if the secret is right. Refuses an unknown client, a wrong secret and a suspended client
// in the same way and time.
export async function logIn(
  db: Queryable,
  now: Date,
  { clientId, secret }: { clientId: string; secret: string },
): Promise<Client> {
  const { rows } = await db.query<Client & { secretHash: string }>({
    name: 'client-to-log-in',
    text: `select ${CLIENT_COLUMNS}, s.secret_hash
             from clients
             join client_secrets s on s.client_id = clients.id
            where clients.client_id = $1 and s.key_id = $2
              and (s.retires_at is null or s.retires_at > $3)`,
    values: [clientId, readKeyId(secret), now],
  })
  const client = rows[0]
  const isRight = await verifySecret(secret, client?.secretHash ?? DUMMY_HASH)
  if (!client || !isRight || !client.isActive) throw new Refusal('invalid_credentials')
  await noteUse(db, now, { clientId: client.id, keyId: readKeyId(secret) })
  return client
}

// Records the login, to the hour: operators check that an old secret is unused before they let it expire.
async function noteUse(
  db: Queryable,
  now: Date,
  { clientId, keyId }: { clientId: ClientId; keyId: string },
): Promise<void> {
  await db.query({
    name: 'note-use-of-secret',
    text: `update client_secrets set used_at = $3
            where client_id = $1 and key_id = $2 and (used_at is null or used_at < $4)`,
    values: [clientId, keyId, now, new Date(now.getTime() - USED_EXACT_MS)],
  })
}

// The maker of a secret (I93): a user, or a client's credentials (userId is null). Null: the command line.
export type SecretMaker = { userId: UserId | null; clientId: ClientId } | null

type SecretRotation = {
  clientId: ClientId
  secret: NewSecret
  overlapSeconds: number
  madeBy: SecretMaker
}

// The current secret and all retiring ones expire when the overlap ends. An overlap of 0 also revokes all
// issued tokens. A unique constraint allows one current secret, so of two concurrent rotations the
// later one fails and is retried.
export async function replaceSecret(
  tx: Transaction,
  now: Date,
  { clientId, secret, overlapSeconds, madeBy }: SecretRotation,
): Promise<void> {
  // Read before the deletion, because a deleted secret may name these people.
  const people = await findMakers(tx, now, madeBy)
  const retiresAt = new Date(now.getTime() + overlapSeconds * 1000)
  // Also deletes the oldest retiring secrets, so that with the current one at most RETIRING_MAX retire.
  await tx.query({
    name: 'drop-retired-secrets',
    text: `delete from client_secrets
            where client_id = $1
              and (retires_at <= $2::timestamptz - interval '1 day'
                   or key_id = any(array(select key_id from client_secrets
                                          where client_id = $1 and retires_at > $2
                                          order by created_at desc offset ${RETIRING_MAX - 1})))`,
    values: [clientId, now],
  })
  if (overlapSeconds === 0) await dropSecrets(tx, clientId)
  await tx.query({
    name: 'retire-secrets',
    text: `update client_secrets set retires_at = $2
            where client_id = $1 and (retires_at is null or retires_at > $2)`,
    values: [clientId, retiresAt],
  })
  await insertSecret(tx, now, { clientId, secret, people })
  if (overlapSeconds === 0) await endTokens(tx, clientId)
}

async function dropSecrets(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'drop-secrets',
    text: 'delete from client_secrets where client_id = $1',
    values: [clientId],
  })
}

// Returns the people behind the maker of a secret (I93): requests with the secret count as theirs.
async function findMakers(tx: Transaction, now: Date, madeBy: SecretMaker): Promise<UserId[]> {
  const { rows } = await tx.query<{ people: UserId[] }>({
    name: 'find-secret-makers',
    text: `select case when $2::bigint is null then array[command_line()]
                       else people_behind($1, $2, $3) end as people`,
    values: [madeBy?.userId ?? null, madeBy?.clientId ?? null, now],
  })
  return rows[0]?.people ?? []
}

type AddedSecret = { clientId: ClientId; secret: NewSecret }

export async function addSecret(
  tx: Transaction,
  now: Date,
  { madeBy, ...added }: AddedSecret & { madeBy: SecretMaker },
): Promise<void> {
  await insertSecret(tx, now, { ...added, people: await findMakers(tx, now, madeBy) })
}

// Stores the hash of a secret, with the people behind its maker. The secret itself is never stored.
async function insertSecret(
  tx: Transaction,
  now: Date,
  { clientId, secret: { keyId, hash }, people }: AddedSecret & { people: readonly UserId[] },
): Promise<void> {
  await tx.query({
    name: 'add-client-secret',
    text: `insert into client_secrets (client_id, key_id, secret_hash, created_at, made_by)
           values ($1, $2, $3, $4, $5)`,
    values: [clientId, keyId, hash, now, people],
  })
}

export async function endTokens(tx: Transaction, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'end-tokens',
    text: 'update clients set token_generation = token_generation + 1 where id = $1',
    values: [clientId],
  })
}

// Checks in the transaction of a write that the caller's token was not revoked and its client not suspended.
// The lock makes a revocation wait for the commit, because it deletes the secrets.
export async function lockToken(
  tx: Transaction,
  { id, clientId, tokenGeneration }: Pick<Client, 'id' | 'clientId' | 'tokenGeneration'>,
): Promise<void> {
  const [, live] = await pipeline([
    tx.query({
      name: 'lock-secrets',
      text: 'select from client_secrets where client_id = $1 order by key_id for key share',
      values: [id],
    }),
    tx.query({
      name: 'is-token-live',
      text: 'select from clients where client_id = $1 and token_generation = $2 and is_active',
      values: [clientId, tokenGeneration], // A sandbox's reset changes the id, not the credentials.
    }),
  ])
  if (live.rowCount !== 1) throw new Refusal('unauthorized')
}

export type SecretEntry = {
  keyId: string
  createdAt: Date
  retiresAt: Date | null
  usedAt: Date | null
}

// Lists the current secret first, then those that still work during their overlap.
export async function listSecrets(
  db: Queryable,
  now: Date,
  clientId: ClientId,
): Promise<SecretEntry[]> {
  const { rows } = await db.query<SecretEntry>({
    name: 'list-client-secrets',
    text: `select key_id, created_at, retires_at, used_at
             from client_secrets
            where client_id = $1 and (retires_at is null or retires_at > $2)
            order by retires_at desc nulls first`,
    values: [clientId, now],
  })
  return rows
}

// Creates a client with a secret that the caller chose, such as the sandbox client. Such a secret has no key
// id, so its key id is stored as ''. Its maker is the command line. Does nothing if the client exists.
export async function createClient(
  db: Queryable,
  now: Date,
  client: { clientId: string; secretHash: string; name: string; isOperator: boolean },
): Promise<void> {
  const { clientId, secretHash, name, isOperator } = client
  await db.query(
    `with made as (
       insert into clients (client_id, name, is_operator, scopes, created_at)
       values ($1, $2, $3, $4, $5)
       on conflict (client_id) do nothing
       returning id)
     insert into client_secrets (client_id, key_id, secret_hash, created_at, made_by)
     select id, '', $6, $5, array[command_line()] from made`,
    [clientId, name, isOperator, defaultScopes(isOperator), now, secretHash],
  )
}

// Whether the documented credentials of the sandbox client work in this database. Live mode refuses to start
// with such a database.
export async function hasSandboxClient(db: Queryable, now: Date): Promise<boolean> {
  return logIn(db, now, SANDBOX_CLIENT).then(
    () => true,
    () => false,
  )
}
