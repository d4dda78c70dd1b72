// Converts between public ids, which the API shows, and the ids in the databases of test services.

import { findId, findName, type IdKind, publicId } from '#ids.ts'
import { Sealer } from '#seal.ts'
import { SECRETS } from './settings.ts'

const key = Buffer.from(SECRETS.MANILLA_HASH_KEY, 'base64')
const sealer = new Sealer([{ id: 1, key: Buffer.alloc(32) }], key)

export function shownId(kind: IdKind, id: bigint | number): number {
  return publicId(sealer, kind, BigInt(id))
}

export function storedId(kind: IdKind, publicId: number | string): bigint {
  return findId(sealer, kind, `${publicId}`) as bigint
}

export function storedName(publicName: string): string {
  return findName(sealer, publicName)
}
