// Addresses of people: parses email addresses and phone numbers into one standard spelling, masks them for
// the log, and stores each client's suppression list. An address is on the list because a message to it
// bounced, or because a user of the client added it. It gets no more messages of the client (exceptions:
// suppressQueued in send.ts).

import { domainToASCII } from 'node:url'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'

export const CHANNELS = ['email', 'sms', 'whatsapp'] as const
export type Channel = (typeof CHANNELS)[number]

const ADDRESS_LENGTH_MAX = 254
const LOCAL_LENGTH_MAX = 64

// The part of an email address before the @. Quotes, comments and lists are refused, because mail servers
// disagree about their meaning.
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const DOMAIN =
  /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

// Returns undefined for an address that we do not send to. A domain in another script is converted to its
// ASCII form (xn--…), which the log shows, so that a look-alike of a known domain is recognised.
export function parseEmailAddress(text: string): string | undefined {
  const atIndex = text.lastIndexOf('@')
  const local = text.slice(0, atIndex)
  if (atIndex < 1 || local.length > LOCAL_LENGTH_MAX || !LOCAL_PART.test(local)) return undefined
  const domain = domainToASCII(text.slice(atIndex + 1))
  const address = `${local}@${domain}`
  return DOMAIN.test(domain) && address.length <= ADDRESS_LENGTH_MAX ? address : undefined
}

// Returns the number as +234…. A number without a country code is Nigerian. Returns undefined for a number
// that we do not send to.
export function parsePhoneNumber(text: string): string | undefined {
  const digits = text.replace(/[ ().-]/g, '')
  // Nigerian mobile numbers have ten digits, of which the first is 7, 8 or 9.
  const number = digits.replace(/^00/, '+').replace(/^0(?=[789][0-9]{9}$)/, '+234')
  const international = /^234[789][0-9]{9}$/.test(number) ? `+${number}` : number
  return /^\+[1-9][0-9]{7,14}$/.test(international) ? international : undefined
}

// Parses an address of a channel: an email address, or a phone number.
export function parseRecipient(channel: Channel, text: string): string | undefined {
  return channel === 'email' ? parseEmailAddress(text) : parsePhoneNumber(text)
}

// Returns an address such as a•••@example.com or +234•••••1234.
export function maskRecipient(channel: Channel, address: string): string {
  if (channel !== 'email') return `${address.slice(0, 4)}•••••${address.slice(-4)}`
  const atIndex = address.lastIndexOf('@')
  return atIndex < 0 ? '•••' : `${address.slice(0, 1)}•••${address.slice(atIndex)}`
}

// Hashes an address, to find it in the log and in the suppression list. Ignores upper and lower case, as mail
// providers do.
export function recipientHash(sealer: Sealer, address: string): Buffer {
  return sealer.hash('message recipient', address.toLowerCase())
}

export const SUPPRESSION_REASONS = ['bounced', 'manual'] as const

export type Suppression = {
  id: bigint
  addressSealed: Buffer
  reason: (typeof SUPPRESSION_REASONS)[number]
  detail: string | null
  createdBy: string
  createdAt: Date
}

const COLUMNS = 'id, address_sealed, reason, detail, created_by, created_at'

type NewSuppression = Pick<Suppression, 'addressSealed' | 'reason' | 'detail'> & {
  clientId: ClientId
  recipient: Buffer
  by: string
}

// Adds an address to the suppression list. If it is on the list already, the first entry stays, except that a
// bounce renews the entry of an earlier bounce.
export async function suppress(
  tx: Transaction,
  now: Date,
  { clientId, recipient, addressSealed, reason, detail, by }: NewSuppression,
): Promise<void> {
  await tx.query({
    name: 'suppress-recipient',
    text: `insert into message_suppressions
             (client_id, recipient, address_sealed, reason, detail, created_by, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id, recipient) do update
              set detail = excluded.detail, created_at = excluded.created_at
            where message_suppressions.reason = 'bounced' and excluded.reason = 'bounced'`,
    values: [clientId, recipient, addressSealed, reason, detail, by, now],
  })
}

// Removes an address that bounced, because a mail server has now accepted a message for it.
export async function endBounce(
  tx: Transaction,
  { clientId, recipient }: Pick<NewSuppression, 'clientId' | 'recipient'>,
): Promise<void> {
  await tx.query({
    name: 'end-bounce',
    text: `delete from message_suppressions
            where client_id = $1 and recipient = $2 and reason = 'bounced'`,
    values: [clientId, recipient],
  })
}

type Caller = { clientId: ClientId; now: Date; actor: string; sealer: Sealer }

// Suppresses an address because a user of the client asks for it. Idempotent.
export async function suppressByHand(
  tx: Transaction,
  { clientId, now, actor, sealer }: Caller,
  { address, detail }: { address: string; detail: string | null },
): Promise<Suppression> {
  const channel = CHANNELS.find((name) => parseRecipient(name, address) !== undefined)
  const parsed = channel && parseRecipient(channel, address)
  if (!channel || parsed === undefined) {
    throw invalidField(
      'address',
      'Must be an email address, or a phone number such as +2348012345678.',
    )
  }
  const recipient = recipientHash(sealer, parsed)
  const addressSealed = sealer.seal(parsed)
  const suppression = { clientId, recipient, addressSealed, reason: 'manual', detail } as const
  await suppress(tx, now, { ...suppression, by: actor })
  const { rows } = await tx.query<Suppression>({
    name: 'find-suppression',
    text: `select ${COLUMNS} from message_suppressions where client_id = $1 and recipient = $2`,
    values: [clientId, recipient],
  })
  const subject = `message-suppression/${maskRecipient(channel, parsed)}`
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: 'message.suppress',
    subject,
    detail: { detail },
  })
  return rows[0] as Suppression
}

export async function listSuppressions(
  db: Queryable,
  { clientId, after, limit }: { clientId: ClientId; after: bigint | null; limit: number },
): Promise<Suppression[]> {
  const { rows } = await db.query<Suppression>(
    listQuery({
      select: `select ${COLUMNS} from message_suppressions`,
      where: [['client_id = $', clientId]],
      id: 'id',
      after,
      limit,
    }),
  )
  return rows
}

// Removes an address from the suppression list because a user asks for it.
export async function removeSuppression(
  tx: Transaction,
  { clientId, now, actor, sealer }: Caller,
  id: bigint,
): Promise<Suppression> {
  const { rows } = await tx.query<Suppression>({
    name: 'remove-suppression',
    text: `delete from message_suppressions where id = $1 and client_id = $2 returning ${COLUMNS}`,
    values: [id, clientId],
  })
  const [removed] = rows
  if (!removed) throw new Refusal('suppression_not_found')
  const address = sealer.open(removed.addressSealed)
  const subject = `message-suppression/${maskRecipient(address.includes('@') ? 'email' : 'sms', address)}`
  const detail = { reason: removed.reason }
  await writeAuditLog(tx, now, { clientId, actor, action: 'message.unsuppress', subject, detail })
  return removed
}
