// Versions of lists of names. An upload is a whole list: it replaces the version before it after a minute, so
// that every process screens a credit by the same version (rule.ts).

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Conditions, fits } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { ListFormat } from './list-files.ts'
import { type ListEntry, NameIndex } from './names.ts'

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
  effectiveFrom: Date
  uploadedBy: string
}

const SELECT = `
  select id, name, format, encode(sha256, 'hex') as sha256, entries, names, added, removed,
         effective_from, uploaded_by from screening_lists`

type Page = { where?: Conditions; beforeId: bigint | null; limit: number }

// Newest first.
export async function listVersions(db: Queryable, page: Page): Promise<ListVersion[]> {
  const { where = [], beforeId, limit } = page
  const { sql, values } = fits([...where, ['id < $', beforeId]])
  const text = `${SELECT} where ${sql} order by id desc limit ${limit}`
  const { rows } = await db.query<ListVersion>(namedByText(text, values))
  return rows
}

export type NewList = {
  name: string
  format: ListFormat
  bytes: Buffer
  entries: readonly ListEntry[]
}
type By = { clientId: ClientId; actor: string; now: Date }

// If the file equals the newest version, nothing changes.
export async function saveList(tx: Transaction, by: By, list: NewList): Promise<ListVersion> {
  const { name, format, bytes, entries } = list
  await tx.query(`select pg_advisory_xact_lock(hashtext('screening_lists'))`)
  const where = [['name = $', name]] as const
  const [before] = await listVersions(tx, { where, beforeId: null, limit: 1 })
  const sha256 = createHash('sha256').update(bytes).digest()
  if (before?.sha256 === sha256.toString('hex') && before.format === format) return before
  const known = new Set(before ? (await readEntries(tx, before.id)).map(({ id }) => id) : [])
  const added = entries.filter(({ id }) => !known.has(id)).length
  await tx.query({
    name: 'save-screening-list',
    text: `insert into screening_lists
             (name, format, sha256, entries, names, added, removed, content, effective_from, uploaded_by)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [
      name,
      format,
      sha256,
      entries.length,
      entries.reduce((sum, { names }) => sum + names.length, 0),
      added,
      known.size - (entries.length - added),
      await promisify(gzip)(JSON.stringify(entries)),
      new Date(by.now.getTime() + BEGINS_AFTER_MS),
      by.actor,
    ],
  })
  const [saved] = await listVersions(tx, { where, beforeId: null, limit: 1 })
  const { id: _, effectiveFrom: __, uploadedBy: ___, ...detail } = saved as ListVersion
  await writeAuditLog(tx, by.now, {
    clientId: by.clientId,
    actor: by.actor,
    action: 'screening.list',
    subject: `screening_list/${name}`,
    detail,
  })
  return saved as ListVersion
}

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

// Sorted by their beginnings.
export async function readPeriods(db: Queryable): Promise<ListPeriod[]> {
  const { rows } = await db.query<ListPeriod>({
    name: 'periods-of-screening-lists',
    text: `select id, name, encode(sha256, 'hex') as sha256, effective_from as "from",
                  lead(effective_from) over (partition by name order by effective_from, id) as "to"
             from screening_lists order by name, effective_from, id`,
  })
  return rows
}

const INDEXES_MAX = 4
const indexes = new Map<string, NameIndex>() // In order of use: the latest comes last.

export async function loadIndex(db: Queryable, list: ListPeriod): Promise<NameIndex> {
  const key = `${list.id}/${list.sha256}`
  const index = indexes.get(key) ?? new NameIndex(await readEntries(db, list.id))
  indexes.delete(key)
  indexes.set(key, index)
  if (indexes.size > INDEXES_MAX) indexes.delete(indexes.keys().next().value as string)
  return index
}
