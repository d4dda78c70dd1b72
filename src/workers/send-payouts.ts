// Sends payouts and books the banks' answers. Each connection has its own worker, so that a slow bank
// delays no other.
//
//   claim: sending, committed ─▶ call the bank, no transaction open ─▶ settle, or unknown
//                                     or queued again, if nothing can have reached the bank (I105)
//
// I47: after the claim nothing is ever sent again, whatever crashes. A claimed payout without an outcome
// becomes unknown after a time limit, and is queried (query-payouts.ts). The limit runs from the claim. So
// a process with a wrong clock claims nothing, and a process that was frozen after its claim sends
// nothing: neither before it calls the bank nor between the requests of a call (logging in, asking).

import { setTimeout } from 'node:timers/promises'
import { CALL_MS_MAX } from '#banks/call-deadlines.ts'
import type { BankCalls, BankConnections, CallLimits, PayoutAnswer } from '#banks/connector.ts'
import { dueNow } from '#client-time.ts'
import { type Clock, systemClock } from '#clock.ts'
import type { ClockCheck } from '#db/clock-check.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { outcomeOf } from '#domain/payouts/absent-payouts.ts'
import {
  type ClaimedPayout,
  claimPayouts,
  findSendingBanks,
} from '#domain/payouts/claim-payouts.ts'
import { settleAsTold } from '#domain/payouts/settle-as-told.ts'
import type { OutcomeHooks } from '#domain/payouts/settle-payout.ts'
import { alertWaiting, markUnknown, SEND_WITHIN_MS } from '#domain/payouts/unknown-payouts.ts'
import { queueAgain } from '#domain/payouts/unsent-payouts.ts'
import { lockAndClaimCalls } from '#domain/records/call-rates.ts'
import type { ClientId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Monotonic } from '#monotonic.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

export type PayoutDeps = {
  batchPool: Pool
  sealer: Sealer
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  clock: Clock
  monotonic: Monotonic
  isClockRight?: ClockCheck // Defaults to true.
  random?: () => number
}

type SendMoney = NonNullable<BankCalls['sendMoney']>

// Banks that share a connection, as all of the sandbox's own banks do.
export type SendingBanks = {
  bankCodes: readonly string[]
  sendMoney: SendMoney
  prepareOrders?: BankCalls['prepareOrders']
  limits: CallLimits
  fingerprint: string
}

export function findSendingConnections(connections: BankConnections): SendingBanks[] {
  const able = [...connections].flatMap(([bankCode, { calls, limits, fingerprint }]) =>
    calls.sendMoney
      ? [{ ...calls, bankCode, sendMoney: calls.sendMoney, limits, fingerprint }]
      : [],
  )
  return [...Map.groupBy(able, ({ sendMoney }) => sendMoney)].map(([sendMoney, banks]) => {
    const { prepareOrders, limits, fingerprint } = banks[0] as (typeof banks)[number]
    const bankCodes = banks.map(({ bankCode }) => bankCode)
    return { bankCodes, sendMoney, prepareOrders, limits, fingerprint }
  })
}

export function sendPayoutsRound(deps: PayoutDeps, banks: SendingBanks): Round {
  return async () => {
    const due = await findSendingBanks(deps.batchPool, banks.bankCodes, dueNow(deps.clock))
    if (due.length === 0 || (await deps.isClockRight?.()) === false) return { more: false }
    if ((await banks.prepareOrders?.())?.status === 'no_answer') return { more: false }
    let count = 0
    for (const bankCode of due) count += await sendOf(deps, { ...banks, bankCode })
    return { more: count > 0 } // 0 if the banks' rates leave no room now.
  }
}

// Claims only as many as may be sent at once, and returns how many.
async function sendOf(
  deps: PayoutDeps,
  { bankCode, sendMoney, limits, fingerprint: sentOver }: SendingBanks & { bankCode: string },
): Promise<number> {
  const { batchPool, sealer, clock, monotonic } = deps
  const by = `bank:${bankCode}`
  const due = dueNow(clock)
  const hasPassed = timer(monotonic)
  const claimed = await withTransaction(batchPool, (tx) =>
    lockAndClaimCalls(tx, clock, {
      bankCode,
      kind: 'payouts',
      limits,
      only: due.only,
      claim: (limit) => claimPayouts(tx, { sealer, ...due }, { bankCode, limit, sentOver, by }),
    }),
  )
  const claimedMs = dueNow(clock).now.getTime() - due.now.getTime()
  const isLate = Math.abs(claimedMs) > SEND_WITHIN_MS || hasPassed(SEND_WITHIN_MS)
  const isTooLate = () => hasPassed(SEND_WITHIN_MS + CALL_MS_MAX)
  const takeTurn = () => awaitRoom(deps, { bankCode, limits, only: due.only })
  const calls = claimed.map(async ({ id, ...instruction }: ClaimedPayout) => {
    const options = { isTooLate, takeTurn }
    const answer = isLate ? NOT_BEGUN : await sendMoney(instruction, options).catch(silence)
    const { reference } = instruction
    await recordAnswer(deps, { id, reference, bankCode, by, answer, claimedAt: due.now })
  })
  const results = await Promise.allSettled(calls)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason // They will be queried.
  return claimed.length
}

const TURN_MS = 100
const TURNS_MAX = 100

// For a call that takes several requests, each of which counts (I40). False after a long wait without
// room: the order is not sent.
async function awaitRoom(
  { batchPool, clock }: PayoutDeps,
  of: { bankCode: string; limits: CallLimits; only: ClientId | undefined },
): Promise<boolean> {
  for (let tried = 0; tried < TURNS_MAX; tried++) {
    const turns = await withTransaction(batchPool, (tx) =>
      lockAndClaimCalls(tx, clock, { ...of, kind: 'payouts', claim: async () => [true] }),
    )
    if (turns.length > 0) return true
    await setTimeout(TURN_MS)
  }
  return false
}

// Whether this much time has passed by either clock: the wall clock may be stepped back, and the
// monotonic clock stops while the machine sleeps.
function timer(monotonic: Monotonic): (ms: number) => boolean {
  const [wallMs, elapsedMs] = [systemClock().getTime(), monotonic()]
  return (ms) => systemClock().getTime() - wallMs > ms || monotonic() - elapsedMs > ms
}

// Others may already count the payout as unknown, and the bank's answers to their queries must stay true.
const NOT_BEGUN: PayoutAnswer = {
  status: 'unknown',
  reason: 'It was claimed too long ago to send.',
}

// A call that throws counts as unanswered.
function silence(error: unknown): PayoutAnswer {
  return { status: 'unknown', reason: error instanceof Error ? error.name : 'Error' }
}

type AnsweredPayout = Pick<ClaimedPayout, 'id' | 'reference'> & {
  bankCode: string
  by: string
  answer: PayoutAnswer
  claimedAt: Date
}

async function recordAnswer(deps: PayoutDeps, answered: AnsweredPayout): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock, random = Math.random } = deps
  const { id, reference, bankCode, by, answer, claimedAt } = answered
  const outcome = outcomeOf(answer)
  const isAccepted = answer.status === 'unknown' && answer.isAccepted === true
  const reason = 'reason' in answer ? answer.reason : 'The bank gave no answer.'
  await withTransaction(batchPool, async (tx) => {
    const { now } = dueNow(clock)
    const payout = { id, reference, by }
    if (answer.status === 'unsent') {
      await queueAgain(tx, now, { id, claimedAt, reason, by, chance: random() })
    } else if (outcome)
      await settleAsTold(tx, { sharedAccounts, now, hooks }, { ...payout, outcome })
    else {
      await markUnknown(tx, now, { id, reason, by, isAccepted })
      await alertWaiting(tx, now, { reference, bankCode, answer })
    }
  })
}
