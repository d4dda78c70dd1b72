// Every write path uses a batcher (src/db/batcher.ts): requests that arrive together are committed
// together. Each kind of work has its own batcher. Items of a client with a test clock are written
// separately, at its time; without test clocks that costs one look at an empty set.

import type { Due } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import { Batcher, type BatchTimes } from '#db/batcher.ts'
import type { Pool } from '#db/pool.ts'
import { QueueDelay } from '#db/queue-delay.ts'
import { type PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import {
  type AccountRequest,
  type CollectionAccount,
  createAccounts,
} from '#domain/accounts/collection-accounts.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { takeCredits } from '#domain/credits/take-credits.ts'
import { type Advice, type AdviceRequest, createAdvices } from '#domain/payments/advices.ts'
import { initiateOnce } from '#domain/payments/initiate-once.ts'
import type { Initiated, Initiation } from '#domain/payments/initiate-payment.ts'
import type { Once } from '#domain/records/idempotency.ts'
import { holdTestTime, type TestClocks } from '#domain/records/test-clocks.ts'
import type { PaymentRouter } from '#domain/routing/payment-router.ts'
import type { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Sealer } from '#seal.ts'
import { findClockedAdvices, findClockedNumbers } from './clocked-items.ts'

export type Writers = {
  accounts: Batcher<AccountRequest, Once<CollectionAccount> | Refusal, ClientId>
  advices: Batcher<AdviceRequest, Once<Advice> | Refusal, ClientId>
  initiations: Batcher<Initiation, Initiated | Refusal, ClientId>
  credits: Batcher<IncomingCredit, CreditResult, ClientId>
  drain: () => Promise<void>
}

type WriteResult<O> = readonly O[] | PipelinedCommit<readonly O[]>

type Deps = {
  pool: Pool // The batch pool of src/db/pool.ts.
  clock: Clock
  testClocks: TestClocks
  sealer: Sealer
  sharedAccounts: SharedAccounts
  banks: readonly BankSettings[]
  router: PaymentRouter
  collectionBankCode: string
  policy: Pick<Policy, 'quarantineDays' | 'bankTimeMaxAgeHours' | 'suspiciousKobo' | 'limits'>
  onError: (error: unknown, batch: string) => void
  onWritten: () => void // After each commit, because there may be new events.
  onBatch: (batch: string, times: BatchTimes) => void
}

// `ownersOf` returns the client with a test clock of each item.
type WritePath<I, O> = {
  ownersOf: (items: readonly I[]) => Promise<(ClientId | undefined)[]>
  write: (tx: Transaction, due: Due, items: readonly I[]) => Promise<WriteResult<O>>
}

const HOUR_MS = 3_600_000

// The batch limit lets a batch commit within tens of milliseconds. The queue limit lets a waiting
// request be answered within a second, or refused at once.
const LIMITS = { itemsMax: 1_000, inFlightMax: 2, gathers: 256, queueMax: 10_000 }

export function createWriters(deps: Deps): Writers {
  const { pool, clock, testClocks, sealer, sharedAccounts, banks, router } = deps
  const { quarantineDays, limits, suspiciousKobo } = deps.policy
  const bankTimeMaxAgeMs = deps.policy.bankTimeMaxAgeHours * HOUR_MS
  const bank = banks.find(({ code }) => code === deps.collectionBankCode)
  if (!bank) throw new Error(`bank ${deps.collectionBankCode} is not configured`)

  const dueOf = async (tx: Transaction, clientId: ClientId): Promise<Due> => {
    const now = await holdTestTime(tx, clock(), clientId)
    return now ? { now, only: clientId } : { now: clock() } // The clock was released meanwhile.
  }
  const batcher = <I, O>(name: string, { ownersOf, write }: WritePath<I, O>) =>
    new Batcher<I, O, ClientId>({
      ...LIMITS,
      name,
      delay: new QueueDelay(),
      split: (items) => (testClocks.isEmpty ? undefined : ownersOf(items)),
      run: async (items, clientId) => {
        const answers = await withTransaction(pool, async (tx) => {
          const due = clientId === undefined ? { now: clock() } : await dueOf(tx, clientId)
          return write(tx, due, items)
        })
        deps.onWritten()
        return answers
      },
      onError: (error) => deps.onError(error, name),
      onBatch: (times) => deps.onBatch(name, times),
    })

  const findClockedClients = async (items: readonly { clientId: ClientId }[]) =>
    items.map(({ clientId }) => (testClocks.has(clientId) ? clientId : undefined))

  const accounts: Writers['accounts'] = batcher('accounts', {
    ownersOf: (items: readonly AccountRequest[]) => findClockedClients(items),
    write: (tx, { now }, items) => createAccounts(tx, { sealer, bank, banks, limits, now }, items),
  })
  const advices: Writers['advices'] = batcher('advices', {
    ownersOf: (items: readonly AdviceRequest[]) => findClockedClients(items),
    write: (tx, { now }, items) => createAdvices(tx, { sealer, now }, items),
  })
  const initiations: Writers['initiations'] = batcher('initiations', {
    ownersOf: (items) => findClockedAdvices(pool, items),
    write: (tx, due, items) =>
      initiateOnce(tx, { sealer, banks, router, quarantineDays, ...due }, items),
  })
  const credits: Writers['credits'] = batcher('credits', {
    ownersOf: (items) => findClockedNumbers(pool, items),
    write: (tx, { now }, items) =>
      takeCredits(tx, { sealer, sharedAccounts, bankTimeMaxAgeMs, suspiciousKobo, now }, items),
  })
  const drain = async () => {
    await Promise.all([accounts, advices, initiations, credits].map((writer) => writer.drain()))
  }
  return { accounts, advices, initiations, credits, drain }
}
