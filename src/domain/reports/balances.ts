// A client's balances by currency, now or at any moment. Transfers posted before the moment count.
//
// Two readings of the same money (I61). The money that credits brought in and took back, wherever it is:
//   gross       everything ever received (movements.ts):
//               net + suspended + returned + reversed + refunded + fees
//   collected   received on collection accounts and by paid payments
//   pending     part payments, not settled yet
//   net         collected + pending − refunded
//   suspended   inSuspense: held, and not assigned yet
//               returning: being returned to payers
//   returned    returned to payers from suspense, confirmed by the banks
//   refunded    refunded to payers, confirmed by the banks
//   reversed    taken back by the banks, from any place
//   fees        charged on credits by the operator, VAT included, less returned fees
// And its place, in the ledger's own accounts:
//   net = available + pending + subaccounts + reserved + inTransit
//         + paidOut + payoutFees − receivable − writtenOff

import type { Queryable } from '#db/pool.ts'
import type { Sums } from '#domain/records/movements.ts'
import type { ClientId } from '#ids.ts'
import { clientOwner, operatorOwner } from '#ledger/accounts.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { CLIENT_ACCOUNTS, firstTransferSince, movesSince } from './client-ledger.ts'

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
  inTransitKobo: Kobo
  paidOutKobo: Kobo
  payoutFeesKobo: Kobo
  receivableKobo: Kobo
  writtenOffKobo: Kobo
}

type Part = { currency: string; part: string; kobo: bigint }

// One statement, so all balances are from the same moment. An earlier balance is the current one less the
// movements since, which are read through each account's own index.
export async function readBalances(
  db: Queryable,
  clientId: ClientId,
  at?: Date | undefined,
): Promise<Balance[]> {
  const { rows } = await db.query<Part>({
    name: at ? 'read-balances-at' : 'read-balances',
    text: readParts(at !== undefined),
    values: [
      clientId,
      clientOwner(clientId),
      operatorOwner(clientId),
      CURRENCY,
      ...(at ? [await firstTransferSince(db, at), at] : []),
    ],
  })
  const currencies = [...new Set(rows.map(({ currency }) => currency))]
  return currencies.map((currency) => {
    const parts = rows.filter((row) => row.currency === currency)
    return summed(currency, Object.fromEntries(parts.map((row) => [row.part, row.kobo])))
  })
}

// $4 the currency that is always shown, $5 and $6 the moment.
function readParts(isAt: boolean): string {
  const before = (column: string) => (isAt ? `and ${column} < $6` : '')
  return `
    with own as materialized (${CLIENT_ACCOUNTS}), parts (currency, part, kobo) as (
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
      ${isAt ? `union all ${UNDONE_SINCE}` : ''}
      union all
      select $4, 'pending', 0
    )
    select currency, part, sum(kobo)::bigint as kobo from parts group by 1, 2 order by 1, 2`
}

// Undoes the changes since the moment. Money on its way back to payers is on the banks' accounts: the
// client's suspense shows the amounts that left, and its items show their outcome.
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

function summed(currency: string, parts: Readonly<Record<string, bigint>>): Balance {
  const sum = (...names: string[]) =>
    kobo(names.reduce((total, name) => total + (parts[name] ?? 0n), 0n))
  const availableKobo = sum('collection', 'available')
  const pendingKobo = sum('pending')
  const inTransitKobo = sum('settling', 'paying', 'refunding')
  const receivableKobo = kobo(-sum('receivable'))
  const writtenOffKobo = kobo(-sum('write_off'))
  const payoutFeesKobo = sum('payout_fees')
  const heldKobo = availableKobo + pendingKobo + inTransitKobo + sum('subaccount', 'reserve')
  const goneKobo = sum('paid') + payoutFeesKobo
  const refundedKobo = sum('refunded')
  const netKobo = kobo(heldKobo + goneKobo - receivableKobo - writtenOffKobo)
  const suspendedKobo = sum('suspense', 'returning')
  const feesKobo = kobo(sum('fee_income', 'vat_payable') - payoutFeesKobo)
  const backKobo = sum('returned', 'reversed') + refundedKobo + feesKobo
  return {
    currency,
    grossKobo: kobo(netKobo + suspendedKobo + backKobo),
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
    inTransitKobo,
    paidOutKobo: sum('paid'),
    refundedKobo,
    payoutFeesKobo,
    receivableKobo,
    writtenOffKobo,
  }
}
