// Asks a bank under what name an account is held. Never within a transaction, and it never throws:
// what is silent is no answer.

import type { BankConnections, NameAnswer, NamedAccount } from '#banks/connector.ts'
import { systemClock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { CURRENCY, kobo } from '#money.ts'
import { chooseSendingBank } from './choose-sending-bank.ts'

// Where no bank can be asked, accounts stay unconfirmed.
export function canEnquire(bankConnections: BankConnections): boolean {
  return [...bankConnections.values()].some(({ calls }) => calls.enquireName)
}

// The bank that would send the money, or else any that can be asked.
export async function enquireName(
  db: Queryable,
  bankConnections: BankConnections,
  account: NamedAccount,
): Promise<NameAnswer> {
  const { bankCode } = await chooseSendingBank(db, {
    ...{ bankConnections, currency: CURRENCY, amountKobo: kobo(0n) },
    ...{ now: systemClock(), draw: 0 },
  })
  const calls = [bankConnections.get(bankCode), ...bankConnections.values()].map(
    (connection) => connection?.calls.enquireName,
  )
  const ask = calls.find((call) => call !== undefined)
  if (!ask) return { status: 'no_answer', reason: 'No bank can be asked for names.' }
  return ask(account, {})
}
