// How money moves in the model (model.ts), written from docs/money-flow.md and not from the code: where a
// credit is booked, where a reversal takes its money from, what the suspense desk does, and what happens
// when a payment closes.

import type { Books } from './model-books.ts'
import { charge } from './model-fees.ts'
import { answerAgain, remember } from './model-identity.ts'
import {
  Account,
  type Charges,
  type Client,
  Credit,
  type CreditIdentifier,
  Part,
  type Payer,
  Payment,
  type RailAnswer,
  type Rules,
} from './model-places.ts'
import { isFoundBefore, isOfEarlierHolder, timeOf } from './model-times.ts'

export type CreditReport = {
  bank: string
  sessionId: string
  number: string
  kobo: bigint
  currency: string
  payer: Payer
  agoMs?: number // Age by the bank, if it reports one.
  kind?: string // The kind of the session id.
  others?: readonly CreditIdentifier[] // Other identifiers.
  charges?: Charges
  source?: string // `requery` or `statement`; undefined for a bank's notification.
}

export type ReversalReport = { bank: string; sessionId: string; original: string; kobo: bigint }

type Owner = Account | Payment

// The response to a message that could not be booked.
const rejected = (code: string): RailAnswer => ({ responseCode: '02', outcome: 'rejected', code })

// Books or suspends a reported credit; returns the predicted response to the bank.
export function takeCredit(books: Books, report: CreditReport): RailAnswer {
  const name = `${report.sessionId}@${report.bank}`
  const repeatedAnswer = answerAgain(books, report)
  if (repeatedAnswer) return repeatedAnswer
  const lease = books.numbers.get(report.number)
  const isOwnBank = lease?.bank === report.bank
  if (lease && !isOwnBank) books.alerts.add(`wrong_bank ${name}`)
  const isOurs = lease && isOwnBank && !isOfEarlierHolder(books, lease, report)
  const owner = isOurs ? lease.owner : undefined
  const credit = new Credit({ ...report, name })
  books.credits.set(name, credit)
  remember(books, credit, report)
  const { keptKobo, reason } =
    lease && !owner
      ? { keptKobo: 0n, reason: isOwnBank ? 'late' : 'wrong_bank' }
      : judge(books, owner, report)

  if (owner && keptKobo > 0n) {
    const part = new Part(credit, keptKobo, owner)
    // The payer paid in time, although the report came after the payment had expired.
    if (owner instanceof Payment) owner.end = null
    receive(books, owner, part)
    if (owner instanceof Payment) reopenIfOver(books, owner)
  }
  if (reason !== null) {
    const client = owner?.client ?? null
    const place = books.suspenseOf(client, credit)
    suspend(new Part(credit, report.kobo - keptKobo, place), reason, client)
  }
  const outcome = keptKobo > 0n ? 'booked' : 'suspended'
  credit.answer = { responseCode: '00', outcome, ...(reason === null ? {} : { code: reason }) }
  return credit.answer
}

// Stores a faulty report as a rail item: it cannot be booked, but operators see it. Rejects it if it names
// no money.
export function storeFaultyReport(
  books: Books,
  report: CreditReport,
  { fields, code, isMoney }: { fields: object; code: string; isMoney: boolean },
): RailAnswer {
  if (!isMoney) return rejected(code)
  const { sessionId, number, kobo, currency, payer } = report
  const name = [sessionId, number, kobo, currency, payer.name, JSON.stringify(fields)].join(' ')
  if (books.kept.has(name)) return { responseCode: '01', outcome: 'duplicate', code }
  books.kept.add(name)
  books.alerts.add(`rail_item_rejected ${report.bank}/${code}`)
  return { responseCode: '00', outcome: 'kept', code }
}

// The amount to book, and the reason why the rest, or all, is suspended.
type Judgement = { keptKobo: bigint; reason: string | null }

// Decides how much of a reported credit is booked to the owner of its number.
function judge(books: Books, owner: Owner | undefined, credit: CreditReport): Judgement {
  const suspendAll = (reason: string) => ({ keptKobo: 0n, reason })
  const { kobo } = credit
  if (!owner) return suspendAll('unknown_number')
  if (credit.currency !== 'NGN') return suspendAll('wrong_currency')
  if (owner instanceof Account) {
    if (!owner.isActive) return suspendAll('account_inactive')
    const broken = brokenRule(owner.rules, credit)
    if (broken) return suspendAll(broken)
    const { creditKobo, dayKobo, balanceKobo } = owner.limits
    if (creditKobo !== null && kobo > creditKobo) return suspendAll('over_credit_limit')
    const today = owner.receivedOnDayOf(books.now) + kobo
    if (dayKobo !== null && today > dayKobo) return suspendAll('over_daily_limit')
    if (balanceKobo !== null && owner.kobo + kobo > balanceKobo)
      return suspendAll('over_balance_limit')
    return { keptKobo: kobo, reason: null }
  }
  if (owner.end === 'Successful') return suspendAll('already_paid')
  if (owner.end === 'Cancelled') return suspendAll('cancelled')
  if (owner.end === 'Reversed') return suspendAll('payment_reversed')
  const madeAt = timeOf(books, owner, credit)
  if (owner.end === 'Expired' && madeAt === null) return suspendAll('late')
  if ((madeAt ?? books.now) >= owner.closesAt) return suspendAll('late')
  if (isFoundBefore(books, owner, credit)) return suspendAll('late')
  const broken = brokenRule(owner.rules, credit, owner.dueKobo)
  if (broken) return suspendAll(broken)
  const { policy } = owner.advice.terms
  if (policy === 'exact' && kobo !== owner.dueKobo) return suspendAll('amount_mismatch')
  if (policy === 'any' || kobo <= owner.dueKobo) return { keptKobo: kobo, reason: null }
  return { keptKobo: owner.dueKobo, reason: 'excess' }
}

// Reopens a payment that was over, got money and needs more, if it still has its account numbers.
function reopenIfOver(books: Books, payment: Payment): void {
  const numbers = [...payment.numbers.values()]
  const hasNumbers = numbers.every((number) => books.numbers.get(number)?.owner === payment)
  if (payment.end === null && books.now >= payment.closesAt && hasNumbers) payment.open(books.now)
}

// The payer rule that the credit violates. The minimum does not apply to a transfer that pays all that is
// still due.
function brokenRule(
  rules: Rules | null,
  { kobo, payer }: CreditReport,
  dueKobo?: bigint,
): string | undefined {
  if (!rules) return undefined
  const paysAllDue = dueKobo !== undefined && kobo >= dueKobo
  if (kobo < rules.minKobo && !paysAllDue) return 'below_minimum'
  if (kobo > rules.maxKobo) return 'above_maximum'
  return rules.isListOnly && !payer.isListed ? 'payer_not_allowed' : undefined
}

// Books a part that has just been added to its owner: ends the payment if it is paid, charges the fee, and
// records the client's event.
function receive(books: Books, owner: Owner, part: Part): void {
  const { kobo, client } = owner
  if (owner instanceof Account) {
    owner.received.push({ at: books.now, kobo: part.kobo })
    charge(books, owner, part)
    client.tell(owner.number, `collection.received ${owner.kobo}`)
    return
  }
  if (owner.advice.terms.policy === 'any' || owner.dueKobo <= 0n) owner.end = 'Successful'
  if (owner.end === 'Successful') charge(books, owner, part)
  const type = owner.end === null ? 'part_paid' : 'successful'
  client.tell(owner.reference, `payment.${type} ${owner.status} ${kobo}`)
}

// Marks a part as suspended, for a client or unidentified.
function suspend(part: Part, reason: string, client: Client | null): void {
  part.reason = reason
  part.owner = client
  client?.tell(part.credit.name, `credit.suspended ${reason} ${part.kobo}`)
}

// Closes a payment that expired or was cancelled, and suspends for the client what was paid so far.
export function closePayment(books: Books, payment: Payment, end: 'Expired' | 'Cancelled'): void {
  const { client, reference, kobo } = payment
  payment.end = end
  client.tell(reference, `payment.${end.toLowerCase()} ${end} 0 ${kobo}`)
  for (const part of payment.parts) {
    part.move(books.suspenseOf(client, part.credit))
    suspend(part, 'underpaid', client)
  }
}

// Reverses a credit, in whole or in part; returns the predicted response to the bank.
export function takeBack(books: Books, report: ReversalReport): RailAnswer {
  const name = `${report.sessionId}@${report.bank}`
  const credit = books.creditsByIdentifier.get(`${report.original}@${report.bank}`)
  const earlier = books.reversals.get(name)
  if (earlier) {
    const isSame = earlier.of === credit && earlier.kobo === report.kobo
    if (isSame) return { responseCode: '01', outcome: 'duplicate' }
    books.alerts.add(`session_reused ${name}`)
    return rejected('session_reused')
  }
  const refuse = (code: string) => {
    books.alerts.add(`rail_item_rejected ${report.bank}/${code}`)
    return rejected(code)
  }
  // "Retry", because the credit may still come: no test waits long enough to exclude that.
  if (!credit) return { ...refuse('original_not_found'), responseCode: '03', outcome: 'retry' }
  if (credit.reversedKobo + report.kobo > credit.kobo) return refuse('amount_exceeds_original')
  books.reversals.set(name, { of: credit, kobo: report.kobo })
  credit.reversedKobo += report.kobo

  let remainingKobo = report.kobo
  for (const part of inOrderOfTaking(books, credit)) {
    if (remainingKobo === 0n) break
    const isWhole = remainingKobo >= part.kobo
    const kobo = isWhole ? part.kobo : remainingKobo
    remainingKobo -= kobo
    const { place, reason } = part
    part.moveSome(kobo, books.takenBack)
    if (place instanceof Account || place instanceof Payment) recordLoss(place, kobo)
    else part.owner?.tell(credit.name, `credit.reversed ${reason} ${credit.reversedKobo}`)
  }
  if (remainingKobo > 0n) {
    const key = `${credit.bank} ${credit.currency}`
    books.shortfallKobo.set(key, (books.shortfallKobo.get(key) ?? 0n) + remainingKobo)
    books.alerts.add(`reversal_shortfall ${name}`)
  }
  return { responseCode: '00', outcome: 'reversed' }
}

// The parts from which a reversal takes its money, in this order: suspended, booked, assigned. Parts that
// were returned to the payer or reversed before have none.
function inOrderOfTaking(books: Books, { parts }: Credit): Part[] {
  const notReversed = parts.filter((part) => part.place !== books.takenBack)
  const inSuspense = notReversed.filter((part) => books.isInSuspense(part))
  const booked = notReversed.filter((part) => part.reason === null)
  const assigned = notReversed.filter(
    (part) =>
      part.reason !== null && (part.place instanceof Account || part.place instanceof Payment),
  )
  return [...inSuspense, ...booked, ...assigned]
}

// Records that a reversal took money from an account or payment. A payment that had ended becomes Reversed
// for ever; a payment that was part paid stays open.
function recordLoss(owner: Owner, lostKobo: bigint): void {
  if (owner instanceof Account) {
    owner.client.tell(owner.number, `collection.reversed ${owner.kobo} ${lostKobo}`)
    return
  }
  if (owner.end !== null) owner.end = 'Reversed'
  const event = `payment.reversed ${owner.status} ${owner.kobo} ${lostKobo}`
  owner.client.tell(owner.reference, event)
}

// The response does not predict the state of the suspense item: the test reads the item later, when more
// may have happened to it.
type DeskAnswer = { isDone: true } | { refused: string }

// Assigns a suspense item to an account or payment of its client.
export function assign(
  books: Books,
  by: Client,
  creditName: string,
  to: { account: string } | { payment: string },
): DeskAnswer {
  const item = visibleItem(books, by, creditName)
  if (!item) return { refused: 'suspense_not_found' }
  const target = 'account' in to ? books.accounts.get(to.account) : books.payments.get(to.payment)
  if (!target || (item.owner !== null && item.owner !== target.client)) {
    return { refused: 'account' in to ? 'account_not_found' : 'payment_not_found' }
  }
  const state = books.stateOf(item)
  if (state === 'assigned' && item.place === target) return { isDone: true }
  if (state !== 'open') return { refused: 'suspense_closed' }
  const isClosed = target instanceof Account && !target.isActive
  if (isClosed || item.credit.currency !== 'NGN') return { refused: 'suspense_not_fitting' }
  if (target instanceof Payment && !acceptsAmount(books, target, item.kobo)) {
    return { refused: 'suspense_not_fitting' }
  }
  item.move(target)
  target.client.tell(item.credit.name, `credit.assigned ${item.reason} ${item.kobo}`)
  if (target instanceof Payment) target.end = null // An expired payment reopens.
  receive(books, target, item)
  if (target instanceof Payment && target.end === null && books.now >= target.closesAt) {
    target.open(books.now)
  }
  return { isDone: true }
}

// Whether the suspense desk may assign this amount to the payment.
function acceptsAmount(books: Books, payment: Payment, kobo: bigint): boolean {
  if (payment.end !== null && payment.end !== 'Expired') return false
  const { policy } = payment.advice.terms
  if (policy === 'any' || kobo === payment.dueKobo) return true
  if (policy === 'exact' || kobo > payment.dueKobo) return false
  // The payment will wait for the rest, so it needs its account numbers.
  const numbers = [...payment.numbers.values()]
  const hasNumbers = numbers.every((number) => books.numbers.get(number)?.owner === payment)
  return books.now < payment.closesAt || hasNumbers
}

// Returns a suspense item to its payer. The sandbox's bank confirms the return at once.
export function giveBack(books: Books, by: Client, creditName: string): DeskAnswer {
  const item = visibleItem(books, by, creditName)
  if (!item) return { refused: 'suspense_not_found' }
  const state = books.stateOf(item)
  if (state === 'returned') return { isDone: true }
  if (state !== 'open') return { refused: 'suspense_closed' }
  item.move(books.returned)
  item.owner?.tell(creditName, `credit.returned ${item.reason} ${item.kobo}`)
  return { isDone: true }
}

// The suspense item of a credit, if the client may see it: the operator sees unidentified money, a client
// only its own.
function visibleItem(books: Books, by: Client, creditName: string): Part | undefined {
  const item = books.credits.get(creditName)?.item
  if (!item) return undefined
  return (item.owner === null ? by.isOperator : item.owner === by) ? item : undefined
}
