// Versions of lists of names. Each upload is a whole list and starts as a draft. Once two people have
// activated it (requests.ts), it replaces the previous version a minute later, so that every process screens
// a credit by the same version (rule.ts). A list is never removed; operators end the rules that use it.
//
// The approver sees how many entries the draft adds and removes, compared with the active version. So the
// draft can only replace that version.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Conditions, listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { ListFormat } from './list-files.ts'
import type { ListEntry, NameIndex } from './names.ts'

export const BEGINS_AFTER_MS = 60_000

export type ListVersion = {
  id: bigint
  name: string
  format: ListFormat
  sha256: string
  entries: number
  names: number
  added: number
  removed: number
  replaces: bigint | null // The version that was active at the upload; null if none was.
  effectiveFrom: Date | null // null for a draft.
  uploadedBy: string
}

const SELECT = `
  select id, name, format, encode(sha256, 'hex') as sha256, entries, names, added, removed,
         replaces, effective_from, uploaded_by from screening_lists`

type Page = { where?: Conditions; beforeId: bigint | null; limit: number }

// Lists versions, newest first.
export async function listVersions(db: Queryable, page: Page): Promise<ListVersion[]> {
  const { where = [], beforeId, limit } = page
  const list = { select: SELECT, where, id: 'id', after: beforeId, limit }
  const { rows } = await db.query<ListVersion>(listQuery(list))
  return rows
}

export async function getVersion(db: Queryable, id: bigint): Promise<ListVersion> {
  const [version] = await listVersions(db, { where: [['id = $', id]], beforeId: null, limit: 1 })
  if (!version) throw new Refusal('screening_list_not_found')
  return version
}

// Returns the version in force, or the one that will be within a minute; null if every version is a draft.
export async function findActive(db: Queryable, name: string): Promise<ListVersion | null> {
  const where = [['name = $', name], 'effective_from is not null'] as const
  const [active] = await listVersions(db, { where, beforeId: null, limit: 1 })
  return active ?? null
}

type NewList = {
  name: string
  format: ListFormat
  bytes: Buffer
  entries: readonly ListEntry[]
}
type By = { clientId: ClientId; actor: string; now: Date }

// Saves a new version. If the file is already the active version, or a draft to replace it, changes nothing.
export async function saveList(tx: Transaction, by: By, list: NewList): Promise<ListVersion> {
  const { name, format, bytes, entries } = list
  await lockLists(tx)
  const activeVersion = await findActive(tx, name)
  const sha256 = createHash('sha256').update(bytes).digest()
  const sameFile = [
    ['name = $', name],
    ['format = $', format],
    ['sha256 = $', sha256],
  ] as const
  const [earlierUpload] = await listVersions(tx, { where: sameFile, beforeId: null, limit: 1 })
  const replaces = activeVersion?.id ?? null
  if (
    earlierUpload &&
    (earlierUpload.id === replaces ||
      (!earlierUpload.effectiveFrom && earlierUpload.replaces === replaces))
  ) {
    return earlierUpload
  }
  const knownIds = new Set(
    activeVersion ? (await readEntries(tx, activeVersion.id)).map(({ id }) => id) : [],
  )
  const added = entries.filter(({ id }) => !knownIds.has(id)).length
  await tx.query({
    name: 'save-screening-list',
    text: `insert into screening_lists
             (name, format, sha256, entries, names, added, removed, content, replaces, uploaded_by)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      name,
      format,
      sha256,
      entries.length,
      entries.reduce((sum, { names }) => sum + names.length, 0),
      added,
      knownIds.size - (entries.length - added),
      await promisify(gzip)(JSON.stringify(entries)),
      replaces,
      by.actor,
    ],
  })
  const [saved] = await listVersions(tx, { where: sameFile, beforeId: null, limit: 1 })
  // The audit log has the name, format, hash and counts of the version.
  const { replaces: _, effectiveFrom: __, uploadedBy: ___, id, ...figures } = saved as ListVersion
  const detail = { version: Number(id), ...figures }
  await writeAuditLog(tx, by.now, {
    clientId: by.clientId,
    actor: by.actor,
    action: 'screening.list',
    subject: `screening_list/${name}`,
    detail,
  })
  return saved as ListVersion
}

// Lets one transaction at a time upload or activate versions.
function lockLists(tx: Transaction) {
  return tx.query(`select pg_advisory_xact_lock(hashtext('screening_lists'))`)
}

// Locks all lists and returns the version. Refuses if it is not a draft, or if another version was activated
// after it was compared.
export async function lockActivatable(tx: Transaction, id: bigint): Promise<ListVersion> {
  await lockLists(tx)
  const list = await getVersion(tx, id)
  if (list.effectiveFrom) throw new Refusal('screening_list_not_draft')
  const active = await findActive(tx, list.name)
  if ((active?.id ?? null) !== list.replaces) throw new Refusal('screening_list_outdated')
  return list
}

// Activates a version, after two people have agreed. It begins no earlier than the version that it replaces.
export async function activateList(tx: Transaction, now: Date, id: bigint): Promise<void> {
  const { replaces } = await lockActivatable(tx, id)
  await tx.query({
    name: 'activate-screening-list',
    text: `update screening_lists
              set effective_from = greatest($2, (select effective_from from screening_lists
                                                  where id = $3))
            where id = $1`,
    values: [id, new Date(now.getTime() + BEGINS_AFTER_MS), replaces],
  })
}

// Reads the entries of a version, which are stored as compressed JSON.
async function readEntries(db: Queryable, id: bigint): Promise<ListEntry[]> {
  const { rows } = await db.query<{ content: Buffer }>({
    name: 'read-screening-list',
    text: 'select content from screening_lists where id = $1',
    values: [id],
  })
  const [{ content }] = rows as [{ content: Buffer }]
  return JSON.parse((await promisify(gunzip)(content)).toString('utf8'))
}

// The period of a version of a list: from its beginning until the next version begins.
export type ListPeriod = { id: bigint; name: string; sha256: string; from: Date; to: Date | null }

// Returns the periods ordered by name, then by beginning.
export async function readPeriods(db: Queryable): Promise<ListPeriod[]> {
  const { rows } = await db.query<ListPeriod>({
    name: 'periods-of-screening-lists',
    text: `select id, name, encode(sha256, 'hex') as sha256, effective_from as "from",
                  lead(effective_from) over (partition by name order by effective_from, id) as "to"
             from screening_lists where effective_from is not null
            order by name, effective_from, id`,
  })
  return rows
}

const INDEXES_MAX = 4
// The indexes in memory, ordered by last use; the latest comes last.
const indexes = new Map<string, NameIndex>()

// Returns the name index of one version of a list, from memory if possible. Keeps only the INDEXES_MAX
// indexes that were used last, because a list may have 200,000 entries.
export async function loadIndex(db: Queryable, list: ListPeriod): Promise<NameIndex> {
  // A key that is deleted and set again moves to the end of the map, as the one used last.
  const key = `${list.id}/${list.sha256}`
  const index = indexes.get(key) ?? (await makeIndex(await readEntries(db, list.id)))
  indexes.delete(key)
  indexes.set(key, index)
  if (indexes.size > INDEXES_MAX) indexes.delete(indexes.keys().next().value as string)
  return index
}

// Loads the matcher with its tables of scripts only where a list is in use.
async function makeIndex(entries: readonly ListEntry[]): Promise<NameIndex> {
  const { NameIndex } = await import('./names.ts')
  return new NameIndex(entries)
}
