// Splits: how a client shares booked money with subaccounts. The terms of a split never change: to change
// them, a client creates another split. A deactivated split cannot be chosen any more, but still applies
// where it was chosen before.
//
// This file computes shares, and creates, reads, deactivates and finds splits.

import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { distribute, type FeeBearer } from '#fees/fee.ts'
import type { ClientId, SplitId, SubaccountId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'

// A hundred percent in basis points.
export const ALL_BPS = 10_000n

export type SplitType = 'percentage' | 'flat'
export type SplitTerms = {
  type: SplitType
  parts: readonly { share: bigint; bearsFee: boolean }[] // In basis points, or in kobo if flat.
}

type Amounts = { grossKobo: Kobo; feesKobo: Kobo; bearer: FeeBearer | undefined }

// Returns the share of each part of a split, in the order of the parts. Pure, in whole kobo.
//
//   percentage   by the largest remainder; the main account keeps the rest
//   flat         each part gets its amount, in order, while money remains
//
// Shares are computed after the fee. If subaccounts bear the fee (by the fee rule and by parts of the
// split), shares are computed on the whole amount, and the fee is taken from the bearing parts in
// proportion to their shares. The main account bears the rest of the fee, and if its money does not suffice,
// the other parts bear it.
//
// I55: shares are never negative, and their sum never exceeds the amount after the fee.
export function shareAmount(split: SplitTerms, { grossKobo, feesKobo, bearer }: Amounts): Kobo[] {
  const doSubaccountsBearFee =
    bearer === 'subaccount' && split.parts.some(({ bearsFee }) => bearsFee)
  if (!doSubaccountsBearFee) return shareWhole(split, grossKobo - feesKobo).map(kobo)
  const shares = shareWhole(split, grossKobo)
  let leftKobo: bigint = feesKobo
  // Takes as much of the remaining fee as possible from these amounts, in proportion to them.
  const takeFrom = (amountsKobo: readonly bigint[]) => {
    const total = least(leftKobo, sum(amountsKobo))
    leftKobo -= total
    return distribute(total, amountsKobo)
  }
  const feeOfBearers = takeFrom(
    split.parts.map(({ bearsFee }, index) => (bearsFee ? shares[index] : 0n) ?? 0n),
  )
  // The main account bears its part of the fee. The result is dropped: no share is reduced by that part.
  takeFrom([grossKobo - sum(shares)])
  const feeOfOthers = takeFrom(
    split.parts.map(({ bearsFee }, index) => (bearsFee ? 0n : shares[index]) ?? 0n),
  )
  return shares.map((share, index) =>
    kobo(share - (feeOfBearers[index] ?? 0n) - (feeOfOthers[index] ?? 0n)),
  )
}

// Returns the shares of an amount, without a fee.
function shareWhole({ type, parts }: SplitTerms, wholeKobo: bigint): bigint[] {
  const amounts = parts.map(({ share }) => share)
  if (type === 'percentage') return largestRemainder(amounts, wholeKobo)
  let leftKobo = wholeKobo
  return amounts.map((share) => {
    const takenKobo = least(share, leftKobo)
    leftKobo -= takenKobo
    return takenKobo
  })
}

// Rounds every share down, then adds one kobo each to the parts that lost most by rounding until no kobo
// remains. Among equals the first part comes first and the main account last.
function largestRemainder(bps: readonly bigint[], wholeKobo: bigint): bigint[] {
  const weights = [...bps, ALL_BPS - sum(bps)]
  const shares = weights.map((weight) => (wholeKobo * weight) / ALL_BPS)
  const byLoss = weights
    .map((weight, index) => ({ index, loss: (wholeKobo * weight) % ALL_BPS }))
    .sort((one, other) => Number(other.loss - one.loss))
  const leftKobo = Number(wholeKobo - sum(shares))
  for (const { index } of byLoss.slice(0, leftKobo)) shares[index] = (shares[index] as bigint) + 1n
  return shares.slice(0, bps.length)
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const least = (one: bigint, other: bigint) => (one < other ? one : other)

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
  parts: readonly SplitPart[] // In the order in which the client listed them.
  createdAt: Date
}

type SplitRow = Omit<Split, 'parts' | 'areSubaccountsActive'> & {
  parts: ((Omit<SplitPart, 'share'> & { share: string }) & { isActive: boolean })[]
}

const SELECT_SPLIT = `
  select s.id, s.client_id, s.code, s.name, s.type,
         s.deactivated_at is null as is_active, s.created_at,
         (select json_agg(json_build_object(
                   'subaccountId', p.subaccount_id, 'subaccountCode', u.code,
                   'share', p.share::text, 'bearsFee', p.bears_fee, 'isActive', u.is_active)
                   order by p.position)
            from split_parts p join subaccounts u on u.id = p.subaccount_id
           where p.split_id = s.id) as parts
    from splits s`

// Converts a row, whose JSON has ids and amounts as text or numbers.
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

// Returns splits by id. Runs no query if there are no ids.
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

// Lists a client's splits, newest first; only those older than `beforeId`.
export async function listSplits(
  db: Queryable,
  clientId: ClientId,
  { beforeId, limit }: { beforeId: bigint | null; limit: number },
): Promise<Split[]> {
  const { rows } = await db.query<SplitRow>(
    listQuery({
      select: SELECT_SPLIT,
      where: [['s.client_id = $', clientId]],
      id: 's.id',
      after: beforeId,
      limit,
    }),
  )
  return rows.map(toSplit)
}

export type NewSplit = {
  code: string
  name: string
  type: SplitType
  parts: readonly Omit<SplitPart, 'subaccountId'>[]
}

type By = { clientId: ClientId; actor: string; now: Date }

// Creates a split. Refuses a code that exists, and subaccounts that are unknown, inactive or repeated.
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

// Checks the parts of a new split and finds their subaccounts. A code is taken out of the map once it is
// used, so that a second use is refused.
async function findParts(
  tx: Transaction,
  clientId: ClientId,
  { type, parts }: NewSplit,
): Promise<Omit<SplitPart, 'subaccountCode'>[]> {
  const wholeBps = parts.reduce((sum, { share }) => sum + share, 0n)
  if (type === 'percentage' && wholeBps > ALL_BPS) {
    throw invalidField('parts', 'Must be at most 100 percent together.')
  }
  const { rows } = await tx.query<{ id: SubaccountId; code: string }>({
    name: 'find-subaccounts-of-split',
    text: `select id, code from subaccounts
            where client_id = $1 and code = any($2::text[]) and is_active`,
    values: [clientId, parts.map(({ subaccountCode }) => subaccountCode)],
  })
  const ids = new Map(rows.map(({ id, code }) => [code, id]))
  return parts.map(({ subaccountCode, share, bearsFee }, index) => {
    const subaccountId = ids.get(subaccountCode)
    if (subaccountId === undefined) {
      const message = 'Must be the code of an active subaccount, each at most once.'
      throw invalidField(`parts.${index}.subaccountCode`, message)
    }
    ids.delete(subaccountCode)
    return { subaccountId, share, bearsFee }
  })
}

// Deactivates a split. Deactivating it again changes nothing.
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

// SQL column: the code of the split of an advice `a` or a collection account `a`.
export const SPLIT_CODE = '(select s.code from splits s where s.id = a.split_id) as split_code'

type SplitUse = {
  clientId: ClientId
  splitCode: string | null
  amountKobo?: Kobo // The amount of the advice, which the sum of flat shares must not exceed.
}

// Finds splits by code for advices and collection accounts. Accepts only an active split of the client whose
// subaccounts are all active. Returns for each use, in order: the id of its split, null if it has no code, or
// a refusal.
export async function findUsableSplits(
  db: Queryable,
  uses: readonly SplitUse[],
): Promise<(SplitId | null | Refusal)[]> {
  const byCode = await findByCodes(
    db,
    uses.filter(({ splitCode }) => splitCode !== null),
  )
  return uses.map(({ clientId, splitCode, amountKobo }) => {
    if (splitCode === null) return null
    const split = byCode.get(`${clientId}/${splitCode}`)
    if (!split?.isActive || !split.areSubaccountsActive) {
      return splitRefusal('Must be the code of an active split with active subaccounts.')
    }
    const flatKobo = split.parts.reduce((sum, { share }) => sum + share, 0n)
    if (split.type === 'flat' && amountKobo !== undefined && flatKobo > amountKobo) {
      return splitRefusal('Its shares must not exceed the amount.')
    }
    return split.id
  })
}

// Finds the split of one advice or account. Throws if the split cannot be used.
export async function getUsableSplit(db: Queryable, use: SplitUse): Promise<SplitId | null> {
  const [split] = await findUsableSplits(db, [use])
  if (split instanceof Refusal) throw split
  return split ?? null
}

// Returns the splits that the uses name, as a map with the keys `client id/code`.
async function findByCodes(
  db: Queryable,
  uses: readonly SplitUse[],
): Promise<ReadonlyMap<string, Split>> {
  if (uses.length === 0) return new Map()
  const { rows } = await db.query<{ id: SplitId }>({
    name: 'find-splits-by-code',
    text: `select s.id
             from unnest($1::bigint[], $2::text[]) as u (client_id, code)
             join splits s on s.client_id = u.client_id and s.code = u.code`,
    values: [uses.map(({ clientId }) => clientId), uses.map(({ splitCode }) => splitCode)],
  })
  const splits = await readSplits(
    db,
    rows.map(({ id }) => id),
  )
  return new Map([...splits.values()].map((split) => [`${split.clientId}/${split.code}`, split]))
}

function splitRefusal(message: string): Refusal {
  return invalidField('splitCode', message)
}
