// Chooses the credits that banks report in a simulation: one or a list, valid or faulty, new or repeated.

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

// Chooses one credit, or a list of credits, of one bank. Bank 035 gets at least half of the choices, because
// all collection accounts are at this bank.
export function chooseCredits(choices: Choices): Op {
  const isList = choices.chance(40)
  const bank = choices.chance(50) ? '035' : choices.random.pick(BANK_CODES)
  const count = isList ? choices.random.integer(1, LIST_MAX) : 1
  const credits: Report[] = []
  for (let at = 0; at < count; at++) {
    // A list may repeat the credit before, with the same or other terms.
    const before = credits.at(-1)
    const isRepeat = before && !before.fault && choices.chance(8)
    credits.push(isRepeat ? again(choices, before) : chooseCredit(choices, bank))
  }
  return { do: 'credits', credits, isList }
}

// Chooses a credit by chance: 3 of 100 are faulty, 4 go to an unknown number, 10 repeat an earlier credit, up
// to 18 go to a collection account, and the others go to a payment.
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

// A credit with a new session id, to an unknown number.
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

// A credit to the payment's number at this bank or, if it has none there, to its number at another bank.
export function paymentOf(choices: Choices, payment: Payment, bank?: string): Report {
  const [someBank, someNumber] = choices.random.pick([...payment.numbers]) as [string, string]
  const number = (bank && payment.numbers.get(bank)) ?? someNumber
  return { ...newCredit(choices, bank ?? someBank), number, kobo: amountFor(choices, payment) }
}

// A payment with a number at this bank, mostly an open one; sometimes of any bank.
function choosePayment(choices: Choices, bank: string): Payment | undefined {
  const isAnyBank = choices.chance(5)
  for (let attempt = 0; attempt < OWN_TRIES; attempt++) {
    const isOpen = choices.chance(85)
    const payment = (isOpen && choices.openPayment()) || choices.recent(choices.books.payments)
    if (payment && (isAnyBank || payment.numbers.has(bank))) return payment
  }
  return undefined
}

// An amount for a payment: what is due, a part, a kobo more or less, or twice as much.
function amountFor(choices: Choices, payment: Payment): bigint {
  const { dueKobo: due } = payment
  const whole = payment.advice.terms.kobo
  const part = due > 1n ? choices.kobo(1, Number(due)) : 1n
  // An amount that is listed several times is chosen more often.
  const smaller = [part, part, part, part, due - 1n]
  const kobo = choices.random.pick([
    ...[due, due],
    ...smaller,
    ...[due + 1n, whole, whole + 1n, due * 2n],
  ])
  return kobo > 0n ? kobo : 1n
}

// A report with the same session id: mostly with the same terms, sometimes with others.
function again(choices: Choices, credit: Report): Report {
  if (choices.chance(65)) return credit
  return choices.random.pick([
    { ...credit, kobo: credit.kobo + 1n },
    { ...credit, number: '0000000009' },
    { ...credit, currency: credit.currency === 'NGN' ? 'USD' : 'NGN' },
  ])
}

// A repeated report of an earlier credit of this bank.
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
