// Chooses operations that can be sent at the same time, so that they share batches and overtake one another,
// while the model runs them one after another. The results can be equal only if no two operations touch the
// same object, which this file ensures.

import type { Answer, Op } from '../support/model.ts'
import type { Books } from '../support/model-books.ts'
import { identifiersOf } from '../support/model-identity.ts'
import type { CreditReport } from '../support/model-money.ts'
import { Account, Payment } from '../support/model-places.ts'
import type { Choices } from './choices.ts'

const OPS_MAX = 28
const WAITING_MAX = 10

// Prefix of objects that several operations of a round may share, unless another one needs the object alone.
const SHARED = 'shared '
const FREE_NUMBERS = 'free numbers'

// Whether an operation that touches the object `name` conflicts with the operations of the round, which touch
// the objects `touched`. Two operations that both only share an object do not conflict.
function meets(name: string, touched: ReadonlySet<string>): boolean {
  if (name.startsWith(SHARED)) return touched.has(name.slice(SHARED.length))
  return touched.has(name) || touched.has(`${SHARED}${name}`)
}

export class Rounds {
  readonly #choices: Choices
  #waiting: Op[] = []

  constructor(choices: Choices) {
    this.#choices = choices
  }

  // The operations of the next round. An operation that touches an object which is already in use waits for a
  // later round.
  next(): Op[] {
    const touched = new Set<string>()
    const ops: Op[] = []
    const waiting = this.#waiting.splice(0)
    while (ops.length < OPS_MAX && this.#waiting.length < WAITING_MAX) {
      const op = waiting.shift() ?? this.#choices.next()
      const touches = touchedBy(op, this.#choices.books)
      if (touches.some((name) => meets(name, touched))) {
        this.#waiting.push(op)
        continue
      }
      for (const name of touches) touched.add(name)
      ops.push(op)
    }
    this.#waiting.push(...waiting)
    return ops
  }
}

// How many steps a round counts for: a list of credits is as many steps as it has credits.
export function stepsOf(ops: readonly Op[]): number {
  return ops.reduce((sum, op) => sum + (op.do === 'credits' ? op.credits.length : 1), 0)
}

// The order in which the model must run the operations: one that found no number left must come after those
// that took numbers.
export function inOrder(ops: readonly Op[], answers: readonly Answer[]): [Op, Answer][] {
  const pairs = ops.map((op, index): [Op, Answer] => [op, answers[index] as Answer])
  const isLast = ([, answer]: [Op, Answer]) =>
    'refused' in answer && answer.refused === 'numbers_exhausted'
  return [...pairs.filter((pair) => !isLast(pair)), ...pairs.filter(isLast)]
}

// The objects that an operation reads or changes.
function touchedBy(op: Op, books: Books): string[] {
  switch (op.do) {
    case 'account':
    case 'expire':
    case 'rule':
    case 'wait':
      return []
    case 'activate':
    case 'deactivate':
    case 'limit':
      return [op.account]
    case 'advice':
      return op.terms.merchantRef === null ? [] : [`${op.client}/${op.terms.merchantRef}`]
    case 'initiate':
      return [op.advice, `${SHARED}${FREE_NUMBERS}`]
    case 'cancel':
      return [op.advice]
    case 'read':
      return adviceOf(books.payments.get(op.payment))
    case 'credits':
      return [
        ...new Set(
          op.credits.flatMap((credit) => (credit.fault ? [] : creditAndOwner(credit, books))),
        ),
      ]
    case 'findings':
      return [...new Set(op.credits.flatMap((credit) => creditAndOwner(credit, books)))]
    case 'reversal': {
      const original = `${op.original}@${op.bank}`
      const credit = books.creditsByIdentifier.get(original)?.name ?? original
      return [`${op.sessionId}@${op.bank}`, ...creditAndPlaces(credit, books)]
    }
    case 'assign':
      return [...new Set([...creditAndPlaces(op.credit, books), ...targetOf(op.to, books)])]
    case 'return':
      return creditAndPlaces(op.credit, books)
  }
}

// The object that holds a number. If the number's quarantine is over, another payment may lease it in the
// same round.
function ownerOf(number: string, books: Books): string[] {
  const owner = books.numbers.get(number)?.owner
  if (!owner) return []
  const free = owner instanceof Payment && books.isFree(number) ? [FREE_NUMBERS] : []
  return [...(owner instanceof Account ? [number] : adviceOf(owner)), ...free]
}

// The identifiers of a reported credit, the credits that are already known under them, and the holder of the
// number.
function creditAndOwner(report: CreditReport, books: Books): string[] {
  const names = identifiersOf(report).flatMap(({ value }) => {
    const name = `${value}@${report.bank}`
    return [name, books.creditsByIdentifier.get(name)?.name ?? name]
  })
  return [...names, ...ownerOf(report.number, books)]
}

// The objects that an assignment of suspended money touches: the account, or the payment with the holders of
// its numbers.
function targetOf(to: { account: string } | { payment: string }, books: Books): string[] {
  if ('account' in to) return [to.account]
  const payment = books.payments.get(to.payment)
  const numbers = [...(payment?.numbers.values() ?? [])]
  return [...adviceOf(payment), ...numbers.flatMap((number) => ownerOf(number, books))]
}

// A payment is touched through its advice, because several operations name only the advice.
function adviceOf(payment: Payment | undefined): string[] {
  return payment ? [payment.advice.reference] : []
}

// A credit, and the accounts and payments to which its parts are booked.
function creditAndPlaces(name: string, books: Books): string[] {
  const places = books.credits.get(name)?.parts.flatMap(({ place }) => {
    if (place instanceof Account) return [place.number]
    return place instanceof Payment ? adviceOf(place) : []
  })
  return [name, ...new Set(places)]
}
