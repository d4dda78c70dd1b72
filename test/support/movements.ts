// Records everything that happens to money from a moment on: each ledger transfer, event and alert. A test
// that compares the whole list notices side effects that it did not expect.

import { closeExpired } from './bank-calls.ts'
import { startPayment, verify } from './fixtures.ts'
import { newSessionId, postRail, wordsOf } from './rail.ts'
import type { Bench } from './running-service.ts'

export type Movements = Awaited<ReturnType<typeof recordMovements>>

// Starts recording. First closes payments of earlier tests that have expired, so that they do not appear.
export async function recordMovements(bench: Bench) {
  const { db } = bench
  await closeExpired(bench)
  const { rows } = await db.query<Record<'transfer' | 'event' | 'alert', bigint>>(
    `select (select coalesce(max(id), 0) from transfers) as transfer,
            (select coalesce(max(sequence), 0) from events) as event,
            (select coalesce(max(id), 0) from alerts) as alert`,
  )
  const since = rows[0] as (typeof rows)[0]
  const list = async (sql: string, from: bigint) =>
    (await db.query<{ line: string }>(sql, [from])).rows.map(({ line }) => line)

  return {
    // The transfers, as "reason: debited account → credited account amount".
    moves: () =>
      list(
        `select format('%s: %s → %s %s', t.reason, name_of.d, name_of.c,
                       to_char(t.amount_kobo / 100.0, 'FM999990.00')) as line
           from transfers t
           join ledger_accounts d on d.id = t.debit_account_id
           join ledger_accounts c on c.id = t.credit_account_id
           cross join lateral (select ${nameOf('d')} as d, ${nameOf('c')} as c) as name_of
          where t.id > $1 order by t.id`,
        since.transfer,
      ),
    events: () =>
      list('select type as line from events where sequence > $1 order by sequence', since.event),
    alerts: () => list('select kind as line from alerts where id > $1 order by id', since.alert),
  }
}

// SQL expression for the name of a ledger account: its kind, a bank's code, "of nobody" for unidentified
// suspense, and the currency unless it is naira.
function nameOf(account: 'c' | 'd'): string {
  const [kind, owner, currency] = ['kind', 'owner', 'currency'].map((name) => `${account}.${name}`)
  return `${kind}
    || case when ${owner} like 'bank:%' and ${kind} = 'suspense' then ' of nobody'
            when ${owner} like 'bank:%' then ' ' || split_part(${owner}, ':', 2) else '' end
    || case when ${currency} = 'NGN' then '' else ' ' || ${currency} end`
}

// Starts a payment of 100.00 and records the movements from then on.
export async function begin(bench: Bench, terms: object = {}) {
  const payment = await startPayment(bench, { amount: 100, ...terms })
  return { payment, number: payment.bankAccount as string, movements: await recordMovements(bench) }
}

// The payment's status and the amount collected, for example "PartPayment 40".
export async function stateOf(
  bench: Bench,
  { paymentReference }: { paymentReference: string },
): Promise<string> {
  const { transactionStatus, amountCollected } = await verify(bench, paymentReference)
  return `${transactionStatus} ${amountCollected}`
}

// Reports a credit as bank 035. Returns the session id, and the response in one line: "00 booked", "00
// suspended late".
export async function credit(
  bench: Bench,
  accountNumber: string,
  amount: string,
  more: Record<string, unknown> = {},
) {
  const sessionId = newSessionId()
  const answer = await postRail(bench, '035/credits', { sessionId, accountNumber, amount, ...more })
  return { sessionId, says: wordsOf(answer.json()) }
}

// Reports the reversal of a credit as bank 035; returns the response in one line.
export async function reverse(bench: Bench, originalSessionId: string, amount: string) {
  const body = { sessionId: newSessionId(), originalSessionId, amount }
  return wordsOf((await postRail(bench, '035/reversals', body)).json())
}

// The suspense item of a credit, as the API shows it.
export async function itemOf(bench: Bench, sessionId: string) {
  const { data } = (await bench.call({ url: '/api/v1/suspense?limit=100' })).json()
  return data.find((item: { sessionId: string }) => item.sessionId === sessionId)
}

// Assigns or returns a credit's suspense item; returns the item's new state, or the code of the refusal.
export async function resolve(
  bench: Bench,
  sessionId: string,
  how: 'assign' | 'return',
  to: object = {},
): Promise<string> {
  const { id } = await itemOf(bench, sessionId)
  const { data, code } = (
    await bench.call({ url: `/api/v1/suspense/${id}/${how}`, body: to })
  ).json()
  return data?.state ?? code
}
