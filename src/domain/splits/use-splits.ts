// Finds splits by code for advices and collection accounts: a split of the client that is active and has
// only active subaccounts.

import type { Queryable } from '#db/pool.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId, SplitId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { readSplits, type Split } from './splits.ts'

// For an advice `a` or a collection account `a`.
export const SPLIT_CODE = '(select s.code from splits s where s.id = a.split_id) as "splitCode"'

type SplitUse = {
  clientId: ClientId
  splitCode: string | null
  amountKobo?: Kobo // Flat shares must fit into it.
}

// In order: the id of each split, null without a code, or a refusal.
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
      return refuse('Must be the code of an active split with active subaccounts.')
    }
    const flatKobo = split.parts.reduce((sum, { share }) => sum + share, 0n)
    if (split.type === 'flat' && amountKobo !== undefined && flatKobo > amountKobo) {
      return refuse('Its shares must not exceed the amount.')
    }
    return split.id
  })
}

export async function getUsableSplit(db: Queryable, use: SplitUse): Promise<SplitId | null> {
  const [split] = await findUsableSplits(db, [use])
  if (split instanceof Refusal) throw split
  return split ?? null
}

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

function refuse(message: string): Refusal {
  return new Refusal('invalid_request', [{ field: 'splitCode', message }] satisfies FieldError[])
}
