// Secrets that we can check but not read: scrypt, its cost and salt kept beside the key, so that
// the cost can be raised without making anybody change a secret.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const KEY_BYTES = 32
const SALT_BYTES = 16

const derive = promisify<string, Buffer, number, { N: number; maxmem: number }, Buffer>(scrypt)

export async function hashSecret(secret: string, cost: number): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(secret, salt, cost)
  return `scrypt$${cost}$${salt.toString('base64')}$${key.toString('base64')}`
}

export async function isSecret(secret: string, hash: string): Promise<boolean> {
  const [, cost, salt, key] = hash.split('$')
  const expected = Buffer.from(key ?? '', 'base64')
  const actual = await keyOf(secret, Buffer.from(salt ?? '', 'base64'), Number(cost))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

// No secret has this hash. Whoever is not known is compared with it, so that the answer takes as
// long as for a wrong secret.
export function hashOfNobody(cost: number): string {
  const [salt, key] = [SALT_BYTES, KEY_BYTES].map((size) => randomBytes(size).toString('base64'))
  return `scrypt$${cost}$${salt}$${key}`
}

// scrypt takes 128 * r (8) * N bytes; Node refuses more than 32 MiB unless told.
function keyOf(secret: string, salt: Buffer, cost: number): Promise<Buffer> {
  return derive(secret, salt, KEY_BYTES, { N: cost, maxmem: 2 * 128 * 8 * cost })
}
