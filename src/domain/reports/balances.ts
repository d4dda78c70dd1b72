// A client's balances, by currency and by merchant label. Read from the ledger's own accounts, so
// they always equal the ledger:
//   net         collected: collection accounts, paid payments (settled) and subaccounts
//               pending: part payments, not settled yet
//   suspended   inSuspense: held, not assigned yet
//               returning: being returned to payers
//   returned    returned to payers, as confirmed by the banks
//   reversed    taken back by the banks, from wherever it was
//   fees        charged by the operator, VAT included, less what was given back
//   gross       the sum of these: everything ever received (movements.ts)

import type { Queryable } from '#db/pool.ts'
import { isInMerchantScope } from '#domain/access/merchant-scope.ts'
import type { Sums } from '#domain/records/movements.ts'
import type { ClientId } from '#ids.ts'
import { clientOwner, operatorOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'

type Parts = {
  currency: string
  collectedKobo: Kobo
  pendingKobo: Kobo
  inSuspenseKobo: Kobo
  returningKobo: Kobo
  returnedKobo: Kobo
  reversedKobo: Kobo
  feesKobo: Kobo
}

export type Balance = Parts & Sums & { netKobo: Kobo }

export type MerchantName = { merchantId: string; merchantCode: string; currency: string }

export type MerchantBalance = MerchantName & {
  accounts: bigint
  collectedKobo: Kobo
  inSuspenseKobo: Kobo
  returnedKobo: Kobo
}

// One statement, so one moment. Collection and settled accounts are debited by reversals, fees
// and shares only, so what was reversed of them is their debits less what was ever charged or shared.
export async function readBalances(db: Queryable, clientId: ClientId): Promise<Balance[]> {
  const { rows } = await db.query<Parts>({
    name: 'read-balances',
    text: `with parts (currency, part, kobo) as (
             select currency, case kind when 'available' then 'collected' else kind end,
                    credits_kobo - debits_kobo
               from ledger_accounts
              where kind in ('pending', 'available', 'suspense') and owner = $2
                and kind <> 'collection'
             union all
             select l.currency, s.part, s.kobo
               from (select l.currency, sum(l.credits_kobo - l.debits_kobo) as held,
                            sum(l.debits_kobo) as reversed
                       from collection_accounts a join ledger_accounts l on l.id = a.id
                      where a.client_id = $1 group by l.currency) as l
              cross join lateral (values ('collected', held), ('reversed', reversed))
                                 as s (part, kobo)
             union all
             select l.currency, s.part, s.kobo
               from ledger_accounts l
              cross join lateral (values ('fees', credits_kobo - debits_kobo),
                                         ('reversed', -credits_kobo)) as s (part, kobo)
              where l.kind in ('fee_income', 'vat_payable') and l.owner = $4
                and l.kind <> 'collection'
             union all
             select l.currency, s.part, s.kobo
               from subaccounts u join ledger_accounts l
                 on l.kind = 'subaccount' and l.owner = 'subaccount:' || u.id and l.kind <> 'collection'
              cross join lateral (values ('collected', credits_kobo - debits_kobo),
                                         ('reversed', -credits_kobo)) as s (part, kobo)
              where u.client_id = $1
             union all
             select currency, 'reversed', debits_kobo
               from ledger_accounts
              where kind = 'available' and owner = $2 and kind <> 'collection'
             union all
             select l.currency, i.state, sum(i.amount_kobo)
               from suspense_items i join ledger_accounts l on l.id = i.account_id
              where i.client_id = $1 and i.state in ('returning', 'returned')
              group by 1, 2
             union all
             select l.currency, 'reversed', sum(t.amount_kobo)
               from ledger_accounts l join transfers t on t.debit_account_id = l.id
              where l.kind in ('pending', 'suspense') and l.owner = $2
                and l.kind <> 'collection' and t.reason = 'reversal'
              group by 1
             union all
             select l.currency, 'reversed', sum(s.amount_kobo)
               from suspense_changes s
               join suspense_items i on i.id = s.item_id
               join ledger_accounts l on l.id = i.account_id
              where s.client_id = $1 and s.change = 'reversed' and s.from_state = 'returning'
              group by 1
             union all
             select $3, 'collected', 0
           )
           select currency, ${[
             'collected',
             'pending',
             'suspense',
             'returning',
             'returned',
             'reversed',
             'fees',
           ]
             .map((part) => `${sumSql(part)} as "${COLUMNS[part]}"`)
             .join(', ')}
             from parts group by currency order by currency`,
    values: [clientId, clientOwner(clientId), CURRENCY, operatorOwner(clientId)],
  })
  return rows.map(summed)
}

// What came in is somewhere, or went back.
function summed(parts: Parts): Balance {
  const netKobo = kobo(parts.collectedKobo + parts.pendingKobo)
  const suspendedKobo = kobo(parts.inSuspenseKobo + parts.returningKobo)
  const goneKobo = parts.returnedKobo + parts.reversedKobo + parts.feesKobo
  const grossKobo = kobo(netKobo + suspendedKobo + goneKobo)
  return { ...parts, netKobo, suspendedKobo, grossKobo }
}

const COLUMNS: Record<string, keyof Parts> = {
  collected: 'collectedKobo',
  pending: 'pendingKobo',
  suspense: 'inSuspenseKobo',
  returning: 'returningKobo',
  returned: 'returnedKobo',
  reversed: 'reversedKobo',
  fees: 'feesKobo',
}

function sumSql(part: string): string {
  return `coalesce(sum(kobo) filter (where part = '${part}'), 0)::bigint`
}

const NAME = 'a.merchant_id, a.merchant_code, a.currency_code'

// In the order of their names. What is in suspense counts for the merchant whose number it was
// sent to; money in another currency than the account's shows in the client's balance only.
export async function listMerchantBalances(
  db: Queryable,
  clientId: ClientId,
  { after, limit }: { after?: MerchantName | undefined; limit: number },
): Promise<MerchantBalance[]> {
  const { rows } = await db.query<MerchantBalance>({
    name: after ? 'merchant-balances-after' : 'merchant-balances',
    text: `with merchants as materialized (
             select a.merchant_id, a.merchant_code, a.currency_code, count(*) as accounts,
                    sum(l.credits_kobo - l.debits_kobo)::bigint as collected
               from collection_accounts a join ledger_accounts l on l.id = a.id
              where a.client_id = $1 and ${isInMerchantScope('a.merchant_code', '$1')}
                ${after ? `and (${NAME}) > ($3, $4, $5)` : ''}
              group by 1, 2, 3 order by 1, 2, 3 limit $2
           ), items as (
             select a.merchant_id, a.merchant_code, a.currency_code,
                    sum(i.amount_kobo) filter (where i.state = 'open') as in_suspense,
                    sum(i.amount_kobo) filter (where i.state = 'returned') as returned
               from suspense_items i
               join credits c on c.id = i.credit_id
               join collection_accounts a
                 on a.id = c.collection_account_id and a.currency_code = c.currency
              where i.client_id = $1 and i.state in ('open', 'returned')
              group by 1, 2, 3
           )
           select merchant_id as "merchantId", merchant_code as "merchantCode",
                  currency_code as currency, accounts, collected as "collectedKobo",
                  coalesce(i.in_suspense, 0)::bigint as "inSuspenseKobo",
                  coalesce(i.returned, 0)::bigint as "returnedKobo"
             from merchants left join items i using (merchant_id, merchant_code, currency_code)
            order by 1, 2, 3`,
    values: [
      clientId,
      limit,
      ...(after ? [after.merchantId, after.merchantCode, after.currency] : []),
    ],
  })
  return rows
}
