// Messages to people by email, SMS and WhatsApp. queueMessage() queues a message in the transaction of the
// change that it reports, so no message reports a change that was rolled back, and none is lost. A worker
// sends it (workers.ts). The log of messages shows the recipient, kind and outcome, but neither the text nor
// the whole address.

import { timestamp } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type AccountId, type AdviceId, type ClientId, newReference, type UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { MESSAGE_KINDS, type MessageFacts, type MessageKind } from './kinds.ts'
import { type Channel, parseRecipient, recipientHash } from './recipients.ts'
import type { MessageState } from './states.ts'

const INVALID_SHOWN_MAX = 254

type NewMessageOf<Kind extends MessageKind> = {
  clientId: ClientId // The client whose log shows the message.
  kind: Kind
  facts: MessageFacts[Kind]
  channel?: Channel // Defaults to email.
  to: string
  key: string // Such as `payment/<id>/receipt`. A second message with the same key is not queued.
  // Erasing the advice or account erases the message. If the user is removed or disabled, the message is no
  // longer sent.
  about?: { adviceId: AdviceId } | { accountId: AccountId } | { userId: UserId }
  // After this time, the message is no longer sent. Default: after the lifetime of its kind.
  expiresAt?: Date | undefined
}

export type NewMessage = { [Kind in MessageKind]: NewMessageOf<Kind> }[MessageKind]

// Queues a message. Returns its reference, or undefined if a message with this key was queued before. A
// message with an invalid address is stored as failed, so that the change that it reports still commits and
// the log shows the failure. SMS and WhatsApp messages to payers are only sent by day.
export async function queueMessage(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  message: NewMessage,
): Promise<string | undefined> {
  const { clientId, kind, facts, channel = 'email', to, key, about = {}, expiresAt } = message
  const { priority, lifetimeMs, audience } = MESSAGE_KINDS[kind]
  const address = parseRecipient(channel, to)
  const expiry = expiresAt ?? new Date(now.getTime() + lifetimeMs)
  const { rows } = await tx.query<{ reference: string }>({
    name: 'queue-message',
    text: `insert into messages (reference, client_id, key, channel, kind, recipient, address_sealed,
                                 facts_sealed, advice_id, account_id, priority, waits_for_day, state,
                                 problem, next_attempt_at, expires_at, created_at, ended_at, user_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $15,
                   case when $13 = 'failed' then $15::timestamptz end, $17)
           on conflict (client_id, key) do nothing
           returning reference`,
    values: [
      newReference('MSG'),
      clientId,
      key,
      channel,
      kind,
      address === undefined ? null : recipientHash(sealer, address),
      sealer.seal(address ?? to.slice(0, INVALID_SHOWN_MAX)),
      address === undefined ? null : sealer.seal(JSON.stringify(facts)),
      'adviceId' in about ? about.adviceId : null,
      'accountId' in about ? about.accountId : null,
      priority,
      audience === 'payer' && channel !== 'email',
      address === undefined ? 'failed' : 'queued',
      address === undefined ? NOT_AN_ADDRESS[channel] : null,
      now,
      timestamp(expiry),
      'userId' in about ? about.userId : null,
    ],
  })
  return rows[0]?.reference
}

const NOT_AN_ADDRESS: Readonly<Record<Channel, string>> = {
  email: 'not an email address that can be sent to',
  sms: 'not a phone number that can be sent to',
  whatsapp: 'not a phone number that can be sent to',
}

export type Message = {
  id: bigint
  reference: string
  clientId: ClientId
  channel: Channel
  kind: MessageKind
  addressSealed: Buffer | null
  factsSealed: Buffer | null
  state: MessageState
  problem: string | null
  attempts: number
  waitsForDay: boolean
  nextAttemptAt: Date | null
  expiresAt: Date
  createdAt: Date
  endedAt: Date | null
  userId: UserId | null // The recipient, if it is a user of the dashboard.
}

const COLUMNS = `id, reference, client_id, channel, kind, address_sealed, facts_sealed, state, problem,
  attempts, waits_for_day, case when state = 'queued' then next_attempt_at end as next_attempt_at,
  expires_at, created_at, ended_at, user_id`

type MessageFilter = Window & {
  state?: MessageState | undefined
  channel?: Channel | undefined
  kind?: MessageKind | undefined
  recipient?: Buffer | undefined
  after: bigint | null
  limit: number
}

export async function listMessages(
  db: Queryable,
  clientId: ClientId,
  { state, channel, kind, recipient, from, to, after, limit }: MessageFilter,
): Promise<Message[]> {
  const { rows } = await db.query<Message>(
    listQuery({
      select: `select ${COLUMNS} from messages`,
      where: [
        ['client_id = $', clientId],
        ['state = $', state],
        ['channel = $', channel],
        ['kind = $', kind],
        ['recipient = $', recipient],
        ['created_at >= $', from],
        ['created_at < $', to],
      ],
      id: 'id',
      after,
      limit,
    }),
  )
  return rows
}

export async function getMessage(
  db: Queryable,
  clientId: ClientId,
  reference: string,
): Promise<Message> {
  const { rows } = await db.query<Message>({
    name: 'get-message',
    text: `select ${COLUMNS} from messages where client_id = $1 and reference = $2`,
    values: [clientId, reference],
  })
  if (!rows[0]) throw new Refusal('message_not_found')
  return rows[0]
}

// Whether the reader of the log may see the link in a message to this user. Only a reader who may manage the
// user (mayManageRole) may see it: with the link, any other reader could take over the user's account.
export async function mayReadSecretsOf(
  db: Queryable,
  { reader, userId }: { reader: UserId | null; userId: UserId | null },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'may-read-secrets-of-user',
    text: `select from users reader
             join clients c on c.id = reader.client_id
             join users u on u.id = $2
            where reader.id = $1
              and (reader.role = 'operator' and c.is_operator
                   or reader.role = 'owner' and reader.client_id = u.client_id and u.role <> 'operator'
                      and not (u.role = 'finance' and c.is_operator))`,
    values: [reader, userId],
  })
  return rowCount === 1
}
