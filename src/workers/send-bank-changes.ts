// Sends account names and blocks to the banks that issued the accounts. No transaction is open
// during a call. A call may be repeated after a crash: renaming or blocking twice does no harm.

import type { BankConnections } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { accountName } from '#domain/accounts/account-names.ts'
import {
  type ChangeResult,
  claimBankChange,
  type DueChange,
  recordBankAnswer,
} from '#domain/accounts/bank-account-changes.ts'
import type { Round } from './loop.ts'

const SEND_MAX = 50

export type BankChangesDeps = {
  db: Pool
  clock: Clock
  banks: readonly BankSettings[]
  bankConnections: BankConnections
  nameStyle: string // The same as in name enquiries, so that payers see one name.
}

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

// Sends until nothing is left or the bank is silent. Returns whether more may be due now.
async function sendToBank(
  { db, clock, bankConnections, nameStyle }: BankChangesDeps,
  bankCode: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (let count = 0; count < SEND_MAX; count++) {
    if (signal.aborted) return false
    const due = await withTransaction(db, (tx) => claimBankChange(tx, clock(), bankCode))
    if (!due) return false
    const answer = await send(bankConnections, { bankCode, due, nameStyle })
    await withTransaction(db, (tx) => recordBankAnswer(tx, clock(), { bankCode, due, answer }))
    if (answer.status === 'no_answer') return false
  }
  return true
}

type BankChangeCall = { bankCode: string; due: DueChange; nameStyle: string }

async function send(
  connections: BankConnections,
  { bankCode, due, nameStyle }: BankChangeCall,
): Promise<ChangeResult> {
  const account = { accountNumber: due.accountNumber, reference: due.reference }
  const { renameAccount, blockAccount } = connections.get(bankCode)?.calls ?? {}
  if (due.change === 'rename' && renameAccount) {
    return renameAccount({ ...account, accountName: accountName(nameStyle, due) }, {})
  }
  if (due.change === 'block' && blockAccount) return blockAccount(account, {})
  return { status: 'dropped', reason: 'the bank has no such call' }
}
