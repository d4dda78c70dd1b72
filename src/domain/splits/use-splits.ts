// Giving splits to advices and collection accounts, by their codes: the client's own, active, with
// nobody in it but active subaccounts. Nothing is asked where no code is given.

import type { Queryable } from '#db/pool.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { ClientId, SplitId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { readSplits, type Split } from './splits.ts'

// Of an advice `a` or a collection account `a`.
export const SPLIT_CODE = '(select s.code from splits s where s.id = a.split_id) as "splitCode"'

type SplitUse = {
  clientId: ClientId
  splitCode: string | null
  amountKobo?: Kobo // Flat shares must fit into it.
}

// In order: the id of each, null where no code is given, or why not.
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
  const [found] = await findUsableSplits(db, [use])
  if (found instanceof Refusal) throw found
  return found ?? null
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
  const found = await readSplits(
    db,
    rows.map(({ id }) => id),
  )
  return new Map([...found.values()].map((split) => [`${split.clientId}/${split.code}`, split]))
}

function refuse(message: string): Refusal {
  return new Refusal('invalid_request', [{ field: 'splitCode', message }] satisfies FieldError[])
}
