// Resets a sandbox client to an empty state, in one transaction. The books are append-only, so nothing is
// deleted: the client is archived under another client ID, and a new client takes its place.
//
//   moves to the new one    client ID; API secrets (client_secrets); users, with sessions, second factors,
//                           saved views and access grants; removed users; logo; settings of settlement,
//                           payouts and notices; scheduled reports
//   copied to the new one   name, scopes, merchant codes, allowed addresses, token generation, branding,
//                           maker-checker setting; webhook endpoints; secrets that sign webhooks
//                           (signing_secrets), those of the endpoints and the client's own
//   stays with the old one  everything else: accounts, payments, money, events, audit log
//
// The old client is inactive: it is not settled and its payouts are not sent. Its payments still expire, but
// no webhook reports it. Idempotent: an archived client is not reset again.

import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type EndpointId, timeOrderedId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'

// Tables whose only reference to the client is `client_id`, and whose rows move.
const MOVED_TABLES = [
  'client_secrets',
  'users',
  'removed_users',
  'access_grants',
  'client_logos',
  'payout_settings',
  'notice_settings',
  'report_schedules', // The schedules of present users have moved with them.
]

const RESET = 'the sandbox was reset'

// Archives the client and returns the empty one that takes its place, or the same id if a concurrent reset
// has already archived it. Refuses with seed_running while a seed is being written.
export async function resetClient(
  tx: Transaction,
  now: Date,
  { clientId: oldId, actor }: { clientId: ClientId; actor: string },
): Promise<ClientId> {
  await tx.query('select from clients where id = $1 for update', [oldId])
  const { rows } = await tx.query<{ clientId: string }>({
    name: 'find-client-to-reset', // After the lock: a concurrent reset may have archived the client.
    text: `select client_id from clients
            where id = $1 and archived_at is null`,
    values: [oldId],
  })
  const [client] = rows
  if (!client) return oldId
  await refuseSeeding(tx, oldId)
  const archivedAs = `${client.clientId}~${oldId}`
  const newId = await replaceClient(tx, now, { oldId, archivedAs, clientId: client.clientId })
  for (const table of MOVED_TABLES) {
    await tx.query(`update ${table} set client_id = $2 where client_id = $1`, [oldId, newId])
  }
  // Earlier slots of the schedule count as handled, because the new client has no money from that time.
  await tx.query({
    name: 'move-settlement-settings',
    text: `update settlement_settings set client_id = $2, handled_to = $3 where client_id = $1`,
    values: [oldId, newId, now],
  })
  await copyEndpoints(tx, now, { oldId, newId })
  await archiveWebhooks(tx, now, oldId)
  const subject = `client/${client.clientId}`
  const about = { clientId: newId, actor, action: 'sandbox.reset', subject } as const
  await writeAuditLog(tx, now, { ...about, detail: { archivedAs } })
  return newId
}

// Refuses while a seed is being written to the client.
async function refuseSeeding(tx: Transaction, clientId: ClientId): Promise<void> {
  const { rows } = await tx.query({
    name: 'is-seeding',
    text: 'select from sandbox_seeds where client_id = $1 and finished_at is null',
    values: [clientId],
  })
  if (rows.length > 0) throw new Refusal('seed_running')
}

const COPIED_COLUMNS = `name, is_operator, scopes, merchant_codes, allowed_addresses, user_addresses,
  token_generation, brand_name, brand_colour, has_maker_checker, brand_account_name, brand_support_email,
  brand_support_phone, brand_support_url`

// Archives the old client under another client ID, and creates the new one with the old one's client ID.
// Returns the new id.
async function replaceClient(
  tx: Transaction,
  now: Date,
  { oldId, archivedAs, clientId }: { oldId: ClientId; archivedAs: string; clientId: string },
): Promise<ClientId> {
  await tx.query({
    name: 'archive-client',
    text: 'update clients set client_id = $2, is_active = false, archived_at = $3 where id = $1',
    values: [oldId, archivedAs, now],
  })
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'replace-client',
    text: `insert into clients (client_id, created_at, ${COPIED_COLUMNS})
           select $2, $3, ${COPIED_COLUMNS} from clients where id = $1
           returning id`,
    values: [oldId, clientId, now],
  })
  return (rows[0] as { id: ClientId }).id
}

// Copies the webhook endpoints, under new ids, and the secrets that sign webhooks.
async function copyEndpoints(
  tx: Transaction,
  now: Date,
  { oldId, newId }: { oldId: ClientId; newId: ClientId },
): Promise<void> {
  const { rows } = await tx.query<{ id: EndpointId }>({
    name: 'endpoints-to-copy',
    text: `select id from webhook_endpoints
            where client_id = $1 and deleted_at is null order by created_at, id`,
    values: [oldId],
  })
  const ids = rows.map(({ id }) => id)
  const copies = rows.map(() => timeOrderedId(now))
  await tx.query({
    name: 'copy-endpoints',
    text: `insert into webhook_endpoints
             (id, client_id, url, event_types, is_active, created_at, updated_at)
           select c.copy, $2, e.url, e.event_types, e.is_active, e.created_at, $5
             from unnest($3::uuid[], $4::uuid[]) as c (id, copy)
             join webhook_endpoints e on e.id = c.id and e.client_id = $1`,
    values: [oldId, newId, ids, copies, now],
  })
  await tx.query({
    name: 'copy-signing-secrets',
    text: `insert into signing_secrets
             (client_id, endpoint_id, secret_sealed, created_at, retires_at)
           select $2, c.copy, s.secret_sealed, s.created_at, s.retires_at
             from signing_secrets s
             left join unnest($3::uuid[], $4::uuid[]) as c (id, copy) on c.id = s.endpoint_id
            where s.client_id = $1 and (s.endpoint_id is null or c.copy is not null)
            order by s.id`,
    values: [oldId, newId, ids, copies],
  })
}

// Switches off the webhooks of the archived client, and skips its events that were not dispatched.
async function archiveWebhooks(tx: Transaction, now: Date, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'archive-endpoints',
    text: 'update webhook_endpoints set is_active = false where client_id = $1',
    values: [clientId],
  })
  await tx.query({
    name: 'archive-destinations',
    text: `update destinations set due_at = null, disabled_at = $2, disabled_why = '${RESET}'
            where client_id = $1`,
    values: [clientId, now],
  })
  await tx.query({
    name: 'archive-dispatch',
    text: `update dispatch_cursors c set sequence = k.sequence
             from event_counters k where k.client_id = c.client_id and c.client_id = $1`,
    values: [clientId],
  })
}
