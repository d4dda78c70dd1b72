// `manilla admin user …`: the users of a client. Creates the first owner and recovers locked-out users.

import { withTransaction } from '#db/transaction.ts'
import { type Client, findClient } from '#domain/access/clients.ts'
import {
  type Administrator,
  addUser,
  changeUserBy,
  type InvitedUser,
  refuseRole,
  resetPassword,
  vouchForUser,
} from '#domain/access/manage-users.ts'
import { hashPassword, temporaryPassword } from '#domain/access/passwords.ts'
import { ROLES, type Role } from '#domain/access/roles.ts'
import { INVITATION_PATH } from '#domain/access/take-over.ts'
import { findUserByEmail, listUsers, sharedSalt, type User } from '#domain/access/users.ts'
import { Refusal } from '#errors.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { type Arguments, columns, type Option, UsageProblem } from './command-line.ts'

const EMAIL = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+\.[^\s@.\p{Cc}\p{Cs}]+$/u
const EMAIL_LENGTH_MAX = 254
const PAGE = 500

const CLIENT: Option = { name: 'client', value: 'clientId', about: 'Client of the user. Required.' }

export const userCommands: readonly AdminCommand[] = [
  {
    name: 'user create',
    subject: 'email',
    summary: 'Invite a user; a single-use link and a temporary password are shown once.',
    options: [
      CLIENT,
      { name: 'role', value: 'role', about: `One of ${ROLES.join(' ')}. Required.` },
    ],
    async run(context, args) {
      const { db, clock } = context
      const email = parseEmail(args.subject)
      const role = parseRole(args.text('role'))
      const client = await requireClient(context, args)
      const by = administrator(context, client)
      await refuseRole(db, by, { clientId: client.id, role })
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email))
      const invited = await withTransaction(db, (tx) =>
        addUser(tx, clock(), { by, client, email, role, passwordHash }),
      )
      return present(invited.user, client, { password, link: linkOf(context, invited) })
    },
  },
  {
    name: 'user list',
    summary: 'List the users of a client, newest first.',
    options: [CLIENT],
    async run(context, args) {
      const client = await requireClient(context, args)
      const users: User[] = []
      for (let more = true; more; ) {
        const beforeId = users.at(-1)?.id ?? null
        const page = await listUsers(context.db, client.id, { beforeId, limit: PAGE })
        users.push(...page)
        more = page.length === PAGE
      }
      const lines = users.map(
        (user) => [user.email, `${user.role}  ${describeState(user)}`] as const,
      )
      const data = users.map((user) => plain(user, client))
      return { data, text: columns(lines).join('\n') || 'No users.' }
    },
  },
  {
    name: 'user disable',
    subject: 'email',
    summary: 'Disable a user and end all sessions.',
    options: [CLIENT],
    run: (context, args) => setActive(context, args, false),
  },
  {
    name: 'user enable',
    subject: 'email',
    summary: 'Enable a disabled user.',
    options: [CLIENT],
    run: (context, args) => setActive(context, args, true),
  },
  {
    name: 'user reset-password',
    subject: 'email',
    summary: 'Reset a password; a link and a temporary one are shown once. Lifts any lockout.',
    options: [CLIENT, { name: 'remove-totp', about: 'Also remove the authenticator app.' }],
    async run(context, args) {
      const { db, clock } = context
      const client = await requireClient(context, args)
      const { id, email } = await requireUser(context, client, args.subject)
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, id))
      const reset = { id, passwordHash, removesTotp: args.flag('remove-totp') }
      const invited = await withTransaction(db, (tx) =>
        resetPassword(tx, clock(), { by: administrator(context, client), reset }),
      )
      return present(invited.user, client, { password, link: linkOf(context, invited) })
    },
  },
  {
    name: 'user vouch',
    subject: 'email',
    summary: 'Vouch for a user: they count as a person of their own, whoever invited them.',
    options: [CLIENT, { name: 'note', value: 'text', about: 'How you know the person. Required.' }],
    async run(context, args) {
      const note = args.text('note')
      if (note === undefined) throw new UsageProblem('--note is required.')
      const client = await requireClient(context, args)
      const { id } = await requireUser(context, client, args.subject)
      const by = administrator(context, client)
      const user = await withTransaction(context.db, (tx) =>
        vouchForUser(tx, context.clock(), { by, id, note }),
      )
      return present(user, client)
    },
  },
]

async function setActive(context: Context, args: Arguments, isActive: boolean) {
  const { db, clock } = context
  const client = await requireClient(context, args)
  const { id } = await requireUser(context, client, args.subject)
  const by = administrator(context, client)
  const user = await withTransaction(db, (tx) =>
    changeUserBy(tx, clock(), { by, id, change: { isActive } }),
  )
  return present(user, client)
}

// Database access implies operator rights.
function administrator({ actor }: Context, client: Client): Administrator {
  return { actor, role: 'operator', clientId: client.id }
}

async function requireClient({ db }: Context, args: Arguments): Promise<Client> {
  const clientId = args.text('client')
  if (clientId === undefined) throw new UsageProblem('--client is required.')
  const client = await findClient(db, clientId)
  if (!client) throw new Refusal('client_not_found')
  return client
}

async function requireUser({ db }: Context, client: Client, email: string): Promise<User> {
  const user = await findUserByEmail(db, client.id, email)
  if (!user) throw new Refusal('user_not_found')
  return user
}

function parseEmail(text: string): string {
  if (text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text)) return text
  throw new UsageProblem('The user must be an email address.')
}

function parseRole(text: string | undefined): Role {
  const role = ROLES.find((each) => each === text)
  if (!role) throw new UsageProblem(`--role must be one of ${ROLES.join(', ')}.`)
  return role
}

function linkOf({ env }: Context, { invitation }: InvitedUser): string {
  const address = env.PUBLIC_URL ?? `http://localhost:${env.PORT ?? 8080}`
  return `${address}${INVITATION_PATH}#${invitation.token}`
}

type Access = { password: string; link: string }

function present(user: User, client: Client, access?: Access) {
  const secrets = access && {
    temporaryPassword: access.password,
    invitationLink: access.link,
  }
  const data = { ...plain(user, client), ...secrets }
  const rows: (readonly [string, string])[] = [
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
  return { data, text: columns(rows).join('\n') }
}

function describeState({
  isActive,
  isPasswordTemporary,
  hasTotp,
  hasPasskey,
  ownFrom,
}: User): string {
  const more = [
    isPasswordTemporary && 'temporary password',
    hasTotp && 'second factor',
    hasPasskey && 'passkey',
    !ownFrom && 'not taken over',
  ]
  return [isActive ? 'active' : 'disabled', ...more].filter(Boolean).join(', ')
}

function plain(user: User, client: Client) {
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
