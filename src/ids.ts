// Ids, references, and the public form of ids. Each kind of id has a brand, which exists only in the type
// system: using an id of one kind as another, or as an amount, does not compile. Values get their type where
// they are read: from a row, a parsed request or a decoded public id.
//
// Some ids are UUIDs of version 7. They begin with their time, so new rows are adjacent in an index, and 74
// random bits make each one unguessable.

import { randomFillSync, randomInt } from 'node:crypto'
import type { Sealer } from './seal.ts'

export type ClientId = Brand<bigint, 'ClientId'>
export type AccountId = Brand<bigint, 'AccountId'> // A collection account and its ledger account.
export type CreditId = Brand<bigint, 'CreditId'>
export type SuspenseItemId = Brand<bigint, 'SuspenseItemId'>
export type TransferId = Brand<bigint, 'TransferId'>
export type DestinationId = Brand<bigint, 'DestinationId'>
export type PayoutId = Brand<bigint, 'PayoutId'>
export type BankAccountId = Brand<bigint, 'BankAccountId'> // An account that receives payouts.
export type SettlementId = Brand<bigint, 'SettlementId'>
export type HoldId = Brand<bigint, 'HoldId'>
export type CaseId = Brand<bigint, 'CaseId'>
export type EvidenceId = Brand<bigint, 'EvidenceId'>
export type AdjustmentId = Brand<bigint, 'AdjustmentId'> // A recovery or a write-off.
export type StatementId = Brand<bigint, 'StatementId'>
export type StatementLineId = Brand<bigint, 'StatementLineId'>
export type DifferenceId = Brand<bigint, 'DifferenceId'>
export type SubaccountId = Brand<bigint, 'SubaccountId'>
export type SplitId = Brand<bigint, 'SplitId'>
export type FeeRuleId = Brand<bigint, 'FeeRuleId'>
export type LimitProfileId = Brand<bigint, 'LimitProfileId'>
export type ReportId = Brand<bigint, 'ReportId'> // A report of the sandbox bank.
export type PaymentId = Brand<string, 'PaymentId'>
export type AdviceId = Brand<string, 'AdviceId'>
export type EventId = Brand<string, 'EventId'>
export type EndpointId = Brand<string, 'EndpointId'>
export type ReplayId = Brand<string, 'ReplayId'>
export type UserId = Brand<string, 'UserId'>
export type PasskeyId = Brand<string, 'PasskeyId'>
export type SavedViewId = Brand<string, 'SavedViewId'>

const POOL_BYTES = 16 * 256
const pool = Buffer.alloc(POOL_BYTES)
let usedBytes = POOL_BYTES

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// Creates a UUID of version 7. A pool of random bytes serves 256 ids with one call of the operating system.
// 0x70 and 0x80 are the bits that every UUID of version 7 has.
export function timeOrderedId<Id extends string = string>(now: Date): Id {
  if (usedBytes === POOL_BYTES) {
    randomFillSync(pool)
    usedBytes = 0
  }
  const time = now.getTime().toString(16).padStart(12, '0')
  const hex = (index: number) => HEX[pool[usedBytes + index] as number] as string
  const version = 0x70 | ((pool[usedBytes] as number) & 0x0f)
  const variant = 0x80 | ((pool[usedBytes + 2] as number) & 0x3f)
  const id =
    `${time.slice(0, 8)}-${time.slice(8)}-${HEX[version]}${hex(1)}-${HEX[variant]}${hex(3)}-` +
    `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  usedBytes += 16
  return id as Id
}

// Returns a bound for UUIDs of version 7: ids of this time and later are greater, earlier ids are less. No id
// is older than 1970.
export function leastIdAt(ms: number): string {
  return Math.max(0, ms).toString(16).padStart(12, '0').padEnd(32, '0')
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

// Parses a UUID with or without dashes, in upper or lower case. Returns undefined if the text is no UUID.
export function parseReference<Id extends string = string>(text: string): Id | undefined {
  const match = UUID.exec(text)
  return match ? (match.slice(1).join('-').toLowerCase() as Id) : undefined
}

declare const brand: unique symbol

// Makes types that differ only by name. A brand costs nothing at run time.
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }

const REFERENCES = 2 ** 48 - 1 // randomInt's largest range: 15 digits.

// Creates a reference that people and banks see: three letters for the kind, and random digits, which do not
// reveal the number of objects.
export function newReference(prefix: string): string {
  return `${prefix}${randomInt(REFERENCES).toString().padStart(15, '0')}`
}

// Public ids. All clients share the sequences of row numbers, so plain numbers would reveal each
// client's volume to the others. A public id is the row number, encrypted with a key for its kind. It is
// still a JSON number and unique, but does not follow the order of rows.
//
// Ids are computed, not stored: clients, webhooks and exports hold them, and only this cipher finds the row
// of an id. So the cipher cannot be replaced without breaking every id that was ever shown. It is
// Speck48/96 (Beaulieu et al., 2013), whose block is as wide as an id that JSON numbers can hold;
// node:crypto has no cipher with such a block. It hides volume and protects nothing else: every look-up
// still checks ownership.
//
// The keys derive from the hash key, which is not rotated (docs/decisions/0008): ids are permanent.

type Ids = {
  account: AccountId
  action: bigint
  adjustment: AdjustmentId
  credit: CreditId
  difference: DifferenceId
  'fee-rule': FeeRuleId
  request: bigint
  suppression: bigint
  suspense: SuspenseItemId
  tariff: bigint
  transfer: TransferId
}

export type IdKind = keyof Ids

const WORD = 2 ** 24
const MASK = WORD - 1
const BLOCKS = WORD * WORD
// Shared ledger accounts are numbered from here (db/migrations/0001_ledger.sql) and use the upper half of the
// blocks.
const SHARED_FROM = 10n ** 15n
const UPPER_HALF = 2n ** 47n
const ROUNDS = 23
const PLAIN = /^(?:0|[1-9][0-9]{0,14})$/
const NAMED = /^(suspense|credit)\/([0-9]{1,18})$/

type RoundKeys = readonly number[]

const keysOfSealers = new WeakMap<Sealer, Map<IdKind, RoundKeys>>()

// Encrypts a row number as a block of 48 bits. Numbers of shared ledger accounts are mapped to the upper half
// of the blocks first.
export function publicId<Kind extends IdKind>(sealer: Sealer, kind: Kind, id: Ids[Kind]): number {
  const isShared = id >= SHARED_FROM
  const offset = isShared ? id - SHARED_FROM : id
  if (offset < 0n || offset >= UPPER_HALF) throw new RangeError(`${id} is no id of ours`)
  return encrypt(roundKeysFor(sealer, kind), Number(isShared ? offset + UPPER_HALF : offset))
}

// Decrypts a public id. Returns undefined if the text cannot be a public id. The row need not exist.
export function findId<Kind extends IdKind>(
  sealer: Sealer,
  kind: Kind,
  text: string,
): Ids[Kind] | undefined {
  const cipherBlock = Number(text)
  if (!PLAIN.test(text) || cipherBlock >= BLOCKS) return undefined
  const block = BigInt(decrypt(roundKeysFor(sealer, kind), cipherBlock))
  return (block < UPPER_HALF ? block : block - UPPER_HALF + SHARED_FROM) as Ids[Kind]
}

// Encrypts the row number in a name such as `suspense/5` or `credit/5`. All other names are already public.
export function publicName(sealer: Sealer, name: string): string {
  return name.replace(
    NAMED,
    (_, kind: IdKind, id) => `${kind}/${publicId(sealer, kind, BigInt(id) as Ids[IdKind])}`,
  )
}

// The inverse of publicName: decrypts the id in a name such as `suspense/…` or `credit/…`.
export function findName(sealer: Sealer, name: string): string {
  return name.replace(NAMED, (_, kind: IdKind, id) => `${kind}/${findId(sealer, kind, id) ?? ''}`)
}

// Returns the round keys for a kind of id, which are cached for each sealer and kind.
function roundKeysFor(sealer: Sealer, kind: IdKind): RoundKeys {
  const kinds = keysOfSealers.get(sealer) ?? new Map<IdKind, RoundKeys>()
  const cached = kinds.get(kind)
  if (cached) return cached
  const keys = roundKeys(toWords(sealer.hash('public id', kind)))
  keysOfSealers.set(sealer, kinds.set(kind, keys))
  return keys
}

// Splits the first twelve bytes into four words of 24 bits.
function toWords(bytes: Buffer): number[] {
  return [0, 3, 6, 9].map((offset) => bytes.readUIntBE(offset, 3))
}

// Speck's key schedule: derives the round keys from the four words of a key, lowest word first.
export function roundKeys([first = 0, ...upperWords]: readonly number[]): RoundKeys {
  const keys = [first]
  const schedule = [...upperWords]
  for (let round = 0; round < ROUNDS - 1; round++) {
    const [x, y] = [schedule[round] as number, keys[round] as number]
    const nextWord = ((y + rotateRight(x, 8)) & MASK) ^ round
    schedule.push(nextWord)
    keys.push(rotateLeft(y, 3) ^ nextWord)
  }
  return keys
}

// Speck48/96. A block of 48 bits consists of the upper word `x` and the lower word `y`.
export function encrypt(keys: RoundKeys, block: number): number {
  let x = Math.floor(block / WORD)
  let y = block % WORD
  for (const key of keys) {
    x = ((rotateRight(x, 8) + y) & MASK) ^ key
    y = rotateLeft(y, 3) ^ x
  }
  return x * WORD + y
}

// The inverse of encrypt.
function decrypt(keys: RoundKeys, block: number): number {
  let x = Math.floor(block / WORD)
  let y = block % WORD
  for (let round = ROUNDS - 1; round >= 0; round--) {
    y = rotateRight(y ^ x, 3)
    x = rotateLeft(((x ^ (keys[round] as number)) - y) & MASK, 8)
  }
  return x * WORD + y
}

function rotateRight(word: number, by: number): number {
  return ((word >>> by) | (word << (24 - by))) & MASK
}

function rotateLeft(word: number, by: number): number {
  return ((word << by) | (word >>> (24 - by))) & MASK
}
