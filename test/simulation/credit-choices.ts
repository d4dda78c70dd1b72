// The credits of a simulation: one, or a list, of every kind that a bank may report, valid or not.

import type { Fault, Op } from '../support/model.ts'
import type { CreditReport } from '../support/model-money.ts'
import type { Payment } from '../support/model-places.ts'
import { type Choices, sessionOf } from './choices.ts'
import { LISTED, UNLISTED } from './requests.ts'
import { BANK_CODES } from './world.ts'

const LIST_MAX = 16
const AGAIN_TRIES = 5
const OWN_TRIES = 10
const AGO_MS = [0, 1, 1_000, 60_000, 600_000, 3_600_000, 100 * 3_600_000]

type Report = CreditReport & { fault?: Fault }

const FAULTS: readonly Fault[] = [
  { fields: { amount: '10.001' }, code: 'invalid_amount', isMoney: true },
  { fields: { amount: 0 }, code: 'invalid_amount', isMoney: false },
  { fields: { amount: '-5' }, code: 'invalid_amount', isMoney: false },
  { fields: { sessionId: 'x'.repeat(65) }, code: 'invalid_session_id', isMoney: true },
  { fields: { accountNumber: '12345' }, code: 'invalid_account_number', isMoney: true },
  { fields: { currency: 'NAIRA' }, code: 'invalid_currency', isMoney: true },
]

export function chooseCredits(choices: Choices): Op {
  const isList = choices.chance(40)
  const bank = choices.chance(50) ? '035' : choices.random.pick(BANK_CODES)
  const count = isList ? choices.random.integer(1, LIST_MAX) : 1
  const credits: Report[] = []
  for (let at = 0; at < count; at++) {
    // A list may repeat a credit, or hold two that want the same money.
    const before = credits.at(-1)
    const isRepeat = before && !before.fault && choices.chance(8)
    credits.push(isRepeat ? again(choices, before) : chooseCredit(choices, bank))
  }
  return { do: 'credits', credits, isList }
}

export function chooseCredit(choices: Choices, bank: string): Report {
  const kind = choices.random.integer(1, 100)
  if (kind <= 3) return { ...newCredit(choices, bank), fault: choices.random.pick(FAULTS) }
  if (kind <= 7) return newCredit(choices, bank)
  if (kind <= 17) return earlierAgain(choices, bank) ?? newCredit(choices, bank)
  const isOwnBank = bank === '035' || choices.chance(5)
  const account = kind <= 35 && isOwnBank ? choices.recent(choices.books.accounts) : undefined
  if (account) return { ...newCredit(choices, bank), number: account.number }
  const payment = choosePayment(choices, bank)
  return payment ? paymentOf(choices, payment, bank) : newCredit(choices, bank)
}

// To an unknown number by default.
function newCredit(choices: Choices, bank: string): Report {
  const { random } = choices
  return {
    bank,
    sessionId: choices.newSession(),
    number: `00000000${random.integer(10, 99)}`,
    kobo: choices.kobo(1, 500_00),
    currency: choices.chance(2) ? 'USD' : 'NGN',
    payer: random.pick(choices.chance(70) ? LISTED : UNLISTED),
    ...(choices.isTimeless || choices.chance(70) ? {} : { agoMs: random.pick(AGO_MS) }),
  }
}

// To the payment's number at this bank, if it has one; else to one of another bank.
export function paymentOf(choices: Choices, payment: Payment, bank?: string): Report {
  const [someBank, some] = choices.random.pick([...payment.numbers]) as [string, string]
  const number = (bank && payment.numbers.get(bank)) ?? some
  return { ...newCredit(choices, bank ?? someBank), number, kobo: amountFor(choices, payment) }
}

function choosePayment(choices: Choices, bank: string): Payment | undefined {
  const isAnyBank = choices.chance(5)
  for (let attempt = 0; attempt < OWN_TRIES; attempt++) {
    const isOpen = choices.chance(85)
    const payment = (isOpen && choices.openPayment()) || choices.recent(choices.books.payments)
    if (payment && (isAnyBank || payment.numbers.has(bank))) return payment
  }
  return undefined
}

function amountFor(choices: Choices, payment: Payment): bigint {
  const { dueKobo: due } = payment
  const whole = payment.advice.terms.kobo
  const part = due > 1n ? choices.kobo(1, Number(due)) : 1n
  const less = [part, part, part, part, due - 1n]
  const some = [due, due, ...less, due + 1n, whole, whole + 1n, due * 2n]
  const kobo = choices.random.pick(some)
  return kobo > 0n ? kobo : 1n
}

// The same session id: mostly with the same terms, sometimes with others.
function again(choices: Choices, credit: Report): Report {
  if (choices.chance(65)) return credit
  return choices.random.pick([
    { ...credit, kobo: credit.kobo + 1n },
    { ...credit, number: '0000000009' },
    { ...credit, currency: credit.currency === 'NGN' ? 'USD' : 'NGN' },
  ])
}

function earlierAgain(choices: Choices, bank: string): Report | undefined {
  for (let attempt = 0; attempt < AGAIN_TRIES; attempt++) {
    const earlier = choices.recent(choices.books.credits, 300)
    if (earlier?.bank !== bank) continue
    const sessionId = sessionOf(earlier)
    if (sessionId === undefined) continue
    const { number, kobo, currency } = earlier
    const payer = choices.random.pick(LISTED)
    return again(choices, { bank, sessionId, number, kobo, currency, payer })
  }
  return undefined
}
