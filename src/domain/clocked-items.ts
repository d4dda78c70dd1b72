// Finds the items of a batch whose client has a test clock. Called only while there are test clocks.

import type { Queryable } from '#db/pool.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import type { Initiation } from '#domain/payments/initiate-payment.ts'
import type { AdviceId, ClientId } from '#ids.ts'

export async function findClockedAdvices(
  db: Queryable,
  initiations: readonly Pick<Initiation, 'adviceId'>[],
): Promise<(ClientId | undefined)[]> {
  const { rows } = await db.query<{ id: AdviceId; clientId: ClientId }>({
    name: 'find-clocked-advices',
    text: `select a.id, a.client_id as "clientId"
             from advices a join test_clocks t on t.client_id = a.client_id
            where a.id = any($1::uuid[])`,
    values: [initiations.map(({ adviceId }) => adviceId)],
  })
  const owners = new Map(rows.map(({ id, clientId }) => [id, clientId]))
  return initiations.map(({ adviceId }) => owners.get(adviceId))
}

// Only for reports of the number's own bank: another bank's report belongs to no client (I32).
export async function findClockedNumbers(
  db: Queryable,
  credits: readonly IncomingCredit[],
): Promise<(ClientId | undefined)[]> {
  const { rows } = await db.query<{ number: string; clientId: ClientId }>({
    name: 'find-clocked-numbers',
    text: `select n.bank_code || '/' || n.account_number as number, n.client_id as "clientId"
             from numbers n join test_clocks t on t.client_id = n.client_id
            where n.account_number = any($1::text[])`,
    values: [credits.map(({ accountNumber }) => accountNumber)],
  })
  const owners = new Map(rows.map(({ number, clientId }) => [number, clientId]))
  return credits.map(({ bankCode, accountNumber }) => owners.get(`${bankCode}/${accountNumber}`))
}
