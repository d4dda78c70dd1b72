// Credits as each route submits them to the batcher: a notification, a requery or a statement may use
// different identifiers for the same transfer.

import type { IncomingCredit } from '#credits/judge.ts'
import { kobo } from '#money.ts'
import { bankOf, newSessionId } from './rail.ts'
import type { Bench } from './running-service.ts'

type Given = Partial<Omit<IncomingCredit, 'amountKobo'>> & { accountNumber: string; amount: number }

// In naira, by default from the number's bank.
export async function incomingCredit(
  bench: Pick<Bench, 'db'>,
  { amount, ...changes }: Given,
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

export async function takeIncoming(bench: Pick<Bench, 'db' | 'service'>, changes: Given) {
  return bench.service.writers.credits.submit(await incomingCredit(bench, changes))
}

export const naira = (amount: number) => kobo(BigInt(Math.round(amount * 100)))

export const chargesOf = (fee: number, vat = 0, duty = 0) => ({
  feeKobo: naira(fee),
  vatKobo: naira(vat),
  dutyKobo: naira(duty),
})

// One transfer by each route: every two routes share an identifier.
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
  const known = [
    { kind: 'bank_reference', value: reference },
    { kind: 'session_id', value: session },
    { kind: 'settlement_id', value: settlement },
  ]
  return { notification, requery, statement, known }
}

export function sortedByKind(identifiers: readonly { kind: string; value: string }[]) {
  return identifiers.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))
}
