// `manilla admin client …`: the register of clients.

import { withTransaction } from '#db/transaction.ts'
import {
  makeSecret,
  OVERLAP_SECONDS_DEFAULT,
  OVERLAP_SECONDS_MAX,
} from '#domain/access/client-secrets.ts'
import {
  type ClientDetail,
  type ClientEntry,
  type ClientFields,
  changeClient,
  getClient,
  listClients,
  registerClient,
  resumeClient,
  rotateClientSecret,
  suspendClient,
} from '#domain/access/manage-clients.ts'
import { SCOPES, type Scope } from '#domain/access/scopes.ts'
import { readUsage, USAGE_DAYS_MAX } from '#domain/reports/client-usage.ts'
import { toNaira } from '#money.ts'
import { watDay } from '#wat-time.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { type Arguments, columns, type Option, UsageProblem } from './command-line.ts'

const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u
const PAGE = 500

const RESTRICTIONS: readonly Option[] = [
  { name: 'scope', value: 'scope', isMany: true, about: `Allowed scopes: ${SCOPES.join(' ')}.` },
  { name: 'merchant-code', value: 'code', isMany: true, about: 'Allowed merchant codes.' },
  { name: 'from', value: 'address', isMany: true, about: 'Allowed IP addresses or CIDR ranges.' },
]
const REASON_MAX = 500
const REASON: readonly Option[] = [
  { name: 'reason', value: 'text', about: 'Why. Kept in the audit log, shown to operators.' },
  { name: 'note', value: 'text', about: 'The former name of --reason.' },
]

export const clientCommands: readonly AdminCommand[] = [
  {
    name: 'client create',
    summary: 'Create a client; its secret is shown once.',
    options: [
      { name: 'name', value: 'text', about: 'Merchant name shown to payers. Required.' },
      { name: 'id', value: 'clientId', about: 'Client ID; generated when omitted.' },
      { name: 'operator', about: 'Operates the service: manages clients and unidentified money.' },
      ...RESTRICTIONS,
    ],
    async run({ db, clock, actor }, args) {
      const request = {
        name: parseName(args.text('name')),
        clientId: args.text('id'),
        isOperator: args.flag('operator'),
        ...parseRestrictions(args),
      }
      if (request.clientId !== undefined && !CLIENT_ID.test(request.clientId)) {
        throw new UsageProblem('--id must be 3 to 40 letters, digits, - or _.')
      }
      const secret = await makeSecret()
      const client = await withTransaction(db, (tx) =>
        registerClient(tx, { now: clock(), actor, madeBy: null }, { request, secret }),
      )
      return present(client, secret.secret)
    },
  },
  {
    name: 'client list',
    summary: 'List clients, oldest first.',
    options: [],
    async run({ db }) {
      const clients: ClientEntry[] = []
      for (let more = true; more; ) {
        const afterId = clients.at(-1)?.id ?? null
        const page = await listClients(db, { afterId, limit: PAGE })
        clients.push(...page)
        more = page.length === PAGE
      }
      const lines = clients.map(
        (client) =>
          [client.clientId, `${describeState(client).padEnd(18)}  ${client.name}`] as const,
      )
      return { data: clients.map(plain), text: columns(lines).join('\n') || 'No clients.' }
    },
  },
  {
    name: 'client show',
    subject: 'clientId',
    summary: 'Show a client and its secrets.',
    options: [],
    async run({ db, clock }, { subject }) {
      return present(await getClient(db, clock(), subject))
    },
  },
  {
    name: 'client use',
    subject: 'clientId',
    summary: 'Show the daily usage of a client.',
    options: [
      {
        name: 'days',
        value: 'days',
        about: 'Number of days, including today, 1 to 31. Default 7.',
      },
    ],
    async run({ db, clock }, args) {
      const days = parseDays(args.text('days'))
      const { id, clientId } = await getClient(db, clock(), args.subject)
      const use = await readUsage(db, clock(), { clientId: id, days })
      const dayRows = use.map(({ from, grossKobo, ...counts }) => ({
        from,
        ...counts,
        gross: toNaira(grossKobo),
      }))
      const lines = dayRows.map(({ from, ...counts }) => {
        const cells = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
        return [watDay(from), cells.join('  ')] as const
      })
      return { data: { clientId, days: dayRows }, text: columns(lines).join('\n') }
    },
  },
  {
    name: 'client rotate-secret',
    subject: 'clientId',
    summary: 'Rotate a client secret; the new one is shown once.',
    options: [
      {
        name: 'overlap',
        value: 'hours',
        about: 'How long the old secret stays valid. Default 24. 0 revokes it and all tokens.',
      },
    ],
    async run({ db, clock, actor }, args) {
      const secret = await makeSecret()
      const change = { secret, overlapSeconds: parseOverlap(args.text('overlap')) }
      const client = await withTransaction(db, (tx) =>
        rotateClientSecret(
          tx,
          { now: clock(), actor, madeBy: null },
          { clientId: args.subject, change },
        ),
      )
      return present(client, secret.secret)
    },
  },
  {
    name: 'client suspend',
    subject: 'clientId',
    summary: 'Suspend a client: no logins, and no money leaves it until it is resumed.',
    options: REASON,
    run: (context, args) => runChange(context, args, suspendClient),
  },
  {
    name: 'client resume',
    subject: 'clientId',
    summary: 'Resume a suspended client; it must log in again.',
    options: REASON,
    run: (context, args) => runChange(context, args, resumeClient),
  },
  {
    name: 'client restrict',
    subject: 'clientId',
    summary: 'Change the restrictions of a client. Omitted options keep their value.',
    options: [
      ...RESTRICTIONS,
      { name: 'any-merchant', about: 'Allow all merchant codes.' },
      { name: 'from-anywhere', about: 'Allow all IP addresses.' },
    ],
    async run({ db, clock, actor }, args) {
      const changes: Partial<ClientFields> = {
        ...parseRestrictions(args),
        ...(args.flag('any-merchant') ? { merchantCodes: null } : {}),
        ...(args.flag('from-anywhere') ? { allowedAddresses: null } : {}),
      }
      if (Object.keys(changes).length === 0) throw new UsageProblem('Specify at least one change.')
      const client = await withTransaction(db, (tx) =>
        changeClient(tx, { now: clock(), actor }, { clientId: args.subject, changes }),
      )
      return present(client)
    },
  },
]

async function runChange(
  { db, clock, actor }: Context,
  args: Arguments,
  change: typeof suspendClient,
) {
  const reason = parseReason(args.text('reason') ?? args.text('note'))
  const by = { now: clock(), actor }
  return present(
    await withTransaction(db, (tx) => change(tx, by, { clientId: args.subject, reason })),
  )
}

function parseReason(text: string | undefined): string | null {
  if (text === undefined) return null
  if (text.length <= REASON_MAX && PLAIN_TEXT.test(text)) return text
  throw new UsageProblem(`--reason must be 1 to ${REASON_MAX} characters.`)
}

function parseName(text: string | undefined): string {
  if (text !== undefined && text.length <= 100 && PLAIN_TEXT.test(text)) return text
  throw new UsageProblem('--name is required: 1 to 100 characters.')
}

function parseDays(text = '7'): number {
  const days = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= USAGE_DAYS_MAX) return days
  throw new UsageProblem(`--days must be a whole number from 1 to ${USAGE_DAYS_MAX}.`)
}

function parseOverlap(text: string | undefined): number {
  if (text === undefined) return OVERLAP_SECONDS_DEFAULT
  const hoursMax = OVERLAP_SECONDS_MAX / 3_600
  if (/^[0-9]{1,3}$/.test(text) && Number(text) <= hoursMax) return Number(text) * 3_600
  throw new UsageProblem(`--overlap must be a whole number of hours from 0 to ${hoursMax}.`)
}

function parseRestrictions(args: Arguments): Partial<ClientFields> {
  const scopes = args.list('scope')?.map((text) => {
    const scope = SCOPES.find((each) => each === text)
    if (!scope) throw new UsageProblem(`--scope must be one of ${SCOPES.join(', ')}.`)
    return scope as Scope
  })
  const codes = args.list('merchant-code')
  const addresses = args.list('from')
  if ([scopes, codes, addresses].some((list) => list?.length === 0)) {
    throw new UsageProblem('--scope, --merchant-code and --from require at least one value.')
  }
  return {
    ...(scopes ? { scopes: [...new Set(scopes)] } : {}),
    ...(codes ? { merchantCodes: [...new Set(codes)] } : {}),
    ...(addresses ? { allowedAddresses: addresses } : {}),
  }
}

function present(client: ClientDetail, secret?: string) {
  const data = { ...plain(client), ...(secret ? { secret } : {}), secrets: client.secrets }
  const rows: (readonly [string, string])[] = [
    ['client id', client.clientId],
    ...(secret ? [['secret', `${secret}   (shown only once)`] as const] : []),
    ['name', client.name],
    ['state', describeState(client)],
    ...(client.suspendedAt
      ? [['suspended', describeSuspension(client.suspendedAt, client.suspensionReason)] as const]
      : []),
    ['scopes', client.scopes.join(' ')],
    ['merchant codes', client.merchantCodes?.join(' ') ?? 'all'],
    ['from', client.allowedAddresses?.join(' ') ?? 'anywhere'],
    ['created', client.createdAt.toISOString()],
    ...client.secrets.map(({ keyId, retiresAt, usedAt }) => {
      const until = retiresAt ? `expires ${retiresAt.toISOString()}` : 'current'
      const used = usedAt ? `last used ${usedAt.toISOString()}` : 'never used'
      return ['secret', `${keyId || '(legacy)'}.…  ${until}, ${used}`] as const
    }),
  ]
  return { data, text: columns(rows).join('\n') }
}

function describeState({ isActive, isOperator }: ClientEntry): string {
  return `${isActive ? 'active' : 'suspended'}${isOperator ? ' operator' : ''}`
}

function describeSuspension(at: Date, reason: string | null): string {
  return [at.toISOString(), ...(reason === null ? [] : [reason])].join('  ')
}

function plain(client: ClientEntry) {
  const { clientId, name, isActive, isOperator, scopes, suspendedAt, suspensionReason } = client
  const { merchantCodes, allowedAddresses, createdAt } = client
  return {
    clientId,
    name,
    isActive,
    suspendedAt,
    suspensionReason,
    isOperator,
    scopes,
    merchantCodes,
    allowedAddresses,
    createdAt,
  }
}
