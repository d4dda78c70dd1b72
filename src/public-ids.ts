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

import type {
  AccountId,
  AdjustmentId,
  CreditId,
  DifferenceId,
  FeeRuleId,
  SuspenseItemId,
  TransferId,
} from './ids.ts'
import type { Sealer } from './seal.ts'

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
