// Addresses that a client's messages are not sent to, because a message bounced or somebody added the
// address.

import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { recipientHash } from './queue.ts'
import { CHANNELS, maskRecipient, parseRecipient } from './recipients.ts'

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

// Keeps the first suppression of an address. A bounce renews an earlier one.
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

// A server that accepts a message has the mailbox, so the bounce is over.
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

// Suppresses an address at a user's request. Idempotent.
export async function suppressByHand(
  tx: Transaction,
  { clientId, now, actor, sealer }: Caller,
  { address, detail }: { address: string; detail: string | null },
): Promise<Suppression> {
  const channel = CHANNELS.find((each) => parseRecipient(each, address) !== undefined)
  const parsed = channel && parseRecipient(channel, address)
  if (!channel || parsed === undefined) {
    const message = 'Must be an email address, or a phone number such as +2348012345678.'
    throw new Refusal('invalid_request', [{ field: 'address', message }])
  }
  const recipient = recipientHash(sealer, parsed)
  const addressSealed = sealer.seal(parsed)
  const added = { clientId, recipient, addressSealed, reason: 'manual', detail } as const
  await suppress(tx, now, { ...added, by: actor })
  const { rows } = await tx.query<Suppression>({
    name: 'find-suppression',
    text: `select ${COLUMNS} from message_suppressions where client_id = $1 and recipient = $2`,
    values: [clientId, recipient],
  })
  const subject = `message-suppression/${maskRecipient(channel, parsed)}`
  await writeAuditLog(tx, now, {
    ...{ clientId, actor, action: 'message.suppress', subject, detail: { detail } },
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
