// Reserves numbers at the banks that issue them, until each pool is full. No transaction is open
// during a call, and a failing bank does not delay others.
//
// If a process dies before it records a reserved number, the next round asks for the same reference
// again.

import type { BankConnections, ReservationAnswer } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { poolOf } from '#config/number-settings.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { beginRefill, endRefill, recordReservation } from '#domain/accounts/number-pools.ts'
import type { Reservation } from '#domain/accounts/reserved-numbers.ts'
import type { Logger } from '#log.ts'
import type { Round } from './loop.ts'

const CALLS_AT_ONCE = 4

export type RefillDeps = {
  db: Pool
  clock: Clock
  log: Logger
  banks: readonly BankSettings[]
  bankConnections: BankConnections
}

export function refillNumberPoolsRound(deps: RefillDeps): Round {
  const reserving = deps.banks.filter((bank) => bank.numbers === 'reserved')
  return async (signal) => {
    const rounds = await Promise.all(reserving.map((bank) => refill(deps, bank, signal)))
    return { more: rounds.includes(true) }
  }
}

async function refill(
  { db, clock, log, bankConnections }: RefillDeps,
  bank: BankSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const reservations = await withTransaction(db, (tx) => beginRefill(tx, clock(), bank))
  if (!reservations) return false
  const failures: string[] = []
  const askInTurn = async () => {
    for (;;) {
      const reservation = reservations.shift()
      if (!reservation || failures.length > 0 || signal.aborted) return
      const answer = await ask(bankConnections, { bank, reservation, signal })
      const failure = await withTransaction(db, (tx) =>
        recordReservation(tx, clock(), { bankCode: bank.code, reservation, answer }),
      )
      if (failure !== undefined && !signal.aborted) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, askInTurn))
  const [reason] = failures
  if (reason !== undefined) log.warn({ bank: bank.code, reason }, 'the bank reserved no number')
  const hasFailed = reason !== undefined
  return withTransaction(db, (tx) => endRefill(tx, clock(), { bank, hasFailed }))
}

type Question = { bank: BankSettings; reservation: Reservation; signal: AbortSignal }

async function ask(
  connections: BankConnections,
  { bank, reservation: { reference, purpose }, signal }: Question,
): Promise<ReservationAnswer> {
  const reserveAccount = connections.get(bank.code)?.calls.reserveAccount
  if (!reserveAccount) return { status: 'no_answer', reason: 'the bank cannot be asked' }
  const { accountName } = poolOf(bank)
  return reserveAccount({ kind: purpose, reference, accountName, customer: null }, { signal })
}
