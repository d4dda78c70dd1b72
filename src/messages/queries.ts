// The log of messages: the recipient, kind and outcome of each. Contains no text and no whole address.

import type { Window } from '#db/bounds.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import type { MessageKind } from './kinds.ts'
import type { Channel } from './recipients.ts'
import type { MessageState } from './states.ts'

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
  userId: UserId | null // The user to whom it goes.
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

// Whether the reader manages the user to whom a message with a secret link goes (mayManageRole). Anybody else
// could take the user's account over.
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
