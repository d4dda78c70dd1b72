// Secrets stored as scrypt hashes together with cost and salt, so that the cost can be raised
// without replacing secrets.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const KEY_BYTES = 32
const SALT_BYTES = 16

type HashParts = { cost: number; salt: Buffer; key: Buffer }

export async function hashSecret(
  secret: string,
  cost: number,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  return writeHash({ cost, salt, key: await deriveKey(secret, salt, cost) })
}

export async function verifySecret(secret: string, hash: string): Promise<boolean> {
  const { cost, salt, key } = readHash(hash)
  return isSameKey(key, await deriveKey(secret, salt, cost))
}

// No secret has this hash. An unknown user is compared with it, so that the response takes as long
// as for a wrong secret.
export function dummyHash(cost: number): string {
  return writeHash({ cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) })
}

export function readHash(hash: string): HashParts {
  const [, cost, salt = '', key = ''] = hash.split('$')
  return { cost: Number(cost), salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

function writeHash({ cost, salt, key }: HashParts): string {
  return `scrypt$${cost}$${salt.toString('base64')}$${key.toString('base64')}`
}

export function isSameKey(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

// scrypt takes 128 * r (8) * N bytes; Node's default limit is 32 MiB.
export function deriveKey(secret: string, salt: Buffer, cost: number): Promise<Buffer> {
  const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
  return derive(secret, salt, KEY_BYTES, { N: cost, maxmem: 2 * 128 * 8 * cost })
}
