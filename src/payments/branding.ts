// A client's branding: its name, colour, logo and support contact on the checkout page, and its name in
// account names, which payers' banks also show. In live mode the operator reviews that name before it is used
// (I102).

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '#access/permissions.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents } from '#records/events.ts'

// The operator reviews a client's name in account names (I102):
//
//   chosen ──▶ waiting ──approve──▶ in force
//                  └──reject, or withdrawn by the client──▶ dropped; the former name stays

type ReviewedClient = Pick<Client, 'id' | 'clientId' | 'name'>

// The alert to operators that a client's account name waits for review.
const reviewAlert = ({ clientId }: Pick<Client, 'clientId'>) =>
  ({ kind: 'account_name_review', subject: `client/${clientId}` }) as const

// Alerts operators to a new account name that needs a review, or clears the alert if there is none. The alert
// about a newer name replaces an earlier one. Appends events, so it must be called last in a transaction.
async function alertReviewers(
  tx: Transaction,
  now: Date,
  { client, accountName }: { client: ReviewedClient; accountName: string | null },
): Promise<void> {
  await clearAlert(tx, now, reviewAlert(client))
  if (accountName === null) return
  const alert = { ...reviewAlert(client), detail: { name: client.name, accountName } }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

type AccountNameDecision = {
  clientId: string
  decision: 'approve' | 'reject'
  accountName: string // The name that the operator saw: the client may have chosen another since.
  reason: string | null
}

// Approves or rejects the account name that waits for review. Refuses if the client has chosen another name
// since the operator saw it.
export async function decideAccountName(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  { clientId, decision, accountName, reason }: AccountNameDecision,
): Promise<void> {
  const { rows } = await tx.query<{ id: ClientId; pendingAccountName: string | null }>({
    name: 'lock-pending-account-name',
    text: `select id, pending_account_name from clients
            where client_id = $1 for no key update`,
    values: [clientId],
  })
  const [client] = rows
  if (!client) throw new Refusal('client_not_found')
  if (client.pendingAccountName !== accountName) throw new Refusal('account_name_not_pending')
  await tx.query({
    name: 'decide-account-name',
    text: `update clients
              set brand_account_name = case when $2 then pending_account_name
                                            else brand_account_name end,
                  pending_account_name = null
            where id = $1`,
    values: [client.id, decision === 'approve'],
  })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: `client.${decision}_account_name`,
    subject: `client/${clientId}`,
    detail: { accountName, reason },
  })
  await clearAlert(tx, now, reviewAlert({ clientId }))
}

// Logos of clients: small raster images, stored unchanged and identified by their hash. SVG is refused,
// because it can contain scripts.
export type Logo = RasterImage & { bytes: Buffer; sha256: string }
export type ShownLogo = Pick<Logo, 'sha256' | 'width' | 'height'>

export const LOGO_BYTES_MAX = 32_768
export const LOGO_SIDE_MIN = 16
export const LOGO_SIDE_MAX = 1_024 // Unpacked, 4 MB: a cheap phone shows it without delay.

// Parses a logo from base64 text. Returns undefined for an image of another type or size.
export function parseLogo(base64: string): Logo | undefined {
  const bytes = Buffer.from(base64, 'base64')
  // Buffer ignores characters that are not base64, so the decoded bytes must encode to the same text.
  if (bytes.length > LOGO_BYTES_MAX || bytes.toString('base64') !== base64) return undefined
  const image = readRasterImage(bytes)
  if (!image) return undefined
  const isRightSize = [image.width, image.height].every((side) => {
    return side >= LOGO_SIDE_MIN && side <= LOGO_SIDE_MAX
  })
  if (!isRightSize) return undefined
  return { ...image, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

// SQL scalar: the logo of the client `c`, without its bytes, as JSON.
export const SHOWN_LOGO = `
  (select json_build_object('sha256', l.sha256, 'width', l.width, 'height', l.height)
     from client_logos l where l.client_id = c.id)`

// Stores the logo of a client, or removes it.
async function setLogo(
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

// Finds a logo by its hash. Several clients may have the same logo.
export async function findLogo(
  db: Queryable,
  sha256: string,
): Promise<Pick<Logo, 'bytes' | 'mediaType'> | undefined> {
  const { rows } = await db.query<Pick<Logo, 'bytes' | 'mediaType'>>({
    name: 'find-logo',
    text: 'select bytes, media_type from client_logos where sha256 = $1 limit 1',
    values: [sha256],
  })
  return rows[0]
}

export type Branding = {
  name: string | null // Null means the client's own name.
  colour: string | null // #rrggbb in lower case. Null means the default colour.
  accountName: string | null // The merchant in account names. Null means the client's own name.
  pendingAccountName: string | null // The name that waits for the operator's review.
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: ShownLogo | null
}

const SELECT_BRANDING = `
  select c.brand_name as name, c.brand_colour as colour, c.brand_account_name as account_name,
         c.pending_account_name,
         c.brand_support_email as support_email, c.brand_support_phone as support_phone,
         c.brand_support_url as support_url, ${SHOWN_LOGO} as logo
    from clients c where c.id = $1`

export async function readBranding(db: Queryable, clientId: ClientId): Promise<Branding> {
  const { rows } = await db.query<Branding>({
    name: 'read-branding',
    text: SELECT_BRANDING,
    values: [clientId],
  })
  return rows[0] as Branding
}

// An omitted field stays as it is; null resets it.
type BrandingFields = Partial<Omit<Branding, 'logo' | 'pendingAccountName'>>
type BrandingChange = {
  client: Client
  actor: string
  fields: BrandingFields
  logo: Logo | null | undefined
  mode: 'sandbox' | 'live'
}

// Changes a client's branding, and returns it. Locks the client, so that no concurrent change is lost. Writes
// nothing if nothing changes.
export async function setBranding(
  tx: Transaction,
  now: Date,
  { client, actor, fields, logo, mode }: BrandingChange,
): Promise<Branding> {
  const { rows } = await tx.query<Branding>({
    name: 'lock-branding',
    text: `${SELECT_BRANDING} for no key update of c`,
    values: [client.id],
  })
  const before = rows[0] as Branding
  const after = {
    ...before,
    ...fields,
    ...(mode === 'live' ? accountNamesAfter(before, fields.accountName) : {}),
    logo: logo === undefined ? before.logo : logo && toShownLogo(logo),
  }
  if (isDeepStrictEqual(after, before)) return after
  await writeBranding(tx, client.id, after)
  if (logo !== undefined) await setLogo(tx, now, { clientId: client.id, logo })
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'branding.set',
    subject: `client/${client.clientId}`,
    detail: { ...fields, ...(logo === undefined ? {} : { logoSha256: logo?.sha256 ?? null }) },
  })
  if (after.pendingAccountName !== before.pendingAccountName) {
    await alertReviewers(tx, now, { client, accountName: after.pendingAccountName })
  }
  return after
}

// In live mode, returns the account name in force and the one that waits for review, after the client has set
// `name`. A new name waits for review. The name in force, and null for the client's own name, need no review:
// setting one of these withdraws a name that waits.
function accountNamesAfter(
  { accountName, pendingAccountName }: Branding,
  name: string | null | undefined,
): Pick<Branding, 'accountName' | 'pendingAccountName'> {
  if (name === undefined) return { accountName, pendingAccountName }
  if (name === null || name === accountName) return { accountName: name, pendingAccountName: null }
  return { accountName, pendingAccountName: name }
}

// Leaves out the bytes of a logo.
function toShownLogo({ sha256, width, height }: Logo): ShownLogo {
  return { sha256, width, height }
}

async function writeBranding(
  tx: Transaction,
  clientId: ClientId,
  branding: Branding,
): Promise<void> {
  const { name, colour, accountName, pendingAccountName } = branding
  const { supportEmail, supportPhone, supportUrl } = branding
  await tx.query({
    name: 'set-branding',
    text: `update clients
              set brand_name = $2, brand_colour = $3, brand_account_name = $4,
                  brand_support_email = $5, brand_support_phone = $6, brand_support_url = $7,
                  pending_account_name = $8
            where id = $1`,
    values: [
      clientId,
      name,
      colour,
      accountName,
      supportEmail,
      supportPhone,
      supportUrl,
      pendingAccountName,
    ],
  })
}

type RasterImage = {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
}

// Reads the type and size of a PNG, JPEG or WebP image from its header, without decoding pixels: a small file
// that would unpack to a huge picture does no harm. Returns undefined for other types, and for a file that is
// too short to state its size.
export function readRasterImage(bytes: Buffer): RasterImage | undefined {
  for (const read of [readPng, readJpeg, readWebp]) {
    const image = read(bytes)
    if (image) return image
  }
  return undefined
}

// A PNG starts with a signature of 8 bytes and the chunk IHDR: length, type, width and height, of 4 bytes
// each.
function readPng(bytes: Buffer): RasterImage | undefined {
  const isPng = bytes.length >= 24 && bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

// Start-of-frame segments (codes 0xc0 to 0xcf) contain the size. These codes in that range are other
// segments.
const NOT_FRAMES = [0xc4, 0xc8, 0xcc]
const START_OF_SCAN = 0xda

// A JPEG is a sequence of segments: 0xff, a code, and a length that includes its own two bytes. The first
// frame segment states the size. Such a segment has the height in bytes 5 and 6, and the width in bytes 7 and
// 8.
function readJpeg(bytes: Buffer): RasterImage | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let offset = 2; offset + 9 <= bytes.length; ) {
    const code = bytes.readUInt8(offset + 1)
    if (bytes.readUInt8(offset) !== 0xff || code === START_OF_SCAN) return undefined
    if (code >= 0xc0 && code <= 0xcf && !NOT_FRAMES.includes(code)) {
      const [height, width] = [bytes.readUInt16BE(offset + 5), bytes.readUInt16BE(offset + 7)]
      return { mediaType: 'image/jpeg', width, height }
    }
    offset += code === 0xff ? 1 : 2 + bytes.readUInt16BE(offset + 2) // 0xff may be padding.
  }
  return undefined
}

// A WebP is a RIFF file whose first chunk is simple (VP8), lossless (VP8L) or extended (VP8X).
function readWebp(bytes: Buffer): RasterImage | undefined {
  const isWebp = bytes.length >= 30 && /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12))
  const size = isWebp && webpSize(bytes)
  return size ? { mediaType: 'image/webp', ...size } : undefined
}

// Reads the size from the first chunk: 14 bits a side in VP8 and VP8L, 24 bits in VP8X. VP8L and VP8X store
// one less than the size.
function webpSize(bytes: Buffer) {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
