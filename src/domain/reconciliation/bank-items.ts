// Items of the books for people: the movements of a bank's account, with their lines.

import type { Queryable } from '#db/pool.ts'
import { idBounds } from '#db/time-bounds.ts'
import type { Kobo } from '#money.ts'
import {
  ITEM_KINDS,
  type ItemFilter,
  type ItemKind,
  itemSource,
  itemSources,
} from './item-sources.ts'
import { type BankAccount, dayEnd, dayStart } from './reconciled-banks.ts'
import { type Search, searchSql, searchValues } from './search-movements.ts'

export type BankItem = {
  kind: ItemKind
  id: bigint
  amountKobo: Kobo
  day: string // The day of posting.
  reference: string | null // A credit's identifier, or our own reference.
  accountNumber: string | null
  name: string | null
}

export type ItemRef = { kind: ItemKind; id: bigint }

const COLUMNS = `i.kind, i.id, i.amount_kobo as "amountKobo",
  (i.posted_at at time zone 'Africa/Lagos')::date::text as day,
  coalesce(i.reference, i.session_id) as reference, i.account_number as "accountNumber", i.name`

export const refKey = ({ kind, id }: ItemRef) => `${kind} ${id}`

// By refKey. Leaves out items of other accounts.
export async function readItems(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  refs: readonly ItemRef[],
): Promise<Map<string, BankItem>> {
  if (refs.length === 0) return new Map()
  const filter = everyKind((id) => `${id} = any ($3)`)
  const { rows } = await db.query<BankItem>({
    name: 'read-bank-items',
    text: `select ${COLUMNS} from (${itemSources(filter)}) as i
            where (i.kind, i.id) in (select * from unnest($4::text[], $5::bigint[]))`,
    values: [
      bankCode,
      currency,
      [...new Set(refs.map(({ id }) => id))],
      refs.map(({ kind }) => kind),
      refs.map(({ id }) => id),
    ],
  })
  return new Map(rows.map((item) => [refKey(item), item]))
}

function everyKind(condition: (id: string) => string): ItemFilter {
  return {
    credit: condition('c.id'),
    payout: condition('p.id'),
    payoutReturn: condition('p.id'),
    reversal: condition('r.id'),
    return: condition('r.id'),
    recovery: condition('a.id'),
    booked: condition('t.id'),
  }
}

type ItemPage = {
  day: string
  isMatched: boolean | undefined
  kind: ItemKind | undefined
  search: Search | undefined
  after: ItemRef | undefined
  limit: number
}

const POSTED = {
  credit: 'c.received_at',
  payout: 'p.settled_at',
  payoutReturn: 'n.returned_at',
  reversal: 'r.received_at',
  return: 'r.settled_at',
  recovery: 'a.decided_at',
  booked: 't.posted_at',
}

const SEARCH = searchSql(10, {
  texts: [
    'i.session_id',
    'i.bank_reference',
    'i.reference',
    'i.other_reference',
    'i.account_number',
    'i.name',
  ],
  amount: 'i.amount_kobo',
})

// Items posted on a day, by kind and id. An item is matched if nothing of it is left, so that it has no
// difference.
export async function listItems(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  { day, isMatched, kind, search, after, limit }: ItemPage,
): Promise<BankItem[]> {
  const [from, to] = [dayStart(day), dayEnd(day)]
  const { firstId, pastId } = await idBounds(db, 'credits', { from, to })
  const kinds = (kind ? [kind] : ITEM_KINDS).filter(
    (each) => !after || ITEM_KINDS.indexOf(each) >= ITEM_KINDS.indexOf(after.kind),
  )
  const posted = Object.entries(POSTED).map(([name, column]) => {
    const ids = name === 'credit' ? 'c.id >= $5 and c.id < $6 and ' : ''
    return [name, `${ids}${column} >= $3 and ${column} < $4`]
  })
  const filter = Object.fromEntries(posted) as ItemFilter
  const hasDifference = `exists (select from differences d where d.item_kind = i.kind
                             and d.item_id = i.id and d.state <> 'cleared')`
  const matched = isMatched === undefined ? '' : `and ${isMatched ? 'not' : ''} ${hasDifference}`
  const parts = kinds.map(
    (each) => `(select ${COLUMNS} from ${itemSource(each, filter)}
                 where i.id > ${each === after?.kind ? '$7' : '0'}::bigint ${matched} and ${SEARCH}
                 order by i.id limit $8)`,
  )
  if (parts.length === 0) return []
  const { rows } = await db.query<BankItem>(
    `select * from (${parts.join('\nunion all\n')}) as i
      where $5::bigint is not null and $6::bigint is not null and $7::bigint is not null
      order by array_position($9::text[], i.kind), i.id limit $8`,
    [
      bankCode,
      currency,
      from,
      to,
      firstId,
      pastId,
      after?.id ?? 0n,
      limit,
      ITEM_KINDS,
      ...searchValues(search),
    ],
  )
  return rows
}
