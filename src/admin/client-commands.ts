// `manilla admin client …`: the register of clients.

import { withTransaction } from '#db/transaction.ts'
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
} from '#domain/access/client-register.ts'
import {
  makeSecret,
  OVERLAP_SECONDS_DEFAULT,
  OVERLAP_SECONDS_MAX,
} from '#domain/access/client-secrets.ts'
import { SCOPES, type Scope } from '#domain/access/scopes.ts'
import { readUsage, USAGE_DAYS_MAX } from '#domain/reports/client-usage.ts'
import { toNaira } from '#money.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { columns, type Given, type Option, UsageProblem } from './command-line.ts'

const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$/
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u
const PAGE = 500

const RESTRICTIONS: readonly Option[] = [
  { name: 'scope', value: 'scope', isMany: true, about: `Only these of ${SCOPES.join(' ')}.` },
  { name: 'merchant-code', value: 'code', isMany: true, about: 'Only accounts of these.' },
  { name: 'from', value: 'address', isMany: true, about: 'Only from these addresses or ranges.' },
]
const NOTE: Option = { name: 'note', value: 'text', about: 'Why; kept in the record of actions.' }

export const clientCommands: readonly AdminCommand[] = [
  {
    name: 'client create',
    summary: 'Make a client; its secret is shown once.',
    options: [
      { name: 'name', value: 'text', about: 'Of the merchant, as payers see it. Required.' },
      { name: 'id', value: 'clientId', about: 'What it logs in with; made up when left out.' },
      { name: 'operator', about: 'May run the service: clients, and money that is nobody’s.' },
      ...RESTRICTIONS,
    ],
    async run({ db, clock, actor }, given) {
      const asked = {
        name: nameOf(given.text('name')),
        clientId: given.text('id'),
        isOperator: given.flag('operator'),
        ...restrictionsOf(given),
      }
      if (asked.clientId !== undefined && !CLIENT_ID.test(asked.clientId)) {
        throw new UsageProblem('--id must be 3 to 40 letters, digits, - or _.')
      }
      const secret = await makeSecret()
      const client = await withTransaction(db, (tx) =>
        registerClient(tx, { now: clock(), actor }, asked, secret),
      )
      return shown(client, secret.secret)
    },
  },
  {
    name: 'client list',
    summary: 'All clients, in the order of their making.',
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
        (client) => [client.clientId, `${stateOf(client).padEnd(18)}  ${client.name}`] as const,
      )
      return { data: clients.map(plain), text: columns(lines).join('\n') || 'There are none yet.' }
    },
  },
  {
    name: 'client show',
    subject: 'clientId',
    summary: 'What a client may do, from where, and the secrets it has.',
    options: [],
    async run({ db, clock }, { subject }) {
      return shown(await getClient(db, clock(), subject))
    },
  },
  {
    name: 'client use',
    subject: 'clientId',
    summary: 'How much a client uses the service, day by day.',
    options: [{ name: 'days', value: 'days', about: '1 to 31, with today; 7 when left out.' }],
    async run({ db, clock }, given) {
      const days = daysOf(given.text('days'))
      const { id, clientId } = await getClient(db, clock(), given.subject)
      const use = await readUsage(db, clock(), id, days)
      const shownDays = use.map(({ from, grossKobo, ...counts }) => ({
        from,
        ...counts,
        gross: toNaira(grossKobo),
      }))
      const lines = shownDays.map(({ from, ...counts }) => {
        const said = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
        return [watDate(from), said.join('  ')] as const
      })
      return { data: { clientId, days: shownDays }, text: columns(lines).join('\n') }
    },
  },
  {
    name: 'client rotate-secret',
    subject: 'clientId',
    summary: 'Give a client a new secret, shown once; the old one works on for a while.',
    options: [
      {
        name: 'overlap',
        value: 'hours',
        about: 'How long; 24 when left out. 0: at once, and all its tokens die too.',
      },
    ],
    async run({ db, clock, actor }, given) {
      const secret = await makeSecret()
      const change = { secret, overlapSeconds: overlapOf(given.text('overlap')) }
      const client = await withTransaction(db, (tx) =>
        rotateClientSecret(tx, { now: clock(), actor }, given.subject, change),
      )
      return shown(client, secret.secret)
    },
  },
  {
    name: 'client suspend',
    subject: 'clientId',
    summary: 'Shut a client out: it cannot log in, and its tokens die within 5 seconds.',
    options: [NOTE],
    run: (context, given) => changed(context, given, suspendClient),
  },
  {
    name: 'client resume',
    subject: 'clientId',
    summary: 'Let a suspended client in again; it must log in anew.',
    options: [NOTE],
    run: (context, given) => changed(context, given, resumeClient),
  },
  {
    name: 'client restrict',
    subject: 'clientId',
    summary: 'Change what a client may do. What is not named stays as it is.',
    options: [
      ...RESTRICTIONS,
      { name: 'any-merchant', about: 'Accounts of all merchant codes.' },
      { name: 'from-anywhere', about: 'From all addresses.' },
    ],
    async run({ db, clock, actor }, given) {
      const changes: Partial<ClientFields> = {
        ...restrictionsOf(given),
        ...(given.flag('any-merchant') ? { merchantCodes: null } : {}),
        ...(given.flag('from-anywhere') ? { allowedAddresses: null } : {}),
      }
      if (Object.keys(changes).length === 0) throw new UsageProblem('Say what is to change.')
      const client = await withTransaction(db, (tx) =>
        changeClient(tx, { now: clock(), actor }, given.subject, changes),
      )
      return shown(client)
    },
  },
]

async function changed({ db, clock, actor }: Context, given: Given, change: typeof suspendClient) {
  const note = given.text('note') ?? null
  const by = { now: clock(), actor }
  return shown(await withTransaction(db, (tx) => change(tx, by, given.subject, note)))
}

function nameOf(text: string | undefined): string {
  if (text !== undefined && text.length <= 100 && PLAIN_TEXT.test(text)) return text
  throw new UsageProblem('--name is required: text of 1 to 100 characters.')
}

function daysOf(text = '7'): number {
  const days = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= USAGE_DAYS_MAX) return days
  throw new UsageProblem(`--days must be a whole number, 1 to ${USAGE_DAYS_MAX}.`)
}

function watDate(from: Date): string {
  return new Date(from.getTime() + 3_600_000).toISOString().slice(0, 10)
}

function overlapOf(text: string | undefined): number {
  if (text === undefined) return OVERLAP_SECONDS_DEFAULT
  const hoursMax = OVERLAP_SECONDS_MAX / 3_600
  if (/^[0-9]{1,3}$/.test(text) && Number(text) <= hoursMax) return Number(text) * 3_600
  throw new UsageProblem(`--overlap must be a whole number of hours, 0 to ${hoursMax}.`)
}

function restrictionsOf(given: Given): Partial<ClientFields> {
  const scopes = given.list('scope')?.map((text) => {
    const scope = SCOPES.find((known) => known === text)
    if (!scope) throw new UsageProblem(`--scope must be one of ${SCOPES.join(', ')}.`)
    return scope as Scope
  })
  const codes = given.list('merchant-code')
  const addresses = given.list('from')
  if ([scopes, codes, addresses].some((list) => list?.length === 0)) {
    throw new UsageProblem('--scope, --merchant-code and --from need at least one value each.')
  }
  return {
    ...(scopes ? { scopes: [...new Set(scopes)] } : {}),
    ...(codes ? { merchantCodes: [...new Set(codes)] } : {}),
    ...(addresses ? { allowedAddresses: addresses } : {}),
  }
}

function shown(client: ClientDetail, secret?: string) {
  const data = { ...plain(client), ...(secret ? { secret } : {}), secrets: client.secrets }
  const rows: (readonly [string, string])[] = [
    ['client id', client.clientId],
    ...(secret ? [['secret', `${secret}   (shown only now)`] as const] : []),
    ['name', client.name],
    ['state', stateOf(client)],
    ['scopes', client.scopes.join(' ')],
    ['merchant codes', client.merchantCodes?.join(' ') ?? 'all'],
    ['from', client.allowedAddresses?.join(' ') ?? 'anywhere'],
    ['made', client.createdAt.toISOString()],
    ...client.secrets.map(({ keyId, retiresAt, usedAt }) => {
      const until = retiresAt ? `retires ${retiresAt.toISOString()}` : 'current'
      const used = usedAt ? `used about ${usedAt.toISOString()}` : 'not used yet'
      return ['secret', `${keyId || '(given)'}.…  ${until}, ${used}`] as const
    }),
  ]
  return { data, text: columns(rows).join('\n') }
}

function stateOf({ isActive, isOperator }: ClientEntry): string {
  return `${isActive ? 'active' : 'suspended'}${isOperator ? ' operator' : ''}`
}

function plain(client: ClientEntry) {
  const { clientId, name, isActive, isOperator, scopes } = client
  const { merchantCodes, allowedAddresses, createdAt } = client
  return {
    clientId,
    name,
    isActive,
    isOperator,
    scopes,
    merchantCodes,
    allowedAddresses,
    createdAt,
  }
}
