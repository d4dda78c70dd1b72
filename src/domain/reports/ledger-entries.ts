// The transfers of one ledger account, newest first, each with its side and counter-account; optionally
// of a period.
//
// Both sides of a transfer are indexed, except the debit of a bank's account by a credit
// (0001_ledger.sql). Those are found through the credits, newest first, a fixed number of credits per
// page, and merged with the rest by id. A page of a quiet bank may be short and still have a next page.

import { keptWindow } from '#db/archived-period.ts'
import type { Queryable } from '#db/pool.ts'
import { idBounds, type Window } from '#db/time-bounds.ts'
import type { Viewer } from '#domain/credits/credit-list.ts'
import { assignedTo } from '#domain/credits/credit-list.ts'
import {
  CAUSE_COLUMNS,
  CAUSE_JOINS,
  type CauseReferences,
} from '#domain/records/transfer-causes.ts'
import type { AccountId, CreditId, TransferId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import { growsByDebits, isVisible, type LedgerAccount } from './chart-of-accounts.ts'

export type LedgerEntry = CauseReferences & {
  id: TransferId
  reason: string
  side: 'debit' | 'credit' // This account's side.
  direction: 'in' | 'out' // Whether the account's balance grew.
  amountKobo: Kobo
  otherId: AccountId | null // Null: the viewer may not see the account.
  otherKind: string
  otherBankCode: string | null // Only for a bank's account that the viewer may see.
  creditId: CreditId | null // Null: none, or the viewer may not see it.
  sessionId: string | null
  postedAt: Date
  position: string // The start of the next page.
}

export const CREDITS_PER_PAGE_MAX = 5_000

// $1 the account, $2 the client, $3 its owner name, $4 whether it is the operator.
const entries = (transfers: string) => `
  select t.id, t.reason, t.debit_account_id = $1 as "isDebit", t.amount_kobo as "amountKobo",
         case when ${isVisible('o')} then o.id end as "otherId", o.kind as "otherKind",
         case when o.owner like 'bank:%' and ($4 or credit.is_visible) then substr(o.owner, 6) end
           as "otherBankCode",
         case when credit.is_visible then c.id end as "creditId",
         case when credit.is_visible then c.session_id end as "sessionId",
         t.credit_id as "ofCredit", t.posted_at as "postedAt", ${CAUSE_COLUMNS}
    from (${transfers}) as t
    join ledger_accounts o on o.id = case when t.debit_account_id = $1 then t.credit_account_id
                                          else t.debit_account_id end
    left join credits c on c.id = t.credit_id ${CAUSE_JOINS}
   cross join lateral (
     select c.client_id = $2 or $4 and c.client_id is null or ${assignedTo('$2')} as is_visible) as credit
   order by t.credit_id desc, t.id desc`

const side = (column: string, more = '') =>
  `(select * from transfers
     where ${column} = $1 and id < $5 and id >= $7 and posted_at >= $8 and posted_at < $9 ${more}
     order by id desc limit $6)`

const BY_ID = entries(
  `select * from (${side('credit_account_id')} union all
                  ${side('debit_account_id', `and reason <> 'credit'`)}) as sides
    order by id desc limit $6`,
)

const BY_CREDIT = entries(
  `select * from transfers
    where (credit_id, id) < ($5, $8) and credit_id >= $7 and debit_account_id = $1
      and reason = 'credit' and posted_at >= $9 and posted_at < $10
    order by credit_id desc, id desc limit $6`,
)

type Row = Omit<LedgerEntry, 'side' | 'direction' | 'position'> & {
  isDebit: boolean
  ofCredit: CreditId | null
}
type EntryScan = { rows: LedgerEntry[]; scannedTo: string | null }
type EntryPage = {
  account: LedgerAccount
  window?: Window
  after?: string | undefined
  limit: number
}

export async function listLedgerEntries(
  db: Queryable,
  viewer: Viewer,
  { account, after, limit, ...page }: EntryPage,
): Promise<EntryScan> {
  const isBank = account.kind === 'bank'
  const window = await keptWindow(db, page.window ?? {})
  const within = await idBounds(db, 'transfers', window)
  const credits = isBank ? await idBounds(db, 'credits', window) : within
  const [id = within.pastId, creditId = credits.pastId, ofCreditId = 0n] =
    after?.split('/').map(BigInt) ?? []
  const about = [account.id, viewer.id, clientOwner(viewer.id), viewer.isOperator]
  const times = [window.from ?? '-infinity', window.to ?? 'infinity']
  const { rows } = await db.query<Row>({
    name: 'ledger-entries',
    text: BY_ID,
    values: [...about, id, limit, within.firstId, ...times],
  })
  const others = rows.toSorted((one, other) => (one.id > other.id ? -1 : 1))
  const start = { id, creditId, ofCreditId }
  if (!isBank) return paged(account, start, { rows: others, scannedTo: null })
  const from = latest(await findFirstCredit(db, creditId), {
    creditId: credits.firstId,
    transferId: within.firstId,
  })
  const { rows: byCredit } = await db.query<Row>({
    name: 'ledger-entries-of-bank',
    text: BY_CREDIT,
    values: [...about, creditId, limit, from.creditId, ofCreditId, ...times],
  })
  const isWhole = byCredit.length < limit // All credits of this page.
  const least = isWhole ? from.transferId : (byCredit.at(-1) as Row).id
  const merged = mergeNewest(byCredit, others, least).slice(0, limit)
  const scannedTo = isWhole && from.creditId > credits.firstId ? from.creditId : null
  return paged(account, start, { rows: merged, scannedTo })
}

type Reach = { creditId: bigint; transferId: bigint }

// The page stays within the period.
function latest(one: Reach, other: Reach): Reach {
  return one.creditId > other.creditId ? one : other
}

// Both are newest first, credits only nearly. Others that are older than every credit of the page wait
// for the next page.
function mergeNewest(byCredit: readonly Row[], others: readonly Row[], least: bigint): Row[] {
  const merged: Row[] = []
  const waiting = others.filter(({ id }) => id >= least)
  for (const row of byCredit) {
    while (waiting[0] && waiting[0].id > row.id) merged.push(waiting.shift() as Row)
    merged.push(row)
  }
  return [...merged, ...waiting]
}

type Start = { id: bigint; creditId: bigint; ofCreditId: bigint }

// A position has both: the last of the others, and the last credit with its transfer.
function paged(
  account: LedgerAccount,
  start: Start,
  { rows, scannedTo }: { rows: readonly Row[]; scannedTo: bigint | null },
): EntryScan {
  const at = { ...start }
  const entries = rows.map(({ isDebit, ofCredit, ...row }): LedgerEntry => {
    if (account.kind === 'bank' && row.reason === 'credit') {
      at.creditId = ofCredit as bigint
      at.ofCreditId = row.id
    } else {
      at.id = row.id
    }
    const direction = isDebit === growsByDebits(account.kind) ? 'in' : 'out'
    const position = `${at.id}/${at.creditId}/${at.ofCreditId}`
    return { ...row, side: isDebit ? 'debit' : 'credit', direction, position }
  })
  return { rows: entries, scannedTo: scannedTo === null ? null : `${at.id}/${scannedTo}/0` }
}

// The oldest credit that a page scans, and its first transfer.
async function findFirstCredit(db: Queryable, before: bigint) {
  const { rows } = await db.query<{ creditId: bigint; transferId: bigint }>({
    name: 'first-credit-of-page',
    text: `select f.id as "creditId",
                  coalesce((select id from transfers where credit_id >= f.id
                             order by credit_id, id limit 1), 0) as "transferId"
             from (select greatest(coalesce(max(credit_id), 0) - $2, 0) as id
                     from transfers where credit_id <= $1) as f`,
    values: [before, CREDITS_PER_PAGE_MAX],
  })
  const { creditId, transferId } = rows[0] as (typeof rows)[0]
  return { creditId, transferId: creditId > 0n ? transferId : 0n }
}
