// `manilla admin client …`: lists, creates and changes clients.
// `manilla admin tiers`: reports and assigns the KYC tiers of accounts.

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
} from '#access/clients.ts'
import { findClient, type Scope } from '#access/permissions.ts'
import { makeSecret } from '#access/secrets.ts'
import { setUserAddresses } from '#access/sessions.ts'
import {
  assignTiers,
  queueMissingChecks,
  reportTiers,
  type TierMove,
} from '#accounts/assign-tiers.ts'
import { watDay } from '#clock.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { toNaira } from '#money.ts'
import { readUsage } from '#reports/hourly-totals.ts'
import { AdminProblem, type Context, type Field, UsageProblem } from './operator-command.ts'

const PAGE = 500

type Restrictions = { scope?: string[]; merchantCode?: string[]; from?: string[] }

// `manilla admin client create`. `madeBy: null` records the command line as the maker of the secret.
export async function createClient(
  { db, clock, actor }: Context,
  options: Restrictions & { name: string; id?: string; operator?: boolean },
) {
  const request = {
    name: options.name,
    clientId: options.id,
    isOperator: options.operator === true,
    ...changesOf(options),
  }
  const secret = await makeSecret()
  const client = await withTransaction(db, (tx) =>
    registerClient(tx, { now: clock(), actor, madeBy: null }, { request, secret }),
  )
  return presentClient(client, secret.secret)
}

// `manilla admin client list`: reads page after page.
export async function listAllClients({ db }: Context) {
  const clients: ClientEntry[] = []
  for (let hasMore = true; hasMore; ) {
    const afterId = clients.at(-1)?.id ?? null
    const page = await listClients(db, { afterId, limit: PAGE })
    clients.push(...page)
    hasMore = page.length === PAGE
  }
  const rows = clients.map((client) => [client.clientId, describeState(client), client.name])
  return { data: clients.map(toData), view: { columns: ['client id', 'state', 'name'], rows } }
}

export async function showClient({ db, clock }: Context, _: object, clientId: string) {
  return presentClient(await getClient(db, clock(), clientId))
}

// `manilla admin client use`: shows how many accounts, payments and credits the client had on each day.
export async function showUsage(
  { db, clock }: Context,
  { days }: { days: number },
  subject: string,
) {
  const { id, clientId } = await getClient(db, clock(), subject)
  const usage = await readUsage(db, clock(), { clientId: id, days })
  const dayRows = usage.map(({ from, grossKobo, ...counts }) => ({
    from,
    ...counts,
    gross: toNaira(grossKobo),
  }))
  const names = Object.keys(dayRows[0] ?? {}).slice(1) // Without `from`, which is the column `day`.
  const rows = dayRows.map(({ from, ...counts }) => [watDay(from), ...Object.values(counts)])
  return { data: { clientId, days: dayRows }, view: { columns: ['day', ...names], rows } }
}

// `manilla admin client rotate-secret`: makes a new secret. The old one works for `overlap` more hours.
export async function rotateSecret(
  { db, clock, actor }: Context,
  { overlap }: { overlap: number },
  clientId: string,
) {
  const secret = await makeSecret()
  const change = { secret, overlapSeconds: overlap * 3_600 }
  const client = await withTransaction(db, (tx) =>
    rotateClientSecret(tx, { now: clock(), actor, madeBy: null }, { clientId, change }),
  )
  return presentClient(client, secret.secret)
}

type Reason = { reason?: string; note?: string } // --note is the former name of --reason.

export function suspend(context: Context, options: Reason, clientId: string) {
  return switchClient(context, suspendClient, { ...options, clientId })
}

export function resume(context: Context, options: Reason, clientId: string) {
  return switchClient(context, resumeClient, { ...options, clientId })
}

// Suspends or resumes the client. `note` comes from --note, the former name of --reason.
async function switchClient(
  { db, clock, actor }: Context,
  suspendOrResume: typeof suspendClient,
  { clientId, reason, note }: Reason & { clientId: string },
) {
  const request = { clientId, reason: reason ?? note ?? null }
  return presentClient(
    await withTransaction(db, (tx) => suspendOrResume(tx, { now: clock(), actor }, request)),
  )
}

// `manilla admin client restrict`: changes the scopes, merchant codes and addresses of a client, and keeps
// those that no option names. `usersFromAnywhere` removes the list of addresses from which its users may sign
// in.
export async function restrict(
  { db, clock, actor }: Context,
  options: Restrictions & {
    anyMerchant?: boolean
    fromAnywhere?: boolean
    usersFromAnywhere?: boolean
  },
  clientId: string,
) {
  const changes: Partial<ClientFields> = {
    ...changesOf(options),
    ...(options.anyMerchant ? { merchantCodes: null } : {}),
    ...(options.fromAnywhere ? { allowedAddresses: null } : {}),
  }
  const isChanged = Object.keys(changes).length > 0
  const { usersFromAnywhere = false } = options
  if (!isChanged && !usersFromAnywhere) throw new UsageProblem('Specify at least one change.')
  const client = await withTransaction(db, async (tx) => {
    if (usersFromAnywhere) {
      const { id } = await requireClient(tx, clientId)
      const by = { actor, address: null }
      await setUserAddresses(tx, clock(), {
        clientId: id,
        clientCode: clientId,
        addresses: null,
        by,
      })
    }
    if (!isChanged) return getClient(tx, clock(), clientId)
    return changeClient(tx, { now: clock(), actor }, { clientId, changes })
  })
  return presentClient(client)
}

async function requireClient(tx: Transaction, clientId: string) {
  const client = await findClient(tx, clientId)
  if (!client) throw new Refusal('client_not_found')
  return client
}

// An absent option changes nothing.
function changesOf({ scope, merchantCode, from }: Restrictions): Partial<ClientFields> {
  return {
    ...(scope ? { scopes: [...new Set(scope)] as Scope[] } : {}),
    ...(merchantCode ? { merchantCodes: [...new Set(merchantCode)] } : {}),
    ...(from ? { allowedAddresses: from } : {}),
  }
}

// Shows a client and its secrets. `secret` is known only right after it was made. A secret that was not
// generated, such as the sandbox client's, has no key id and is shown as `(legacy)`.
function presentClient(client: ClientDetail, secret?: string) {
  const data = { ...toData(client), ...(secret ? { secret } : {}), secrets: client.secrets }
  const fields: Field[] = [
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
  return { data, view: { fields } }
}

function describeState({ isActive, isOperator }: ClientEntry): string {
  return `${isActive ? 'active' : 'suspended'}${isOperator ? ' operator' : ''}`
}

function describeSuspension(at: Date, reason: string | null): string {
  return [at.toISOString(), ...(reason === null ? [] : [reason])].join('  ')
}

// The client as --json shows it.
function toData(client: ClientEntry) {
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

// `manilla admin tiers` reports the accounts whose KYC tiers, and so limits, the rule in force would change.
// It assigns the new tiers only with --apply (accounts/assign-tiers.ts).

type TierOptions = { client?: string; apply?: boolean; queue?: boolean }

const TIER_COLUMNS = [
  'client',
  'limits now',
  'then',
  'accounts',
  'not checked',
  'over balance',
  'over day',
]

// `manilla admin tiers`: reports which accounts would change their tier. With --queue, also queues identity
// checks; with --apply, also assigns the tiers.
export async function tiers({ db, clock, actor }: Context, { client, apply, queue }: TierOptions) {
  const now = clock()
  const onlyClient = client === undefined ? null : await findClient(db, client) // Null: all clients.
  if (client !== undefined && !onlyClient) throw new AdminProblem(`There is no client ${client}.`)
  const scope = { clientId: onlyClient?.id ?? null, now }
  const moves = await reportTiers(db, scope)
  const queued = queue ? await queueMissingChecks(db, scope) : 0
  const assigned = apply ? await assignTiers(db, scope, actor) : 0
  const data = { moves, queued, assigned }
  const rows = moves.map((move) => [
    move.client,
    `tier ${move.from}`,
    `tier ${move.to}`,
    move.accounts,
    move.unchecked,
    move.overBalance,
    move.overDay,
  ])
  const report = rows.length > 0 ? { columns: TIER_COLUMNS, rows } : 'Every account has its tier.'
  const outcome = [
    ...examples(moves),
    ...(queue ? [`${queued} accounts were queued for the identity service.`] : []),
    apply ? `${assigned} accounts were assigned their tier.` : 'Nothing was assigned: see --apply.',
  ]
  return { data, view: rows.length > 0 || queue ? [report, ...outcome] : report }
}

// Names some accounts that would exceed the limits of their new tier.
function examples(moves: readonly TierMove[]): string[] {
  const movesOverLimit = moves.filter((move) => move.examples.length > 0)
  return movesOverLimit.map(
    ({ client, to, examples: numbers }) =>
      `Over the limits of tier ${to}, ${client}: ${numbers.join(', ')}, …`,
  )
}
