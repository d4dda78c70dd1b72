// The lines of a settlement, in the order in which the money moved, each with its credit or payout.

import type { Queryable } from '#db/pool.ts'
import type { AccountId, CreditId, PaymentId, SettlementId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export const LINE_KINDS = [
  'credit',
  'payout',
  'refund',
  'adjustment',
  'carried',
  'recovery',
  'reserve',
  'release',
] as const
export type LineKind = (typeof LINE_KINDS)[number]

export type SettlementLine = {
  id: bigint
  kind: LineKind
  subaccountCode: string | null // Null: the client's.
  postedAt: Date
  creditId: CreditId | null
  sessionId: string | null
  receivedAt: Date | null
  paymentReference: PaymentId | null
  merchantRef: string | null
  collectionAccountId: AccountId | null
  accountNumber: string | null
  merchantCode: string | null
  payoutReference: string | null
  grossKobo: Kobo
  feeKobo: Kobo
  vatKobo: Kobo
  splitKobo: Kobo
  reversedKobo: Kobo
  otherKobo: Kobo
  netKobo: Kobo
}

type LinePage = { settlementId: SettlementId; afterId: bigint | null; limit: number }

export async function listLines(
  db: Queryable,
  { settlementId, afterId, limit }: LinePage,
): Promise<SettlementLine[]> {
  const { rows } = await db.query<SettlementLine>({
    name: 'list-settlement-lines',
    text: `select l.id, l.kind, y.subaccount_code as "subaccountCode",
                  l.posted_at as "postedAt",
                  l.credit_id as "creditId", c.session_id as "sessionId",
                  c.received_at as "receivedAt", p.id as "paymentReference",
                  a.merchant_ref as "merchantRef", k.id as "collectionAccountId",
                  k.account_number as "accountNumber", k.merchant_code as "merchantCode",
                  o.reference as "payoutReference", l.gross_kobo as "grossKobo",
                  l.fee_kobo as "feeKobo", l.vat_kobo as "vatKobo", l.split_kobo as "splitKobo",
                  l.reversed_kobo as "reversedKobo", l.other_kobo as "otherKobo",
                  l.net_kobo as "netKobo"
             from (select * from settlement_lines
                    where settlement_id = $1 and ($2::bigint is null or id > $2)
                    order by id limit $3) as l
             left join all_credits c on c.id = l.credit_id
             left join collection_accounts k on k.id = l.account_id
             left join suspense_items i
               on i.credit_id = l.credit_id and i.state = 'assigned' and l.account_id is not null
              and i.assigned_payment_id is not null and c.payment_id is null
             left join payments p
               on p.id = coalesce(c.payment_id, i.assigned_payment_id) and k.id is null
             left join advices a on a.id = p.advice_id
             left join payouts o on o.id = l.payout_id
             left join settlement_payees y on y.subaccount_id = l.subaccount_id
            order by l.id`,
    values: [settlementId, afterId, limit],
  })
  return rows
}
