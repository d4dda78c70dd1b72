// Splits: how a client shares booked money with subaccounts. The terms of a split never change; other
// terms need another split. A deactivated split cannot be used for anything new, but stays where it is
// used.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId, SplitId, SubaccountId } from '#ids.ts'
import { ALL_BPS, type SplitTerms, type SplitType } from './share-amount.ts'

export const PARTS_MAX = 10

export type SplitPart = SplitTerms['parts'][number] & {
  subaccountId: SubaccountId
  subaccountCode: string
}

export type Split = {
  id: SplitId
  clientId: ClientId
  code: string
  name: string
  type: SplitType
  isActive: boolean
  areSubaccountsActive: boolean
  parts: readonly SplitPart[] // In their order.
  createdAt: Date
}

type PartRow = Omit<SplitPart, 'share'> & { share: string }
type SplitRow = Omit<Split, 'parts' | 'areSubaccountsActive'> & {
  parts: (PartRow & { isActive: boolean })[]
}

const SELECT_SPLIT = `
  select s.id, s.client_id as "clientId", s.code, s.name, s.type,
         s.deactivated_at is null as "isActive", s.created_at as "createdAt",
         (select json_agg(json_build_object(
                   'subaccountId', p.subaccount_id, 'subaccountCode', u.code,
                   'share', p.share::text, 'bearsFee', p.bears_fee, 'isActive', u.is_active)
                   order by p.position)
            from split_parts p join subaccounts u on u.id = p.subaccount_id
           where p.split_id = s.id) as parts
    from splits s`

function toSplit({ parts, ...row }: SplitRow): Split {
  return {
    ...row,
    areSubaccountsActive: parts.every(({ isActive }) => isActive),
    parts: parts.map(({ subaccountId, subaccountCode, share, bearsFee }) => ({
      subaccountId: BigInt(subaccountId) as SubaccountId,
      subaccountCode,
      share: BigInt(share),
      bearsFee,
    })),
  }
}

// By id. Runs no query if there are no ids.
export async function readSplits(
  db: Queryable,
  ids: Iterable<SplitId | null>,
): Promise<ReadonlyMap<SplitId, Split>> {
  const splitIds = new Set<SplitId>()
  for (const id of ids) if (id !== null) splitIds.add(id)
  if (splitIds.size === 0) return new Map()
  const { rows } = await db.query<SplitRow>({
    name: 'read-splits',
    text: `${SELECT_SPLIT} where s.id = any($1::bigint[])`,
    values: [numberArray([...splitIds])],
  })
  return new Map(rows.map((row) => [row.id, toSplit(row)]))
}

export async function getSplit(db: Queryable, clientId: ClientId, code: string): Promise<Split> {
  const { rows } = await db.query<SplitRow>({
    name: 'get-split',
    text: `${SELECT_SPLIT} where s.client_id = $1 and s.code = $2`,
    values: [clientId, code],
  })
  if (!rows[0]) throw new Refusal('split_not_found')
  return toSplit(rows[0])
}

// Newest first, older than `beforeId`.
export async function listSplits(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<Split[]> {
  const { rows } = await db.query<SplitRow>({
    name: 'list-splits',
    text: `${SELECT_SPLIT}
            where s.client_id = $1 and ($2::bigint is null or s.id < $2)
            order by s.id desc limit $3`,
    values: [clientId, beforeId, limit],
  })
  return rows.map(toSplit)
}

export type NewSplit = {
  code: string
  name: string
  type: SplitType
  parts: readonly Omit<SplitPart, 'subaccountId'>[]
}

type By = { clientId: ClientId; actor: string; now: Date }

export async function createSplit(
  tx: Transaction,
  { clientId, actor, now }: By,
  split: NewSplit,
): Promise<Split> {
  const { code, name, type } = split
  const parts = await findParts(tx, clientId, split)
  const { rows } = await tx.query<{ id: SplitId }>({
    name: 'create-split',
    text: `insert into splits (client_id, code, name, type, created_at)
           values ($1, $2, $3, $4, $5)
               on conflict (client_id, code) do nothing
           returning id`,
    values: [clientId, code, name, type, now],
  })
  const id = rows[0]?.id
  if (id === undefined) throw new Refusal('split_exists')
  await tx.query({
    name: 'create-split-parts',
    text: `insert into split_parts (client_id, split_id, position, subaccount_id, share, bears_fee)
           select $1, $2, p.position, p.subaccount_id, p.share, p.bears_fee
             from unnest($3::bigint[], $4::bigint[], $5::boolean[])
                  with ordinality as p (subaccount_id, share, bears_fee, position)`,
    values: [
      clientId,
      id,
      numberArray(parts.map(({ subaccountId }) => subaccountId)),
      numberArray(parts.map(({ share }) => share)),
      parts.map(({ bearsFee }) => bearsFee),
    ],
  })
  const views = split.parts.map(({ share, ...part }) => ({ ...part, share: share.toString() }))
  const subject = `split/${code}`
  const detail = { name, type, parts: views }
  await writeAuditLog(tx, now, { clientId, actor, action: 'split.create', subject, detail })
  return getSplit(tx, clientId, code)
}

async function findParts(
  tx: Transaction,
  clientId: ClientId,
  { type, parts }: NewSplit,
): Promise<Omit<SplitPart, 'subaccountCode'>[]> {
  const wholeBps = parts.reduce((sum, { share }) => sum + share, 0n)
  if (type === 'percentage' && wholeBps > ALL_BPS) {
    throw refuse('parts', 'Must be at most 100 percent together.')
  }
  const { rows } = await tx.query<{ id: SubaccountId; code: string }>({
    name: 'find-subaccounts-of-split',
    text: `select id, code from subaccounts
            where client_id = $1 and code = any($2::text[]) and is_active`,
    values: [clientId, parts.map(({ subaccountCode }) => subaccountCode)],
  })
  const ids = new Map(rows.map(({ id, code }) => [code, id]))
  return parts.map(({ subaccountCode, share, bearsFee }, at) => {
    const subaccountId = ids.get(subaccountCode)
    if (subaccountId === undefined) {
      const message = 'Must be the code of an active subaccount, each at most once.'
      throw refuse(`parts.${at}.subaccountCode`, message)
    }
    ids.delete(subaccountCode)
    return { subaccountId, share, bearsFee }
  })
}

// Idempotent.
export async function deactivateSplit(
  tx: Transaction,
  { clientId, actor, now }: By,
  code: string,
): Promise<Split> {
  const { rowCount } = await tx.query({
    name: 'deactivate-split',
    text: `update splits set deactivated_at = $3
            where client_id = $1 and code = $2 and deactivated_at is null`,
    values: [clientId, code, now],
  })
  const split = await getSplit(tx, clientId, code)
  const subject = `split/${code}`
  const action = { clientId, actor, action: 'split.deactivate', subject, detail: {} } as const
  if (rowCount === 1) await writeAuditLog(tx, now, action)
  return split
}

function refuse(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }] satisfies FieldError[])
}
