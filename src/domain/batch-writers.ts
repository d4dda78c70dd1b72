// Every write path goes through a batcher (src/db/batcher.ts): what arrives together is committed
// together. Here each kind of work gets its own.

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
import type { Refusal } from '#errors.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Sealer } from '#seal.ts'

export type Writers = {
  accounts: Batcher<AccountRequest, Once<CollectionAccount> | Refusal>
  advices: Batcher<AdviceRequest, Once<Advice> | Refusal>
  initiations: Batcher<Initiation, Initiated | Refusal>
  credits: Batcher<IncomingCredit, CreditResult>
  drain: () => Promise<void>
}

type Written<O> = readonly O[] | PipelinedCommit<readonly O[]>

type Deps = {
  pool: Pool // The batch pool of src/db/pool.ts.
  clock: Clock
  sealer: Sealer
  sharedAccounts: SharedAccounts
  banks: readonly BankSettings[]
  collectionBankCode: string
  policy: Pick<Policy, 'quarantineDays' | 'bankTimeMaxAgeHours' | 'limits'>
  onError: (error: unknown, batch: string) => void
  onWritten: () => void // After each commit: there may be new events.
  onBatch: (batch: string, times: BatchTimes) => void
}

const HOUR_MS = 3_600_000

// A batch is bounded so that it commits within some tens of milliseconds; the queue, so that what
// waits is answered within a second or told at once to come back.
const LIMITS = { itemsMax: 1_000, inFlightMax: 2, queueMax: 10_000 }

export function createWriters(deps: Deps): Writers {
  const { pool, clock, sealer, sharedAccounts, banks } = deps
  const { quarantineDays, limits } = deps.policy
  const bankTimeMaxAgeMs = deps.policy.bankTimeMaxAgeHours * HOUR_MS
  const bank = banks.find(({ code }) => code === deps.collectionBankCode)
  if (!bank) throw new Error(`bank ${deps.collectionBankCode} is not configured`)

  const batcher = <I, O>(
    name: string,
    write: (tx: Transaction, now: Date, items: readonly I[]) => Promise<Written<O>>,
  ) =>
    new Batcher<I, O>({
      ...LIMITS,
      delay: new QueueDelay(),
      run: async (items) => {
        const answers = await withTransaction(pool, (tx) => write(tx, clock(), items))
        deps.onWritten()
        return answers
      },
      onError: (error) => deps.onError(error, name),
      onBatch: (times) => deps.onBatch(name, times),
    })

  const accounts: Writers['accounts'] = batcher('accounts', (tx, now, items) =>
    createAccounts(tx, { sealer, bank, banks, limits, now }, items),
  )
  const advices: Writers['advices'] = batcher('advices', (tx, now, items) =>
    createAdvices(tx, { sealer, now }, items),
  )
  const initiations: Writers['initiations'] = batcher('initiations', (tx, now, items) =>
    initiateOnce(tx, { sealer, banks, quarantineDays, now }, items),
  )
  const credits: Writers['credits'] = batcher('credits', (tx, now, items) =>
    takeCredits(tx, { sealer, sharedAccounts, bankTimeMaxAgeMs, now }, items),
  )
  const drain = async () => {
    await Promise.all([accounts, advices, initiations, credits].map((writer) => writer.drain()))
  }
  return { accounts, advices, initiations, credits, drain }
}
