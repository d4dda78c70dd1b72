// Claiming: which questions a bank is asked now. Rate (call-rates.ts) and concurrency hold for all
// processes together, because claims of one bank are made under the lock of its row in bank_health.
//
// A claim is a lease, committed before the call: whoever dies loses it when it runs out, and the
// question is asked again, which is harmless.
//
// Locks: the bank's row, then its questions.

import type { CallLimits } from '#banks/connector.ts'
import type { IdentifierKind } from '#banks/notifications.ts'
import { FAILURES_TO_PAUSE } from '#circuit-breaker.ts'
import { type Due, dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { claimCalls, lockBank } from '#domain/records/call-rates.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import { mergeQuestions } from './merge-questions.ts'
import { CLOCK_MARGIN_MS, later } from './questions.ts'

export const LEASE_MS = 120_000
export const ASK_MAX_MS = 90_000 // However many requests it takes. The rest is for what it found.

export type Claim = {
  id: bigint
  bankCode: string
  identifierKind: IdentifierKind | null
  identifier: string | null
  accountNumber: string | null
  fromAt: Date | null
  toAt: Date | null
  cursor: string | null
  repeats: number
  newCredits: number // Found by earlier pages.
  repeatUntil: Date | null
  leasedUntil: Date
  isProbe: boolean
}

type Asking = { bankCode: string; limits: CallLimits }

// The bank's pauses and limits are in real time, whatever time its questions are due in.
export async function claimQuestions(
  tx: Transaction,
  clock: Clock,
  { bankCode, limits }: Asking,
): Promise<Claim[]> {
  const due = dueNow(clock)
  const { only } = due
  if (!(await hasDue(tx, due, bankCode))) return []
  const bank = await lockBank(tx, bankCode)
  const now = clock()
  await dropNeedless(tx, due, bankCode)
  if (bank.pausedUntil && bank.pausedUntil > now) return []
  if (only === undefined) await mergeQuestions(tx, due.now, bankCode)
  const isProbe = bank.failures >= FAILURES_TO_PAUSE
  const inFlight = await countInFlight(tx, now, bankCode)
  const most = isProbe ? 1 : limits.concurrency - inFlight
  const claims = await claimCalls(tx, now, {
    bank,
    kind: 'requeries',
    limits,
    most,
    only,
    claim: (limit) => claim(tx, due, { bankCode, limit, isProbe }),
  })
  if (isProbe && claims.length > 0) await pauseForProbe(tx, now, bankCode)
  return claims
}

// Asked every half second: one look into an index, and no lock.
async function hasDue(tx: Transaction, { now, only }: Due, bankCode: string): Promise<boolean> {
  const { rows } = await tx.query<{ due: boolean }>({
    name: 'has-due-requeries',
    text: `select exists (
             select from requeries
              where bank_code = $1 and state = 'open' and due_at <= $2
                and (leased_until is null or leased_until <= $2)
                and ${livesIn('client_id', '$3')}) as due`,
    values: [bankCode, now, only ?? null],
  })
  return rows[0]?.due === true
}

// What came by itself, and payments that need nothing more; one that expired may have been paid in
// time. What somebody demanded is asked all the same.
async function dropNeedless(tx: Transaction, { now, only }: Due, bankCode: string): Promise<void> {
  await tx.query({
    name: 'drop-needless-requeries',
    text: `update requeries q set state = 'dropped', finished_at = $2, leased_until = null
            where q.bank_code = $1 and q.state = 'open' and q.due_at <= $2
              and (q.leased_until is null or q.leased_until <= $2)
              and ${livesIn('client_id', '$3')}
              and q.reason in ('name_enquiry', 'payer', 'expiry', 'grace')
              and (exists (select from payments p
                            where p.id = q.payment_id
                              and p.status not in ('Processing', 'PartPayment', 'Expired'))
                   or (q.reason = 'name_enquiry'
                       and q.created_at <= (select c.received_at from credits c
                                             where c.account_number = q.account_number
                                               and c.bank_code = q.bank_code
                                             order by c.id desc limit 1)))`,
    values: [bankCode, now, only ?? null],
  })
}

async function countInFlight(tx: Transaction, now: Date, bankCode: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-requeries-in-flight',
    text: `select count(*)::int as count from requeries
            where bank_code = $1 and state = 'open' and leased_until > $2`,
    values: [bankCode, now],
  })
  return rows[0]?.count ?? 0
}

// Somebody waits for what was demanded or reported, and a payment for its number. Then lists, the
// shorter first: a week is read while nothing else is to be asked. One that was begun is read to its end.
async function claim(
  tx: Transaction,
  { now, only }: Due,
  { bankCode, limit, isProbe }: { bankCode: string; limit: number; isProbe: boolean },
): Promise<Claim[]> {
  const { rows } = await tx.query<Claim>({
    name: 'claim-requeries',
    text: `with chosen as materialized (
             select id from requeries
              where bank_code = $1 and state = 'open' and due_at <= $2
                and (leased_until is null or leased_until <= $2)
                and ${livesIn('client_id', '$7')}
              order by reason not in ('demand', 'payer', 'notification'),
                       account_number is null and identifier is null,
                       coalesce(date_part('epoch', created_at - from_at)::int / 3600, 0),
                       cursor is null, due_at, id
              limit $4)
           update requeries q
              set leased_until = $3, asked_at = $2, attempts = attempts + 1,
                  to_at = case when from_at is not null then coalesce(to_at, $6) end
             from chosen
            where q.id = chosen.id
           returning q.id, q.bank_code as "bankCode", q.identifier_kind as "identifierKind",
                     q.identifier, q.account_number as "accountNumber", q.from_at as "fromAt",
                     q.to_at as "toAt", q.cursor, q.repeats, q.new_credits as "newCredits",
                     q.repeat_until as "repeatUntil", q.leased_until as "leasedUntil",
                     $5::boolean as "isProbe"`,
    values: [
      bankCode,
      now,
      later(now, LEASE_MS),
      limit,
      isProbe,
      later(now, CLOCK_MARGIN_MS),
      only ?? null,
    ],
  })
  return rows
}

// The pause goes on until the probe was answered.
async function pauseForProbe(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'pause-for-probe',
    text: 'update bank_health set paused_until = $2 where bank_code = $1',
    values: [bankCode, later(now, LEASE_MS)],
  })
}
