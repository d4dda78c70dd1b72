// A client's balances by merchant: the merchantId, merchantCode and currency of its collection accounts.
// Money in suspense counts for the merchant whose number it was sent to. Money in another currency than
// the account's is only in the client's balance.
//
// Collected is the money that credits brought to the accounts, wherever it went; available is the money
// still there.

import type { Queryable } from '#db/pool.ts'
import { isInMerchantScope } from '#domain/access/merchant-scope.ts'
import type { ClientId } from '#ids.ts'
import { clientOwner } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import { firstTransferSince, movesSince } from './client-ledger.ts'

export type MerchantName = { merchantId: string; merchantCode: string; currency: string }

export type MerchantBalance = MerchantName & {
  accounts: bigint
  collectedKobo: Kobo
  availableKobo: Kobo
  inSuspenseKobo: Kobo
  returnedKobo: Kobo
}

const NAME = 'a.merchant_id, a.merchant_code, a.currency_code'

type MerchantPage = {
  after?: MerchantName | undefined
  at?: Date | undefined // Transfers posted before it count; later merchants are left out.
  limit: number
}

// In the order of their names.
export async function listMerchantBalances(
  db: Queryable,
  clientId: ClientId,
  { after, at, limit }: MerchantPage,
): Promise<MerchantBalance[]> {
  const page = after ? [after.merchantId, after.merchantCode, after.currency] : []
  const { rows } = await db.query<MerchantBalance>({
    name: `merchant-balances${after ? '-after' : ''}${at ? '-at' : ''}`,
    text: `with merchants as materialized (
             select ${NAME}, count(*) ${at ? 'filter (where a.created_at < $5)' : ''} as accounts
               from collection_accounts a
              where a.client_id = $1 and ${isInMerchantScope('a.merchant_code', '$1')}
                ${after ? `and (${NAME}) > (${at ? '$6, $7, $8' : '$3, $4, $5'})` : ''}
              group by 1, 2, 3 ${at ? 'having bool_or(a.created_at < $5)' : ''}
              order by 1, 2, 3 limit $2
           ), members as materialized (
             select a.id, ${NAME}, l.credits_kobo - l.debits_kobo as kobo
               from merchants m
               join collection_accounts a on a.client_id = $1 and (${NAME}) =
                    (m.merchant_id, m.merchant_code, m.currency_code)
               join ledger_accounts l on l.id = a.id
           ), parts (merchant_id, merchant_code, currency_code, part, kobo) as (
             ${[...HELD, ...(at ? UNDONE_SINCE : [])].join(' union all ')}
           )
           select merchant_id as "merchantId", merchant_code as "merchantCode",
                  currency_code as currency, accounts, ${PARTS.map(sumSql).join(', ')}
             from merchants join parts using (merchant_id, merchant_code, currency_code)
            group by 1, 2, 3, 4 order by 1, 2, 3`,
    values: [
      clientId,
      limit,
      ...(at ? [clientOwner(clientId), await firstTransferSince(db, at), at] : []),
      ...page,
    ],
  })
  return rows
}

const PARTS = ['collected', 'available', 'inSuspense', 'returned']

function sumSql(part: string): string {
  return `coalesce(sum(kobo) filter (where part = '${part}'), 0)::bigint as "${part}Kobo"`
}

const ITEMS = `suspense_items i
  join credits c on c.id = i.credit_id
  join collection_accounts a on a.id = c.collection_account_id and a.currency_code = c.currency`

// Money reversed after it had left: the client owes it, and its account no longer counts it.
const OWED = `receivables r
  join reversals v on v.id = r.reversal_id
  join members a on a.id = r.account_id`

// $1 the client.
const HELD = [
  `select ${NAME}, p.part, a.kobo
     from members a cross join (values ('collected'), ('available')) as p (part)`,
  `select ${NAME}, 'collected', t.amount_kobo
     from members a join transfers t on t.debit_account_id = a.id where t.credit_id is null`,
  `select ${NAME}, 'collected', -t.amount_kobo
     from members a join transfers t on t.credit_account_id = a.id where t.credit_id is null`,
  `select ${NAME}, 'collected', s.share_kobo - s.returned_kobo
     from members a join credit_splits s on s.account_id = a.id`,
  `select ${NAME}, 'collected', -r.amount_kobo from ${OWED}`,
  `select ${NAME}, case i.state when 'open' then 'inSuspense' else 'returned' end, i.amount_kobo
     from ${ITEMS} where i.client_id = $1 and i.state in ('open', 'returned')`,
]

// Undoes the changes since the moment ($4, $5). $3 is the client's owner name.
const UNDONE_SINCE = [
  `select ${NAME}, moved.part, -t.change
     from members a
    cross join lateral (${movesSince({ account: 'a.id', firstId: '$4', at: '$5' })}) as t
    cross join lateral (values ('available', true),
                               ('collected', t.credit_id is not null and t.reason <> 'split'))
                       as moved (part, counts)
    where moved.counts`,
  `select ${NAME}, 'collected', r.amount_kobo from ${OWED} where v.received_at >= $5`,
  `select ${NAME}, 'inSuspense', -t.change
     from ledger_accounts l
    cross join lateral (${movesSince({ account: 'l.id', firstId: '$4', at: '$5' })}) as t
     join credits c on c.id = t.credit_id
     join collection_accounts a on a.id = c.collection_account_id and a.currency_code = c.currency
    where l.kind = 'suspense' and l.owner = $3 and l.kind <> 'collection'`,
  `select ${NAME}, 'returned', -i.amount_kobo
     from ${ITEMS} where i.client_id = $1 and i.state = 'returned' and i.closed_at >= $5`,
]
