// Handles a bank's answer to a requery. takeFindings() books the findings and commits them. Then
// recordAnswer() records, in one transaction, the requery's next step, the call for the payment's timeline,
// and the state of the bank's circuit breaker. readRequeries() lists the calls about a payment.
//
// An answer is recorded only while the lease of the requery holds. Once the lease has expired, another worker
// asks the bank.
//
// Locks: the bank's row, then the requery, as claims do.

import { withoutFutureTime } from '#banks/credit-fields.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import type { CreditResult } from '#credits/decide.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import { type NewRailItem, railItemOf, storeRailItems } from '#credits/rail-items.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { BatchResult } from '#hot-path/batcher.ts'
import type { CreditId, PaymentId } from '#ids.ts'
import { advanceBreaker, lockBank } from '#records/call-rates.ts'
import type { Sealer } from '#seal.ts'
import { type AnswerKind, type BankAnswer, type Claim, nextStep } from './ask.ts'
import type { RequeryReason } from './requery.ts'

type Attempt = {
  claim: Claim
  askedAt: Date
  latencyMs: number
  answer: BankAnswer
  newCreditIds: readonly CreditId[] // The credits that the answer showed for the first time.
  bankNow?: Date // The real time, if `now` is a sandbox's test time.
}

// Records the bank's answer, and updates the circuit breaker. Does nothing if the claim's lease was taken
// over or the requery is no longer open. A bank that answered only to refuse the request is up (`isUp`),
// although the answer is `no_answer`.
export async function recordAnswer(tx: Transaction, now: Date, attempt: Attempt): Promise<void> {
  const { claim, answer } = attempt
  await lockBank(tx, claim.bankCode)
  if (!(await writeNextStep(tx, now, attempt))) return
  await recordAttempt(tx, attempt)
  const isOk = answer.answer !== 'no_answer' || answer.isUp === true
  await updateBreaker(tx, attempt.bankNow ?? now, { claim, isOk })
}

// Releases the lease of a requery, so that any worker may ask again at once.
export async function releaseClaim(tx: Transaction, { id, leasedUntil }: Claim): Promise<void> {
  await tx.query({
    name: 'release-requery',
    text: `update requeries set leased_until = null
            where id = $1 and leased_until = $2 and state = 'open'`,
    values: [id, leasedUntil],
  })
}

// Ends the requery, or plans its next step. Returns false if another worker has taken over the claim. The end
// of the list's period (`to_at`) is kept only for the next page: a list that starts again gets a new end.
async function writeNextStep(
  tx: Transaction,
  now: Date,
  { claim, answer, newCreditIds }: Attempt,
): Promise<boolean> {
  const coversBank = claim.identifier === null && claim.accountNumber === null
  const outcome = { ...answer, newCredits: newCreditIds.length }
  const step = nextStep({ ...claim, coversBank }, outcome, now)
  const openStep = step.state === 'open' ? step : undefined
  const { rowCount } = await tx.query({
    name: 'finish-requery',
    text: `update requeries
              set state = $3, due_at = coalesce($4, due_at), repeats = coalesce($5, repeats),
                  cursor = $6, to_at = case when $6::text is not null then to_at end,
                  new_credits = new_credits + $7, leased_until = null,
                  finished_at = case when $3 <> 'open' then $8::timestamptz end
            where id = $1 and leased_until = $2 and state = 'open'`,
    values: [
      claim.id,
      claim.leasedUntil,
      step.state,
      openStep?.dueAt ?? null,
      openStep?.repeats ?? null,
      openStep?.cursor ?? null,
      newCreditIds.length,
      now,
    ],
  })
  return rowCount === 1
}

// Records the call, for the timeline of the payment and the health of the bank, and the credits that the call
// found. A credit that an earlier call found stays recorded with that call.
async function recordAttempt(tx: Transaction, attempt: Attempt): Promise<void> {
  const { claim, askedAt, latencyMs, answer, newCreditIds } = attempt
  await tx.query({
    name: 'log-requery-attempt',
    text: `with attempt as (
             insert into requery_attempts
               (requery_id, bank_code, asked_at, answer, credits, new_credits, latency_ms, error)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             returning id)
           insert into requery_findings (credit_id, attempt_id)
           select c.id, attempt.id from attempt, unnest($9::bigint[]) as c (id)
           on conflict (credit_id) do nothing`,
    values: [
      claim.id,
      claim.bankCode,
      askedAt,
      answer.answer,
      answer.items.filter(({ ok }) => ok).length,
      newCreditIds.length,
      latencyMs,
      answer.error,
      numberArray(newCreditIds),
    ],
  })
}

// Updates the bank's circuit breaker after a call. Writes nothing if a bank without recent failures answers.
async function updateBreaker(
  tx: Transaction,
  now: Date,
  { claim, isOk }: { claim: Claim; isOk: boolean },
): Promise<void> {
  const { rows } = await tx.query<{
    failures: number
    failingSince: Date | null
    pausedUntil: Date | null
  }>({
    name: 'read-bank-breaker',
    text: `select failures, failing_since, paused_until
             from bank_health where bank_code = $1 and (failures > 0 or not $2)`,
    values: [claim.bankCode, isOk],
  })
  if (!rows[0]) return
  // The circuit breaker also serves webhooks: only they can be gone (410) or plan a next attempt.
  const result = { isOk, isGone: false, isProbe: claim.isProbe, nextAttemptAt: null }
  const next = advanceBreaker({ ...rows[0], dueAt: null }, [result], now)
  await tx.query({
    name: 'update-bank-breaker',
    text: `update bank_health set failures = $2, failing_since = $3, paused_until = $4
            where bank_code = $1`,
    values: [claim.bankCode, next.failures, next.failingSince, next.pausedUntil],
  })
}

// Findings are submitted in chunks of this size, so that credits reported by banks do not wait behind a long
// list.
const SUBMITTED_MAX = 200

export type SubmitCredits = (
  credits: readonly IncomingCredit[],
) => Promise<BatchResult<CreditResult>[]>

type FindingDeps = {
  batchPool: Pool
  sealer: Sealer
  submitCredits: SubmitCredits
  now: Date
}

// Books the findings of a bank's answer as if the bank had reported them: credits through the credit path,
// and unbookable items as rail items, which operators see as rejected messages. Most transfers of a list
// are already known, and repeating them is safe. Returns the credits that were not known before. Throws
// unless all findings are committed.
export async function takeFindings(
  deps: FindingDeps,
  bankCode: string,
  items: readonly ParsedItem[],
): Promise<CreditId[]> {
  const newCreditIds: CreditId[] = []
  for (let start = 0; start < items.length; start += SUBMITTED_MAX) {
    newCreditIds.push(
      ...(await bookChunk(deps, bankCode, items.slice(start, start + SUBMITTED_MAX))),
    )
  }
  return newCreditIds
}

// Books a chunk of the findings, and stores those that cannot be booked as rail items.
async function bookChunk(
  { batchPool, sealer, submitCredits, now }: FindingDeps,
  bankCode: string,
  items: readonly ParsedItem[],
): Promise<CreditId[]> {
  const credits = items.flatMap((item) =>
    item.ok
      ? [{ ...withoutFutureTime(item.credit, now), bankCode, source: 'requery' as const }]
      : [],
  )
  // Throws if the batcher could not book one of the credits; a worker then asks the bank again later.
  const results = (await submitCredits(credits)).map((result) => {
    if (!result.ok) throw result.error
    return result.value
  })
  const resultsInOrder = results.values() // One for each item that is a credit, in their order.
  // The rail items to store: for items that are no readable credit, and for credits that were not booked.
  const unbookable = items.flatMap((item) => {
    const code = item.ok ? resultsInOrder.next().value?.status : item.code
    return unbookableItem(bankCode, item, code) ?? []
  })
  if (unbookable.length > 0) {
    await withTransaction(batchPool, (tx) => storeRailItems(tx, { sealer, now }, unbookable))
  }
  return results.flatMap((result) => (result.status === 'taken' ? [result.creditId] : []))
}

// Returns the rail item for an item that was not booked. An item without a session id is identified by its
// text. A bank lists such an item in several answers, but it is stored once.
function unbookableItem(
  bankCode: string,
  item: ParsedItem,
  code: string | undefined,
): NewRailItem | undefined {
  const identityWithoutSession = () => (item.ok ? '' : (item.money?.text ?? ''))
  return railItemOf({ bankCode, item, code, identityWithoutSession })
}

const ATTEMPTS_MAX = 200

export type LoggedRequery = {
  askedAt: Date
  bankCode: string
  reason: RequeryReason
  subject: 'transfer' | 'number' | 'bank' // The object that the bank was asked about.
  identifier: string | null
  answer: AnswerKind
  newCredits: number
  latencyMs: number
  error: string | null
}

const SUBJECT = `case when q.identifier is not null then 'transfer'
                      when q.account_number is not null then 'number' else 'bank' end`

// Returns the latest calls about a payment, for its timeline: calls for the payment itself, calls for
// requeries that its requeries were merged into, and calls that found its money. If a call asked for all
// transfers of a bank, only the findings for this payment are counted, because the others may belong to other
// clients.
export async function readRequeries(
  db: Queryable,
  { paymentId, creditIds }: { paymentId: PaymentId; creditIds: readonly CreditId[] },
): Promise<LoggedRequery[]> {
  const { rows } = await db.query<LoggedRequery>({
    name: 'requeries-of-payment',
    text: `with asked as (
             select coalesce(merged_into, id) as id from requeries where payment_id = $1
             union
             select a.requery_id from requery_findings f
               join requery_attempts a on a.id = f.attempt_id
              where f.credit_id = any($2::bigint[]))
           select a.asked_at, a.bank_code, q.reason,
                  ${SUBJECT} as subject, q.identifier, a.answer, a.latency_ms,
                  a.error, (select count(*)::int from requery_findings f
                             where f.attempt_id = a.id and f.credit_id = any($2::bigint[]))
                  as new_credits
             from asked
             join requeries q on q.id = asked.id
             join requery_attempts a on a.requery_id = q.id
            order by a.id desc limit ${ATTEMPTS_MAX}`,
    values: [paymentId, numberArray(creditIds)],
  })
  return rows
}
