// Creates the batchers of all write paths (src/hot-path/batcher.ts). A batcher commits requests that arrive
// together in one transaction. Each kind of work has its own batcher.

import { lockSessions, type SignedInSession } from '#access/sessions.ts'
import type { CollectionAccount } from '#accounts/account.ts'
import { type AccountRequest, createAccounts } from '#accounts/create.ts'
import { type Clock, HOUR_MS } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import type { Pool } from '#db/pool.ts'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import type { Refusal } from '#errors.ts'
import { Batcher, type BatchTimes, QueueDelay } from '#hot-path/batcher.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { type Advice, type AdviceRequest, createAdvices } from '#payments/advice.ts'
import { type Initiated, type Initiation, initiateOnce } from '#payments/initiate.ts'
import type { Once } from '#records/idempotency.ts'
import type { PaymentRouter } from '#routing/decision.ts'
import type { Sealer } from '#seal.ts'
import type { CreditResult } from './decide.ts'
import type { IncomingCredit } from './judge.ts'
import { takeCredits } from './take.ts'

export type Writers = {
  accounts: Batcher<AccountRequest, Once<CollectionAccount> | Refusal>
  advices: Batcher<AdviceRequest, Once<Advice> | Refusal>
  initiations: Batcher<Initiation, Initiated | Refusal>
  credits: Batcher<IncomingCredit, CreditResult>
  drain: () => Promise<void>
}

type WriteResult<O> = readonly O[] | PipelinedCommit<readonly O[]>

type Deps = {
  pool: Pool // The batch pool of src/db/pool.ts.
  clock: Clock
  realClock: Clock // Dates idempotency keys, which expire by real time even if a test clock is set.
  sealer: Sealer
  sharedAccounts: SharedAccounts
  banks: readonly BankSettings[]
  router: PaymentRouter
  collectionBankCode: string
  verifiesIdentity: boolean
  policy: Pick<Policy, 'quarantineDays' | 'bankTimeMaxAgeHours' | 'suspiciousKobo' | 'limits'>
  onError: (error: unknown, batch: string) => void
  onWritten: () => void // After each commit, because there may be new events.
  onBatch: (batch: string, times: BatchTimes) => void
}

// The function that commits one batch: it returns one answer for each item, in order.
type Write<I, O> = (tx: Transaction, now: Date, items: readonly I[]) => Promise<WriteResult<O>>

type OfCaller = { session?: SignedInSession | undefined }

// Refuses the items of people whose session is no longer live, and writes the others (I222). A batch without
// such items, as from tokens, costs nothing more.
function refusingEnded<I extends OfCaller, O>(
  write: Write<I, O | Refusal>,
  realClock: Clock,
): Write<I, O | Refusal> {
  return async (tx, now, items) => {
    const sessions = items.flatMap(({ session }) => session ?? [])
    if (sessions.length === 0) return write(tx, now, items)
    const refusals = (await lockSessions(tx, realClock(), sessions)).values()
    const outcomes = items.map(({ session }) => session && refusals.next().value)
    const result = await write(
      tx,
      now,
      items.filter((_, index) => !outcomes[index]),
    )
    const isPipelined = result instanceof PipelinedCommit
    const written = (isPipelined ? result.answer : result).values()
    const answers = outcomes.map((refusal) => refusal ?? (written.next().value as O))
    return isPipelined ? new PipelinedCommit(answers, result.statements) : answers
  }
}

// A batch of at most `itemsMax` requests commits within tens of milliseconds. While a batch is in flight,
// another one starts as soon as `gathers` requests wait. With at most `queueMax` waiting requests, each is
// answered within a second; a request beyond this limit is refused at once.
const LIMITS = { itemsMax: 1_000, inFlightMax: 2, gathers: 256, queueMax: 10_000 }

// Creates the batchers of one process. Fails if the bank that issues collection accounts is not configured.
// `keyedAt` is the real time, for idempotency keys; `now` may come from a sandbox's test clock.
export function createWriters(deps: Deps): Writers {
  const { pool, clock, realClock, sealer, sharedAccounts, banks, router, verifiesIdentity } = deps
  const { quarantineDays, limits, suspiciousKobo } = deps.policy
  const bankTimeMaxAgeMs = deps.policy.bankTimeMaxAgeHours * HOUR_MS
  const bank = banks.find(({ code }) => code === deps.collectionBankCode)
  if (!bank) throw new Error(`bank ${deps.collectionBankCode} is not configured`)

  const batcher = <I, O>(name: string, write: Write<I, O>) =>
    new Batcher<I, O>({
      ...LIMITS,
      name,
      delay: new QueueDelay(),
      run: async (items) => {
        const answers = await withTransaction(pool, (tx) => write(tx, clock(), items))
        deps.onWritten()
        return answers
      },
      onError: (error) => deps.onError(error, name),
      onBatch: (times) => deps.onBatch(name, times),
    })

  const writeAccounts: Write<AccountRequest, Once<CollectionAccount> | Refusal> = (
    tx,
    now,
    items,
  ) => {
    const keyedAt = realClock()
    const by = { sealer, bank, banks, limits, verifiesIdentity, now, keyedAt }
    return createAccounts(tx, by, items)
  }
  const writeAdvices: Write<AdviceRequest, Once<Advice> | Refusal> = (tx, now, items) =>
    createAdvices(tx, { sealer, now, keyedAt: realClock() }, items)
  const accounts: Writers['accounts'] = batcher('accounts', refusingEnded(writeAccounts, realClock))
  const advices: Writers['advices'] = batcher('advices', refusingEnded(writeAdvices, realClock))
  const initiations: Writers['initiations'] = batcher('initiations', (tx, now, items) =>
    initiateOnce(tx, { sealer, banks, router, quarantineDays, now, keyedAt: realClock() }, items),
  )
  const credits: Writers['credits'] = batcher('credits', (tx, now, items) =>
    takeCredits(tx, { sealer, sharedAccounts, bankTimeMaxAgeMs, suspiciousKobo, now }, items),
  )
  const drain = async () => {
    await Promise.all([accounts, advices, initiations, credits].map((writer) => writer.drain()))
  }
  return { accounts, advices, initiations, credits, drain }
}
