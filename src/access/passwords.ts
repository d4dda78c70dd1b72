// Hashes of secrets, tokens and user passwords, and the rules for choosing a password.
//
// Secrets are stored as scrypt hashes together with cost and salt, so that the cost can be raised without
// replacing secrets.

import {
  createHash,
  randomBytes,
  randomInt,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '#errors.ts'

const KEY_BYTES = 32
const SALT_BYTES = 16

type HashParts = { cost: number; salt: Buffer; key: Buffer }

// Tokens of links, cookies and sessions. They are random, so a plain hash suffices.
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

// Hashes a secret with scrypt, into the text that readHash reads.
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

// Returns a hash that no secret has. The login of an unknown client or user is compared with it, so that the
// response takes as long as for a wrong secret.
export function dummyHash(cost: number): string {
  return writeHash({ cost, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) })
}

// Reads a stored hash of the form scrypt$cost$salt$key.
export function readHash(hash: string): HashParts {
  const [, cost, salt = '', key = ''] = hash.split('$')
  return { cost: Number(cost), salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

function writeHash({ cost, salt, key }: HashParts): string {
  return `scrypt$${cost}$${salt.toString('base64')}$${key.toString('base64')}`
}

function isSameKey(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

// Derives the key of a password or secret. scrypt needs 128 * r (8) * N bytes, and Node's default limit of
// 32 MiB may be too small, so `maxmem` allows twice as much.
function deriveKey(secret: string, salt: Buffer, cost: number): Promise<Buffer> {
  const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
  return derive(secret, salt, KEY_BYTES, { N: cost, maxmem: 2 * 128 * 8 * cost })
}

// User passwords, stored as scrypt hashes with OWASP's parameters (N = 2^17, r = 8, p = 1).
//
// A hash takes 128 MiB and half a second of a core, off the event loop. Concurrency and queue
// length are bounded, so that a flood of sign-ins cannot starve payments.

const COST = 2 ** 17
const DUMMY_HASH = dummyHash(COST)
const RUNNING_MAX = 2 // Node has four pool threads; client secrets need some too.
const WAITING_MAX = 40

let running = 0
const waiting: (() => void)[] = []

export function hashPassword(password: string, salt?: Buffer): Promise<string> {
  return inSlot(() => hashSecret(normalizeAccents(password), COST, salt))
}

// Returns for each hash whether the password matches. Hashes with the same algorithm, cost and salt (their
// recipe) cost one key derivation together. An empty list also costs one, so that the duration does not
// reveal that there are no hashes.
export async function matchPassword(
  password: string,
  hashes: readonly string[],
): Promise<boolean[]> {
  const keys = new Map<string, Buffer>()
  for (const hash of hashes.length > 0 ? hashes : [DUMMY_HASH]) {
    const { cost, salt } = readHash(hash)
    const recipe = readRecipe(hash)
    if (keys.has(recipe)) continue
    keys.set(recipe, await inSlot(() => deriveKey(normalizeAccents(password), salt, cost)))
  }
  return hashes.map((hash) => isSameKey(readHash(hash).key, keys.get(readRecipe(hash)) as Buffer))
}

export function readSalt(hash: string): Buffer {
  return readHash(hash).salt
}

// Returns twenty unambiguous letters and digits: 98 bits, easily read out.
export function temporaryPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz2346789'
  const groups = Array.from({ length: 4 }, () =>
    Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join(''),
  )
  return groups.join('-')
}

// The part of a stored hash before the key: algorithm, cost and salt.
function readRecipe(hash: string): string {
  return hash.slice(0, hash.lastIndexOf('$'))
}

// Normalises the text, so that a password is the same however the keyboard composes accents.
function normalizeAccents(password: string): string {
  return password.normalize('NFKC')
}

// Runs a key derivation in one of the RUNNING_MAX slots, because each takes much CPU and memory. Further
// calls wait. If too many calls wait already, refuses as busy.
async function inSlot<T>(work: () => Promise<T>): Promise<T> {
  await takeSlot()
  return work().finally(releaseSlot)
}

// Waits in line for a free slot. Refuses as busy if the line is too long.
async function takeSlot(): Promise<void> {
  if (running < RUNNING_MAX) {
    running++
    return
  }
  if (waiting.length >= WAITING_MAX) throw new Refusal('busy')
  await new Promise<void>((resolve) => waiting.push(resolve))
}

// Passes the slot straight to the call that has waited longest.
function releaseSlot(): void {
  const nextCall = waiting.shift()
  if (nextCall) nextCall()
  else running--
}

// Password rules: a minimum length, and no common password. There are no composition rules: they
// make passwords harder to remember, not harder to guess.

export const PASSWORD_LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 200
const DIFFERENT_CHARACTERS_MIN = 5
const RUN_LENGTH_MIN = 4
const REST_LENGTH_MIN = 6

// Compared after extractLetters: digits and signs are read as letters or dropped.
const COMMON = new Set(
  `password passwort passphrase secret welcome login letmein admin administrator root user guest
   test testing changeme default master monkey dragon sunshine princess football baseball iloveyou
   superman batman trustno qwerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm abc abcdef whatever
   shadow michael jesus jesuschrist godisgood godisgreat blessed blessing nigeria naija lagos abuja
   arsenal chelsea manchester liverpool money payment account bank banking naira sandbox
   manilla dashboard company business internet computer samsung google facebook`.split(/\s+/),
)

const KEYBOARD = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'abcdefghijklmnopqrstuvwxyz']
const RUNS = KEYBOARD.flatMap((row) => [row, [...row].reverse().join('')])
const LOOKALIKES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

// Returns the reason why the password cannot be chosen, as text for the user, or null.
export function passwordProblem(password: string, email: string): string | null {
  const characters = [...password.normalize('NFKC')]
  if (characters.length < PASSWORD_LENGTH_MIN) {
    return `Must have at least ${PASSWORD_LENGTH_MIN} characters.`
  }
  if (characters.length > PASSWORD_LENGTH_MAX) {
    return `Must have at most ${PASSWORD_LENGTH_MAX} characters.`
  }
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) {
    return 'Must be without control characters.'
  }
  const text = characters.join('').toLowerCase()
  if (isMadeOfEmail(text, email.toLowerCase())) return 'Must not be made of your email address.'
  return isTrivial(text)
    ? 'Is too easy to guess: choose several words that do not belong together.'
    : null
}

// Whether the text is the email address, its local part or its domain with few other characters.
function isMadeOfEmail(text: string, email: string): boolean {
  const [name = '', domain = ''] = email.split('@')
  const parts = [email, name, domain, domain.split('.')[0] as string]
  return parts.some((part) => part.length >= 3 && lengthWithout(text, part) < REST_LENGTH_MIN)
}

// Whether the text has few different characters, repeats one common word, or consists mainly of runs
// along the keyboard or the alphabet.
function isTrivial(text: string): boolean {
  if (new Set(text).size < DIFFERENT_CHARACTERS_MIN) return true
  if ([text, ...extractLetters(text)].some((letters) => COMMON.has(unrepeated(letters))))
    return true
  return withoutRuns(text).length < REST_LENGTH_MIN
}

// Returns two readings: one with the inner digits and signs read as letters, one with all of them dropped.
function extractLetters(text: string): string[] {
  const trimmed = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const deciphered = [...trimmed].map((character) => LOOKALIKES[character] ?? character).join('')
  return [deciphered, text].map((each) => each.replace(/\P{L}/gu, ''))
}

// Returns the repeated part of a repetition: `abc` for `abcabc`.
function unrepeated(text: string): string {
  return text.slice(0, `${text}${text}`.indexOf(text, 1))
}

function lengthWithout(text: string, part: string): number {
  return text.replaceAll(part, '').length
}

// Drops runs along a row of the keyboard or the alphabet, such as `qwer` and `9876`.
function withoutRuns(text: string): string {
  let remainder = ''
  for (let position = 0; position < text.length; ) {
    const length = runLength(text, position)
    if (length < RUN_LENGTH_MIN) remainder += text[position]
    position += length < RUN_LENGTH_MIN ? 1 : length
  }
  return remainder
}

// Length of the run that begins at the position `start`; 1 if none does.
function runLength(text: string, start: number): number {
  let length = 1
  while (
    start + length < text.length &&
    RUNS.some((row) => row.includes(text.slice(start, start + length + 1)))
  ) {
    length++
  }
  return length
}
