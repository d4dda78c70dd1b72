// A client's balances, now or at any moment: by currency, by merchant and by subaccount. A balance at a
// moment includes the transfers posted before it.
//
// There are two views of the same money (I61). First, the money that credits brought in and took back,
// wherever it is now:
//               net + suspended + returned + reversed + refunded + fees
//   collected   received on collection accounts and by paid payments
//   pending     part payments, not settled yet
//   net         collected + pending − refunded
//   suspended   inSuspense: held, and not assigned yet
//               returning: being returned to payers
//   returned    returned to payers from suspense, confirmed by the banks
//   refunded    refunded to payers, confirmed by the banks
//   reversed    taken back by the banks, from any account
//   fees        charged on credits by the operator, VAT included, less returned fees
// Second, the ledger accounts that hold the money:
//   net = available + pending + subaccounts + reserved + held + inTransit
//         + paidOut + payoutFees + forfeited − receivable − writtenOff − withheldTax

import { isInMerchantScope } from '#access/permissions.ts'
import { MERCHANT_CURSOR, selectTotals } from '#accounts/merchant-totals.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { clientOwner, operatorOwner } from '#ledger/accounts.ts'
import { findPosition } from '#ledger/transfer-counts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import type { Sums } from '#records/money-totals.ts'
import { CLIENT_ACCOUNTS, firstTransferSince, movesSince, SHARED_ACCOUNTS } from './ledger.ts'

export type Balance = Sums & {
  currency: string
  netKobo: Kobo
  collectedKobo: Kobo
  pendingKobo: Kobo
  inSuspenseKobo: Kobo
  returningKobo: Kobo
  availableKobo: Kobo
  subaccountsKobo: Kobo
  reservedKobo: Kobo
  heldKobo: Kobo
  forfeitedKobo: Kobo
  inTransitKobo: Kobo
  paidOutKobo: Kobo
  payoutFeesKobo: Kobo
  receivableKobo: Kobo
  writtenOffKobo: Kobo
  withheldTaxKobo: Kobo // Tax that the client withheld from our fees, so we credited it to the client.
}

// Reads a client's balances now or at a moment, one for each currency. One SQL statement reads all of them,
// so they are from the same moment. An earlier balance is the current one less the movements since, which are
// read through each account's own index.
export async function readBalances(
  db: Queryable,
  clientId: ClientId,
  at?: Date | undefined,
): Promise<Balance[]> {
  const after = at ? undefined : await findPosition(db, MERCHANT_CURSOR)
  const values = [clientId, clientOwner(clientId), operatorOwner(clientId), CURRENCY]
  const { rows } = await db.query<{ currency: string; part: string; kobo: bigint }>(
    after === undefined
      ? {
          name: at ? 'read-balances-at' : 'read-balances',
          text: selectParts(at !== undefined),
          values: [...values, ...(at ? [await firstTransferSince(db, at), at] : [])],
        }
      : { text: PARTS_BY_TOTALS, values: [...values, after] },
  )
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  return currencies.map((currency) => {
    const parts = rows.filter((row) => row.currency === currency)
    return toBalance(currency, Object.fromEntries(parts.map((row) => [row.part, row.kobo])))
  })
}

// SQL query: the parts of the balances of the accounts `own`. $1 is the client and $4 the currency that is
// always shown. `more` are further parts, and `before` the condition of a moment.
const selectPartsOf = (own: string, more = '', before = (_column: string) => '') => `
    with own as materialized (${own}), parts (currency, part, kobo) as (
      select currency, kind, kobo from own
      union all
      select o.currency, t.reason, t.amount_kobo
        from own o join transfers t on t.debit_account_id = o.id
       where o.kind in ('paying', 'refunding', 'receivable') and t.credit_id is null
         and t.reason in ('paid', 'refunded') ${before('t.posted_at')}
      union all
      select o.currency, t.reason, -t.amount_kobo
        from own o join transfers t on t.credit_account_id = o.id
       where o.kind in ('available', 'subaccount') and t.credit_id is null
         and t.reason in ('paid', 'refunded') ${before('t.posted_at')}
      union all
      select o.currency, 'payout_fees', t.amount_kobo
        from own o join transfers t on t.credit_account_id = o.id
       where o.kind in ('fee_income', 'vat_payable') and t.credit_id is null
             ${before('t.posted_at')}
      union all
      select o.currency, 'payout_fees', -t.amount_kobo
        from own o join transfers t on t.debit_account_id = o.id
       where o.kind in ('fee_income', 'vat_payable') and t.credit_id is null
             ${before('t.posted_at')}
      union all
      select o.currency, 'reversed', t.amount_kobo
        from own o join transfers t on t.debit_account_id = o.id
       where t.reason = 'reversal' ${before('t.posted_at')}
      union all
      select l.currency, 'reversed', s.amount_kobo
        from suspense_changes s
        join suspense_items i on i.id = s.item_id
        join ledger_accounts l on l.id = i.account_id
       where s.client_id = $1 and s.change = 'reversed' and s.from_state = 'returning'
             ${before('s.changed_at')}
      union all
      select l.currency, i.state, i.amount_kobo
        from suspense_items i join ledger_accounts l on l.id = i.account_id
       where i.client_id = $1 and i.state in ('returning', 'returned')
      ${more}
      union all
      select $4, 'pending', 0
    )
    select currency, part, sum(kobo)::bigint as kobo from parts group by 1, 2 order by 1, 2`

// SQL query: the changes since the moment $6, with the opposite sign. Added to the current balances, they
// give the balances at that moment. Money that is being returned to payers is on the banks' accounts, so the
// client's suspense account shows only that it left; the suspense items show the outcome.
const UNDONE_SINCE = `
  select o.currency, moved.part, moved.kobo
    from own o
   cross join lateral (${movesSince({ account: 'o.id', firstId: '$5', at: '$6' })}) as t
   cross join lateral (values (o.kind, -t.change),
                              (case when o.kind = 'suspense'
                                     and t.reason in ('return', 'return_failed')
                                    then 'returning' end, t.change)) as moved (part, kobo)
   where moved.part is not null
  union all
  select l.currency, s.part, s.kobo
    from suspense_items i join ledger_accounts l on l.id = i.account_id
   cross join lateral (values ('returned', -i.amount_kobo), ('returning', i.amount_kobo))
                      as s (part, kobo)
   where i.client_id = $1 and i.state = 'returned' and i.closed_at >= $6
  union all
  select l.currency, 'returning', s.amount_kobo
    from suspense_changes s
    join suspense_items i on i.id = s.item_id
    join ledger_accounts l on l.id = i.account_id
   where s.client_id = $1 and s.change = 'reversed' and s.from_state = 'returning'
     and s.changed_at >= $6`

// SQL query: the parts of a client's balances. $1 to $3 are as in CLIENT_ACCOUNTS. $5 is the first transfer
// since the moment, and $6 the moment.
function selectParts(isAtMoment: boolean): string {
  return isAtMoment
    ? selectPartsOf(CLIENT_ACCOUNTS, `union all ${UNDONE_SINCE}`, (column) => `and ${column} < $6`)
    : selectPartsOf(CLIENT_ACCOUNTS)
}

// SQL query: the current parts, of which those of collection accounts come from the totals by merchant. $5 is
// the position of the totals.
const PARTS_BY_TOTALS = selectPartsOf(
  SHARED_ACCOUNTS,
  `union all
   select t.currency, p.part, p.kobo
     from (${selectTotals({ client: '$1', after: '$5' })}) as t
    cross join lateral (values ('collection', t.balance_kobo), ('reversed', t.reversed_kobo))
               as p (part, kobo)`,
)

// Adds up the parts of one currency by the definitions of the file header. The ledger has no gross: it is
// the net plus everything that was taken off, suspended or given back.
function toBalance(currency: string, parts: Readonly<Record<string, bigint>>): Balance {
  const sum = (...names: string[]) =>
    kobo(names.reduce((total, name) => total + (parts[name] ?? 0n), 0n))
  const availableKobo = sum('collection', 'available')
  const pendingKobo = sum('pending')
  const inTransitKobo = sum('settling', 'paying', 'refunding')
  const receivableKobo = kobo(-sum('receivable'))
  const writtenOffKobo = kobo(-sum('write_off'))
  const withheldTaxKobo = kobo(-sum('wht_receivable', 'wht_credit'))
  const payoutFeesKobo = sum('payout_fees')
  const onAccountsKobo =
    availableKobo + pendingKobo + inTransitKobo + sum('subaccount', 'reserve', 'held')
  const paidAwayKobo = sum('paid', 'forfeited') + payoutFeesKobo
  const refundedKobo = sum('refunded')
  const deductedKobo = receivableKobo + writtenOffKobo + withheldTaxKobo
  const netKobo = kobo(onAccountsKobo + paidAwayKobo - deductedKobo)
  const suspendedKobo = sum('suspense', 'returning')
  const feesKobo = kobo(sum('fee_income', 'vat_payable') - payoutFeesKobo)
  const takenBackKobo = sum('returned', 'reversed') + refundedKobo + feesKobo
  return {
    currency,
    grossKobo: kobo(netKobo + suspendedKobo + takenBackKobo),
    netKobo,
    suspendedKobo,
    collectedKobo: kobo(netKobo + refundedKobo - pendingKobo),
    pendingKobo,
    inSuspenseKobo: sum('suspense'),
    returningKobo: sum('returning'),
    returnedKobo: sum('returned'),
    reversedKobo: sum('reversed'),
    feesKobo,
    availableKobo,
    subaccountsKobo: sum('subaccount'),
    reservedKobo: sum('reserve'),
    heldKobo: sum('held'),
    forfeitedKobo: sum('forfeited'),
    inTransitKobo,
    paidOutKobo: sum('paid'),
    refundedKobo,
    payoutFeesKobo,
    receivableKobo,
    writtenOffKobo,
    withheldTaxKobo,
  }
}

// A merchant is a merchantId, merchantCode and currency of the client's collection accounts.
export type MerchantName = { merchantId: string; merchantCode: string; currency: string }

export type MerchantBalance = MerchantName & {
  accounts: bigint
  collectedKobo: Kobo
  availableKobo: Kobo
  inSuspenseKobo: Kobo
  returnedKobo: Kobo
}

const MERCHANT_COLUMNS = 'a.merchant_id, a.merchant_code, a.currency_code'

type MerchantPage = {
  after?: MerchantName | undefined
  at?: Date | undefined // Includes only transfers posted, and merchants created, before this time.
  limit: number
}

// Lists a client's balances by merchant, sorted by merchantId, merchantCode and currency. Money in suspense
// is included for the merchant whose number it was sent to. Money in another currency than the account's is
// only in the client's balance.
//
// `collected` is the money that credits brought to the accounts, wherever it went; `available` is the money
// still there.
export async function listMerchantBalances(
  db: Queryable,
  clientId: ClientId,
  { after, at, limit }: MerchantPage,
): Promise<MerchantBalance[]> {
  const page = after ? [after.merchantId, after.merchantCode, after.currency] : []
  const position = at ? undefined : await findPosition(db, MERCHANT_CURSOR)
  if (position !== undefined) {
    const { rows } = await db.query<MerchantBalance>({
      text: selectMerchants(TOTALED_MERCHANT_PARTS, { after: after && '$4, $5, $6' }),
      values: [clientId, limit, position, ...page],
    })
    return rows
  }
  const { rows } = await db.query<MerchantBalance>({
    name: `merchant-balances${after ? '-after' : ''}${at ? '-at' : ''}`,
    text: selectMerchants([...CURRENT_MERCHANT_PARTS, ...(at ? MERCHANT_UNDONE_SINCE : [])], {
      after: after && (at ? '$6, $7, $8' : '$3, $4, $5'),
      at: at && '$5',
    }),
    values: [
      clientId,
      limit,
      ...(at ? [clientOwner(clientId), await firstTransferSince(db, at), at] : []),
      ...page,
    ],
  })
  return rows
}

// SQL query: a page of merchants with their balances, from queries of their parts. $1 is the client and $2
// the limit; `after` and `at` are parameters.
const selectMerchants = (
  parts: readonly string[],
  { after, at }: { after?: string | undefined; at?: string | undefined },
) => `
  with merchants as materialized (
    select ${MERCHANT_COLUMNS}, count(*) ${at ? `filter (where a.created_at < ${at})` : ''} as accounts
      from collection_accounts a
     where a.client_id = $1 and ${isInMerchantScope('a.merchant_code', '$1')}
       ${after ? `and (${MERCHANT_COLUMNS}) > (${after})` : ''}
     group by 1, 2, 3 ${at ? `having bool_or(a.created_at < ${at})` : ''}
     order by 1, 2, 3 limit $2
  ), members as materialized (
    select a.id, ${MERCHANT_COLUMNS}, l.credits_kobo - l.debits_kobo as kobo
      from merchants m
      join collection_accounts a on a.client_id = $1 and (${MERCHANT_COLUMNS}) =
           (m.merchant_id, m.merchant_code, m.currency_code)
      join ledger_accounts l on l.id = a.id
  ), parts (merchant_id, merchant_code, currency_code, part, kobo) as (
    ${parts.join(' union all ')}
  )
  select merchant_id, merchant_code,
         currency_code as currency, accounts, ${PARTS.map(sumOfPart).join(', ')}
    from merchants left join parts using (merchant_id, merchant_code, currency_code)
   group by 1, 2, 3, 4 order by 1, 2, 3`

const PARTS = ['collected', 'available', 'inSuspense', 'returned']

function sumOfPart(part: string): string {
  return `coalesce(sum(kobo) filter (where part = '${part}'), 0)::bigint as "${part}Kobo"`
}

// SQL joins: the suspense items of credits to the client's numbers, with their accounts.
const JOIN_ITEMS = `suspense_items i
  join credits c on c.id = i.credit_id
  join collection_accounts a on a.id = c.collection_account_id and a.currency_code = c.currency`

// SQL joins: money that was reversed after it had left one of `accounts`. The client owes this money, and
// it is no longer collected on the account.
const joinOwed = (accounts: string) => `receivables r
  join reversals v on v.id = r.reversal_id
  join ${accounts} a on a.id = r.account_id`

// SQL queries: the current parts of the balances by merchant. $1 is the client.
const CURRENT_MERCHANT_PARTS = [
  `select ${MERCHANT_COLUMNS}, p.part, a.kobo
     from members a cross join (values ('collected'), ('available')) as p (part)`,
  `select ${MERCHANT_COLUMNS}, 'collected', t.amount_kobo
     from members a join transfers t on t.debit_account_id = a.id where t.credit_id is null`,
  `select ${MERCHANT_COLUMNS}, 'collected', -t.amount_kobo
     from members a join transfers t on t.credit_account_id = a.id where t.credit_id is null`,
  `select ${MERCHANT_COLUMNS}, 'collected', s.share_kobo - s.returned_kobo
     from members a join credit_splits s on s.account_id = a.id`,
  `select ${MERCHANT_COLUMNS}, 'collected', -r.amount_kobo from ${joinOwed('members')}`,
  `select ${MERCHANT_COLUMNS}, case i.state when 'open' then 'inSuspense' else 'returned' end, i.amount_kobo
     from ${JOIN_ITEMS} where i.client_id = $1 and i.state in ('open', 'returned')`,
]

// SQL queries: the current parts of the balances by merchant, from the totals. $1 is the client and $3 the
// position of the totals.
const TOTALED_MERCHANT_PARTS = [
  `select t.merchant_id, t.merchant_code, t.currency, p.part, p.kobo
     from (${selectTotals({ client: '$1', after: '$3' })}) as t
    cross join lateral (values ('collected', t.collected_kobo), ('available', t.balance_kobo),
                               ('inSuspense', t.suspended_kobo)) as p (part, kobo)`,
  `select ${MERCHANT_COLUMNS}, 'collected', -r.amount_kobo
     from ${joinOwed('collection_accounts')} where a.client_id = $1`,
  `select ${MERCHANT_COLUMNS}, 'returned', i.amount_kobo
     from ${JOIN_ITEMS} where i.client_id = $1 and i.state = 'returned'`,
]

// SQL queries: undo the changes since the moment ($4, $5). $3 is the client's owner name. `kind <>
// 'collection'` repeats the condition of the partial index on kind, owner and currency, so that PostgreSQL
// can use it.
const MERCHANT_UNDONE_SINCE = [
  `select ${MERCHANT_COLUMNS}, moved.part, -t.change
     from members a
    cross join lateral (${movesSince({ account: 'a.id', firstId: '$4', at: '$5' })}) as t
    cross join lateral (values ('available', true),
                               ('collected', t.credit_id is not null and t.reason <> 'split'))
                       as moved (part, counts)
    where moved.counts`,
  `select ${MERCHANT_COLUMNS}, 'collected', r.amount_kobo
     from ${joinOwed('members')} where v.received_at >= $5`,
  `select ${MERCHANT_COLUMNS}, 'inSuspense', -t.change
     from ledger_accounts l
    cross join lateral (${movesSince({ account: 'l.id', firstId: '$4', at: '$5' })}) as t
     join credits c on c.id = t.credit_id
     join collection_accounts a on a.id = c.collection_account_id and a.currency_code = c.currency
    where l.kind = 'suspense' and l.owner = $3 and l.kind <> 'collection'`,
  `select ${MERCHANT_COLUMNS}, 'returned', -i.amount_kobo
     from ${JOIN_ITEMS} where i.client_id = $1 and i.state = 'returned' and i.closed_at >= $5`,
]

export type SubaccountBalance = {
  subaccountCode: string
  name: string
  currency: string
  availableKobo: Kobo
  inTransitKobo: Kobo
  paidOutKobo: Kobo
}

// Lists a client's balances by subaccount, ordered by code. Shares are in naira: money in another currency is
// never booked. `kind <> 'collection'` excludes nothing more: it repeats the condition of the partial index
// on kind, owner and currency, so that PostgreSQL can use it.
export async function listSubaccountBalances(
  db: Queryable,
  clientId: ClientId,
  { after = '', at, limit }: { after?: string | undefined; at?: Date | undefined; limit: number },
): Promise<SubaccountBalance[]> {
  const { rows } = await db.query<SubaccountBalance>({
    name: `subaccount-balances${at ? '-at' : ''}`,
    text: `select s.code as subaccount_code, s.name, $4 as currency,
                  coalesce(sum(held.kobo) filter (where l.kind = 'subaccount'), 0)::bigint
                    as available_kobo,
                  coalesce(sum(held.kobo) filter (where l.kind <> 'subaccount'), 0)::bigint
                    as in_transit_kobo,
                  coalesce(sum(paid.kobo), 0)::bigint as paid_out_kobo
             from (select * from subaccounts where client_id = $1 and code > $2
                    order by code limit $3) as s
             left join ledger_accounts l
               on l.kind in ('subaccount', 'settling', 'paying') and l.kind <> 'collection'
              and l.owner = 'subaccount:' || s.id and l.currency = $4
             left join lateral (
               select l.credits_kobo - l.debits_kobo ${at ? `- (${SUBACCOUNT_UNDONE_SINCE})` : ''} as kobo
             ) as held on true
             left join lateral (
               select sum(t.kobo) as kobo
                 from (select amount_kobo as kobo, posted_at from transfers
                        where debit_account_id = l.id and credit_id is null and reason = 'paid'
                          and l.kind = 'paying'
                       union all
                       select -amount_kobo, posted_at from transfers
                        where credit_account_id = l.id and credit_id is null and reason = 'paid'
                          and l.kind = 'subaccount') as t
                ${at ? 'where posted_at < $6' : ''}) as paid on true
            group by s.code, s.name order by s.code`,
    values: [
      clientId,
      after,
      limit,
      CURRENCY,
      ...(at ? [await firstTransferSince(db, at), at] : []),
    ],
  })
  return rows
}

// SQL scalar: the change of the ledger account `l` since the moment.
const SUBACCOUNT_UNDONE_SINCE = `
  select coalesce(sum(t.change), 0)
    from (${movesSince({ account: 'l.id', firstId: '$5', at: '$6' })}) as t`

const CODE = /^[A-Za-z0-9_-]{1,40}$/ // Same as the constraint subaccounts_code_valid.

// Returns the subaccount's name and the ledger account of its shares. There is no ledger account before the
// first share. `kind <> 'collection'` excludes nothing more: it repeats the condition of the partial index on
// kind, owner and currency, so that PostgreSQL can use it.
export async function getSubaccountLedger(
  db: Queryable,
  clientId: ClientId,
  code: string,
): Promise<{ name: string; accountIds: AccountId[] }> {
  if (!CODE.test(code)) throw new Refusal('subaccount_not_found')
  const { rows } = await db.query<{ name: string; id: AccountId | null }>({
    name: 'get-subaccount-ledger',
    text: `select s.name, l.id
             from subaccounts s
             left join ledger_accounts l
               on l.kind = 'subaccount' and l.kind <> 'collection' and l.currency = $3
              and l.owner = 'subaccount:' || s.id
            where s.client_id = $1 and s.code = $2`,
    values: [clientId, code, CURRENCY],
  })
  if (!rows[0]) throw new Refusal('subaccount_not_found')
  return { name: rows[0].name, accountIds: rows.flatMap(({ id }) => id ?? []) }
}
