// The items of the books: movements of a bank's ledger account. The file has the SQL that finds them, their
// search and lists, and the balance of the account.

import { idBounds } from '#db/bounds.ts'
import { type Conditions, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { type Kobo, parseKobo } from '#money.ts'
import { type BankAccount, dayEnd, dayStart } from './banks.ts'

// SQL conditions that select items of the bank `$1` in the currency `$2`, one for each source. Together the
// sources have the rows of the view bank_items, with identifiers. The queries do not read the view, because
// each source has its own index by time: credits use their ids, which follow time, and the other sources have
// small indexes.
export type ItemFilter = {
  credit: string // On credits c.
  payout: string // On payouts p.
  payoutReturn: string // On payout_returns n.
  reversal: string // On reversals r.
  return: string // On returns r.
  recovery: string // On adjustments a.
  booked: string // On transfers t.
}

// SQL conditions: items posted at `$3` or later. For credits, `$4` is the lowest id to read.
export const POSTED_SINCE: ItemFilter = {
  credit: 'c.id >= $4 and c.received_at >= $3',
  payout: 'p.settled_at >= $3',
  payoutReturn: 'n.returned_at >= $3',
  reversal: 'r.received_at >= $3',
  return: 'r.settled_at >= $3',
  recovery: 'a.decided_at >= $3',
  booked: 't.posted_at >= $3',
}

const SOURCES = {
  credit: (filter: ItemFilter) => credits(filter.credit),
  charges: (filter: ItemFilter) => charges(filter.credit),
  reversal: (filter: ItemFilter) => reversals(filter.reversal),
  payout: (filter: ItemFilter) => payouts(filter.payout),
  payout_cost: (filter: ItemFilter) => payoutCosts(filter.payout),
  payout_return: (filter: ItemFilter) => payoutReturns(filter.payoutReturn),
  return: (filter: ItemFilter) => returns(filter.return),
  recovery: (filter: ItemFilter) => recoveries(filter.recovery),
  booked: (filter: ItemFilter) => booked(filter.booked),
}

export type ItemKind = keyof typeof SOURCES
export const ITEM_KINDS = Object.keys(SOURCES) as ItemKind[]

// SQL query: one row for each item. A row of charges also has the fee, VAT and duty; all are negative.
export function itemSources(filter: ItemFilter): string {
  return ITEM_KINDS.map((kind) => SOURCES[kind](filter)).join('\nunion all\n')
}

// SQL subquery: the items of one kind, as `i`.
function itemSource(kind: ItemKind, filter: ItemFilter): string {
  return `(${SOURCES[kind](filter)}) as i (kind, id, posted_at, amount_kobo, fee_kobo, vat_kobo,
    duty_kobo, session_id, has_session_id, bank_reference, reference, other_reference,
    account_number, name, parent_kind, parent_id, line_id)`
}

const NO_PARTS = '0::bigint as fee_kobo, 0::bigint as vat_kobo, 0::bigint as duty_kobo'
const NO_PARENT = 'null::text as parent_kind, null::bigint as parent_id, null::bigint as line_id'

// SQL query: credits. This query and the following ones each select one kind of item, with the columns that
// itemSource() names.
const credits = (condition: string) => `
  select 'credit' as kind, c.id, c.received_at as posted_at, c.amount_kobo, ${NO_PARTS},
         c.session_id, c.identified_by = 'session_id' as has_session_id,
         null::text as bank_reference, null::text as reference, null::text as other_reference,
         c.account_number, c.source_account_name as name, ${NO_PARENT}
    from credits c
   where c.bank_code = $1 and c.currency = $2 and ${condition}`

// SQL query: what banks withheld from credits. Each row belongs to its credit.
const charges = (condition: string) => `
  select 'charges', c.id, c.received_at, -(c.fee_kobo + c.vat_kobo + c.duty_kobo), -c.fee_kobo,
         -c.vat_kobo, -c.duty_kobo, c.session_id, c.identified_by = 'session_id', null, null, null,
         c.account_number, null, 'credit', c.id, null
    from credits c
   where c.bank_code = $1 and c.currency = $2 and c.fee_kobo + c.vat_kobo + c.duty_kobo > 0
     and ${condition}`

// SQL query: credits that banks took back.
const reversals = (condition: string) => `
  select 'reversal', r.id, r.received_at, -r.amount_kobo, 0, 0, 0, r.session_id, true,
         c.session_id, null, null, c.account_number, c.source_account_name, null, null, null
    from reversals r join credits c on c.id = r.credit_id
   where r.bank_code = $1 and c.currency = $2 and ${condition}`

// SQL query: confirmed payouts. The payout of a return is not included, because the return itself is the
// item.
const payouts = (condition: string) => `
  select 'payout', p.id, p.settled_at, -p.amount_kobo, 0, 0, 0, null, false, p.bank_reference,
         p.reference, f.reference, null, p.to_account_name, null, null, null
    from payouts p left join refunds f on f.id = p.refund_id
   where p.bank_code = $1 and p.currency = $2 and p.status = 'confirmed' and p.purpose <> 'return'
     and ${condition}`

// SQL query: the bank's charges for payouts. If a payout paid a return, its cost is attributed to the return.
const payoutCosts = (condition: string) => `
  select 'payout_cost', p.id, p.settled_at, -(p.cost_kobo + p.cost_vat_kobo), -p.cost_kobo,
         -p.cost_vat_kobo, 0, null, false, p.bank_reference, p.reference, f.reference, null, null,
         case when p.purpose = 'return' then 'return' else 'payout' end,
         case when p.purpose = 'return' then n.id else p.id end, null
    from payouts p
    left join refunds f on f.id = p.refund_id
    left join returns n on n.reference = p.reference and p.purpose = 'return'
   where p.bank_code = $1 and p.currency = $2 and p.status = 'confirmed'
     and p.cost_kobo + p.cost_vat_kobo > 0 and ${condition}`

// SQL query: confirmed payouts that the bank returned.
const payoutReturns = (condition: string) => `
  select 'payout_return', p.id, n.returned_at, n.amount_kobo, 0, 0, 0, null, false, p.bank_reference,
         p.reference, f.reference, null, p.to_account_name, null, null, null
    from payout_returns n
    join payouts p on p.id = n.payout_id
    left join refunds f on f.id = p.refund_id
   where p.bank_code = $1 and p.currency = $2 and ${condition}`

// SQL query: confirmed returns of suspended money to payers.
const returns = (condition: string) => `
  select 'return', r.id, r.settled_at, -r.amount_kobo, 0, 0, 0, null, false, r.bank_reference,
         r.reference, null, c.account_number, c.source_account_name, null, null, null
    from returns r
    join suspense_items s on s.id = r.item_id
    join credits c on c.id = s.credit_id
   where c.bank_code = $1 and c.currency = $2 and r.status = 'confirmed' and ${condition}`

// SQL query: what banks paid back of a shortfall.
const recoveries = (condition: string) => `
  select 'recovery', a.id, a.decided_at, a.amount_kobo, 0, 0, 0, null, false, null, a.reference,
         null, null, null, null, null, null
    from adjustments a
   where a.bank_code = $1 and a.currency = $2 and a.kind = 'recovery' and a.subject = 'shortfall'
     and a.state = 'approved' and ${condition}`

// SQL query: transfers that were booked for a difference, with the line of that difference.
const booked = (condition: string) => `
  select 'booked', t.id, t.posted_at,
         case when t.debit_account_id = l.id then t.amount_kobo else -t.amount_kobo end, 0, 0, 0,
         null, false, null, null, null, null, null, null, null, d.line_id
    from transfers t
    join ledger_accounts l on l.kind = 'bank' and l.owner = 'bank:' || $1 and l.currency = $2
                          and l.id in (t.debit_account_id, t.credit_account_id)
    join differences d on d.id = t.difference_id
   where t.difference_id is not null and ${condition}`

// Searches lines and items of a day by text: a part of an identifier or name, or a whole amount of either
// sign. The search needs no text index, because it reads one day only.

export type Search = { text: string; amountKobo: Kobo | null }

// Parses a search. A text that is an amount also finds rows of that amount; commas and the sign are ignored.
export function readSearch(query: string): Search {
  const text = query.trim().toLowerCase()
  return { text, amountKobo: parseKobo(text.replaceAll(',', '').replace(/^[-+]/, '')) ?? null }
}

type Columns = { texts: readonly string[]; amount: string }

// SQL conditions: whether a row matches the search: one of `texts` contains the text, or `amount` is the
// searched amount of either sign.
export function matching(search: Search | undefined, { texts, amount }: Columns): Conditions {
  if (!search) return []
  const hasText = `position($ in lower(concat_ws(chr(10), ${texts.join(', ')}))) > 0`
  const { text, amountKobo } = search
  return amountKobo === null
    ? [[hasText, text]]
    : [[`(abs(${amount}) = $ or ${hasText})`, amountKobo, text]]
}

// An item of the books as routes show it.
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

const COLUMNS = `i.kind, i.id, i.amount_kobo,
  (i.posted_at at time zone 'Africa/Lagos')::date::text as day,
  coalesce(i.reference, i.session_id) as reference, i.account_number, i.name`

// Returns the key of an item, for maps and for positions in lists.
export const refKey = ({ kind, id }: ItemRef) => `${kind} ${id}`

// Returns a map from refKey to the item. Leaves out items of other accounts.
export async function readItems(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  refs: readonly ItemRef[],
): Promise<Map<string, BankItem>> {
  if (refs.length === 0) return new Map()
  const filter = filterEverySource((id) => `${id} = any ($3)`)
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

// Returns a filter that applies one condition to the id of every source. The letters before the dots are the
// aliases of the tables in SOURCES.
function filterEverySource(condition: (id: string) => string): ItemFilter {
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

// The column with the time at which each source posted its items.
const POSTED = {
  credit: 'c.received_at',
  payout: 'p.settled_at',
  payoutReturn: 'n.returned_at',
  reversal: 'r.received_at',
  return: 'r.settled_at',
  recovery: 'a.decided_at',
  booked: 't.posted_at',
}

const SEARCHED: Columns = {
  texts: [
    'i.session_id',
    'i.bank_reference',
    'i.reference',
    'i.other_reference',
    'i.account_number',
    'i.name',
  ],
  amount: 'i.amount_kobo',
}

// Lists the items posted on a day, by kind and id. An item is matched if its lines account for its whole
// amount, so it has no difference.
export async function listItems(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  { day, isMatched, kind, search, after, limit }: ItemPage,
): Promise<BankItem[]> {
  const [from, to] = [dayStart(day), dayEnd(day)]
  const { firstId, pastId } = await idBounds(db, 'credits', { from, to })
  // Pages go through the kinds in order, so kinds before the last item of the page before are done.
  const kinds = (kind ? [kind] : ITEM_KINDS).filter(
    (candidate) => !after || ITEM_KINDS.indexOf(candidate) >= ITEM_KINDS.indexOf(after.kind),
  )
  // For each source, the condition for items of the day. Credits also have bounds on their ids, which follow
  // time, because they have no index by time.
  const conditions = Object.entries(POSTED).map(([name, column]) => {
    const ids = name === 'credit' ? 'c.id >= $5 and c.id < $6 and ' : ''
    return [name, `${ids}${column} >= $3 and ${column} < $4`]
  })
  const filter = Object.fromEntries(conditions) as ItemFilter
  const hasDifference = `exists (select from differences d where d.item_kind = i.kind
                             and d.item_id = i.id and d.state <> 'cleared')`
  const parameters = [
    bankCode,
    currency,
    from,
    to,
    firstId,
    pastId,
    after?.id ?? 0n,
    limit,
    ITEM_KINDS,
  ]
  const matched = isMatched !== undefined && `${isMatched ? 'not' : ''} ${hasDifference}`
  const { sql, values } = joinConditions([matched, ...matching(search, SEARCHED)], parameters)
  const queries = kinds.map(
    (queriedKind) => `(select ${COLUMNS} from ${itemSource(queriedKind, filter)}
                 where i.id > ${queriedKind === after?.kind ? '$7' : '0'}::bigint and ${sql}
                 order by i.id limit $8)`,
  )
  if (queries.length === 0) return []
  // The outer conditions on $5 to $7 are always true. They are needed because PostgreSQL refuses a parameter
  // that a statement does not use, and not every kind uses all three.
  const { rows } = await db.query<BankItem>(
    `select * from (${queries.join('\nunion all\n')}) as i
      where $5::bigint is not null and $6::bigint is not null and $7::bigint is not null
      order by array_position($9::text[], i.kind), i.id limit $8`,
    values,
  )
  return rows
}

// Returns a bank's balance in the ledger at the end of a day: the current balance less the movements since.
// One SQL statement reads both, so they are from the same moment. For days that statements cover,
// daily-proof.ts has the sums already.
export async function readLedgerBalance(
  db: Queryable,
  { bankCode, currency }: BankAccount,
  day: string,
): Promise<Kobo> {
  const end = dayEnd(day)
  const { firstId } = await idBounds(db, 'credits', { from: end })
  const { rows } = await db.query<{ kobo: Kobo }>({
    name: 'read-bank-balance',
    text: BALANCE,
    values: [bankCode, currency, end, firstId],
  })
  return (rows[0] as { kobo: Kobo }).kobo
}

const BALANCE = `
  select (coalesce((select debits_kobo - credits_kobo from ledger_accounts
                     where kind = 'bank' and owner = 'bank:' || $1 and currency = $2), 0)
          - coalesce((select sum(i.amount_kobo) from (${itemSources(POSTED_SINCE)}) as i), 0)
         )::bigint as kobo`
