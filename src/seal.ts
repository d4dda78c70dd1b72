// Personal data at rest: sealed with AES-256-GCM under a named key, and found by a keyed hash.
//
// A sealed value is: key id (1 byte) | nonce (12) | tag (16) | ciphertext. New values are sealed with one
// data key, and values under any known key can be opened, so that a key can be replaced while the service
// runs. The database decides which key seals (privacy/data-keys.ts), because all processes must know a key
// before one seals with it.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES

// Nonces are drawn in bulk, because drawing twelve random bytes costs as much as drawing thousands.
const nonces = Buffer.alloc(NONCE_BYTES * 512)
let noncesUsed = nonces.length

// Returns a nonce of twelve random bytes that was not returned before.
function nextNonce(): Buffer {
  if (noncesUsed === nonces.length) {
    randomFillSync(nonces)
    noncesUsed = 0
  }
  noncesUsed += NONCE_BYTES
  return nonces.subarray(noncesUsed - NONCE_BYTES, noncesUsed)
}

export type DataKey = { readonly id: number; readonly key: Uint8Array }

export class Sealer {
  #current: { id: number; key: KeyObject }
  readonly #keys = new Map<number, KeyObject>()
  readonly #hashKey: KeyObject

  // Seals with the first key by default.
  constructor(dataKeys: readonly DataKey[], hashKey: Uint8Array) {
    this.learn(dataKeys)
    const firstKey = dataKeys[0]
    if (!firstKey) throw new Error('at least one data key is needed')
    this.#current = { id: firstKey.id, key: this.#keys.get(firstKey.id) as KeyObject }
    this.#hashKey = createSecretKey(hashKey)
  }

  // Adds new keys. A known id keeps its key, because the key of an id never changes.
  learn(dataKeys: readonly DataKey[]): void {
    for (const { id, key } of dataKeys) {
      if (!this.#keys.has(id)) this.#keys.set(id, createSecretKey(key))
    }
  }

  // From now on seals with this key, which must be known already.
  sealWith(id: number): void {
    const key = this.#keys.get(id)
    if (!key) throw new Error(`data key ${id} is not configured`)
    this.#current = { id, key }
  }

  get sealingId(): number {
    return this.#current.id
  }

  // Returns a fingerprint of each key, which identifies the key without revealing it. Equal ids must have
  // equal keys.
  fingerprints(): { id: number; fingerprint: Buffer }[] {
    return [...this.#keys].map(([id, key]) => ({
      id,
      fingerprint: createHmac('sha256', key).update('manilla data key').digest(),
    }))
  }

  // Whether the value is sealed with the current key. A key rotation seals all others again.
  isCurrent(sealed: Buffer): boolean {
    return sealed[0] === this.#current.id
  }

  // Encrypts a text (AES-256-GCM). The result is the id of the key, the nonce, the authentication tag and
  // the encrypted text.
  seal(text: string): Buffer {
    const nonce = nextNonce()
    const cipher = createCipheriv('aes-256-gcm', this.#current.key, nonce)
    const sealed = cipher.update(text, 'utf8')
    cipher.final() // GCM does not pad, so final() returns nothing.
    return Buffer.concat([Buffer.of(this.#current.id), nonce, cipher.getAuthTag(), sealed])
  }

  // Decrypts the result of seal(). Throws if its key is not configured, or if the bytes were changed.
  open(sealed: Buffer): string {
    const key = this.#keys.get(sealed[0] as number)
    if (!key) throw new Error(`data key ${sealed[0]} is not configured`)
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES))
    decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES))
    return (
      decipher.update(sealed.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  }

  // Returns a keyed hash. Equal values with different purposes have different hashes.
  hash(purpose: string, value: string): Buffer {
    return createHmac('sha256', this.#hashKey).update(`${purpose}\0${value}`).digest()
  }
}

// Masks a BVN or a NIN (eleven digits) for display and logs. Hides a value of unexpected length entirely,
// because the two ends of a short text would be most of it.
export function maskIdentityNumber(digits: string): string {
  if (digits.length !== 11) return '*'.repeat(digits.length)
  return `${digits.slice(0, 3)}*****${digits.slice(-3)}`
}

// Shows the last four digits, unless the number is shorter than ten digits.
export function maskAccountNumber(accountNumber: string): string {
  const hidden = accountNumber.length < 10 ? accountNumber.length : accountNumber.length - 4
  return '*'.repeat(hidden) + accountNumber.slice(hidden)
}
