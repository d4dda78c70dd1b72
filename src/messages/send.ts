// Claims due messages for a worker, and records the outcome of sending each. No transaction is open while the
// worker calls a mail server or gateway.
//
// I150: a message that a server may have accepted is never sent again. The worker commits the state `sending`
// before it sends the first byte of the message. Only if the server says that it did not accept the message
// is it queued again. If the connection or the process ends before an answer, the state becomes `unknown`,
// and the message is not sent again.

import { randomInt } from 'node:crypto'
import { isDue, isTimeDue, isWaiting, waitOfAttempts } from '#db/due.ts'
import { IS_MOVED, LOST_UNTIL } from '#db/moved-database.ts'
import type { Pool } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { advanceBreaker, FAILURES_TO_PAUSE, type Health, isPaused } from '#records/call-rates.ts'
import { lockErasures, WHOLLY_BARRED_CLIENTS } from '#records/erasure-bars.ts'
import { MESSAGE_KIND_NAMES, MESSAGE_KINDS, SECURITY } from './kinds.ts'
import type { Message } from './message.ts'
import { type Channel, endBounce, suppress } from './recipients.ts'
import { type MessageState, transitionAll } from './states.ts'
import { type SendResult, TRANSPORT_CHANNELS, type TransportName } from './transports.ts'

export const CLAIM_MS = 10 * 60_000
const CLAIMED_MAX = 40
const EXPIRED_MAX = 500
const BOUNCE_SILENCES_MS = 24 * 3_600_000 // How long a bounce suppresses security mail.
const BY_ADMINISTRATOR = MESSAGE_KIND_NAMES.filter((kind) => MESSAGE_KINDS[kind].isByAdministrator)
const UNKNOWN = 'the process ended while the message was being handed over'
const LATE = 'not accepted in time'
const ERASED = 'the recipient was erased'
const FORMER = 'the user was removed or disabled'
const RESTORED = 'the database was restored: it may have been sent before'

export const HAS_QUEUED_MESSAGES = `exists (select from messages where state = 'queued')`

const WAITS_MS = [30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000]
const JITTER = 0.2

// SQL condition: the next attempt is due.
const isAttemptDue = (now: string) =>
  isDue('next_attempt_at', { now, longest: waitOfAttempts(Math.max(...WAITS_MS) * (1 + JITTER)) })

// SQL condition: a worker has claimed the message.
const isClaimed = (now: string) => isWaiting('claimed_until', { now, longest: CLAIM_MS })

// SQL condition: a queued message is due, by the real time.
export const HAS_DUE_MESSAGES = `exists (
  select from messages where state = 'queued' and ${isAttemptDue('clock.real_now')})`

export type Claimed = Pick<
  Message,
  'id' | 'reference' | 'clientId' | 'channel' | 'kind' | 'attempts' | 'createdAt'
> & {
  recipient: Buffer
  addressSealed: Buffer
  factsSealed: Buffer
  claimedUntil: Date
}

const CLAIMED_COLUMNS = `id, reference, client_id, channel, kind, recipient, address_sealed, facts_sealed,
  attempts, claimed_until, created_at`

// Claims due messages, those with the most urgent priority first. While the circuit breaker pauses the
// server, claims none; after the pause, claims one message as a probe. During quiet hours (`isQuiet`),
// messages that wait for the day are not claimed. Claims nothing while the database is another one than
// before, such as a restored copy (IS_MOVED).
export async function claimMessages(
  tx: Transaction,
  now: Date,
  { transport, isQuiet }: { transport: TransportName; isQuiet: boolean },
): Promise<Claimed[]> {
  const { failures, pausedUntil } = await lockTransport(tx, transport)
  if (isPaused({ pausedUntil }, now)) return []
  const channels = TRANSPORT_CHANNELS[transport]
  await cancelUnwanted(tx, now)
  await suppressQueued(tx, now, channels)
  const { rows } = await tx.query<Claimed>({
    name: 'claim-messages',
    text: `with due as (
             select id from messages
              where channel = any($1::text[]) and state = 'queued' and ${isAttemptDue('$2')}
                and expires_at > $2 and not ${isClaimed('$2')}
                and not (waits_for_day and $3) and not ${IS_MOVED}
              order by priority, next_attempt_at limit $4
                for no key update skip locked)
           update messages m set attempts = attempts + 1, claimed_until = $5
             from due where m.id = due.id
           returning ${CLAIMED_COLUMNS.replace('id,', 'm.id,')}`,
    values: [
      [...channels],
      now,
      isQuiet,
      failures >= FAILURES_TO_PAUSE ? 1 : CLAIMED_MAX,
      new Date(now.getTime() + CLAIM_MS),
    ],
  })
  return rows
}

// SQL condition: the recipient of the message `m` was erased.
const IS_ERASED = `(m.advice_id in (select id from advices where erased_at is not null and id = m.advice_id)
  or m.account_id in (select id from collection_accounts where erased_at is not null and id = m.account_id))`

// SQL condition: the message `m` is for a user who was removed or disabled. Such a message must not be sent,
// because it may contain a link with which the user could sign in.
const IS_OF_FORMER_USER = `(m.user_id is not null
  and not exists (select from users u where u.id = m.user_id and u.is_active))`

// SQL condition: the message was queued before the database was restored to an earlier moment, so it may have
// been sent since that moment.
const IS_BEFORE_RESTORE = `m.created_at <= ${LOST_UNTIL}`

// SQL condition: the message `m` must not be sent any more.
const MUST_NOT_LEAVE = `(coalesce(${IS_ERASED}, false) or ${IS_OF_FORMER_USER}
  or coalesce(${IS_BEFORE_RESTORE}, false))`

// Cancels queued messages that must not be sent: to erased people (I152), to former users, and from before a
// restore. Covers a message that was queued while the recipient was being erased.
export async function cancelUnwanted(tx: Transaction, now: Date): Promise<void> {
  await transitionAll(tx, {
    name: 'cancel-unwanted-messages',
    rows: `select m.id from messages m where m.state = 'queued' and ${MUST_NOT_LEAVE}
              for no key update of m skip locked`,
    from: 'queued',
    to: 'cancelled',
    // The update calls the message `r`, and not `m`.
    set: `facts_sealed = null, address_sealed = null, recipient = null, claimed_until = null,
          ended_at = $1,
          problem = case when ${IS_OF_FORMER_USER.replaceAll('m.', 'r.')} then '${FORMER}'
                         when ${IS_BEFORE_RESTORE.replaceAll('m.', 'r.')} then '${RESTORED}'
                         else '${ERASED}' end`,
    values: [now],
  })
}

// Moves queued messages to suppressed addresses to the state `suppressed`. The suppression list always
// applies to messages to payers. For all other messages only bounces count, because no user may suppress
// another user's security mail. A bounce suppresses security mail for a day, and never mail that an
// administrator sends, because a user whose mailbox works again must be able to sign in again.
async function suppressQueued(tx: Transaction, now: Date, channels: readonly Channel[]) {
  await transitionAll(tx, {
    name: 'suppress-messages',
    rows: `select m.id from messages m
             join message_suppressions s on s.client_id = m.client_id and s.recipient = m.recipient
              and (m.kind like 'payer.%'
                   or s.reason = 'bounced' and m.kind <> all($3::text[])
                      and not (m.priority = ${SECURITY} and s.created_at <= $4))
            where m.channel = any($1::text[]) and m.state = 'queued'
              and not ${isClaimed('$2')}
              for no key update of m skip locked`,
    from: 'queued',
    to: 'suppressed',
    set: `facts_sealed = null, ended_at = $2, problem = 'the address is on the suppression list'`,
    values: [[...channels], now, BY_ADMINISTRATOR, new Date(now.getTime() - BOUNCE_SILENCES_MS)],
  })
}

// SQL subquery: the message that this worker claimed, if its claim is still the latest. A worker that was
// paused for longer than its claim must not change the message, which another worker may have claimed since
// (I150).
const CLAIMED_MESSAGE = `select m.id from messages m where m.id = $1 and m.claimed_until = $2`

// Commits the state `sending`, just before the worker sends the first byte of the message. Returns false if
// the message must not be sent any more, if the claim has ended, or if the database is another one than
// before, such as a restored copy.
export function beginSending(
  pool: Pool,
  now: Date,
  { id, claimedUntil }: Claimed,
): Promise<boolean> {
  if (isTimeDue(claimedUntil, now, CLAIM_MS)) return Promise.resolve(false)
  return withTransaction(pool, async (tx) => {
    const rows = `${CLAIMED_MESSAGE} and m.address_sealed is not null
                     and not ${MUST_NOT_LEAVE} and not ${IS_MOVED} for no key update of m`
    const move = { from: 'queued', to: 'sending', values: [id, claimedUntil] } as const
    return (await transitionAll(tx, { name: 'begin-sending', rows, ...move })) === 1
  })
}

// Releases claimed messages that the worker did not begin to send.
export async function releaseMessages(tx: Transaction, claims: readonly Claimed[]): Promise<void> {
  await tx.query({
    name: 'release-messages',
    text: `update messages m set claimed_until = null, attempts = m.attempts - 1
             from unnest($1::bigint[], $2::timestamptz[]) as c (id, claimed_until)
            where m.id = c.id and m.claimed_until = c.claimed_until and m.state = 'queued'`,
    values: [numberArray(claims.map(({ id }) => id)), claims.map((claim) => claim.claimedUntil)],
  })
}

// Records the outcome of one attempt: ends the message or queues it again, updates the suppression list, and
// advances the circuit breaker of the server.
export async function recordResult(
  tx: Transaction,
  now: Date,
  { claim, result, transport }: { claim: Claimed; result: SendResult; transport: TransportName },
): Promise<void> {
  if (result.outcome === 'deferred') await queueAgain(tx, now, claim, result.problem)
  else if (result.outcome !== 'withdrawn') await endMessage(tx, now, claim, result)
  if (result.outcome === 'refused' && result.isBounce) {
    const { clientId, recipient, addressSealed } = claim
    const bounce = { clientId, recipient, addressSealed, reason: 'bounced', by: 'system' } as const
    await suppress(tx, now, { ...bounce, detail: result.problem })
  }
  if (result.outcome === 'accepted') await endBounce(tx, claim)
  await advanceTransport(tx, now, { transport, result })
}

const ENDS = { accepted: 'sent', refused: 'failed', unknown: 'unknown' } as const

// Ends a message with a final state. An unknown message keeps its claim, so that a late answer can still
// change its state to sent or failed.
async function endMessage(
  tx: Transaction,
  now: Date,
  { id, claimedUntil }: Claimed,
  result: Exclude<SendResult, { outcome: 'deferred' | 'withdrawn' }>,
): Promise<void> {
  const to = ENDS[result.outcome]
  const problem = 'problem' in result ? result.problem : null
  const [name, from] = ENDING[to]
  const claim = to === 'unknown' ? '' : 'claimed_until = null, '
  await transitionAll(tx, {
    name,
    rows: `${CLAIMED_MESSAGE} for no key update`,
    from,
    to,
    set: `facts_sealed = null, ${claim}ended_at = $3, problem = $4`,
    values: [id, claimedUntil, now, problem],
  })
}

// The name of the statement and the states before each final state. A message can fail while it is queued,
// because a server may refuse the recipient before the message is sent to it.
const ENDING = {
  sent: ['end-message-sent', ['sending', 'unknown']],
  failed: ['end-message-failed', ['queued', 'sending', 'unknown']],
  unknown: ['end-message-unknown', ['sending']],
} as const satisfies Record<
  (typeof ENDS)[keyof typeof ENDS],
  readonly [string, readonly MessageState[]]
>

// The wait before the next attempt. `jitter`, from 0 to 1, varies it by up to 20 % in both directions, so
// that retries of many messages are spread.
function retryDelayMs(attempts: number, jitter: number): number {
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? 0
  return Math.round(wait * (1 + JITTER * (2 * jitter - 1)))
}

// Queues a message again that the server did not accept for now.
async function queueAgain(tx: Transaction, now: Date, claim: Claimed, problem: string) {
  const { id, attempts, claimedUntil } = claim
  const nextAttemptAt = new Date(now.getTime() + retryDelayMs(attempts, randomInt(1_000) / 1_000))
  // If an erasure has removed the address in the meantime, the message is cancelled and not queued again.
  await transitionAll(tx, {
    name: 'cancel-erased-message',
    rows: `${CLAIMED_MESSAGE} and m.address_sealed is null for no key update`,
    from: 'sending',
    to: 'cancelled',
    set: 'claimed_until = null, ended_at = $3, problem = $4',
    values: [id, claimedUntil, now, problem],
  })
  await transitionAll(tx, {
    name: 'queue-message-again',
    rows: `${CLAIMED_MESSAGE} for no key update`,
    from: 'sending',
    to: 'queued',
    values: [id, claimedUntil],
  })
  await tx.query({
    name: 'postpone-message',
    text: `update messages set claimed_until = null, next_attempt_at = $3, problem = $4
            where id = $1 and claimed_until = $2 and state = 'queued'`,
    values: [id, claimedUntil, nextAttemptAt, problem],
  })
}

// Ends messages that were being sent when their process ended, and messages that no server accepted in time.
// Returns how many.
export async function endOverdue(tx: Transaction, now: Date): Promise<number> {
  const unknownCount = await transitionAll(tx, {
    name: 'end-lost-messages',
    rows: `select id from messages where state = 'sending' and not ${isClaimed('$1')}
            order by id limit ${EXPIRED_MAX} for no key update skip locked`,
    from: 'sending',
    to: 'unknown',
    set: `facts_sealed = null, ended_at = $1, problem = '${UNKNOWN}'`,
    values: [now],
  })
  const lateCount = await transitionAll(tx, {
    name: 'end-late-messages',
    rows: `select id from messages
            where state = 'queued' and expires_at <= $1
              and not ${isClaimed('$1')}
            order by id limit ${EXPIRED_MAX} for no key update skip locked`,
    from: 'queued',
    to: 'failed',
    set: `facts_sealed = null, claimed_until = null, ended_at = $1,
          problem = '${LATE}' || coalesce(': ' || r.problem, '')`,
    values: [now],
  })
  return unknownCount + lateCount
}

const KEPT_MS = 90 * 86_400_000

// Deletes ended messages after 90 days, except those to people whose data a hold or an open case needs
// (I250). Returns how many.
export async function purgeMessages(tx: Transaction, now: Date): Promise<number> {
  await lockErasures(tx)
  const { rowCount } = await tx.query({
    name: 'purge-messages',
    text: `delete from messages where id in (
             select id from messages m
              where ended_at <= $1
                and (num_nonnulls(m.account_id, m.advice_id) = 0
                     or client_id <> all (array(${WHOLLY_BARRED_CLIENTS}))
                        and not exists (select from erasure_bars(m.client_id, m.account_id,
                                                                 m.advice_id, null)))
              order by ended_at limit ${EXPIRED_MAX} for update skip locked)`,
    values: [new Date(now.getTime() - KEPT_MS)],
  })
  return rowCount ?? 0
}

// Moves queued messages of a sandbox to the state `caught`, because a sandbox sends nothing (I151). They keep
// their facts, so that the inbox of the sandbox can show them.
export function catchMessages(tx: Transaction, now: Date): Promise<number> {
  return transitionAll(tx, {
    name: 'catch-messages',
    rows: `select id from messages where state = 'queued'
            order by id limit ${EXPIRED_MAX} for no key update skip locked`,
    from: 'queued',
    to: 'caught',
    set: 'ended_at = $1',
    values: [now],
  })
}

type TransportHealth = Omit<Health, 'dueAt'>

// Locks and reads the circuit breaker of a mail server or gateway.
async function lockTransport(tx: Transaction, name: TransportName): Promise<TransportHealth> {
  const { rows } = await tx.query<TransportHealth>({
    name: 'lock-message-transport',
    text: `select failures, failing_since, paused_until from message_transports
            where name = $1 for no key update`,
    values: [name],
  })
  return rows[0] as TransportHealth // A migration inserted a row for each transport.
}

// Advances the circuit breaker of a mail server or gateway. The refusal of one message is not an outage.
async function advanceTransport(
  tx: Transaction,
  now: Date,
  { transport, result }: { transport: TransportName; result: SendResult },
): Promise<void> {
  if (result.outcome === 'withdrawn') return
  const isOutage =
    result.outcome === 'unknown' || (result.outcome === 'deferred' && result.isOutage)
  const before = await lockTransport(tx, transport)
  if (!isOutage && before.failures === 0) return
  const isProbe = before.failures >= FAILURES_TO_PAUSE
  // `isGone`, `nextAttemptAt` and `dueAt` concern webhook destinations only.
  const step = { isOk: !isOutage, isGone: false, isProbe, nextAttemptAt: null }
  const after = advanceBreaker({ ...before, dueAt: null }, [step], now)
  await tx.query({
    name: 'advance-message-transport',
    text: `update message_transports
              set failures = $2, failing_since = $3, paused_until = $4, problem = $5
            where name = $1`,
    values: [
      transport,
      after.failures,
      after.failingSince,
      after.pausedUntil,
      isOutage && 'problem' in result ? result.problem : null,
    ],
  })
}
