// The second part of an erasure: payers' names, accounts and narrations on credits, on matched
// statement lines and on refunds and returns that were never sent, and webhook responses. It runs
// in pages, so that an account with a million credits blocks nothing.
//
//   credits ──▶ answers ──▶ done
//
// Deliveries in flight at the time of the request may still get a response, so responses are erased
// last. That step also repeats the credits, for those that were being booked at the time.

import type { Transaction } from '#db/transaction.ts'
import { numbersOfAccount } from '#domain/accounts/additional-numbers.ts'
import { NOBODY_ON_LINE, SOMEBODY_ON_LINE } from '#domain/records/statement-line-people.ts'
import { type AccountId, type ClientId, leastIdAt, type PaymentId } from '#ids.ts'
import type { Sealer } from '#seal.ts'

export const ERASED_NAME = 'Erased'
const CREDITS_MAX = 1_000
const EVENTS_MAX = 2_000
export const ANSWERS_WAIT_MS = 60_000 // A delivery takes at most 15 s.

type Erasure = {
  id: bigint
  clientId: ClientId
  accountId: AccountId | null
  accountNumbers: string[] // Empty for a payment.
  paymentId: PaymentId | null
  step: 'credits' | 'answers'
  creditsAfter: bigint
  eventsAfter: bigint
  since: Date
}

// Erases one page of one erasure. Returns false if there is none.
export async function eraseNextPage(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
): Promise<boolean> {
  const { rows } = await tx.query<Erasure>({
    name: 'next-erasure',
    text: `select e.id, e.client_id as "clientId", e.account_id as "accountId",
                  ${numbersOfAccount('e.account_id')} as "accountNumbers", p.id as "paymentId", e.step,
                  e.credits_after as "creditsAfter", e.events_after as "eventsAfter",
                  coalesce(n.created_at, a.created_at) as since
             from erasures e
             left join collection_accounts n on n.id = e.account_id
             left join advices a on a.id = e.advice_id
             left join payments p on p.advice_id = e.advice_id
            where e.step <> 'done' and (e.step = 'credits' or e.asked_at <= $1)
            order by e.id
            limit 1
              for update of e skip locked`,
    values: [new Date(now.getTime() - ANSWERS_WAIT_MS)],
  })
  const erasure = rows[0]
  if (!erasure) return false
  const nobody = sealer.seal('')
  if (!(await eraseCredits(tx, erasure, nobody))) return true
  await eraseAssigned(tx, erasure, nobody)
  if (erasure.step === 'credits') {
    await eraseArchived(tx, erasure)
    await beginAnswers(tx, erasure)
  } else {
    await eraseAnswers(tx, erasure)
  }
  return true
}

// Money in suspense still needs its payer.
const NOT_NEEDED = `not exists (select from suspense_items i
                                 where i.credit_id = c.id and i.state in ('open', 'returning'))`
export const SOMEBODY =
  'num_nonnulls(c.source_account_sealed, c.source_account_name, c.narration) > 0'
const NOBODY = 'source_account_sealed = null, source_account_name = null, narration = null'

// Statement lines of the erased credits, of their reversals and of their returns.
const ERASE_LINES = `
  update statement_lines l set ${NOBODY_ON_LINE}
   where ${SOMEBODY_ON_LINE} and l.id in (
     select m.line_id
       from erased e
      cross join lateral (
        select 'credit' as kind, e.id
        union all select 'reversal', r.id from reversals r where r.credit_id = e.id
        union all select 'return', r.id from suspense_items i join returns r on r.item_id = i.id
                   where i.credit_id = e.id) as of
       join statement_matches m on m.item_kind = of.kind and m.item_id = of.id)`

// Payouts to a credit's payer that were never sent to a bank. Sent payouts must still show the recipient.
const NEVER_SENT = `purpose in ('refund', 'return') and status = 'cancelled'`

const erasePayouts = (sealed: string) => `
  update payouts p set to_account_name = '${ERASED_NAME}', to_account_sealed = ${sealed}::bytea
    from erased e
   where p.credit_id = e.id and ${NEVER_SENT} and p.to_account_name <> '${ERASED_NAME}'`

// Whether a payout of the credit `c` unnecessarily names its payer.
export const HAS_UNSENT_PAYOUT = `exists (
  select from payouts where credit_id = c.id and ${NEVER_SENT} and to_account_name <> '${ERASED_NAME}')`

async function eraseCredits(tx: Transaction, erasure: Erasure, nobody: Buffer): Promise<boolean> {
  const [column, type, values] = erasure.accountId
    ? ['account_number', 'text', erasure.accountNumbers]
    : ['payment_id', 'uuid', [erasure.paymentId]]
  const { rows } = await tx.query<{ last: bigint | null; count: number }>({
    name: `erase-credits-by-${column}`,
    text: `with page as materialized (
             select id from credits where id = any(array(
                 select c.id from unnest($1::${type}[]) as of (value)
                  cross join lateral (select id from credits
                                       where ${column} = of.value and id > $2
                                       order by id limit ${CREDITS_MAX}) as c
                  order by c.id limit ${CREDITS_MAX}))
              order by id for no key update
           ), erased as materialized (
             select c.id from page c where ${NOT_NEEDED}
           ), emptied as (
             update credits c set ${NOBODY} from erased where c.id = erased.id and ${SOMEBODY}
           ), payouts_emptied as (${erasePayouts('$3')}
           ), lines as (${ERASE_LINES}
           )
           select max(id) as last, count(*)::int as count from page`,
    values: [values, erasure.creditsAfter, nobody],
  })
  const { last, count } = rows[0] as { last: bigint | null; count: number }
  await tx.query({
    name: 'erasure-after-credits',
    text: 'update erasures set credits_after = $2 where id = $1',
    values: [erasure.id, last ?? erasure.creditsAfter],
  })
  return count < CREDITS_MAX
}

// Archived credits hold no personal data, but a statement line may: one matched later, or one that
// also concerns other credits.
async function eraseArchived(tx: Transaction, { accountId }: Erasure): Promise<void> {
  if (accountId === null) return
  await tx.query({
    name: 'erase-lines-of-archived-credits',
    text: `with erased as materialized (
             select id from archived_credits where collection_account_id = $1
           )
           ${ERASE_LINES}`,
    values: [accountId],
  })
}

async function beginAnswers(tx: Transaction, { id }: Erasure): Promise<void> {
  await tx.query({
    name: 'erasure-begins-answers',
    text: `update erasures set step = 'answers', credits_after = 0 where id = $1`,
    values: [id],
  })
}

// Money assigned out of suspense by hand, so there is little of it.
const ASSIGNED = `select credit_id from suspense_items
                   where assigned_account_id = $1 or assigned_payment_id = $2`

export const isAssignedToErase = (accountId: string, paymentId: string) => `exists (
  select from suspense_items s join credits c on c.id = s.credit_id
   where (s.assigned_account_id = ${accountId} or s.assigned_payment_id = ${paymentId})
     and (${SOMEBODY} or ${HAS_UNSENT_PAYOUT}) and ${NOT_NEEDED})`

async function eraseAssigned(
  tx: Transaction,
  { accountId, paymentId }: Erasure,
  nobody: Buffer,
): Promise<void> {
  await tx.query({
    name: 'erase-assigned-credits',
    text: `with erased as materialized (
             select c.id from credits c where c.id in (${ASSIGNED}) and ${NOT_NEEDED}
           ), emptied as (
             update credits c set ${NOBODY} from erased where c.id = erased.id and ${SOMEBODY}
           ), payouts_emptied as (${erasePayouts('$3')}
           )
           ${ERASE_LINES}`,
    values: [accountId, paymentId, nobody],
  })
}

// Scans the client's events from the creation of the erased object on. An index by subject would
// cost every event and serve only this.
async function eraseAnswers(tx: Transaction, erasure: Erasure): Promise<void> {
  const { rows } = await tx.query<{ last: bigint | null; count: number }>({
    name: 'erase-answers',
    text: `with page as materialized (
             select id, sequence, collection_account_id, payment_id, credit_id from events
              where client_id = $3 and sequence > $4 and id >= $5
              order by sequence limit ${EVENTS_MAX}
           ), about as materialized (
             select e.id from page e left join all_credits c on c.id = e.credit_id
              where e.collection_account_id = $1 or e.payment_id = $2
                 or c.account_number = any($6::text[]) or c.payment_id = $2 or c.id in (${ASSIGNED})
           ), erased as (
             update delivery_attempts d set response_start = null
               from about where d.event_id = about.id and d.response_start is not null
           )
           select max(sequence) as last, count(*)::int as count from page`,
    values: [
      erasure.accountId,
      erasure.paymentId,
      erasure.clientId,
      erasure.eventsAfter,
      leastIdAt(erasure.since.getTime()),
      erasure.accountNumbers,
    ],
  })
  const { last, count } = rows[0] as { last: bigint | null; count: number }
  await tx.query({
    name: 'erasure-after-answers',
    text: 'update erasures set events_after = $2, step = $3 where id = $1',
    values: [erasure.id, last ?? erasure.eventsAfter, count < EVENTS_MAX ? 'done' : 'answers'],
  })
}
