// Client administration by the operator: registration, scopes, allowed addresses, suspension. Every
// change is written to the client's audit log.
//
//   active ──suspend──▶ suspended ──resume──▶ active
//
// A suspended client cannot log in, and its tokens are revoked permanently. No money leaves it
// (I97). Money still comes in: its numbers accept credits, checkout works, webhooks are delivered.

import { randomInt } from 'node:crypto'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { parseAddressRange } from '#ip-allowlist.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { awaitSenders } from '#records/call-rates.ts'
import {
  CLIENT_COLUMNS,
  type Client,
  defaultScopes,
  isOperatorScope,
  type Scope,
} from './permissions.ts'
import {
  addSecret,
  endTokens,
  listSecrets,
  type NewSecret,
  replaceSecret,
  type SecretEntry,
  type SecretMaker,
} from './secrets.ts'
import { endUserSessions } from './sessions.ts'

export type ClientEntry = Client & {
  createdAt: Date
  suspendedAt: Date | null // Also null if an older release suspended it.
  suspensionReason: string | null
  accountName: string // Banks show this name to payers.
  pendingAccountName: string | null // Waits for an operator's approval.
}
export type ClientDetail = ClientEntry & { secrets: SecretEntry[] }

export type ClientFields = {
  name: string
  isOperator: boolean
  scopes: readonly Scope[]
  merchantCodes: readonly string[] | null
  allowedAddresses: readonly string[] | null
}

type By = { now: Date; actor: string }
type BySecretMaker = By & { madeBy: SecretMaker }

const CLIENT_ID_TRIES_MAX = 20
const ENTRY_COLUMNS = `
  ${CLIENT_COLUMNS}, clients.created_at,
  case when not clients.is_active then clients.suspended_at end as suspended_at,
  case when not clients.is_active then clients.suspension_reason end as suspension_reason,
  coalesce(clients.brand_account_name, clients.name) as account_name, clients.pending_account_name`

type ClientRegistration = {
  request: { name: string; clientId?: string | undefined } & Partial<ClientFields>
  secret: NewSecret
}

// Creates a client with its first secret. Refuses a clientId that is taken.
export async function registerClient(
  tx: Transaction,
  { now, actor, madeBy }: BySecretMaker,
  { request, secret }: ClientRegistration,
): Promise<ClientDetail> {
  const { clientId = await freeClientId(tx), name, isOperator = false } = request
  const fields = checkFields({
    name,
    isOperator,
    scopes: request.scopes ?? defaultScopes(isOperator),
    merchantCodes: request.merchantCodes ?? null,
    allowedAddresses: request.allowedAddresses ?? null,
  })
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'register-client',
    text: `insert into clients (client_id, name, is_operator, scopes, merchant_codes,
                                allowed_addresses, created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id) do nothing
           returning id`,
    values: [clientId, ...toValues(fields), now],
  })
  const id = rows[0]?.id
  if (id === undefined) throw new Refusal('client_id_taken')
  await addSecret(tx, now, { clientId: id, secret, madeBy })
  await recordClientChange(
    tx,
    { now, actor },
    { id, clientId, action: 'client.create', detail: { ...fields } },
  )
  return getClient(tx, now, clientId)
}

// Returns an unused login id at random: a sequential id would reveal how many clients there are.
async function freeClientId(db: Queryable): Promise<string> {
  for (let attempt = 1; attempt <= CLIENT_ID_TRIES_MAX; attempt++) {
    const clientId = `MAN${randomInt(10_000_000).toString().padStart(7, '0')}`
    const { rowCount } = await db.query('select from clients where client_id = $1', [clientId])
    if (rowCount === 0) return clientId
  }
  throw new Error('no client id is free')
}

type ClientFilters = {
  search?: string | undefined // Matches the id or the name.
  isActive?: boolean | undefined
}

type ClientPage = { afterId: ClientId | null; limit: number; filters?: ClientFilters }

// Lists a page of clients in the order of creation; `afterId` is the last id of the previous page. listQuery
// numbers each `$`, and drops the condition of a filter that is undefined.
export async function listClients(
  db: Queryable,
  { afterId, limit, filters: { search, isActive } = {} }: ClientPage,
): Promise<ClientEntry[]> {
  const { rows } = await db.query<ClientEntry>(
    listQuery({
      select: `select ${ENTRY_COLUMNS} from clients`,
      where: [
        ['is_active = $', isActive],
        ['(strpos(lower(client_id), lower($)) > 0 or strpos(lower(name), lower($)) > 0)', search],
      ],
      id: 'id',
      order: 'oldest',
      after: afterId,
      limit,
    }),
  )
  return rows
}

export async function getClient(db: Queryable, now: Date, clientId: string): Promise<ClientDetail> {
  const { rows } = await db.query<ClientEntry>({
    name: 'get-client',
    text: `select ${ENTRY_COLUMNS} from clients where client_id = $1`,
    values: [clientId],
  })
  if (!rows[0]) throw new Refusal('client_not_found')
  return { ...rows[0], secrets: await listSecrets(db, now, rows[0].id) }
}

// Changes fields of a client. Tokens do not contain these fields, so the changes apply to issued tokens too.
export async function changeClient(
  tx: Transaction,
  by: By,
  { clientId, changes }: { clientId: string; changes: Partial<ClientFields> },
): Promise<ClientDetail> {
  const client = await lockClient(tx, clientId)
  const { name, isOperator, scopes, merchantCodes, allowedAddresses } = { ...client, ...changes }
  // A client that stops being an operator loses the operator's scopes.
  const newScopes =
    isOperator || changes.scopes ? scopes : scopes.filter((each) => !isOperatorScope(each))
  const fields = checkFields({
    name,
    isOperator,
    scopes: newScopes,
    merchantCodes,
    allowedAddresses,
  })
  await tx.query({
    name: 'change-client',
    text: `update clients set name = $2, is_operator = $3, scopes = $4, merchant_codes = $5,
                              allowed_addresses = $6
            where id = $1`,
    values: [client.id, ...toValues(fields)],
  })
  await recordClientChange(tx, by, { ...client, action: 'client.update', detail: changes })
  if (client.isOperator && !isOperator) await makeOperatorsOwners(tx, by.now, client.id)
  return getClient(tx, by.now, clientId)
}

// A client that stops being an operator cannot have users with the role `operator`. They become owners and
// must sign in again.
async function makeOperatorsOwners(tx: Transaction, now: Date, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query<{ id: UserId; email: string }>({
    name: 'make-operators-owners',
    text: `update users set role = 'owner' where client_id = $1 and role = 'operator'
           returning id, email`,
    values: [clientId],
  })
  for (const { id, email } of rows) {
    await endUserSessions(tx, id)
    await writeAuditLog(tx, now, {
      clientId,
      actor: 'operator',
      action: 'user.change_role',
      subject: `user/${email}`,
      detail: { from: 'operator', to: 'owner' },
    })
  }
}

// Idempotent. Waits for workers that are claiming payouts, so that none of the client's payouts is
// claimed after the commit.
export async function suspendClient(
  tx: Transaction,
  by: By,
  { clientId, reason }: { clientId: string; reason: string | null },
): Promise<ClientDetail> {
  const client = await lockClient(tx, clientId)
  await awaitSenders(tx) // Last: a wait for the client's row must not block all senders.
  if (client.isActive) {
    await tx.query({
      name: 'suspend-client',
      text: `update clients set is_active = false, suspended_at = $2, suspension_reason = $3
              where id = $1`,
      values: [client.id, by.now, reason],
    })
    await endTokens(tx, client.id)
    await recordClientChange(tx, by, {
      ...client,
      action: 'client.suspend',
      detail: { note: reason },
    })
  }
  return getClient(tx, by.now, clientId)
}

// Lets a suspended client log in again. Idempotent. Tokens of before the suspension stay revoked.
export async function resumeClient(
  tx: Transaction,
  by: By,
  { clientId, reason }: { clientId: string; reason: string | null },
): Promise<ClientDetail> {
  const client = await lockClient(tx, clientId)
  if (!client.isActive) {
    await tx.query({
      name: 'resume-client',
      text: `update clients set is_active = true, suspended_at = null, suspension_reason = null
              where id = $1`,
      values: [client.id],
    })
    await recordClientChange(tx, by, {
      ...client,
      action: 'client.resume',
      detail: { note: reason },
    })
  }
  return getClient(tx, by.now, clientId)
}

type ClientSecretRotation = {
  clientId: string
  change: { secret: NewSecret; overlapSeconds: number }
  action?: 'client.rotate_secret' | 'secret.rotate' | undefined
}

// Operators rotate with the action `client.rotate_secret`, the client's own users with `secret.rotate`. The
// client's view of the audit log shows the actor of `secret.rotate` only: it hides the actor of `client.…`
// actions, which operators perform (records/audit-log.ts).
export async function rotateClientSecret(
  tx: Transaction,
  by: BySecretMaker,
  { clientId, change, action = 'client.rotate_secret' }: ClientSecretRotation,
): Promise<ClientDetail> {
  const client = await getClient(tx, by.now, clientId)
  await replaceSecret(tx, by.now, { clientId: client.id, ...change, madeBy: by.madeBy })
  const { secret, overlapSeconds } = change
  await recordClientChange(tx, by, {
    ...client,
    action,
    detail: { keyId: secret.keyId, overlapSeconds },
  })
  return getClient(tx, by.now, clientId)
}

async function lockClient(tx: Transaction, clientId: string): Promise<Client> {
  const { rows } = await tx.query<Client>({
    name: 'lock-client',
    text: `select ${CLIENT_COLUMNS} from clients where client_id = $1 for no key update`,
    values: [clientId],
  })
  if (!rows[0]) throw new Refusal('client_not_found')
  return rows[0]
}

type ClientAction = {
  id: ClientId
  clientId: string
  action: `client.${string}` | 'secret.rotate'
  detail: object
}

// Writes an operator's change of the client, or of its secret, to the client's audit log.
async function recordClientChange(
  tx: Transaction,
  { now, actor }: By,
  { id, clientId, action, detail }: ClientAction,
): Promise<void> {
  await writeAuditLog(tx, now, {
    clientId: id,
    actor,
    action,
    subject: `client/${clientId}`,
    detail,
  })
}

// Refuses operator scopes for a client that is not an operator, and invalid address ranges. Returns the
// ranges in canonical form.
function checkFields(fields: ClientFields): ClientFields {
  const errors: FieldError[] = []
  const operatorScope = fields.scopes.find(isOperatorScope)
  if (operatorScope && !fields.isOperator) {
    const message = `Only an operator may have the scope ${operatorScope}.`
    errors.push({ field: 'scopes', message })
  }
  const ranges = fields.allowedAddresses?.map((text, index) => {
    const range = parseAddressRange(text)
    const message = 'Must be an IP address, or a range by its first: 10.0.0.0/8.'
    if (!range) errors.push({ field: `allowedAddresses.${index}`, message })
    return range ?? text
  })
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
  return { ...fields, allowedAddresses: ranges ? [...new Set(ranges)] : null }
}

// The values of a client's columns, in the order in which the two SQL statements named `register-client` and
// `change-client` take them as parameters.
function toValues(fields: ClientFields) {
  const { name, isOperator, scopes, merchantCodes, allowedAddresses } = fields
  return [name, isOperator, scopes, merchantCodes, allowedAddresses]
}
