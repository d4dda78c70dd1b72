// Queries banks again for the names of accounts that settlements would be paid to. No transaction
// is open during a call. An answer counts only if the account has not changed since the query.
//
// Nobody waits for these: the worker makes a few per round, one at a time, and stops when a bank is
// silent.

import type { BankConnections } from '#banks/connector.ts'
import { dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { noteAnswer } from '#domain/payouts/bank-accounts.ts'
import { canEnquire, enquireName } from '#domain/payouts/enquire-name.ts'
import { claimEnquiry } from '#domain/payouts/name-enquiries.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

const ENQUIRIES_MAX = 10

export type EnquireDeps = {
  db: Pool
  clock: Clock
  sealer: Sealer
  bankConnections: BankConnections
}

export function enquireNamesRound(deps: EnquireDeps): Round {
  return async (signal) => {
    await enquireNames(deps, signal)
    return { more: false }
  }
}

export async function enquireNames(deps: EnquireDeps, signal?: AbortSignal): Promise<number> {
  const { db, clock, sealer, bankConnections } = deps
  if (!canEnquire(bankConnections)) return 0
  for (let count = 0; count < ENQUIRIES_MAX; count++) {
    if (signal?.aborted) return count
    const account = await withTransaction(db, (tx) => claimEnquiry(tx, dueNow(clock)))
    if (!account) return count
    const answer = await enquireName(db, bankConnections, {
      bankCode: account.bankCode,
      accountNumber: sealer.open(account.accountNumberSealed),
      expectedName: account.accountName,
    })
    const { now } = dueNow(clock)
    await withTransaction(db, (tx) => noteAnswer(tx, now, { account, answer }))
    if (answer.status === 'no_answer' && !answer.isUp) return count + 1
  }
  return ENQUIRIES_MAX
}
