// Ids as the test services show them, and as their databases hold them.

import { findId, findName, type IdKind, publicId } from '#public-ids.ts'
import { Sealer } from '#seal.ts'
import { SECRETS } from './settings.ts'

const key = Buffer.from(SECRETS.MANILLA_HASH_KEY, 'base64')
const sealer = new Sealer([{ id: 1, key: Buffer.alloc(32) }], key)

export function shownId(kind: IdKind, id: bigint | number): number {
  return publicId(sealer, kind, BigInt(id))
}

export function storedId(kind: IdKind, shown: number | string): bigint {
  return findId(sealer, kind, `${shown}`) as bigint
}

export function storedName(shown: string): string {
  return findName(sealer, shown)
}
