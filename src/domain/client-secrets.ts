// What clients log in with. A secret that we make is `<key id>.<random>`: the key id says which
// hash to compare with, so that a login costs one comparison however many secrets there are, and
// nobody can tell from the time it takes whether there is such a client.

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { hashOfNobody, hashSecret, isSecret } from '#hashed-secrets.ts'
import { CLIENT_COLUMNS, type Client, defaultScopes } from './clients.ts'

export const SANDBOX_CLIENT = {
  clientId: 'MAN0000001',
  secret: 'sandbox-secret',
  name: 'Sandbox Merchant',
  isOperator: true, // So that every case can be rehearsed with one login.
} as const

// 16 MiB and some 40 ms a try: OWASP's floor for scrypt with a parallelism of 1 is 2^17; a client
// secret is random, not a password a person chose, so a guess has nothing to start from.
const COST = 2 ** 14
const NOBODY = hashOfNobody(COST)

export function hashClientSecret(secret: string): Promise<string> {
  return hashSecret(secret, COST)
}

// Empty for a secret that we did not make.
function keyIdOf(secret: string): string {
  return /^([a-z0-9]{8})\./.exec(secret)?.[1] ?? ''
}

type Credentials = { clientId: string; secret: string }

export async function logIn(
  db: Queryable,
  now: Date,
  { clientId, secret }: Credentials,
): Promise<Client> {
  const { rows } = await db.query<Client & { secretHash: string }>({
    name: 'client-to-log-in',
    text: `select ${CLIENT_COLUMNS}, s.secret_hash as "secretHash"
             from clients
             join client_secrets s on s.client_id = clients.id
            where clients.client_id = $1 and s.key_id = $2
              and (s.retires_at is null or s.retires_at > $3)`,
    values: [clientId, keyIdOf(secret), now],
  })
  const client = rows[0]
  const isRight = await isSecret(secret, client?.secretHash ?? NOBODY)
  if (!client || !isRight || !client.isActive) throw new Refusal('invalid_credentials')
  return client
}

// With a secret of the caller's choice; again is fine and changes nothing.
export async function createClient(
  db: Queryable,
  now: Date,
  client: Credentials & { name: string; isOperator: boolean },
): Promise<void> {
  const { clientId, secret, name, isOperator } = client
  await db.query(
    `with made as (
       insert into clients (client_id, name, is_operator, scopes, created_at)
       values ($1, $2, $3, $4, $5)
       on conflict (client_id) do nothing
       returning id)
     insert into client_secrets (client_id, key_id, secret_hash, created_at)
     select id, '', $6, $5 from made`,
    [clientId, name, isOperator, defaultScopes(isOperator), now, await hashClientSecret(secret)],
  )
}

// Live must never run with credentials that stand in the documentation.
export async function hasSandboxClient(db: Queryable, now: Date): Promise<boolean> {
  return logIn(db, now, SANDBOX_CLIENT).then(
    () => true,
    () => false,
  )
}
