// The model: a second, far simpler Manilla, written from the design and not from the code. The simulation
// tests give the same operations to the service and to the model, which predicts the service's responses.
//
// The model takes values that it cannot predict (account numbers, references) from the service's response,
// after checking that the service was free to choose them.

import assert from 'node:assert/strict'
import type { Books } from './model-books.ts'
import { askedOf, type FeeRule, ruleOf } from './model-fees.ts'
import {
  assign,
  type CreditReport,
  closePayment,
  giveBack,
  type ReversalReport,
  storeFaultyReport,
  takeBack,
  takeCredit,
} from './model-money.ts'
import {
  Account,
  Advice,
  type Limits,
  Payment,
  type RailAnswer,
  type Rules,
  type Terms,
} from './model-places.ts'
import { flatKobo } from './model-splits.ts'

// A fault in the report of a credit. A faulty report is never booked; if it names money, it is stored.
export type Fault = { fields: Record<string, unknown>; code: string; isMoney: boolean }

export type Op =
  | { do: 'account'; client: string; rules: Rules | null; split: string | null }
  | { do: 'activate' | 'deactivate'; account: string }
  | { do: 'limit'; account: string; limits: Limits }
  | { do: 'rule'; client: string; rule: FeeRule } // A fee rule from now on.
  | { do: 'advice'; client: string; terms: Terms }
  | { do: 'initiate'; advice: string; bank: string }
  | { do: 'cancel'; client: string; advice: string }
  | { do: 'credits'; credits: (CreditReport & { fault?: Fault })[]; isList: boolean }
  | { do: 'findings'; credits: CreditReport[] } // Credits that a requery or a statement found.
  | ({ do: 'reversal' } & ReversalReport)
  | { do: 'assign'; client: string; credit: string; to: { account: string } | { payment: string } }
  | { do: 'return'; client: string; credit: string }
  | { do: 'read'; client: string; payment: string }
  | { do: 'expire' }
  | { do: 'wait'; ms: number }

const COLLECTION_BANK = '035' // All collection accounts are at this bank.

// The part of a response that the model predicts.
export type Answer = object

type Started = { number: string; payment: string }

export class Model {
  readonly books: Books

  constructor(books: Books) {
    this.books = books
  }

  // Predicts the answer. `actual` supplies the values that only the service can choose.
  apply(op: Op, actual: Answer): Answer {
    const { books } = this
    switch (op.do) {
      case 'account':
        return this.#openAccount(op, actual)
      case 'activate':
      case 'deactivate':
        return this.#switch(get(books.accounts, op.account), op.do)
      case 'limit':
        return this.#limit(get(books.accounts, op.account), op.limits)
      case 'rule':
        return this.#setFeeRule(op.client, op.rule)
      case 'advice':
        return this.#createAdvice(op.client, op.terms, actual)
      case 'initiate':
        return this.#initiate(op.advice, op.bank, actual)
      case 'cancel':
        return this.#cancel(op.client, op.advice)
      case 'credits':
        return op.credits.map(({ fault, ...credit }): RailAnswer => {
          return fault ? storeFaultyReport(books, credit, fault) : takeCredit(books, credit)
        })
      case 'findings':
        return op.credits.map((credit) => takeCredit(books, credit))
      case 'reversal':
        return takeBack(books, op)
      case 'assign':
        return assign(books, get(books.clients, op.client), op.credit, op.to)
      case 'return':
        return giveBack(books, get(books.clients, op.client), op.credit)
      case 'read':
        return this.#read(op.client, op.payment)
      case 'expire':
        return this.#expire()
      case 'wait':
        books.now += op.ms
        return {}
    }
  }

  #openAccount(op: Extract<Op, { do: 'account' }>, actual: Answer): Answer {
    const { number } = actual as { number: string }
    const client = get(this.books.clients, op.client)
    const account = new Account(client, number, op)
    assert(!this.books.numbers.has(number), `${number} was given out before`)
    this.books.accounts.set(number, account)
    this.books.numbers.set(number, { owner: account, bank: COLLECTION_BANK })
    client.tell(number, 'account.created')
    return { number }
  }

  // Activates or deactivates an account. There is an event only if this changes something.
  #switch(account: Account, how: 'activate' | 'deactivate'): Answer {
    const isActive = how === 'activate'
    if (account.isActive !== isActive) this.#tellOf(account, `account.${how}d`)
    account.isActive = isActive
    return {}
  }

  // Sets the account's limits. There is an event only if this changes something.
  #limit(account: Account, limits: Limits): Answer {
    const { creditKobo, dayKobo, balanceKobo } = account.limits
    const isSame =
      creditKobo === limits.creditKobo &&
      dayKobo === limits.dayKobo &&
      balanceKobo === limits.balanceKobo
    if (!isSame) this.#tellOf(account, 'account.updated')
    account.limits = limits
    return {}
  }

  // Sets the client's fee rule from now on. A second rule that starts at the same moment is refused.
  #setFeeRule(client: string, rule: FeeRule): Answer {
    const { rules, now } = this.books
    if (rules.get(client)?.from === now) return { refused: 'fee_rule_overlaps' }
    rules.set(client, { from: now, rule })
    return { isDone: true }
  }

  // Records an account event with the balance.
  #tellOf({ client, number, kobo }: Account, type: string): void {
    client.tell(number, `${type} ${kobo}`)
  }

  #createAdvice(clientName: string, terms: Terms, actual: Answer): Answer {
    const { books } = this
    const refName = `${clientName}/${terms.merchantRef}`
    const earlier = terms.merchantRef === null ? undefined : books.advicesByRef.get(refName)
    if (earlier) {
      const isSame = textOf(earlier.terms) === textOf(terms)
      return isSame ? { advice: earlier.reference } : { refused: 'merchant_ref_reused' }
    }
    if (flatKobo(terms.split) > terms.kobo) return { refused: 'invalid_request' }
    const { advice: reference } = actual as { advice: string }
    assert(!books.advices.has(reference), `${reference} was given out before`)
    const advice = new Advice(get(books.clients, clientName), reference, terms)
    books.advices.set(reference, advice)
    if (terms.merchantRef !== null) books.advicesByRef.set(refName, advice)
    return { advice: reference }
  }

  // A payer chooses a bank: leases a number there, or returns the number that the payment already has.
  #initiate(reference: string, bank: string, actual: Answer): Answer {
    const { books } = this
    const advice = books.advices.get(reference)
    if (!advice) return { refused: 'advice_not_found' }
    if (!books.numbersAt.has(bank)) return { refused: 'bank_not_supported' }
    if (advice.isCancelled) return { refused: 'advice_cancelled' }
    const status = advice.payment?.statusAt(books.now)
    if (status === 'Successful') return { refused: 'advice_paid' }
    if (status === 'Expired') return { refused: 'advice_expired' }
    if (status === 'Reversed') return { refused: 'advice_reversed' }
    const number = advice.payment?.numbers.get(bank)
    if (!advice.payment || number === undefined) return this.#lease(advice, bank, actual)
    return started(advice.payment, number, books.now)
  }

  #lease(advice: Advice, bank: string, actual: Answer): Answer {
    const { books } = this
    if ('refused' in actual) {
      assert.equal(books.freeNumbersAt(bank), 0, `there are numbers left at ${bank}`)
      return { refused: 'numbers_exhausted' }
    }
    const { number, payment: reference } = actual as Started
    assert(books.isFree(number), `${number} is live or in quarantine`)
    if (!advice.payment) {
      assert(!books.payments.has(reference), `${reference} was given out before`)
      const rule = ruleOf(books, advice.client)
      const askedKobo = askedOf(rule, advice.terms.kobo)
      advice.payment = new Payment(advice, reference, { now: books.now, rule, askedKobo })
      books.payments.set(reference, advice.payment)
      advice.client.tell(reference, 'payment.processing Processing 0')
    }
    advice.payment.numbers.set(bank, number)
    const isReused = books.numbers.has(number)
    books.numbers.set(number, { owner: advice.payment, bank, isReused })
    return started(advice.payment, number, books.now)
  }

  #cancel(clientName: string, reference: string): Answer {
    const { books } = this
    const advice = books.advices.get(reference)
    if (advice?.client.name !== clientName) return { refused: 'advice_not_found' }
    if (advice.isCancelled) return { advice: reference, status: 'Cancelled' }
    const { payment } = advice
    const status = payment?.statusAt(books.now)
    if (status === 'Expired') return { refused: 'advice_expired' }
    if (status === 'Successful') return { refused: 'advice_paid' }
    if (status === 'Reversed') return { refused: 'advice_reversed' }
    if (payment) closePayment(books, payment, 'Cancelled')
    advice.isCancelled = true
    return { advice: reference, status: 'Cancelled' }
  }

  #read(clientName: string, reference: string): Answer {
    const payment = this.books.payments.get(reference)
    if (payment?.client.name !== clientName) return { refused: 'payment_not_found' }
    return { status: payment.statusAt(this.books.now), kobo: payment.kobo }
  }

  // Closes all payments that are over, as the expiry worker does.
  #expire(): Answer {
    for (const payment of this.books.payments.values()) {
      const isOver = payment.end === null && this.books.now >= payment.closesAt
      if (isOver) closePayment(this.books, payment, 'Expired')
    }
    return {}
  }
}

// The response to a payer's choice of a bank.
function started(payment: Payment, number: string, now: number): Answer {
  return {
    number,
    payment: payment.reference,
    status: payment.statusAt(now),
    kobo: payment.kobo,
  }
}

// The terms as text, to compare them.
function textOf(terms: Terms): string {
  return JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

// The object with this name, which an earlier operation must have created.
function get<T>(things: ReadonlyMap<string, T>, name: string): T {
  const thing = things.get(name)
  assert(thing, `the model does not know ${name}`)
  return thing
}
