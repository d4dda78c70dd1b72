// Limits of a collection account: per credit and per day (West Africa Time). A credit over a limit
// is suspended. Manual assignments are not limited, but count towards the day.
//
// I20: today's total is the ledger's total credits less those at the start of the day. Nothing is
// accumulated: only the total at the start of each day is stored, and only for accounts with a
// daily limit. It is read and written under the lock of the ledger account, in a statement of its
// own, so that it sees what the previous holder of the lock wrote.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { watDay, watDayStart } from '#wat-time.ts'

// Null: no limit.
export type AccountLimits = { perCreditKobo: Kobo | null; perDayKobo: Kobo | null }

export type LimitViolation = 'over_credit_limit' | 'over_daily_limit'

// Checked in the order of the union above. Undefined: the limits allow it.
export function findLimitViolation(
  { perCreditKobo, perDayKobo }: AccountLimits,
  todayKobo: Kobo,
  amountKobo: Kobo,
): LimitViolation | undefined {
  if (perCreditKobo !== null && amountKobo > perCreditKobo) return 'over_credit_limit'
  if (perDayKobo !== null && todayKobo + amountKobo > perDayKobo) return 'over_daily_limit'
  return undefined
}

type Credited = {
  collectionAccountId: AccountId
  perDayKobo: Kobo | null
  creditedKobo: Kobo | null // Ever. Not needed without a limit per day.
}

const NOTHING: ReadonlyMap<AccountId, Kobo> = new Map()

// By account, for those with a limit per day. The accounts must be locked; for one that was not
// asked for today, the day begins here.
export async function receivedToday(
  tx: Transaction,
  now: Date,
  accounts: readonly Credited[],
): Promise<ReadonlyMap<AccountId, Kobo>> {
  const limited = accounts.filter(({ perDayKobo }) => perDayKobo !== null)
  if (limited.length === 0) return NOTHING
  // A day that began by another clock, ahead of ours, is not begun again.
  const { rows } = await tx.query<{ id: AccountId; openingKobo: Kobo }>({
    name: 'openings-of-day',
    text: `select collection_account_id as id, opening_kobo as "openingKobo"
             from collection_days
            where collection_account_id = any($1::bigint[]) and day >= $2::date`,
    values: [numberArray(limited.map((account) => account.collectionAccountId)), watDay(now)],
  })
  const openings = new Map(rows.map(({ id, openingKobo }) => [id, openingKobo]))
  const begun = limited.filter((account) => !openings.has(account.collectionAccountId))
  await beginDay(
    tx,
    now,
    begun.map((account) => ({
      id: account.collectionAccountId,
      openingKobo: account.creditedKobo as Kobo,
    })),
  )
  return new Map(
    limited.map(({ collectionAccountId: id, creditedKobo }) => {
      const credited = creditedKobo as Kobo
      return [id, kobo(credited - (openings.get(id) ?? credited))]
    }),
  )
}

// When an account gets a limit in the course of a day, what came in before counts. The account must
// be locked.
export async function countDaySoFar(
  tx: Transaction,
  now: Date,
  account: { id: AccountId; creditedKobo: Kobo },
): Promise<void> {
  const receivedKobo = await creditedSince(tx, account.id, watDayStart(now))
  await beginDay(tx, now, [
    { id: account.id, openingKobo: kobo(account.creditedKobo - receivedKobo) },
  ])
}

async function beginDay(
  tx: Transaction,
  now: Date,
  openings: readonly { id: AccountId; openingKobo: Kobo }[],
): Promise<void> {
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

const READ_AT_ONCE = 10_000
type Credits = { receivedKobo: Kobo; count: bigint; lastId: bigint | null }

// From the newest transfer backwards, because an account may have millions of older ones.
async function creditedSince(tx: Transaction, accountId: AccountId, since: Date): Promise<Kobo> {
  let sumKobo = kobo(0n)
  let before: bigint | null = null
  for (;;) {
    const { rows }: { rows: Credits[] } = await tx.query<Credits>({
      name: 'credited-since',
      text: `select coalesce(sum(t.amount_kobo), 0)::bigint as "receivedKobo", count(*) as count,
                    min(t.id) as "lastId"
               from (select id, amount_kobo, posted_at from transfers
                      where credit_account_id = $1 and ($2::bigint is null or id < $2)
                      order by id desc limit ${READ_AT_ONCE}) as t
              where t.posted_at >= $3`,
      values: [accountId, before, since],
    })
    const { receivedKobo, count, lastId } = rows[0] as Credits
    sumKobo = kobo(sumKobo + receivedKobo)
    if (count < READ_AT_ONCE) return sumKobo
    before = lastId
  }
}
