// Whose a number is.

import type { Queryable } from '#db/pool.ts'

export type NumberOwner = {
  bankCode: string
  collectionAccountId: bigint | null
  paymentId: string | null
}

export async function findNumber(
  db: Queryable,
  clientId: bigint,
  accountNumber: string,
): Promise<NumberOwner | undefined> {
  const { rows } = await db.query<NumberOwner>({
    name: 'find-number',
    text: `select bank_code as "bankCode", collection_account_id as "collectionAccountId",
                  payment_id as "paymentId"
             from numbers where account_number = $1 and client_id = $2`,
    values: [accountNumber, clientId],
  })
  return rows[0]
}
