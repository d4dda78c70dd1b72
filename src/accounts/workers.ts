// Workers that reserve numbers at banks, that send changes of accounts to banks, and that add up the
// transfers of accounts.
//
// The first one reserves numbers at the banks that issue them, until each pool is full. No transaction is
// open during a call, and a failing bank does not delay others. If a process dies before it records a
// reserved number, the next run asks the bank with the same reference again.

import type { BankConnections, ReservationAnswer } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { poolOf } from '#config/number-settings.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Logger } from '#log.ts'
import type { Round } from '#workers/loop.ts'
import { accountName } from './account.ts'
import {
  type ChangeResult,
  claimBankChange,
  type DueChange,
  recordBankAnswer,
} from './bank-changes.ts'
import { countHours } from './ledger-hours.ts'
import { countByMerchant } from './merchant-totals.ts'
import { beginRefill, endRefill, recordReservation } from './number-pools.ts'
import { recountShares } from './number-shares.ts'
import type { Reservation } from './reserved-numbers.ts'

const CALLS_AT_ONCE = 4

export type RefillDeps = {
  db: Pool
  clock: Clock
  log: Logger
  banks: readonly BankSettings[]
  bankConnections: BankConnections
}

// Refills all pools at the same time, so that a failing bank does not delay the others. `more` asks for
// another round at once.
export function refillNumberPoolsRound(deps: RefillDeps): Round {
  const reservingBanks = deps.banks.filter((bank) => bank.numbers === 'reserved')
  return async (signal) => {
    const rounds = await Promise.all(reservingBanks.map((bank) => refillPool(deps, bank, signal)))
    return { more: rounds.includes(true) }
  }
}

// Asks the bank for the missing numbers, a few at a time, until a call fails. Returns whether another refill
// should follow at once.
async function refillPool(
  { db, clock, log, bankConnections }: RefillDeps,
  bank: BankSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const reservations = await withTransaction(db, (tx) => beginRefill(tx, clock(), bank))
  if (!reservations) return false
  const failures: string[] = []
  // Asks for one number after the other. CALLS_AT_ONCE of these loops run at the same time.
  const reserveUntilDone = async () => {
    for (;;) {
      const reservation = reservations.shift()
      if (!reservation || failures.length > 0 || signal.aborted) return
      const answer = await requestNumber(bankConnections, { bank, reservation, signal })
      const failure = await withTransaction(db, (tx) =>
        recordReservation(tx, clock(), { bankCode: bank.code, reservation, answer }),
      )
      if (failure !== undefined && !signal.aborted) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, reserveUntilDone))
  const [reason] = failures
  if (reason !== undefined) log.warn({ bank: bank.code, reason }, 'the bank reserved no number')
  const hasFailed = reason !== undefined
  return withTransaction(db, (tx) => endRefill(tx, clock(), { bank, hasFailed }))
}

type NumberCall = { bank: BankSettings; reservation: Reservation; signal: AbortSignal }

// Asks the bank for the number of a reservation. A bank without this call counts as silent, so that its pool
// is tried again later.
async function requestNumber(
  connections: BankConnections,
  { bank, reservation: { reference, purpose }, signal }: NumberCall,
): Promise<ReservationAnswer> {
  const reserveAccount = connections.get(bank.code)?.calls.reserveAccount
  if (!reserveAccount) return { status: 'no_answer', reason: 'the bank cannot be asked' }
  const { accountName } = poolOf(bank)
  return reserveAccount({ kind: purpose, reference, accountName, customer: null }, { signal })
}

// The second worker sends account names and blocks to the banks that issued the numbers. No transaction is
// open during a call. A call may be repeated after a crash: renaming or blocking twice does no harm.

const SEND_MAX = 50

export type BankChangesDeps = {
  db: Pool
  clock: Clock
  banks: readonly BankSettings[]
  bankConnections: BankConnections
  nameStyle: string // Name enquiries use this style too, so that payers see one name.
}

// Sends the pending account changes to all banks at the same time. Leaves out banks whose numbers come from
// ranges and that have no call for changes.
export function sendBankChangesRound(deps: BankChangesDeps): Round {
  const codes = deps.banks.flatMap(({ code, numbers = 'ranges' }) => {
    const { renameAccount, blockAccount } = deps.bankConnections.get(code)?.calls ?? {}
    return numbers !== 'ranges' || renameAccount || blockAccount ? code : []
  })
  return async (signal) => {
    const rounds = await Promise.all(codes.map((code) => sendToBank(deps, code, signal)))
    return { more: rounds.includes(true) }
  }
}

// Sends until no change is due or the bank does not answer. Returns whether more may be due now.
async function sendToBank(
  { db, clock, bankConnections, nameStyle }: BankChangesDeps,
  bankCode: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (let count = 0; count < SEND_MAX; count++) {
    if (signal.aborted) return false
    const due = await withTransaction(db, (tx) => claimBankChange(tx, clock(), bankCode))
    if (!due) return false
    const answer = await sendChange(bankConnections, { bankCode, due, nameStyle })
    await withTransaction(db, (tx) => recordBankAnswer(tx, clock(), { bankCode, due, answer }))
    if (answer.status === 'no_answer') return false
  }
  return true
}

// Sends a rename or a block to the bank. Drops the change if the bank has no call for it.
async function sendChange(
  connections: BankConnections,
  { bankCode, due, nameStyle }: { bankCode: string; due: DueChange; nameStyle: string },
): Promise<ChangeResult> {
  const account = { accountNumber: due.accountNumber, reference: due.reference }
  const { renameAccount, blockAccount } = connections.get(bankCode)?.calls ?? {}
  if (due.change === 'rename' && renameAccount) {
    return renameAccount({ ...account, accountName: accountName(nameStyle, due) }, {})
  }
  if (due.change === 'block' && blockAccount) return blockAccount(account, {})
  return { status: 'dropped', reason: 'the bank has no such call' }
}

// Adds uncounted transfers to the totals by merchant, one transaction at a time.
export function countByMerchantRound({ db }: { db: Pool }): Round {
  return async () => ({ more: await withTransaction(db, countByMerchant) })
}

// Adds uncounted transfers to the sums by hour, one transaction at a time.
export function countHoursRound({ db }: { db: Pool }): Round {
  return async () => ({ more: await withTransaction(db, countHours) })
}

// Counts again the numbers that clients hold at banks.
export function recountSharesRound({ db, clock }: { db: Pool; clock: Clock }): Round {
  return () => recountShares(db, clock())
}
