// The pack of a closed month: its signed manifest, and a ZIP archive of all files.
//
// The manifest names each file with its SHA-256, and the totals that the verifier adds up again
// (verifier/verify_proof.py). One changed kobo changes a hash; a changed hash breaks the signature.

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ProofKey } from '#proof/files.ts'
import { signManifest } from '#proof/write.ts'
import type { PackFile } from './month.ts'

export const PACK_FORMAT = 'manilla-month/2'

type Content = {
  month: string
  version: number
  closedAt: string
  closedBy: string
  mode: string
  reason: string | null
  checklist: readonly object[]
}

export function signPack(files: readonly PackFile[], content: Content, key: ProofKey): string {
  const described = files.map(({ name, content: text }) => {
    return { name, sha256: createHash('sha256').update(text).digest('hex') }
  })
  const { publicKey } = key
  return signManifest({ format: PACK_FORMAT, ...content, files: described, publicKey }, key)
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
const IS_UTF8 = 0x0800
const FIRST_DATE = 0x21 // 1 January 1980. A fixed date makes the bytes of a pack reproducible.

// Writes a ZIP archive without compression.
export function zipOf(files: readonly PackFile[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { name, content } of files) {
    const [title, data] = [Buffer.from(name), Buffer.from(content)]
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(VERSION, 0)
    shared.writeUInt16LE(IS_UTF8, 2)
    shared.writeUInt16LE(FIRST_DATE, 8)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(title.length, 22)
    parts.push(number(LOCAL), shared, title, data)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(number(CENTRAL), short(VERSION), shared, rest, title)
    offset += 4 + shared.length + title.length + data.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listing.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listing, number(END), end])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
