// Logos of clients: small raster images, kept as sent and known by their hash. Never SVG, which can
// hold scripts.

import { createHash } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { type RasterImage, readRasterImage } from '#raster-images.ts'

export type Logo = RasterImage & { bytes: Buffer; sha256: string }
export type ShownLogo = Pick<Logo, 'sha256' | 'width' | 'height'>

export const LOGO_BYTES_MAX = 32_768
export const LOGO_SIDE_MIN = 16
export const LOGO_SIDE_MAX = 1_024 // What a cheap phone unpacks without noticing: 4 MB.

// From base64, as it comes by the API. Undefined: not a logo that we take.
export function parseLogo(base64: string): Logo | undefined {
  const bytes = Buffer.from(base64, 'base64')
  // Buffer skips what is not base64: what it read must be what was sent.
  if (bytes.length > LOGO_BYTES_MAX || bytes.toString('base64') !== base64) return undefined
  const image = readRasterImage(bytes)
  if (!image) return undefined
  const isRightSize = [image.width, image.height].every((side) => {
    return side >= LOGO_SIDE_MIN && side <= LOGO_SIDE_MAX
  })
  if (!isRightSize) return undefined
  return { ...image, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

// Of the client `c`.
export const SHOWN_LOGO = `
  (select json_build_object('sha256', l.sha256, 'width', l.width, 'height', l.height)
     from client_logos l where l.client_id = c.id)`

export async function setLogo(
  tx: Transaction,
  now: Date,
  { clientId, logo }: { clientId: ClientId; logo: Logo | null },
): Promise<void> {
  if (logo === null) {
    const text = 'delete from client_logos where client_id = $1'
    await tx.query({ name: 'remove-logo', text, values: [clientId] })
    return
  }
  await tx.query({
    name: 'set-logo',
    text: `insert into client_logos
             (client_id, sha256, media_type, width, height, bytes, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id) do update
              set sha256 = excluded.sha256, media_type = excluded.media_type,
                  width = excluded.width, height = excluded.height, bytes = excluded.bytes,
                  updated_at = excluded.updated_at`,
    values: [clientId, logo.sha256, logo.mediaType, logo.width, logo.height, logo.bytes, now],
  })
}

export async function findLogo(
  db: Queryable,
  sha256: string,
): Promise<Pick<Logo, 'bytes' | 'mediaType'> | undefined> {
  const { rows } = await db.query<Pick<Logo, 'bytes' | 'mediaType'>>({
    name: 'find-logo',
    text: 'select bytes, media_type as "mediaType" from client_logos where sha256 = $1 limit 1',
    values: [sha256],
  })
  return rows[0]
}
