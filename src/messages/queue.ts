// Queues messages in the transaction of the change that they report. So no message reports a change that was
// rolled back, and none is lost. The worker sends them (workers.ts).

import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { type AccountId, type AdviceId, type ClientId, newReference, type UserId } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import { MESSAGE_KINDS, type MessageFacts, type MessageKind } from './kinds.ts'
import { type Channel, parseRecipient, recipientKey } from './recipients.ts'

const INVALID_SHOWN_MAX = 254

export type NewMessageOf<Kind extends MessageKind> = {
  clientId: ClientId // The client whose log shows the message.
  kind: Kind
  facts: MessageFacts[Kind]
  channel?: Channel // Defaults to email.
  to: string
  key: string // A message with a known key is not queued again: `payment/<id>/receipt`.
  // Erasing the advice or account erases the message. A user who is removed or disabled gets it no more.
  about?: { adviceId: AdviceId } | { accountId: AccountId } | { userId: UserId }
  expiresAt?: Date | undefined // After this time the message is not sent any more.
}

export type NewMessage = { [Kind in MessageKind]: NewMessageOf<Kind> }[MessageKind]

// Returns the reference of the message, or undefined if it was queued before. A message with an invalid
// address is stored as failed: the change that it reports is not affected, and the log shows the failure.
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

export function recipientHash(sealer: Sealer, address: string): Buffer {
  return sealer.hash('message recipient', recipientKey(address))
}
