// Balances at any moment: the trial balance, suspense by age, and the operator's balances across all clients.
//
// The trial balance is the debit or credit balance of every kind of ledger account. Total debits equal total
// credits in each currency (I1), and both equal the sums of the journals (I69).
//
// A past moment is computed from the last closed day before it plus later movements, or else from
// today's balances minus later movements. A million transfers take a few seconds at most.

import { OWNER_BANK, OWNER_CLIENT, OWNER_JOINS } from '#accounts/ledger-hours.ts'
import type { Chart } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { type Kobo, kobo } from '#money.ts'
import { AGEING_BUCKETS, type AgeingBucket, ageDays, ageingBucketOf } from '#records/shared-sql.ts'
import { accountOf, type ClosedDay, findLastClosed, type Period } from './journal.ts'

export type KindTotal = { kind: string; currency: string; debits: bigint; credits: bigint }

export type TrialBalanceRow = {
  code: string
  name: string
  currency: string
  debitKobo: Kobo
  creditKobo: Kobo // Either the debit or the credit balance is 0.
}

// SQL query: movements from $1 (included) to $2 (excluded), by kind.
const MOVED = `
  select l.kind, l.currency, sum(s.debit) as debits, sum(s.credit) as credits
    from (select debit_account_id as id, sum(amount_kobo) as debit, 0 as credit
            from transfers where posted_at >= $1 and posted_at < $2 group by 1
          union all
          select credit_account_id, 0, sum(amount_kobo)
            from transfers where posted_at >= $1 and posted_at < $2 group by 1) as s
    join ledger_accounts l on l.id = s.id
   group by 1, 2`

// SQL query: all debits and credits so far, by kind.
const NOW = `
  select kind, currency, sum(debits_kobo) as debits, sum(credits_kobo) as credits
    from ledger_accounts group by 1, 2`

const SUMS = 'sum(debits)::bigint as debits, sum(credits)::bigint as credits'

// Returns the trial balance at the moment `at`, by default now. At the exact end of a closed day, the chart
// of that day names the accounts. Call in a repeatable-read transaction.
export async function readTrialBalance(
  db: Queryable,
  { at, chart }: { at: Date | undefined; chart: Chart },
): Promise<TrialBalanceRow[]> {
  if (!at) return toRows(await readTotalsNow(db), chart)
  const lastClosedDay = await findLastClosed(db, at)
  const totals = await readTotalsAt(db, at, lastClosedDay)
  return toRows(totals, lastClosedDay && isEndOf(lastClosedDay, at) ? lastClosedDay.chart : chart)
}

const isEndOf = ({ endsAt }: ClosedDay, at: Date) => endsAt.getTime() === at.getTime()

// Returns total debits and credits until the moment, for the pack of a month. Call in a repeatable-read
// transaction.
export async function readKindTotals(db: Queryable, at: Date): Promise<KindTotal[]> {
  return readTotalsAt(db, at, await findLastClosed(db, at))
}

// Counts forward from the last closed day. Before the first closed day, counts back from today's balances.
async function readTotalsAt(
  db: Queryable,
  at: Date,
  lastClosedDay: ClosedDay | undefined,
): Promise<KindTotal[]> {
  return lastClosedDay
    ? countFromClosedDay(db, { day: lastClosedDay.day, from: lastClosedDay.endsAt, to: at })
    : countBackFromNow(db, at)
}

async function readTotalsNow(db: Queryable): Promise<KindTotal[]> {
  const { rows } = await db.query<KindTotal>({
    name: 'trial-balance',
    text: `select kind, currency, ${SUMS} from (${NOW}) as n group by 1, 2`,
  })
  return rows
}

// Today's totals less the movements since the moment.
async function countBackFromNow(db: Queryable, at: Date): Promise<KindTotal[]> {
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

// The totals stored for a closed day, plus the movements after it.
async function countFromClosedDay(
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
  const totals = await readTotalsAt(db, to, await findLastClosed(db, from))
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

// Suspense at a moment, by age. Each item's state at that moment is rebuilt from its history
// (suspense_changes), so the sum equals the balance of the suspense accounts at that moment.

export type AgedSuspense = {
  bankCode: string
  clientCode: string | null // Null if the client is unidentified.
  currency: string
  reason: string
  bucket: AgeingBucket
  items: bigint
  kobo: Kobo
}

// SQL query: the items that were open at $1, in their state at that moment. The first later change records
// the state before it: the client and, for a reversal, the larger amount. An item without later changes has
// its current state.
const OPEN_ITEMS = `
  select i.id, i.credit_id, i.reason, i.opened_at,
         case when later.id is null then i.client_id else later.client_id end as client_id,
         case when later.id is null then i.amount_kobo
              when later.change = 'reversed' then later.amount_kobo + later.left_kobo
              else later.left_kobo end as kobo
    from suspense_items i
    left join lateral (
      select s.id, s.change, s.client_id, s.from_state, s.amount_kobo, s.left_kobo
        from suspense_changes s
       where s.item_id = i.id and s.changed_at >= $1 order by s.id limit 1) as later on true
   where i.opened_at < $1 and (i.closed_at is null or i.closed_at >= $1 or later.id is not null)
     and coalesce(later.from_state, i.state) = 'open'`

const AGE = ageDays('i.opened_at', '$2::timestamptz')

// Returns the suspense that was open at the moment `at`, by default now. Call in a repeatable-read
// transaction.
export async function readSuspenseAgeing(
  db: Queryable,
  { at, now }: { at: Date | undefined; now: Date },
): Promise<AgedSuspense[]> {
  const { rows } = await db.query<AgedSuspense>({
    name: 'suspense-ageing',
    text: `select c.bank_code, k.client_id as client_code, c.currency, i.reason,
                  ${ageingBucketOf('age')} as bucket,
                  count(*) as items, sum(i.kobo)::bigint as kobo
             from (${OPEN_ITEMS}) as i
             join credits c on c.id = i.credit_id
             left join clients k on k.id = i.client_id
            cross join lateral (select ${AGE} as age) as a
            group by 1, 2, 3, 4, 5
            order by c.currency, c.bank_code, k.client_id nulls last, i.reason,
                     array_position($3::text[], ${ageingBucketOf('min(age)')})`,
    values: [at ?? 'infinity', at ?? now, [...AGEING_BUCKETS]],
  })
  return rows
}

// The operator's balances at a moment, across all clients: by client, merchant code and bank. Every
// ledger account is in exactly one row and one column, so the columns add up to the trial balance.
//
// Suspense is grouped by the bank that reported it and the merchant whose number received it. Money
// of payments, payouts and settlements belongs to a client only, so it has neither bank nor merchant.

// The ledger account kinds of each column, and whether debits increase it.
export const COLUMNS = {
  available: { kinds: ['collection', 'available'], isDebit: false },
  pending: { kinds: ['pending'], isDebit: false },
  suspended: { kinds: ['suspense'], isDebit: false },
  returning: { kinds: ['returning'], isDebit: false },
  subaccounts: { kinds: ['subaccount'], isDebit: false },
  reserved: { kinds: ['reserve'], isDebit: false },
  held: { kinds: ['held'], isDebit: false },
  forfeited: { kinds: ['forfeited'], isDebit: false },
  inTransit: { kinds: ['settling', 'paying', 'refunding'], isDebit: false },
  feeIncome: { kinds: ['fee_income'], isDebit: false },
  vatPayable: { kinds: ['vat_payable'], isDebit: false },
  receivable: { kinds: ['receivable'], isDebit: true },
  writtenOff: { kinds: ['write_off'], isDebit: true },
  bankBalance: { kinds: ['bank'], isDebit: true },
  shortfall: { kinds: ['shortfall'], isDebit: true },
  dueToBank: { kinds: ['due_to_bank'], isDebit: false },
  bankCosts: { kinds: ['bank_cost'], isDebit: true },
  inputVat: { kinds: ['input_vat'], isDebit: true },
  stampDuty: { kinds: ['stamp_duty'], isDebit: true },
  withheldTax: { kinds: ['wht_receivable'], isDebit: true },
  taxCredits: { kinds: ['wht_credit'], isDebit: true },
  doubtfulDebts: { kinds: ['doubtful_debt'], isDebit: true },
  provisions: { kinds: ['provision'], isDebit: false },
} as const

export type BalanceColumn = keyof typeof COLUMNS

export type OperatorBalance = {
  clientCode: string | null
  merchantCode: string | null
  bankCode: string | null
  currency: string
  collectedKobo: Kobo // Reported credits minus reversals.
} & Record<`${BalanceColumn}Kobo`, Kobo>

const MERCHANT = `case when own.id is null then null else own.merchant_code end`
const BANK = `coalesce(own.bank_code, ${OWNER_BANK})`

// SQL query: the balance of each account except suspense at $1. For a past moment, later movements are
// subtracted.
const balanceSql = (isPast: boolean) => `
  select ${OWNER_CLIENT} as client_id, ${MERCHANT} as merchant_code, ${BANK} as bank_code,
         l.currency, l.kind as part,
         sum(l.credits_kobo - l.debits_kobo - ${isPast ? 'coalesce(m.kobo, 0)' : '0'}) as kobo
    from ledger_accounts l ${OWNER_JOINS}
    ${isPast ? `left join (${MOVED_SINCE}) as m on m.id = l.id` : ''}
   where l.kind <> 'suspense'
   group by 1, 2, 3, 4, 5`

// SQL query: credits less debits of each account since $1.
const MOVED_SINCE = `
  select id, sum(kobo) as kobo
    from (select credit_account_id as id, sum(amount_kobo) as kobo
            from transfers where posted_at >= $1 group by 1
          union all
          select debit_account_id, -sum(amount_kobo)
            from transfers where posted_at >= $1 group by 1) as s
   group by 1`

// SQL query: the suspense that was open at $1, with the bank and the merchant of each item.
const SUSPENDED = `
  select i.client_id, a.merchant_code, c.bank_code, c.currency, 'suspense', sum(i.kobo)
    from (${OPEN_ITEMS}) as i
    join credits c on c.id = i.credit_id
    left join collection_accounts a on a.id = c.collection_account_id
   group by 1, 2, 3, 4`

// SQL query: reported credits less reversals before $1.
const COLLECTED = `
  select c.client_id, a.merchant_code, c.bank_code, c.currency, 'collected',
         sum(c.amount_kobo) - coalesce(sum(r.kobo), 0)
    from credits c
    left join collection_accounts a on a.id = c.collection_account_id
    left join (select credit_id, sum(amount_kobo) as kobo
                 from reversals where received_at < $1 group by 1) as r on r.credit_id = c.id
   where c.received_at < $1
   group by 1, 2, 3, 4`

// SQL scalar: the total of a column's accounts, positive on the side that increases it.
const columnSql = (column: BalanceColumn) => {
  const { kinds, isDebit } = COLUMNS[column]
  const parts = kinds.map((kind) => `'${kind}'`).join(', ')
  return `coalesce(sum(${isDebit ? '-' : ''}p.kobo) filter (where p.part in (${parts})), 0)::bigint
    as "${column}Kobo"`
}

// Returns one row per client, merchant code, bank and currency, and omits empty rows. `at` defaults to now.
// Call in a repeatable-read transaction.
export async function readOperatorBalances(
  db: Queryable,
  at: Date | undefined,
): Promise<OperatorBalance[]> {
  const columns = (Object.keys(COLUMNS) as BalanceColumn[]).map(columnSql)
  const { rows } = await db.query<OperatorBalance>({
    name: `operator-balances${at ? '-at' : ''}`,
    text: `select k.client_id as client_code, p.merchant_code, p.bank_code, p.currency,
                  coalesce(sum(p.kobo) filter (where p.part = 'collected'), 0)::bigint
                    as collected_kobo, ${columns.join(', ')}
             from (${balanceSql(at !== undefined)} union all ${SUSPENDED} union all ${COLLECTED})
                  as p (client_id, merchant_code, bank_code, currency, part, kobo)
             left join clients k on k.id = p.client_id
            where p.kobo <> 0
            group by 1, 2, 3, 4
            order by p.currency, k.client_id nulls last, p.merchant_code collate "C" nulls last,
                     p.bank_code nulls last`,
    values: [at ?? 'infinity'],
  })
  return rows
}
