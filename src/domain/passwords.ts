// What people sign in with, kept as scrypt hashes by OWASP's parameters for passwords.
//
// One takes 128 MiB and half a second of a core, off the event loop. Only a few run at once, and
// only so many wait: a flood of sign-ins costs neither the memory nor the cores that money needs.

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { Refusal } from '#errors.ts'

const COST = { N: 2 ** 17, r: 8, p: 1 }
const MEMORY_MAX_BYTES = 160 * 2 ** 20
const KEY_BYTES = 32
const SALT_BYTES = 16
const RUNNING_MAX = 2 // Of the four threads that Node has for this: client secrets need some too.
const WAITING_MAX = 40

let running = 0
const waiting: (() => void)[] = []

type Hash = { cost: typeof COST; salt: Buffer; key: Buffer }

export async function hashPassword(password: string, salt = newSalt()): Promise<string> {
  return write({ cost: COST, salt, key: await derive(password, COST, salt) })
}

// Which of these hashes are this password's. Hashes that share their salt cost one derivation, and
// none at all costs one as well: the time does not tell how many there are.
export async function matchPassword(password: string, hashes: readonly string[]) {
  const expected = hashes.map(read)
  const keys = new Map<string, Buffer>()
  for (const { cost, salt } of expected.length > 0 ? expected : [NOBODY]) {
    const recipe = recipeOf(cost, salt)
    if (!keys.has(recipe)) keys.set(recipe, await derive(password, cost, salt))
  }
  return expected.map(({ cost, salt, key }) =>
    timingSafeEqual(key, keys.get(recipeOf(cost, salt)) as Buffer),
  )
}

export function saltOf(hash: string): Buffer {
  return read(hash).salt
}

// Twenty letters and digits that nobody confuses: 98 bits, easily read out.
export function temporaryPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz2346789'
  const groups = Array.from({ length: 4 }, () =>
    Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join(''),
  )
  return groups.join('-')
}

function newSalt(): Buffer {
  return randomBytes(SALT_BYTES)
}

const NOBODY: Hash = { cost: COST, salt: newSalt(), key: randomBytes(KEY_BYTES) }

function write({ cost, salt, key }: Hash): string {
  return `scrypt$${recipeOf(cost, salt)}$${key.toString('base64')}`
}

function recipeOf({ N, r, p }: typeof COST, salt: Buffer): string {
  return `${N}$${r}$${p}$${salt.toString('base64')}`
}

function read(hash: string): Hash {
  const [, N, r, p, salt = '', key = ''] = hash.split('$')
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  }
}

// The same text is the same password, however the keyboard put its accents together.
async function derive(password: string, cost: typeof COST, salt: Buffer): Promise<Buffer> {
  await takePlace()
  const options = { ...cost, maxmem: MEMORY_MAX_BYTES }
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  }).finally(leavePlace)
}

async function takePlace(): Promise<void> {
  if (running < RUNNING_MAX) {
    running++
    return
  }
  if (waiting.length >= WAITING_MAX) throw new Refusal('busy')
  await new Promise<void>((resolve) => waiting.push(resolve))
}

// The place passes straight to whoever waits longest.
function leavePlace(): void {
  const next = waiting.shift()
  if (next) next()
  else running--
}
