// The amount that collection accounts received today (West Africa Time), for their daily limits.
//
// I20: the amount is the ledger's total credits minus its total credits when the day began. So only the
// opening total of the day is stored, and only for accounts with a daily limit. It is read and written under
// the lock of the ledger account, in a separate statement, which sees the changes of the lock's previous
// holder.

import { watDay, watDayStart } from '#clock.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, SettlementId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

type CreditedAccount = {
  collectionAccountId: AccountId
  perDayKobo: Kobo | null
  creditedKobo: Kobo | null // The total of all credits since the account was opened. Unused without a limit.
}

const NOTHING: ReadonlyMap<AccountId, Kobo> = new Map()

// Maps each account with a daily limit to the amount it received today. The accounts must be locked. Stores
// the opening total of the day for an account on its first credit since midnight, or when its limit is new.
// In the second case, earlier receipts of the day are included.
export async function receivedToday(
  tx: Transaction,
  now: Date,
  accounts: readonly CreditedAccount[],
): Promise<ReadonlyMap<AccountId, Kobo>> {
  const limited = accounts.filter(({ perDayKobo }) => perDayKobo !== null)
  if (limited.length === 0) return NOTHING
  // `>=`: another process with a clock ahead of ours may have opened the next day already.
  const { rows } = await tx.query<{ id: AccountId; openingKobo: Kobo }>({
    name: 'openings-of-day',
    text: `select collection_account_id as id, opening_kobo
             from collection_days
            where collection_account_id = any($1::bigint[]) and day >= $2::date`,
    values: [numberArray(limited.map((account) => account.collectionAccountId)), watDay(now)],
  })
  const openings = new Map(rows.map(({ id, openingKobo }) => [id, openingKobo]))
  const unopened = limited.filter((account) => !openings.has(account.collectionAccountId))
  const newOpenings = await openingsOf(tx, now, unopened)
  await beginDay(tx, now, newOpenings)
  for (const { id, openingKobo } of newOpenings) openings.set(id, openingKobo)
  return new Map(
    limited.map(({ collectionAccountId: id, creditedKobo }) => {
      return [id, kobo((creditedKobo as Kobo) - (openings.get(id) as Kobo))]
    }),
  )
}

type Opening = { id: AccountId; openingKobo: Kobo }

// Computes each account's total of credits at midnight: the total now, less the amount received today.
async function openingsOf(
  tx: Transaction,
  now: Date,
  accounts: readonly CreditedAccount[],
): Promise<Opening[]> {
  const since = watDayStart(now)
  const creditedToday = await creditedAlready(
    tx,
    accounts.map((account) => account.collectionAccountId),
    since,
  )
  const openings: Opening[] = []
  for (const { collectionAccountId: id, creditedKobo } of accounts) {
    const receivedKobo = creditedToday.has(id) ? await creditedSince(tx, id, since) : 0n
    openings.push({ id, openingKobo: kobo((creditedKobo as Kobo) - receivedKobo) })
  }
  return openings
}

// Returns the accounts that have received credits since this time. There are almost never any, because the
// day's opening total is stored before its first credit: only an account with a new daily limit has earlier
// ones.
async function creditedAlready(
  tx: Transaction,
  ids: readonly AccountId[],
  since: Date,
): Promise<ReadonlySet<AccountId>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: AccountId }>({
    name: 'credited-already',
    text: `select a.id from unnest($1::bigint[]) as a (id)
             join lateral (select posted_at from transfers
                            where credit_account_id = a.id order by id desc limit 1) as last
               on last.posted_at >= $2`,
    values: [numberArray(ids), since],
  })
  return new Set(rows.map((row) => row.id))
}

// Stores the opening totals of the day, in place of those of an earlier day.
async function beginDay(tx: Transaction, now: Date, openings: readonly Opening[]): Promise<void> {
  if (openings.length === 0) return
  await tx.query({
    name: 'begin-day',
    text: `insert into collection_days (collection_account_id, day, opening_kobo)
           select o.id, $3::date, o.opening_kobo
             from unnest($1::bigint[], $2::bigint[]) as o (id, opening_kobo)
               on conflict (collection_account_id)
               do update set day = excluded.day, opening_kobo = excluded.opening_kobo`,
    values: [
      numberArray(openings.map((opening) => opening.id)),
      numberArray(openings.map((opening) => opening.openingKobo)),
      watDay(now),
    ],
  })
}

// Call when a fee or a share is credited back to the account. That is no receipt, so the opening total of the
// day grows by the amount.
export async function discountReceipt(
  tx: Transaction,
  { accountId, amountKobo }: { accountId: AccountId; amountKobo: Kobo },
): Promise<void> {
  await tx.query({
    name: 'discount-receipt',
    text: `update collection_days set opening_kobo = opening_kobo + $2
            where collection_account_id = $1`,
    values: [accountId, amountKobo],
  })
}

// Call when a settlement is cancelled. The amounts that it credits back are no receipts, so they raise the
// opening totals of the day. The cancellation has locked the accounts.
export async function discountSettlement(
  tx: Transaction,
  settlementId: SettlementId,
): Promise<void> {
  await tx.query({
    name: 'discount-settlement',
    text: `update collection_days d set opening_kobo = d.opening_kobo + b.kobo
             from (select credit_account_id as id, sum(amount_kobo)::bigint as kobo
                     from transfers where settlement_id = $1 group by credit_account_id) as b
            where d.collection_account_id = b.id`,
    values: [settlementId],
  })
}

const READ_AT_ONCE = 10_000
type Credits = { receivedKobo: Kobo; count: bigint; lastId: bigint | null }

// Returns the total received since a time. Fees, shares and settlements that were credited back are not
// counted as received. Reads backwards from the newest transfer, because an account may have millions of
// older ones.
export async function creditedSince(
  tx: Transaction,
  accountId: AccountId,
  since: Date,
): Promise<Kobo> {
  let sumKobo = kobo(0n)
  let beforeId: bigint | null = null
  for (;;) {
    const { rows }: { rows: Credits[] } = await tx.query<Credits>({
      name: 'credited-since',
      text: `select coalesce(sum(t.amount_kobo) filter (
                             where t.reason not in ('fee', 'fee_vat', 'split', 'settlement')),
                             0)::bigint as received_kobo,
                    count(*) as count, min(t.id) as last_id
               from (select id, amount_kobo, reason, posted_at from transfers
                      where credit_account_id = $1 and ($2::bigint is null or id < $2)
                      order by id desc limit ${READ_AT_ONCE}) as t
              where t.posted_at >= $3`,
      values: [accountId, beforeId, since],
    })
    const { receivedKobo, count, lastId } = rows[0] as Credits
    sumKobo = kobo(sumKobo + receivedKobo)
    if (count < READ_AT_ONCE) return sumKobo
    beforeId = lastId
  }
}
