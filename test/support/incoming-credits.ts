// Credits in the form in which routes and workers submit them to the batcher. A notification, a requery and a
// statement may use different identifiers for the same transfer.

import type { IncomingCredit } from '#credits/judge.ts'
import { kobo } from '#money.ts'
import { bankOf, newSessionId } from './rail.ts'
import type { Bench } from './running-service.ts'

type CreditInput = Partial<Omit<IncomingCredit, 'amountKobo'>> & {
  accountNumber: string
  amount: number
}

// A credit with this amount in naira, by default reported by the bank of the account number.
export async function incomingCredit(
  bench: Pick<Bench, 'db'>,
  { amount, ...changes }: CreditInput,
): Promise<IncomingCredit> {
  return {
    sessionId: newSessionId(),
    amountKobo: naira(amount),
    bankCode: await bankOf(bench, changes.accountNumber),
    currency: 'NGN',
    sourceAccountNumber: null,
    sourceAccountName: 'Ada Obi',
    sourceBankCode: null,
    narration: null,
    transactionTime: null,
    ...changes,
  }
}

// Submits a credit to the batcher, without HTTP; returns its result.
export async function takeIncoming(bench: Pick<Bench, 'db' | 'service'>, changes: CreditInput) {
  return bench.service.writers.credits.submit(await incomingCredit(bench, changes))
}

export const naira = (amount: number) => kobo(BigInt(Math.round(amount * 100)))

// The charges, in naira, that a bank withheld from a credit.
export const chargesOf = (fee: number, vat = 0, duty = 0) => ({
  feeKobo: naira(fee),
  vatKobo: naira(vat),
  dutyKobo: naira(duty),
})

// The same transfer as a notification, a requery and a statement report it. Each two of them share one
// identifier. `known` lists all identifiers, sorted by kind.
export async function routesOf(bench: Pick<Bench, 'db'>, accountNumber: string) {
  const session = newSessionId()
  const settlement = `SETTLE-${session}`
  const reference = `REF/${session}`
  const credit = await incomingCredit(bench, { accountNumber, amount: 10 })
  const notification: IncomingCredit = {
    ...credit,
    sessionId: session,
    otherIdentifiers: [{ kind: 'settlement_id', value: settlement }],
  }
  const requery: IncomingCredit = {
    ...credit,
    sessionId: settlement,
    identifiedBy: 'settlement_id',
    otherIdentifiers: [{ kind: 'bank_reference', value: reference }],
    source: 'requery',
  }
  const statement: IncomingCredit = {
    ...credit,
    sessionId: reference,
    identifiedBy: 'bank_reference',
    otherIdentifiers: [{ kind: 'session_id', value: session }],
    source: 'statement',
  }
  const allIdentifiers = [
    { kind: 'bank_reference', value: reference },
    { kind: 'session_id', value: session },
    { kind: 'settlement_id', value: settlement },
  ]
  return { notification, requery, statement, known: allIdentifiers }
}

export function sortedByKind(identifiers: readonly { kind: string; value: string }[]) {
  return identifiers.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))
}
