// Sends returns to the banks and books their responses.
//
// No transaction is open during a bank call. A crash between the response and the commit repeats
// the call, which connectors must allow (src/banks/connector.ts).

import type { BankConnector } from '#banks/return-senders.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { settleReturn } from '#domain/suspense/return-suspense.ts'
import { findInstructions } from '#domain/suspense/returns.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

const SEND_MAX = 50

export type SendReturnsDeps = {
  db: Pool
  batchPool: Pool
  sealer: Sealer
  sharedAccounts: SharedAccounts
  connector: BankConnector
  clock: Clock
}

export function sendReturnsRound(deps: SendReturnsDeps): Round {
  const { db, batchPool, sealer, sharedAccounts, connector, clock } = deps
  return async () => {
    const failures: unknown[] = []
    let afterId = 0n
    for (;;) {
      const instructions = await findInstructions(db, sealer, { afterId, limit: SEND_MAX })
      for (const { returnId, ...instruction } of instructions) {
        afterId = returnId
        try {
          const verdict = await connector.sendReturn(instruction)
          if (verdict.status === 'pending') continue
          const { reference, bankCode } = instruction
          const by = `bank:${bankCode}`
          await withTransaction(batchPool, (tx) =>
            settleReturn(tx, { sharedAccounts, now: clock() }, { reference, verdict, by }),
          )
        } catch (error) {
          failures.push(error) // One that cannot be sent holds up no other.
        }
      }
      if (instructions.length < SEND_MAX) break
    }
    if (failures.length > 0) throw failures[0]
    return { more: false }
  }
}
