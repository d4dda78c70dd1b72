// Reversals that came before their credit, stored as rail items until they are taken. If a bank does not
// send one again, its credit stays booked in full, so operators are alerted (watchKeptReversals).

import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { CreditId } from '#ids.ts'
import { sessionName } from './decide-credits.ts'
import type { Reversal } from './reversal-locks.ts'

const RESENT_WITHIN_MS = 300_000 // Banks are asked to send it again after a minute.
const ALERTS_MAX = 100

const IS_OPEN = `i.call = 'reversals' and i.reason = 'original_not_found' and i.taken_at is null`
// A report that was refused because another reversal has its session id is not that reversal.
const MAY_BE_TAKEN = `i.call = 'reversals' and i.reason <> 'session_reused' and i.taken_at is null`

// Whether the item `i` is a reversal of this amount and credit. The session id alone does not tell,
// because a bank may use one id for several partial reversals of a credit. Items from before migration
// 0066 do not name their credit.
const isOf = ({ amountKobo, creditId }: { amountKobo: string; creditId: string }) => `
  i.amount_text::numeric * 100 = ${amountKobo}
  and (i.originals is null
       or i.originals && array(
            select n.value from credit_identifiers n
             where n.credit_id = ${creditId} and not n.is_first
            union all select c.session_id from credits c where c.id = ${creditId}))`

// By the reversal's session id. A reversal that was booked from a statement may have another id, so it is
// found by credit and amount.
export async function markTaken(
  tx: Transaction,
  now: Date,
  { reversal, creditId }: { reversal: Reversal; creditId: CreditId },
): Promise<void> {
  const { bankCode, sessionId, amountKobo, isFromStatement = false } = reversal
  const { rowCount } = await tx.query({
    name: 'mark-kept-reversal-taken',
    text: `update rail_items i set taken_at = $5
            where i.bank_code = $1 and i.session_id = $4 and ${MAY_BE_TAKEN}
              and ${isOf({ amountKobo: '$2', creditId: '$3' })}`,
    values: [bankCode, amountKobo, creditId, sessionId, now],
  })
  if (!isFromStatement || rowCount !== 0) return
  await tx.query({
    name: 'mark-kept-reversal-booked',
    text: `update rail_items set taken_at = $4
            where id = (select i.id from rail_items i
                         where i.bank_code = $1 and ${IS_OPEN} and i.originals is not null
                           and ${isOf({ amountKobo: '$2', creditId: '$3' })}
                         order by i.id limit 1)`,
    values: [bankCode, amountKobo, creditId, now],
  })
}

// One round: raises alerts for reversals whose credit has been booked for a while, and clears settled
// alerts.
export async function watchKeptReversals(tx: Transaction, now: Date): Promise<void> {
  await markTakenByOthers(tx)
  await clearSettled(tx, now)
  await appendEvents(tx, now, await raiseAlerts(tx, now, await findOutstanding(tx, now)))
}

// Taken by a process of the previous release, which does not mark them, or before there was a mark.
async function markTakenByOthers(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'mark-reversals-taken-by-others',
    text: `update rail_items i set taken_at = r.received_at
             from reversals r
            where ${MAY_BE_TAKEN}
              and r.session_id = i.session_id and r.bank_code = i.bank_code
              and ${isOf({ amountKobo: 'r.amount_kobo', creditId: 'r.credit_id' })}`,
  })
}

const LOCK = `hashtext('kept_reversals')`

// A transaction that stores a reversal of an unknown credit takes this lock first. Its alert may already
// exist, because of another reversal, and a round that does not see the new one yet would clear the
// alert.
export async function awaitClearing(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-clearing-of-kept-reversals',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

// Skips the round while a reversal is being stored. Waiting for the lock would make all later
// transactions wait too.
async function clearSettled(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{ isOurs: boolean }>({
    name: 'lock-kept-reversals',
    text: `select pg_try_advisory_xact_lock(${LOCK}) as "isOurs"`,
  })
  if (!rows[0]?.isOurs) return
  await tx.query({
    name: 'clear-alerts-of-kept-reversals',
    text: `update alerts a set cleared_at = $1
            where a.cleared_at is null
              and (a.kind = 'reversal_outstanding'
                   or (a.kind = 'rail_item_rejected' and a.subject like '%/original_not_found'))
              and not exists (
                select from rail_items i
                 where ${IS_OPEN}
                   and a.subject in (i.bank_code || '/original_not_found',
                                     i.session_id || '@' || i.bank_code))`,
    values: [now],
  })
}

type Outstanding = {
  bankCode: string
  sessionId: string
  amount: string
  creditId: CreditId
}

// Finds each credit by the key of its identifiers.
async function findOutstanding(tx: Transaction, now: Date): Promise<NewAlert[]> {
  const { rows } = await tx.query<Outstanding>({
    name: 'find-outstanding-reversals',
    text: `select i.bank_code as "bankCode", i.session_id as "sessionId", i.amount_text as amount,
                  c.id as "creditId"
             from rail_items i
            cross join lateral (select n.credit_id from credit_identifiers n
                                 where n.value = any(i.originals) and n.bank_code = i.bank_code
                                 limit 1) as n
             join credits c on c.id = n.credit_id
            where ${IS_OPEN} and c.received_at <= $1
              and not exists (select from alerts a
                               where a.kind = 'reversal_outstanding' and a.cleared_at is null
                                 and a.subject = i.session_id || '@' || i.bank_code)
            order by i.id limit ${ALERTS_MAX}`,
    values: [new Date(now.getTime() - RESENT_WITHIN_MS)],
  })
  return rows.map(({ creditId, amount, ...reversal }) => ({
    kind: 'reversal_outstanding',
    subject: sessionName(reversal),
    detail: { creditId: creditId.toString(), amount },
  }))
}
