// `manilla admin user …`: the users of a client. Creates the first owner and recovers locked-out users.

import { INVITATION_PATH } from '#access/invitations.ts'
import {
  type Administrator,
  addUser,
  changeUserBy,
  type InvitedUser,
  refuseRole,
  resetPassword,
  vouchForUser,
} from '#access/manage-users.ts'
import { hashPassword, temporaryPassword } from '#access/passwords.ts'
import { type Client, findClient, type Role } from '#access/permissions.ts'
import { findUserByEmail, type LinkMail, listUsers, sharedSalt, type User } from '#access/users.ts'
import { loadConfig } from '#config/config.ts'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { Sealer } from '#seal.ts'
import type { Context, Field } from './operator-command.ts'

const PAGE = 500

type OfClient = { client: string }

// `manilla admin user create`: shows a link and a temporary password to hand over, and also mails the link if
// there is a mail server.
export async function createUser(
  context: Context,
  { client: clientId, role }: OfClient & { role: Role },
  email: string,
) {
  const { db, clock } = context
  const client = await requireClient(context, clientId)
  const by = administrator(context, client)
  await refuseRole(db, by, { clientId: client.id, role })
  const password = temporaryPassword()
  const passwordHash = await hashPassword(password, await sharedSalt(db, email))
  const invited = await withTransaction(db, (tx) =>
    addUser(tx, clock(), { by, client, email, role, passwordHash, mail: mailOf(context) }),
  )
  return presentUser(invited.user, client, { password, link: linkOf(context, invited) })
}

export async function listAllUsers(context: Context, { client: clientId }: OfClient) {
  const client = await requireClient(context, clientId)
  const users: User[] = []
  for (let hasMore = true; hasMore; ) {
    const beforeId = users.at(-1)?.id ?? null
    const page = await listUsers(context.db, client.id, { beforeId, limit: PAGE })
    users.push(...page)
    hasMore = page.length === PAGE
  }
  const rows = users.map((user) => [user.email, user.role, describeState(user)])
  const data = users.map((user) => toData(user, client))
  return { data, view: { columns: ['email', 'role', 'state'], rows } }
}

export function disable(context: Context, { client }: OfClient, email: string) {
  return setActive(context, { client, email, isActive: false })
}

export function enable(context: Context, { client }: OfClient, email: string) {
  return setActive(context, { client, email, isActive: true })
}

type Activity = OfClient & { email: string; isActive: boolean }

// Disables or enables the user.
async function setActive(context: Context, { client: clientId, email, isActive }: Activity) {
  const client = await requireClient(context, clientId)
  const { id } = await requireUser(context, client, email)
  const by = administrator(context, client)
  const user = await withTransaction(context.db, (tx) =>
    changeUserBy(tx, context.clock(), { by, id, change: { isActive } }),
  )
  return presentUser(user, client)
}

// `manilla admin user reset-password`: makes a temporary password and a link, as for a new user.
export async function resetUserPassword(
  context: Context,
  { client: clientId, removeTotp }: OfClient & { removeTotp?: boolean },
  subject: string,
) {
  const { db, clock } = context
  const client = await requireClient(context, clientId)
  const { id, email } = await requireUser(context, client, subject)
  const password = temporaryPassword()
  const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
  const reset = { id, passwordHash, removesTotp: removeTotp === true }
  const invited = await withTransaction(db, (tx) =>
    resetPassword(tx, clock(), {
      by: administrator(context, client),
      reset,
      mail: mailOf(context),
    }),
  )
  return presentUser(invited.user, client, { password, link: linkOf(context, invited) })
}

// `manilla admin user vouch`: from now on the user is treated as an independent person (invitations.ts).
export async function vouch(
  context: Context,
  { client: clientId, note }: OfClient & { note: string },
  email: string,
) {
  const client = await requireClient(context, clientId)
  const { id } = await requireUser(context, client, email)
  const by = administrator(context, client)
  const user = await withTransaction(context.db, (tx) =>
    vouchForUser(tx, context.clock(), { by, id, note }),
  )
  return presentUser(user, client)
}

// The person who runs the command has access to the database, and therefore the rights of an operator.
function administrator({ actor }: Context, client: Client): Administrator {
  return { actor, role: 'operator', clientId: client.id }
}

async function requireClient({ db }: Context, clientId: string): Promise<Client> {
  const client = await findClient(db, clientId)
  if (!client) throw new Refusal('client_not_found')
  return client
}

async function requireUser({ db }: Context, client: Client, email: string): Promise<User> {
  const user = await findUserByEmail(db, client.id, email)
  if (!user) throw new Refusal('user_not_found')
  return user
}

function linkOf(context: Context, { invitation }: InvitedUser): string {
  return linkForToken(context, invitation.token)
}

function linkForToken({ env }: Context, token: string): string {
  const address = env.PUBLIC_URL ?? `http://localhost:${env.PORT ?? 8080}`
  return `${address}${INVITATION_PATH}#${token}`
}

// The command also prints the link: a person with access to the database could make a link anyway.
function mailOf(context: Context): LinkMail | undefined {
  const { env } = context
  if (!env.MANILLA_SMTP_URL || !env.MANILLA_MAIL_FROM) return undefined
  const { data, hash } = loadConfig(env, 'serve').secrets
  return { sealer: new Sealer(data, hash), linkOf: (token) => linkForToken(context, token) }
}

// `access` lets the user take over the account. It is known only right after it was made.
function presentUser(user: User, client: Client, access?: { password: string; link: string }) {
  const secrets = access && {
    temporaryPassword: access.password,
    invitationLink: access.link,
  }
  const data = { ...toData(user, client), ...secrets }
  const fields: Field[] = [
    ['email', user.email],
    ...(access
      ? ([
          ['link', `${access.link}   (works once, for 72 hours)`],
          ['password', `${access.password}   (temporary; shown only once)`],
        ] as const)
      : []),
    ['client', client.clientId],
    ['role', user.role],
    ['state', describeState(user)],
  ]
  return { data, view: { fields } }
}

function describeState({
  isActive,
  isPasswordTemporary,
  hasTotp,
  hasPasskey,
  ownFrom,
}: User): string {
  const details = [
    isPasswordTemporary && 'temporary password',
    hasTotp && 'second factor',
    hasPasskey && 'passkey',
    !ownFrom && 'not taken over',
  ]
  return [isActive ? 'active' : 'disabled', ...details].filter(Boolean).join(', ')
}

// The user as --json shows them.
function toData(user: User, client: Client) {
  const { id, email, role, isActive, isPasswordTemporary, hasTotp, hasPasskey } = user
  const { createdAt, signedInAt, ownFrom: countsFrom } = user
  const { clientId } = client
  return {
    id,
    email,
    clientId,
    role,
    isActive,
    isPasswordTemporary,
    hasTotp,
    hasPasskey,
    countsFrom,
    createdAt,
    signedInAt,
  }
}
