// Stores evidence: files that are stored exactly as uploaded, sealed in chunks. A file never changes, and a
// download completes only if its hash is still the same (I131). The type of a file is derived from its bytes,
// and must be on a short list of types that browsers do not run.

import { createHash } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { CaseId, EvidenceId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { type CaseActor, lockOpenCase, recordChange } from './case.ts'

export const FILE_BYTES_MAX = 10 * 1024 * 1024
export const FILES_MAX = 20 // A case has at most this many files.
// A multiple of 3, so that the base64 texts of all chunks, joined, are the base64 of the whole file.
const CHUNK_BYTES = 48 * 1024

export type Evidence = {
  id: EvidenceId
  nameSealed: Buffer
  mediaType: string
  sizeBytes: number
  sha256: string
  addedBy: string
  addedAt: Date
}

const SIGNATURES = [
  ['application/pdf', /^%PDF-/],
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF.{4}WEBP/s],
] as const

export const MEDIA_TYPES = [...SIGNATURES.map(([type]) => type), 'text/plain'] as const

// Derives the media type from the bytes. Returns undefined if the type is not on the list.
export function sniffMediaType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 16).toString('latin1')
  const match = SIGNATURES.find(([, signature]) => signature.test(start))
  if (match) return match[0]
  return isText(bytes) ? 'text/plain' : undefined
}

// Returns whether the bytes are UTF-8 text whose only control characters are tab, line ends, form feed and
// escape.
function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/.test(text)
  } catch {
    return false
  }
}

// Adds a file to an open case. If the case already has a file with the same content, the first upload stays
// and the new one is dropped.
export async function addEvidence(
  tx: Transaction,
  by: CaseActor,
  { reference, name, bytes }: { reference: string; name: string; bytes: Buffer },
): Promise<void> {
  const mediaType = sniffMediaType(bytes)
  if (!mediaType || bytes.length === 0) throw new Refusal('evidence_refused')
  const lockedCase = await lockOpenCase(tx, reference)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const files = await listEvidence(tx, lockedCase.id)
  if (files.some((file) => file.sha256 === sha256)) return
  if (files.length >= FILES_MAX) throw new Refusal('case_full')
  const { rows } = await tx.query<{ id: EvidenceId }>({
    name: 'add-case-evidence',
    text: `insert into case_evidence
             (case_id, name_sealed, media_type, size_bytes, sha256, added_by, added_at)
           values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    values: [
      lockedCase.id,
      by.sealer.seal(name),
      mediaType,
      bytes.length,
      sha256,
      by.actor,
      by.now,
    ],
  })
  const { id } = rows[0] as { id: EvidenceId }
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const chunk = bytes.subarray(start, start + CHUNK_BYTES).toString('base64')
    await tx.query({
      name: 'add-case-evidence-chunk',
      text: 'insert into case_evidence_chunks (evidence_id, number, bytes_sealed) values ($1, $2, $3)',
      values: [id, start / CHUNK_BYTES, by.sealer.seal(chunk)],
    })
  }
  const detail = { sha256, mediaType, sizeBytes: bytes.length }
  await recordChange(tx, by, { ...lockedCase, change: 'evidence', detail })
}

// Lists the files of a case without their contents, oldest first.
export async function listEvidence(db: Queryable, caseId: CaseId): Promise<Evidence[]> {
  const { rows } = await db.query<Evidence>({
    name: 'list-case-evidence',
    text: `select id, name_sealed, media_type, size_bytes, sha256, added_by, added_at
             from case_evidence where case_id = $1 order by id`,
    values: [caseId],
  })
  return rows
}

// Yields the base64 of a file, chunk by chunk. Throws at the end if the file differs from the upload.
export async function* readBase64(
  db: Queryable,
  sealer: Sealer,
  { id, sha256 }: Pick<Evidence, 'id' | 'sha256'>,
): AsyncGenerator<string, void> {
  const hash = createHash('sha256')
  for (let number = 0; ; number++) {
    const { rows } = await db.query<{ bytesSealed: Buffer }>({
      name: 'read-case-evidence-chunk',
      text: 'select bytes_sealed from case_evidence_chunks where evidence_id = $1 and number = $2',
      values: [id, number],
    })
    if (!rows[0]) break
    const chunk = sealer.open(rows[0].bytesSealed)
    hash.update(chunk, 'base64')
    yield chunk
  }
  if (hash.digest('hex') !== sha256) throw new Error(`evidence ${id} is not what was handed in`)
}

// Reads a whole file. Throws if it differs from the upload.
export async function readBytes(
  db: Queryable,
  sealer: Sealer,
  evidence: Pick<Evidence, 'id' | 'sha256'>,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readBase64(db, sealer, evidence))
    chunks.push(Buffer.from(chunk, 'base64'))
  return Buffer.concat(chunks)
}
