// The transfers of one ledger account, newest first, each with its counter-account.
//
// Both sides of a transfer are indexed, except the debit of a bank's account by a credit
// (0001_ledger.sql): a bank's transfers are found through its credits, newest first, a fixed number
// of credits per page; a page of a quiet bank may be short and still have a next.

import type { Queryable } from '#db/pool.ts'
import type { Viewer } from '#domain/credits/credit-list.ts'
import { assignedTo } from '#domain/credits/credit-list.ts'
import type { AccountId, CreditId, TransferId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import { growsByDebits, type LedgerAccount } from './chart-of-accounts.ts'

export type LedgerEntry = {
  id: TransferId
  reason: string
  direction: 'in' | 'out' // Whether the account's balance grew.
  amountKobo: Kobo
  otherId: AccountId | null // Null: an account that the viewer may not see.
  otherKind: string
  creditId: CreditId | null // Null: of a credit that the viewer may not see.
  sessionId: string | null
  postedAt: Date
  position: string // Where the next page goes on.
}

export const CREDITS_PER_PAGE_MAX = 5_000

const PAST = 9_223_372_036_854_775_807n

// $1 the account, $2 the client, $3 its name as an owner, $4 whether it is the operator.
const entries = (transfers: string, position: string, order: string) => `
  select t.id, t.reason, t.debit_account_id = $1 as "isDebit", t.amount_kobo as "amountKobo",
         case when o.owner = $3 or $4 and (o.owner like 'bank:%' or o.owner like 'operator:%')
                   or exists (select from collection_accounts m
                               where m.id = o.id and m.client_id = $2)
              then o.id end as "otherId",
         o.kind as "otherKind",
         case when seen.is_so then c.id end as "creditId",
         case when seen.is_so then c.session_id end as "sessionId",
         t.posted_at as "postedAt", (${position})::text as position
    from (${transfers}) as t
    join ledger_accounts o on o.id = case when t.debit_account_id = $1 then t.credit_account_id
                                          else t.debit_account_id end
    left join credits c on c.id = t.credit_id
   cross join lateral (
     select c.client_id = $2 or $4 and c.client_id is null or ${assignedTo('$2')} as is_so) as seen
   order by ${order}`

const side = (column: string, more = '') =>
  `(select * from transfers where ${column} = $1 and id < $5 ${more} order by id desc limit $6)`

const BY_ID = entries(
  `select * from (${side('credit_account_id')} union all
                  ${side('debit_account_id', `and reason <> 'credit'`)}) as sides
    order by id desc limit $6`,
  't.id',
  't.id desc',
)

const BY_CREDIT = entries(
  `select * from transfers
    where (credit_id, id) < ($5, $8) and credit_id >= $7 and (debit_account_id = $1 or credit_account_id = $1)
    order by credit_id desc, id desc limit $6`,
  `t.credit_id || '/' || t.id`,
  't.credit_id desc, t.id desc',
)

type Row = Omit<LedgerEntry, 'direction'> & { isDebit: boolean }
type Scanned = { rows: LedgerEntry[]; scannedTo: string | null }

export async function listLedgerEntries(
  db: Queryable,
  viewer: Viewer,
  { account, after, limit }: { account: LedgerAccount; after?: string | undefined; limit: number },
): Promise<Scanned> {
  const { id, isOperator } = viewer
  const [before = PAST, beforeId = 0n] = after?.split('/').map(BigInt) ?? []
  const values = [account.id, id, clientOwner(id), isOperator, before, limit]
  const present = ({ isDebit, ...row }: Row): LedgerEntry => ({
    ...row,
    direction: isDebit === growsByDebits(account.kind) ? 'in' : 'out',
  })
  if (account.kind !== 'bank') {
    const { rows } = await db.query<Row>({ name: 'ledger-entries', text: BY_ID, values })
    return { rows: rows.map(present), scannedTo: null }
  }
  const from = await findFirstCredit(db, before)
  const { rows } = await db.query<Row>({
    name: 'ledger-entries-of-bank',
    text: BY_CREDIT,
    values: [...values, from, beforeId],
  })
  return { rows: rows.map(present), scannedTo: from > 0n ? `${from}/0` : null }
}

async function findFirstCredit(db: Queryable, before: bigint): Promise<bigint> {
  const { rows } = await db.query<{ last: bigint | null }>({
    name: 'last-credit-up-to',
    text: 'select max(credit_id) as last from transfers where credit_id <= $1',
    values: [before],
  })
  const last = rows[0]?.last ?? 0n
  return last > BigInt(CREDITS_PER_PAGE_MAX) ? last - BigInt(CREDITS_PER_PAGE_MAX) : 0n
}
