// User passwords, stored as scrypt hashes with OWASP's parameters (N = 2^17, r = 8, p = 1).
//
// A hash takes 128 MiB and half a second of a core, off the event loop. Concurrency and queue
// length are bounded, so that a flood of sign-ins cannot starve payments.

import { randomInt } from 'node:crypto'
import { Refusal } from '#errors.ts'
import { deriveKey, dummyHash, hashSecret, isSameKey, readHash } from '#hashed-secrets.ts'

const COST = 2 ** 17
const NOBODY = dummyHash(COST)
const RUNNING_MAX = 2 // Node has four pool threads; client secrets need some too.
const WAITING_MAX = 40

let running = 0
const waiting: (() => void)[] = []

export function hashPassword(password: string, salt?: Buffer): Promise<string> {
  return inPlace(() => hashSecret(plain(password), COST, salt))
}

// Tells for each hash whether it matches. Hashes that share a salt cost one derivation, and so does
// an empty list, so that the duration does not reveal how many there are.
export async function matchPassword(
  password: string,
  hashes: readonly string[],
): Promise<boolean[]> {
  const keys = new Map<string, Buffer>()
  for (const hash of hashes.length > 0 ? hashes : [NOBODY]) {
    const { cost, salt } = readHash(hash)
    const recipe = readRecipe(hash)
    if (keys.has(recipe)) continue
    keys.set(recipe, await inPlace(() => deriveKey(plain(password), salt, cost)))
  }
  return hashes.map((hash) => isSameKey(readHash(hash).key, keys.get(readRecipe(hash)) as Buffer))
}

export function readSalt(hash: string): Buffer {
  return readHash(hash).salt
}

// Twenty unambiguous letters and digits: 98 bits, easily read out.
export function temporaryPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz2346789'
  const groups = Array.from({ length: 4 }, () =>
    Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join(''),
  )
  return groups.join('-')
}

function readRecipe(hash: string): string {
  return hash.slice(0, hash.lastIndexOf('$'))
}

// The same text is the same password, however the keyboard composes accents.
function plain(password: string): string {
  return password.normalize('NFKC')
}

async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  await takePlace()
  return work().finally(leavePlace)
}

async function takePlace(): Promise<void> {
  if (running < RUNNING_MAX) {
    running++
    return
  }
  if (waiting.length >= WAITING_MAX) throw new Refusal('busy')
  await new Promise<void>((resolve) => waiting.push(resolve))
}

// The slot passes straight to the longest waiter.
function leavePlace(): void {
  const next = waiting.shift()
  if (next) next()
  else running--
}
