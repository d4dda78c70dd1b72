// Chooses credits that a requery or a statement finds in a simulation. They have other kinds of identifiers
// than a notification, often the bank's charges, and are often credits that were notified before.

import assert from 'node:assert/strict'
import type { IdentifierKind } from '#banks/notifications.ts'
import type { CreditSource, IncomingCredit } from '#credits/judge.ts'
import type { Kobo } from '#money.ts'
import type { Answer, Op } from '../support/model.ts'
import type { CreditReport } from '../support/model-money.ts'
import type { Charges, CreditIdentifier } from '../support/model-places.ts'
import type { Choices } from './choices.ts'
import { chooseCredit } from './credit-choices.ts'
import { BANK_CODES, type World } from './world.ts'

const FINDINGS_MAX = 5

// Chooses the credits that one requery or statement of a bank finds.
export function chooseFindings(choices: Choices): Op {
  const bank = choices.chance(50) ? '035' : choices.random.pick(BANK_CODES)
  const count = choices.random.integer(1, FINDINGS_MAX)
  const credits = Array.from({ length: count }, () => chooseFinding(choices, bank))
  return { do: 'findings', credits }
}

// A credit that the bank names by one to three identifiers. If the service knows the credit, one of them is
// mostly an identifier that it already has.
function chooseFinding(choices: Choices, bank: string): CreditReport {
  const { random, books } = choices
  const { fault: _, ...report } = chooseCredit(choices, bank)
  const known = books.creditsByIdentifier.get(`${report.sessionId}@${bank}`)
  const sessionIdentifier = { kind: 'session_id', value: report.sessionId }
  const ownIdentifier = known ? random.pick(known.identifiers) : sessionIdentifier
  const identifiers = random.pick([
    [ownIdentifier],
    [ownIdentifier, newIdentifier(choices)],
    [newIdentifier(choices), ownIdentifier],
    [newIdentifier(choices), ownIdentifier, newIdentifier(choices)],
    [newIdentifier(choices)],
  ])
  // Sometimes adds an identifier of another credit, which the service must refuse.
  const otherCredit = choices.chance(4) ? choices.recent(books.credits) : undefined
  if (otherCredit?.bank === bank) identifiers.push(random.pick(otherCredit.identifiers))
  const [first, ...others] = identifiers as [CreditIdentifier, ...CreditIdentifier[]]
  const source = random.pick(['requery', 'statement'])
  const finding = { ...report, sessionId: first.value, kind: first.kind, others, source }
  return choices.chance(50) ? { ...finding, charges: chooseCharges(choices, report.kobo) } : finding
}

// A random identifier that no credit has yet.
function newIdentifier(choices: Choices): CreditIdentifier {
  const value = choices.newSession()
  return choices.random.pick([
    { kind: 'settlement_id', value: `S${value}` },
    { kind: 'bank_reference', value: `R/${value}` },
    { kind: 'session_id', value },
  ])
}

// Charges that are together less than the amount.
function chooseCharges(choices: Choices, kobo: bigint): Charges {
  const part = () => (choices.chance(30) ? 0n : choices.kobo(0, Number((kobo - 1n) / 3n)))
  return { fee: part(), vat: part(), duty: part() }
}

// Submits the credits directly to a service's batcher, because banks do not report findings. Returns the
// results in the form of a bank's acknowledgements.
export async function takeFindings(
  world: World,
  { credits }: Extract<Op, { do: 'findings' }>,
): Promise<Answer> {
  assert(world.take, 'nothing is found in this world')
  const results = await world.take(credits.map((credit) => incomingOf(credit, world.now())))
  return results.map((result) => {
    assert(result.ok, world.complaints())
    const value = result.value
    if (value.status === 'session_reused') {
      return { responseCode: '02', outcome: 'rejected', code: value.status }
    }
    const code = value.reason === null ? {} : { code: value.reason }
    return value.status === 'duplicate'
      ? { responseCode: '01', outcome: 'duplicate', ...code }
      : { responseCode: '00', outcome: value.outcome, ...code }
  })
}

// A report of the model in the form that the service's batcher takes.
function incomingOf(report: CreditReport, now: number): IncomingCredit {
  const { bank, sessionId, number, kobo, currency, payer, agoMs, charges } = report
  return {
    bankCode: bank,
    sessionId,
    identifiedBy: report.kind as IdentifierKind,
    otherIdentifiers: report.others as IncomingCredit['otherIdentifiers'] & object,
    source: report.source as CreditSource,
    accountNumber: number,
    amountKobo: kobo as Kobo,
    currency,
    sourceAccountName: payer.name,
    sourceAccountNumber: payer.account,
    sourceBankCode: payer.bank,
    narration: null,
    transactionTime: agoMs === undefined ? null : new Date(now - agoMs),
    ...(charges
      ? {
          charges: {
            feeKobo: charges.fee as Kobo,
            vatKobo: charges.vat as Kobo,
            dutyKobo: charges.duty as Kobo,
          },
        }
      : {}),
  }
}
