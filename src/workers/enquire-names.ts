// Asks banks again whose accounts are, of those that settlements would be paid to. No transaction is open
// during a call, and an answer counts only for an account that is as it was when its bank was asked.
//
// Nobody waits for these: one at a time, a few each round, and none after a bank that is silent.

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

// Answers how many were asked about.
export async function enquireNames(deps: EnquireDeps, signal?: AbortSignal): Promise<number> {
  const { db, clock, sealer, bankConnections } = deps
  if (!canEnquire(bankConnections)) return 0
  for (let asked = 0; asked < ENQUIRIES_MAX; asked++) {
    if (signal?.aborted) return asked
    const account = await withTransaction(db, (tx) => claimEnquiry(tx, dueNow(clock)))
    if (!account) return asked
    const answer = await enquireName(db, bankConnections, {
      bankCode: account.bankCode,
      accountNumber: sealer.open(account.accountNumberSealed),
      expectedName: account.accountName,
    })
    const { now } = dueNow(clock)
    await withTransaction(db, (tx) => noteAnswer(tx, now, { account, answer }))
    if (answer.status === 'no_answer' && !answer.isUp) return asked + 1
  }
  return ENQUIRIES_MAX
}
