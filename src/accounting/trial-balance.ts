// The trial balance: the debit or credit balance of every kind of ledger account at any moment. Total
// debits equal total credits in each currency (I1), and both equal the sums of the journals (I69).
//
// A past moment is computed from the last closed day before it plus later movements, or else from
// today's balances minus later movements. A million transfers take a few seconds at most.

import type { Chart } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { type Kobo, kobo } from '#money.ts'
import { accountOf, type ClosedDay, findLastClosed, type Period } from './journal.ts'

// The movements of all accounts of a kind.
export type KindTotal = { kind: string; currency: string; debits: bigint; credits: bigint }

export type TrialBalanceRow = {
  code: string
  name: string
  currency: string
  debitKobo: Kobo
  creditKobo: Kobo // One of the two is 0.
}

// Movements from $1 (included) to $2 (excluded), by kind.
const MOVED = `
  select l.kind, l.currency, sum(s.debit) as debits, sum(s.credit) as credits
    from (select debit_account_id as id, sum(amount_kobo) as debit, 0 as credit
            from transfers where posted_at >= $1 and posted_at < $2 group by 1
          union all
          select credit_account_id, 0, sum(amount_kobo)
            from transfers where posted_at >= $1 and posted_at < $2 group by 1) as s
    join ledger_accounts l on l.id = s.id
   group by 1, 2`

const NOW = `
  select kind, currency, sum(debits_kobo) as debits, sum(credits_kobo) as credits
    from ledger_accounts group by 1, 2`

const SUMS = 'sum(debits)::bigint as debits, sum(credits)::bigint as credits'

// The caller must call this in one snapshot. `at` defaults to now. At the exact end of a closed day, that
// day's chart applies.
export async function readTrialBalance(
  db: Queryable,
  { at, chart }: { at: Date | undefined; chart: Chart },
): Promise<TrialBalanceRow[]> {
  if (!at) return toRows(await readNow(db), chart)
  const closed = await findLastClosed(db, at)
  const totals = await readAt(db, at, closed)
  return toRows(totals, closed && isEndOf(closed, at) ? closed.chart : chart)
}

const isEndOf = ({ endsAt }: ClosedDay, at: Date) => endsAt.getTime() === at.getTime()

// The caller must call this in one snapshot.
export async function readKindTotals(db: Queryable, at: Date): Promise<KindTotal[]> {
  return readAt(db, at, await findLastClosed(db, at))
}

async function readAt(
  db: Queryable,
  at: Date,
  closed: ClosedDay | undefined,
): Promise<KindTotal[]> {
  return closed
    ? readSince(db, { day: closed.day, from: closed.endsAt, to: at })
    : readBefore(db, at)
}

async function readNow(db: Queryable): Promise<KindTotal[]> {
  const { rows } = await db.query<KindTotal>({
    name: 'trial-balance',
    text: `select kind, currency, ${SUMS} from (${NOW}) as n group by 1, 2`,
  })
  return rows
}

async function readBefore(db: Queryable, at: Date): Promise<KindTotal[]> {
  const { rows } = await db.query<KindTotal>({
    name: 'trial-balance-before',
    text: `select kind, currency, ${SUMS}
             from (${NOW} union all
                   select kind, currency, -debits, -credits from (${MOVED}) as m) as n
            group by 1, 2`,
    values: [at, 'infinity'],
  })
  return rows
}

async function readSince(
  db: Queryable,
  { day, from, to }: Period & { day: string },
): Promise<KindTotal[]> {
  const { rows } = await db.query<KindTotal>({
    name: 'trial-balance-since',
    text: `select kind, currency, ${SUMS}
             from (select kind, currency, debits_kobo as debits, credits_kobo as credits
                     from closed_day_balances where day = $3
                   union all ${MOVED}) as n
            group by 1, 2`,
    values: [from, to, day],
  })
  return rows
}

// Stores the balances at the end of a day. Uses the stored balances of the day before, unless this
// is the first closed day.
export async function writeBalances(db: Queryable, day: string, { from, to }: Period) {
  const totals = await readAt(db, to, await findLastClosed(db, from))
  await db.query({
    name: 'write-closed-day-balances',
    text: `insert into closed_day_balances (day, kind, currency, debits_kobo, credits_kobo)
           select $1::date, t.*
             from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as t`,
    values: [
      day,
      totals.map(({ kind }) => kind),
      totals.map(({ currency }) => currency),
      totals.map(({ debits }) => debits),
      totals.map(({ credits }) => credits),
    ],
  })
}

// Sorted by currency and code. Omits accounts that never moved, but keeps accounts with a balance of 0.
function toRows(totals: readonly KindTotal[], chart: Chart): TrialBalanceRow[] {
  const accounts = new Map<string, { code: string; name: string; currency: string; net: bigint }>()
  for (const { kind, currency, debits, credits } of totals) {
    if (debits === 0n && credits === 0n) continue
    const { code, name } = accountOf(chart, kind)
    const key = `${currency}\u0000${code}`
    const net = (accounts.get(key)?.net ?? 0n) + debits - credits
    accounts.set(key, { code, name, currency, net })
  }
  const sorted = [...accounts].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([, { net, ...account }]) => ({
    ...account,
    debitKobo: kobo(net > 0n ? net : 0n),
    creditKobo: kobo(net < 0n ? -net : 0n),
  }))
}
