// Records what came of a call: the question's next step, the call for the timeline, and the bank's
// circuit breaker, in one transaction, after what was found is committed.
//
// It counts only while its lease stands: a question whose lease ran out is asked by somebody else.
//
// Locks: the bank's row, then the question, as claims do.

import { advanceBreaker } from '#circuit-breaker.ts'
import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { lockBank } from '#domain/records/call-rates.ts'
import type { CreditId } from '#ids.ts'
import type { BankAnswer } from './ask-bank.ts'
import type { Claim } from './claim-questions.ts'
import { nextStep } from './repeat-schedule.ts'

export type Asked = {
  claim: Claim
  askedAt: Date
  latencyMs: number
  answer: BankAnswer
  found: readonly CreditId[] // New ones.
  bankNow?: Date // Where the question is of a client with a test clock: the time it really is.
}

export async function recordAnswer(tx: Transaction, now: Date, asked: Asked): Promise<void> {
  const { claim, answer } = asked
  await lockBank(tx, claim.bankCode)
  if (!(await finish(tx, now, asked))) return
  await logAttempt(tx, asked)
  const isOk = answer.answer !== 'no_answer' || answer.isUp === true
  await updateBreaker(tx, asked.bankNow ?? now, { claim, isOk })
}

// Gives a question back unasked, since the process stops.
export async function releaseClaim(tx: Transaction, { id, leasedUntil }: Claim): Promise<void> {
  await tx.query({
    name: 'release-requery',
    text: `update requeries set leased_until = null
            where id = $1 and leased_until = $2 and state = 'open'`,
    values: [id, leasedUntil],
  })
}

async function finish(
  tx: Transaction,
  now: Date,
  { claim, answer, found }: Asked,
): Promise<boolean> {
  const isWindow = claim.identifier === null && claim.accountNumber === null
  const outcome = { ...answer, newCredits: found.length }
  const step = nextStep({ ...claim, isWindow }, outcome, now)
  const open = step.state === 'open' ? step : undefined
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
      open?.dueAt ?? null,
      open?.repeats ?? null,
      open?.cursor ?? null,
      found.length,
      now,
    ],
  })
  return rowCount === 1
}

async function logAttempt(tx: Transaction, asked: Asked): Promise<void> {
  const { claim, askedAt, latencyMs, answer, found } = asked
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
      found.length,
      latencyMs,
      answer.error,
      numberArray(found),
    ],
  })
}

// A healthy bank that answers is not written.
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
    text: `select failures, failing_since as "failingSince", paused_until as "pausedUntil"
             from bank_health where bank_code = $1 and (failures > 0 or not $2)`,
    values: [claim.bankCode, isOk],
  })
  if (!rows[0]) return
  const result = { isOk, isGone: false, isProbe: claim.isProbe, nextAttemptAt: null }
  const next = advanceBreaker({ ...rows[0], dueAt: null }, [result], now)
  await tx.query({
    name: 'update-bank-breaker',
    text: `update bank_health set failures = $2, failing_since = $3, paused_until = $4
            where bank_code = $1`,
    values: [claim.bankCode, next.failures, next.failingSince, next.pausedUntil],
  })
}
