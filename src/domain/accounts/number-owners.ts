// The owner of an account number.

import type { Queryable } from '#db/pool.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import type { AccountId, ClientId, PaymentId } from '#ids.ts'
import { MERCHANT_NAME } from './account-names.ts'
import { tierInForceOf } from './kyc.ts'

export type NumberOwner = {
  bankCode: string
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

export async function findNumber(
  db: Queryable,
  clientId: ClientId,
  accountNumber: string,
): Promise<NumberOwner | undefined> {
  const { rows } = await db.query<NumberOwner>({
    name: 'find-number',
    text: `select bank_code as "bankCode", collection_account_id as "collectionAccountId",
                  payment_id as "paymentId"
             from numbers
            where account_number = $1 and client_id = $2
              and ${inMerchantScope('collection_account_id', '$2')}`,
    values: [accountNumber, clientId],
  })
  return rows[0]
}

type LiveNumber = {
  merchantName: string
  customerName: string
  kycLevel: string | null // Null for a payment, whose payer is unknown.
  clientId: ClientId
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

// Finds a number of this bank that accepts money now: of an active collection account or of an open
// payment. A bank cannot look up another bank's numbers.
export async function findLiveName(
  db: Queryable,
  now: Date,
  { bankCode, accountNumber }: { bankCode: string; accountNumber: string },
): Promise<LiveNumber | undefined> {
  const { rows } = await db.query<LiveNumber>({
    name: 'find-live-name',
    text: `select ${MERCHANT_NAME.c},
                  coalesce(ca.account_name, a.customer_name) as "customerName",
                  (${tierInForceOf('ca')})::text as "kycLevel",
                  n.client_id as "clientId", n.collection_account_id as "collectionAccountId",
                  n.payment_id as "paymentId"
             from numbers n
             join clients c on c.id = n.client_id
             left join collection_accounts ca on ca.id = n.collection_account_id and ca.is_active
             left join payments p on p.id = n.payment_id
                  and p.status in ('Processing', 'PartPayment') and p.expires_at > $2
             left join advices a on a.id = p.advice_id
            where n.account_number = $1 and n.bank_code = $3
              and coalesce(ca.id::text, a.id::text) is not null`,
    values: [accountNumber, now, bankCode],
  })
  return rows[0]
}
