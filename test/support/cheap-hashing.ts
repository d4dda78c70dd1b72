// Replaces scrypt in the test process by a cheap one: half a second of CPU for each password or client secret
// would dominate many test files. A stored hash still names the full cost, and `costsOf` returns the cost
// that production would spend.

import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { readHash } from '#access/passwords.ts'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { SANDBOX_USER } from '#sandbox/setup.ts'

type Done = (error: Error | null, key: Buffer) => void

const CHEAP_COST = 1024 // 3 ms.
const { scrypt } = crypto
let costs: number[] | undefined

// The sandbox's published secrets. Their hashes were computed at full cost, so the cheap scrypt looks the
// key up.
const published = new Map(
  [
    [SANDBOX_CLIENT.secret, SANDBOX_CLIENT.secretHash],
    [SANDBOX_USER.password, SANDBOX_USER.passwordHash],
  ].map(([secret, hash = '']) => [`${readHash(hash).salt.toString('hex')} ${secret}`, hash]),
)

crypto.scrypt = cheapScrypt as typeof scrypt
syncBuiltinESMExports()

// Runs `work` with the real scrypt.
export async function atFullCost<T>(work: () => Promise<T>): Promise<T> {
  crypto.scrypt = scrypt
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    crypto.scrypt = cheapScrypt as typeof scrypt
    syncBuiltinESMExports()
  }
}

// The scrypt N of each hash computed during `work`.
export async function costsOf(work: () => Promise<unknown>): Promise<number[]> {
  const spent: number[] = []
  costs = spent
  try {
    await work()
    return spent
  } finally {
    costs = undefined
  }
}

// Stands for crypto.scrypt: records the cost, and spends at most CHEAP_COST.
function cheapScrypt(
  ...[secret, salt, bytes, options, done]: [string, Buffer, number, ScryptOptions, Done]
): void {
  const cost = options.N as number
  costs?.push(cost)
  // For a published secret of the sandbox, returns the key that its stored hash names.
  const hash = published.get(`${salt.toString('hex')} ${secret}`)
  if (hash) return void setImmediate(done, null, readHash(hash).key)
  scrypt(secret, salt, bytes, { ...options, N: Math.min(cost, CHEAP_COST) }, done)
}
