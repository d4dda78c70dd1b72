// The Ed25519 key that signs proof exports. It is derived from the hash key, which is not rotated
// (docs/decisions/0008), so that there is no further secret to keep and an auditor pins the public
// key once.

import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { Sealer } from '#seal.ts'

// RFC 8410: the bytes before the 32 bytes of a key.
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX_BYTES = 12

export type ProofKey = { publicKey: string; sign(bytes: string): string } // In hex.

export function proofKey(sealer: Sealer): ProofKey {
  const seed = sealer.hash('proof key', 'ed25519')
  const der = Buffer.concat([PRIVATE_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: spki.subarray(PUBLIC_PREFIX_BYTES).toString('hex'),
    sign: (bytes) => sign(null, Buffer.from(bytes), key).toString('hex'),
  }
}
