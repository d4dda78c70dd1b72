// Clients: who logs in, and owns what it creates.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'

export type Client = {
  id: bigint
  clientId: string
  name: string
  isActive: boolean
  isOperator: boolean // May resolve money that is nobody's.
}

export const SANDBOX_CLIENT = {
  clientId: 'MAN0000001',
  secret: 'sandbox-secret',
  name: 'Sandbox Merchant',
  isOperator: true, // So that every case can be rehearsed with one login.
} as const

// 16 MiB and some 40 ms a try: OWASP's floor for scrypt with a parallelism of 1 is 2^17; a client
// secret is random, not a password a person chose, so a guess has nothing to start from.
const COST = 2 ** 14
const KEY_BYTES = 32

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt)

export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(secret, salt, KEY_BYTES, { N: COST })
  return `scrypt$${COST}$${salt.toString('base64')}$${key.toString('base64')}`
}

async function isSecret(secret: string, hash: string): Promise<boolean> {
  const [, cost, salt, key] = hash.split('$')
  const expected = Buffer.from(key ?? '', 'base64')
  const actual = await derive(secret, Buffer.from(salt ?? '', 'base64'), KEY_BYTES, {
    N: Number(cost),
  })
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

// No secret has this hash. An unknown client is compared with it, so that the answer takes as long
// as for a wrong secret.
const NOBODY = [
  'scrypt',
  COST,
  ...[16, KEY_BYTES].map((size) => randomBytes(size).toString('base64')),
].join('$')

export async function logIn(db: Queryable, clientId: string, secret: string): Promise<Client> {
  const { rows } = await db.query<Client & { secretHash: string }>({
    name: 'client-to-log-in',
    text: `select id, client_id as "clientId", name, is_active as "isActive",
                  is_operator as "isOperator", secret_hash as "secretHash"
             from clients where client_id = $1`,
    values: [clientId],
  })
  const client = rows[0]
  const isRight = await isSecret(secret, client?.secretHash ?? NOBODY)
  if (!client || !isRight || !client.isActive) throw new Refusal('invalid_credentials')
  return client
}

export async function findClient(db: Queryable, clientId: string): Promise<Client | undefined> {
  const { rows } = await db.query<Client>({
    name: 'find-client',
    text: `select id, client_id as "clientId", name, is_active as "isActive",
                  is_operator as "isOperator"
             from clients where client_id = $1`,
    values: [clientId],
  })
  return rows[0]
}

export async function createClient(
  db: Queryable,
  now: Date,
  client: { clientId: string; secret: string; name: string; isOperator: boolean },
): Promise<void> {
  await db.query(
    `insert into clients (client_id, name, secret_hash, is_operator, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (client_id) do nothing`,
    [client.clientId, client.name, await hashSecret(client.secret), client.isOperator, now],
  )
}

// Live must never run with credentials that stand in the documentation.
export async function hasSandboxClient(db: Queryable): Promise<boolean> {
  return logIn(db, SANDBOX_CLIENT.clientId, SANDBOX_CLIENT.secret).then(
    () => true,
    () => false,
  )
}
