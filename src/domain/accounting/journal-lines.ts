// Journal lines: the movements of a period by kind of ledger account, owner and reason. Total
// debits equal total credits, and both equal the period's transfers (I69).

import { requireKept } from '#db/archived-period.ts'
import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type JournalLine = {
  kind: string
  currency: string
  clientId: ClientId | null
  clientCode: string | null // The public client id, which never changes.
  bankCode: string | null
  reason: string
  debitKobo: Kobo
  creditKobo: Kobo
}

export type Period = { from: Date; to: Date } // `from` is included, `to` is not.

// The owner of the ledger account `l`: a client (directly, by a subaccount, or by the operator's
// account for it) or a bank.
export const OWNER_JOINS = `
  left join collection_accounts own on own.id = l.id and l.kind = 'collection'
  left join subaccounts sub on l.owner = 'subaccount:' || sub.id`
export const OWNER_CLIENT = `
  coalesce(own.client_id, sub.client_id,
           case when l.owner ~ '^(client|operator):' then split_part(l.owner, ':', 2)::bigint end)`
export const OWNER_BANK = `case when l.owner like 'bank:%' then substr(l.owner, 6) end`

// Transfers from $1 (included) to $2 (excluded). Adds up each side by account first, which is most
// of the work: a second for a million transfers.
const linesSql = (accountFilter: (side: string) => string) => `
  select l.kind, l.currency, ${OWNER_CLIENT} as client_id, ${OWNER_BANK} as bank_code, s.reason,
         sum(s.debit)::bigint as debit_kobo, sum(s.credit)::bigint as credit_kobo
    from (select debit_account_id as id, reason, sum(amount_kobo) as debit, 0 as credit
            from transfers
           where posted_at >= $1 and posted_at < $2 ${accountFilter('debit_account_id')} group by 1, 2
          union all
          select credit_account_id, reason, 0, sum(amount_kobo)
            from transfers
           where posted_at >= $1 and posted_at < $2 ${accountFilter('credit_account_id')} group by 1, 2
         ) as s
    join ledger_accounts l on l.id = s.id ${OWNER_JOINS}
   group by 1, 2, 3, 4, 5`

const ALL = linesSql(() => '')
const BY_KIND = linesSql(
  (side) => `and ${side} in (select id from ledger_accounts where kind = any($3))`,
)

const COLUMNS = `
  j.kind, j.currency, j.client_id as "clientId", k.client_id as "clientCode",
  j.bank_code as "bankCode", j.reason, j.debit_kobo as "debitKobo",
  j.credit_kobo as "creditKobo"`

export async function addUpLines(
  db: Queryable,
  { from, to }: Period,
  kinds?: readonly string[],
): Promise<JournalLine[]> {
  await requireKept(db, from, 'day')
  const { rows } = await db.query<JournalLine>({
    name: `add-up-journal-lines${kinds ? '-of-kinds' : ''}`,
    text: `select ${COLUMNS} from (${kinds ? BY_KIND : ALL}) as j
             left join clients k on k.id = j.client_id`,
    values: [from, to, ...(kinds ? [kinds] : [])],
  })
  return rows
}

export async function readClosedLines(
  db: Queryable,
  { first, last }: { first: string; last: string },
  kinds?: readonly string[],
): Promise<JournalLine[]> {
  const { rows } = await db.query<JournalLine>({
    name: 'read-closed-day-lines',
    text: `select ${COLUMNS} from closed_day_lines j left join clients k on k.id = j.client_id
            where j.day between $1 and $2 and ($3::text[] is null or j.kind = any($3))`,
    values: [first, last, kinds ?? null],
  })
  return rows
}

export async function writeLines(db: Queryable, day: string, period: Period): Promise<bigint> {
  await requireKept(db, period.from, 'day')
  await db.query({
    name: 'write-closed-day-lines',
    text: `insert into closed_day_lines
             (day, kind, currency, client_id, bank_code, reason, debit_kobo, credit_kobo)
           select $3::date, j.* from (${ALL}) as j`,
    values: [period.from, period.to, day],
  })
  return countTransfers(db, period)
}

export async function countTransfers(db: Queryable, { from, to }: Period): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-transfers-of-period',
    text: 'select count(*) as count from transfers where posted_at >= $1 and posted_at < $2',
    values: [from, to],
  })
  return rows[0]?.count ?? 0n
}

export type CurrencyTotal = { currency: string; debitKobo: bigint; creditKobo: bigint }

export function totalsOf(
  lines: readonly { currency: string; debitKobo: bigint; creditKobo: bigint }[],
): CurrencyTotal[] {
  const totals = new Map<string, CurrencyTotal>()
  for (const { currency, debitKobo, creditKobo } of lines) {
    const total = totals.get(currency) ?? { currency, debitKobo: 0n, creditKobo: 0n }
    total.debitKobo += debitKobo
    total.creditKobo += creditKobo
    totals.set(currency, total)
  }
  return [...totals.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))
}
