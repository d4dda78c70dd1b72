// Converts a line of a statement to the credit that it shows. Pure. The credit gets all ids of
// the line, so that it is recognised when the bank reports it too. A line without ids is
// identified by its hash, so that it cannot be booked twice (I67).

import { cleanText, plainBankCode, withoutFutureTime } from '#banks/credit-fields.ts'
import type { GivenIdentifier } from '#banks/notifications.ts'
import { isAccountNumber } from '#banks/nuban.ts'
import { isNipSessionId, isSessionId } from '#banks/session-id.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import type { Sealer } from '#seal.ts'
import type { StatementRow } from './locked-differences.ts'

// No bank issues this number: its money is suspended as unidentified.
const NO_NUMBER = '0000000000'
const HASH_DIGITS = 40
const SOURCE_ACCOUNT_MAX = 34
const SOURCE_BANK_MAX = 35
// Placeholders of banks for a missing reference.
const NO_REFERENCE = /^(?:NONREF|NOTPROVIDED|NOT ?PROVIDED|NONE|N\/?A|NIL|[-.0*]*)$/i

export function statementCredit(
  line: StatementRow,
  { sealer, now }: { sealer: Sealer; now: Date },
): IncomingCredit {
  const [first, ...others] = identifiersOf(line) as [GivenIdentifier, ...GivenIdentifier[]]
  const { bankCode, currency, amountKobo, accountNumber } = line
  const credit = {
    sessionId: first.value,
    identifiedBy: first.kind,
    ...(first.isWeak ? { isWeak: true } : {}),
    otherIdentifiers: others,
    accountNumber: accountNumber && isAccountNumber(accountNumber) ? accountNumber : NO_NUMBER,
    amountKobo,
    currency,
    ...payerOf(line, sealer),
    narration: line.narration && cleanText(line.narration),
    transactionTime: null,
    transactionDate: line.bookedOn,
  }
  return { ...withoutFutureTime(credit, now), bankCode, source: 'statement' }
}

// A bank's reference may be the settlement id or even the session id of its notifications. One identifier
// too many costs a refusal; one too few books money twice.
function identifiersOf(line: StatementRow): GivenIdentifier[] {
  const { sessionId, bankReference, endToEndId } = line
  const session = usable(sessionId)
  const reference = usable(bankReference)
  const end = endToEndId && isNipSessionId(endToEndId) && !session ? endToEndId : undefined
  const ids: GivenIdentifier[] = [
    ...(session ? [{ kind: 'session_id' as const, value: session }] : []),
    ...(reference
      ? (['bank_reference', 'settlement_id'] as const).map((kind) => ({ kind, value: reference }))
      : []),
    ...(reference && !session ? [{ kind: 'session_id' as const, value: reference }] : []),
    ...(end ? [{ kind: 'session_id' as const, value: end, isWeak: true }] : []),
  ]
  return ids.length > 0 ? ids : [{ kind: 'bank_reference', value: lineReference(line) }]
}

// The identifier of a line without any other.
export function lineReference({ hash }: Pick<StatementRow, 'hash'>): string {
  return `LINE-${hash.toString('hex').slice(0, HASH_DIGITS)}`
}

function usable(name: string | null): string | undefined {
  return name !== null && isSessionId(name) && !NO_REFERENCE.test(name) ? name : undefined
}

// Half an account number names somebody else, so a long number is left out; a long name is cut.
function payerOf(line: StatementRow, sealer: Sealer) {
  const { counterpartySealed, counterpartyName, counterpartyBank } = line
  const account = counterpartySealed === null ? null : sealer.open(counterpartySealed)
  const whole = (text: string | null, lengthMax: number) =>
    text !== null && text.length <= lengthMax ? cleanText(text, lengthMax) : null
  const bank = whole(counterpartyBank, SOURCE_BANK_MAX)
  return {
    sourceAccountNumber: whole(account, SOURCE_ACCOUNT_MAX),
    sourceAccountName: counterpartyName && cleanText(counterpartyName),
    sourceBankCode: bank && plainBankCode(bank),
  }
}
