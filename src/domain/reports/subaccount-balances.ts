// A client's balances by subaccount, now or at any moment, in code order. Shares are in naira: money in
// another currency is never booked.

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { CURRENCY, type Kobo } from '#money.ts'
import { firstTransferSince, movesSince } from './client-ledger.ts'

export type SubaccountBalance = {
  subaccountCode: string
  name: string
  currency: string
  availableKobo: Kobo
  inTransitKobo: Kobo
  paidOutKobo: Kobo
}

type SubaccountPage = { after?: string | undefined; at?: Date | undefined; limit: number }

export async function listSubaccountBalances(
  db: Queryable,
  clientId: ClientId,
  { after = '', at, limit }: SubaccountPage,
): Promise<SubaccountBalance[]> {
  const { rows } = await db.query<SubaccountBalance>({
    name: `subaccount-balances${at ? '-at' : ''}`,
    text: `select s.code as "subaccountCode", s.name, $4 as currency,
                  coalesce(sum(held.kobo) filter (where l.kind = 'subaccount'), 0)::bigint
                    as "availableKobo",
                  coalesce(sum(held.kobo) filter (where l.kind <> 'subaccount'), 0)::bigint
                    as "inTransitKobo",
                  coalesce(sum(paid.kobo), 0)::bigint as "paidOutKobo"
             from (select * from subaccounts where client_id = $1 and code > $2
                    order by code limit $3) as s
             left join ledger_accounts l
               on l.kind in ('subaccount', 'settling', 'paying') and l.kind <> 'collection'
              and l.owner = 'subaccount:' || s.id and l.currency = $4
             left join lateral (
               select l.credits_kobo - l.debits_kobo ${at ? `- (${UNDONE_SINCE})` : ''} as kobo
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

const UNDONE_SINCE = `
  select coalesce(sum(t.change), 0)
    from (${movesSince({ account: 'l.id', firstId: '$5', at: '$6' })}) as t`

const CODE = /^[A-Za-z0-9_-]{1,40}$/ // Same as the constraint subaccounts_code_valid.

type SubaccountLedger = { name: string; accountIds: AccountId[] }

// The ledger account of its shares; none before the first share.
export async function getSubaccountLedger(
  db: Queryable,
  clientId: ClientId,
  code: string,
): Promise<SubaccountLedger> {
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
