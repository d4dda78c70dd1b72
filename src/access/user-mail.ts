// Messages to users about their own account. They are queued with the change that they report, and are always
// sent: no setting of the client turns them off.

import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, UserId } from '#ids.ts'
import type { MessageFacts } from '#messages/kinds.ts'
import { queueMessage } from '#messages/message.ts'
import type { Sealer } from '#seal.ts'
import type { User } from './users.ts'

export type UserKind =
  | 'user.invitation'
  | 'user.account_reset'
  | 'user.password_reset'
  | 'user.password_changed'
  | 'user.new_device'

type Recipient = Pick<User, 'id' | 'clientId' | 'email'>

type UserMail<Kind extends UserKind> = {
  user: Recipient
  kind: Kind
  facts: MessageFacts[Kind]
  expiresAt?: Date
}

export async function mailUser<Kind extends UserKind>(
  tx: Transaction,
  { now, sealer }: { now: Date; sealer: Sealer },
  { user: { id, clientId, email }, kind, facts, expiresAt }: UserMail<Kind>,
): Promise<void> {
  const key = `user/${id}/${kind.slice('user.'.length)}/${now.getTime()}`
  const message = { clientId, kind, facts, to: email, key, about: { userId: id }, expiresAt }
  await queueMessage(tx, { now, sealer }, message as never)
}

// How links are mailed. Undefined where no mail server is set: then the administrator hands the link over.
export type LinkMail = { sealer: Sealer; linkOf: (token: string) => string }

type Inviter = { actor: string; userId?: UserId | undefined; clientId: ClientId }

type InvitationMail = {
  mail: LinkMail
  by: Inviter
  user: Recipient
  invitation: { token: string; expiresAt: Date }
  isReset: boolean
}

export async function mailInvitation(
  tx: Transaction,
  now: Date,
  { mail: { sealer, linkOf }, by, user, invitation, isReset }: InvitationMail,
): Promise<void> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'shown-name-of-client',
    text: 'select name from clients where id = $1',
    values: [user.clientId],
  })
  const clientName = rows[0]?.name ?? ''
  const { token, expiresAt } = invitation
  const links = { link: linkOf(token), expiresAt: timestamp(expiresAt) }
  const person = inviterFor(by, user)
  if (isReset) {
    const facts = { clientName, resetBy: person, ...links }
    return mailUser(tx, { now, sealer }, { user, kind: 'user.account_reset', facts, expiresAt })
  }
  const facts = { clientName, invitedBy: person, ...links }
  return mailUser(tx, { now, sealer }, { user, kind: 'user.invitation', facts, expiresAt })
}

const OPERATOR = 'Your operator'

// Never shows an operator's name to another client.
function inviterFor({ actor, userId, clientId }: Inviter, user: Recipient): string {
  const isColleague = userId !== undefined && clientId === user.clientId
  return isColleague ? actor.replace(/^user:/, '') : OPERATOR
}
