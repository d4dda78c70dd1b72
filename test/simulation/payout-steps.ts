// Random steps of the simulation of money out: payouts, refunds, returns, and debts that are recovered or
// written off.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { feeOnTop } from '../support/model-fees.ts'
import { refundsOf } from '../support/refunding.ts'
import { pendingReturnOf } from '../support/suspense-desk.ts'
import { openDesk } from '../support/tracing.ts'
import { available, bankAccount, least, type OutClient, type OutPayout } from './out-books.ts'
import { amount, ask, assertAnswer } from './out-steps.ts'
import { BANKS, naira, OPERATOR, type Sim } from './out-world.ts'
import { bankReferenceOf } from './payout-bank.ts'

const PAYOUTS = '/api/v1/payouts'
const ADJUSTMENTS = '/api/v1/operator/adjustments'
const REASON = { reason: 'As agreed' }

export const needsApproval = ({ approvalAboveKobo: above }: OutClient, kobo: bigint) =>
  above !== null && kobo > above

// Requests a payout from the service, and applies it to the model.
export async function payout(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  const order = newOrder(sim, client)
  adoptPayout(sim, order, await askPayout(sim, order))
}

type Order = { client: OutClient; kobo: bigint }

// A payout of a random amount: mostly up to a third of the client's money, sometimes up to a little more than
// all of it.
export function newOrder(sim: Sim, client: OutClient): Order {
  const totalKobo = sim.books.total(client)
  const isTooMuch = sim.random.integer(1, 6) === 1
  return { client, kobo: amount(sim, isTooMuch ? totalKobo + 100n : totalKobo / 3n) }
}

export function askPayout(sim: Sim, { client, kobo }: Order) {
  return ask(sim, client, PAYOUTS, { amount: naira(kobo), narration: 'Proceeds' })
}

// Applies a requested payout to the model, and asserts that the service's response is the expected one.
export function adoptPayout(sim: Sim, order: Order, answer: LightMyRequestResponse): void {
  const { client, kobo } = order
  const { fee, vat } = client.payoutRule ? feeOnTop(client.payoutRule, kobo) : { fee: 0n, vat: 0n }
  const holding = `paying client:${client.id}`
  // draw() takes the money from the client's accounts in the model; false means that the client has too
  // little.
  const isDrawn = sim.books.draw(client, [
    [holding, kobo],
    [`fee_income operator:${client.id}`, fee],
    [`vat_payable operator:${client.id}`, vat],
  ])
  assertAnswer(answer, isDrawn ? undefined : 'insufficient_balance')
  if (!isDrawn) return
  const { reference, status } = answer.json().data
  const back = available(client)
  const isWaiting = needsApproval(client, kobo)
  const known = { reference, client, purpose: 'payout', kobo, fee, vat, holding, back } as const
  sim.books.payouts.set(reference, { ...known, status, isWaiting })
}

// Approves, rejects or cancels a payout, mostly one that waits for approval.
export async function decide(sim: Sim): Promise<void> {
  const { random } = sim
  const payouts = [...sim.books.payouts.values()]
  const recent = payouts.slice(-40)
  const waiting = payouts.filter(({ isWaiting, status }) => isWaiting && status === 'queued')
  const payout = random.pick(waiting.length > 0 && random.integer(1, 4) > 1 ? waiting : recent)
  if (!payout?.client) return // A return of unidentified money has no client that could decide.
  const verb = random.pick(['approve', 'approve', 'reject', 'cancel'])
  const isQueued = payout.status === 'queued'
  if (verb === 'cancel') return cancel(sim, payout)
  if (!payout.isWaiting || !isQueued) return
  const person = await sim.personOf(payout.client.name, 'owner')
  const url = `${PAYOUTS}/${payout.reference}/${verb}`
  const answer = await person.call({ url, body: verb === 'approve' ? {} : REASON })
  const block = verb === 'approve' ? sim.books.blockOf(payout) : undefined
  assertAnswer(answer, block)
  if (block) return
  payout.isWaiting = false
  await sim.learn()
  assert.equal(payout.status, verb === 'approve' ? 'queued' : 'cancelled')
}

// Ends all blocked payouts: marks returns as failed, and cancels refunds and other payouts by their routes.
export async function cancelBlocked(sim: Sim): Promise<void> {
  for (const payout of sim.books.payouts.values()) {
    if (!sim.books.blockOf(payout)) continue
    if (payout.purpose === 'return') await failReturn(sim, payout)
    else if (payout.purpose === 'refund') await cancelRefund(sim, payout)
    else await cancel(sim, payout)
  }
}

// The operator marks a return as failed.
async function failReturn(sim: Sim, { reference }: OutPayout): Promise<void> {
  const url = `/api/v1/operator/returns/${reference}/fail`
  assertAnswer(await sim.call({ url, body: REASON, token: await sim.tokenOf(OPERATOR) }))
  await sim.learn()
}

// The client cancels a payout, which succeeds only while it is queued.
async function cancel(sim: Sim, payout: OutPayout): Promise<void> {
  const { status, purpose, client, reference } = payout
  if (purpose === 'refund' && sim.random.integer(1, 2) === 1) return cancelRefund(sim, payout)
  const isFree =
    status === 'queued' && (purpose === 'payout' || sim.books.blockOf(payout) !== undefined)
  const answer = await ask(sim, client as OutClient, `${PAYOUTS}/${reference}/cancel`, REASON)
  assertAnswer(answer, isFree || status === 'cancelled' ? undefined : 'payout_not_queued')
  await sim.learn()
}

// The client cancels a refund, which succeeds while its payout is queued, and again once it is cancelled.
async function cancelRefund(sim: Sim, { refund, client, status }: OutPayout): Promise<void> {
  const isDone = ['queued', 'cancelled'].includes(status)
  const answer = await ask(sim, client as OutClient, `/api/v1/refunds/${refund}/cancel`, REASON)
  assertAnswer(answer, isDone ? undefined : 'refund_not_queued')
  await sim.learn()
}

// Refunds all or part of a random credit, sometimes more than is left of it.
export async function refund(sim: Sim): Promise<void> {
  const { random, books } = sim
  const credit = random.pick(books.credits.slice(-40))
  if (!credit) return
  const { client, leftKobo, sessionId, payment } = credit
  const free = leftKobo - credit.refundingKobo
  const isAll = free > 0n && random.integer(1, 3) === 1
  const kobo = isAll ? free : amount(sim, leftKobo)
  const url = refundsOf(payment === null ? sessionId : { paymentReference: payment })
  const answer = await ask(sim, client, url, { amount: naira(kobo), reason: 'Wrong size' })
  const isGone = leftKobo === 0n && payment === null
  if (isGone) return assertAnswer(answer, 'credit_not_refundable')
  if (kobo > free) return assertAnswer(answer, 'refund_too_large')
  if (books.holds.isHeld(credit)) return assertAnswer(answer, 'credit_held')
  const holding = `refunding client:${client.id}`
  const isDrawn = books.draw(client, [[holding, kobo]])
  assertAnswer(answer, isDrawn ? undefined : 'insufficient_balance')
  if (!isDrawn) return
  const { reference: refund, payouts } = answer.json().data
  assert.equal(payouts.length, 1)
  const { reference, status } = payouts[0]
  credit.refundingKobo += kobo
  const isWaiting = needsApproval(client, kobo)
  const known = { reference, client, purpose: 'refund', kobo, fee: 0n, vat: 0n, holding } as const
  const back = available(client)
  books.payouts.set(reference, { ...known, back, status, isWaiting, credit, refund })
}

// Returns an open suspense item to its payer.
export async function giveBack(sim: Sim): Promise<void> {
  const item = sim.random.pick(sim.books.items.filter(({ state }) => state === 'open'))
  if (!item) return
  const desk = await openDesk(sim.bench)
  await desk.giveBack(item.sessionId)
  const reference = await pendingReturnOf(sim.db, await desk.itemOf(item.sessionId))
  const kobo = item.kobo - item.reversedKobo
  const [holding, back] = [`returning bank:${item.bank}`, `suspense bank:${item.bank}`]
  sim.books.balances.post(back, holding, kobo)
  item.state = 'returning'
  const known = { reference, client: null, purpose: 'return', kobo, fee: 0n, vat: 0n } as const
  const status = 'queued'
  sim.books.payouts.set(reference, { ...known, holding, back, status, isWaiting: false, item })
}

// An operator settles a payout of a silent bank by hand, with the bank's true answer; or tries to settle a
// payout again, which must change nothing.
export async function resolve(sim: Sim): Promise<void> {
  const { random, books, banks } = sim
  const payouts = [...books.payouts.values()]
  const silent = payouts.filter(
    ({ status, reference }) => status === 'unknown' && banks.book.get(reference)?.isSilent,
  )
  const settled = payouts
    .slice(-60)
    .filter(({ status }) => ['confirmed', 'failed'].includes(status))
  const payout = random.pick(silent.length > 0 && random.integer(1, 3) > 1 ? silent : settled)
  if (!payout) return
  const { reference, status } = payout
  const truth = banks.book.get(reference)?.isPaid ? 'confirm' : 'fail'
  const isOpen = status === 'unknown'
  const verb = isOpen ? truth : random.pick(['confirm', 'fail'])
  const evidence = { ...REASON, evidence: 'The bank, by telephone.' }
  const body = verb === 'confirm' ? { bankReference: bankReferenceOf(reference) } : evidence
  const maker = await sim.personOf(OPERATOR, 'operator', 2)
  const url = `/api/v1/operator/payouts/${reference}/${verb}`
  const answer = await maker.call({ url, body })
  // The service refuses to change a settled payout, but accepts that a confirmed payout is confirmed again.
  const isRefused = verb === 'fail' ? !isOpen : verb !== truth
  assertAnswer(answer, isRefused ? 'payout_settled' : undefined)
  if (verb === 'fail' && !isRefused) {
    const checker = await sim.personOf(OPERATOR, 'operator', 1)
    const request = answer.json().data.failureRequest.reference
    const failures = '/api/v1/operator/payout-failures'
    assertAnswer(await checker.call({ url: `${failures}/${request}/approve`, body: {} }))
  }
  await sim.learn()
}

// Two operators recover or write off a debt of a client or a bank.
export async function adjust(sim: Sim): Promise<void> {
  const { random, books } = sim
  const kind = random.pick(['recovery', 'write_off'])
  const client = random.pick(sim.clients)
  const bank = random.pick(BANKS)
  const isOfClient = random.integer(1, 3) > 1
  const owner = isOfClient ? `client:${client.id}` : `bank:${bank}`
  const debt = isOfClient ? `receivable ${owner}` : `shortfall ${owner}`
  const owed = -books.balances.of(debt) - (isOfClient ? 0n : uncertainShortfall(sim, bank))
  if (owed <= 0n) return
  const kobo = random.integer(1, 2) === 1 ? owed : BigInt(random.integer(1, Number(owed)))
  const debtor = isOfClient
    ? { of: 'receivable', clientId: client.name }
    : { of: 'shortfall', bankCode: bank }
  const maker = await sim.personOf(OPERATOR, 'operator', 1)
  const body = { kind, ...debtor, amount: naira(kobo), ...REASON }
  const request = await maker.call({ url: ADJUSTMENTS, body })
  assertAnswer(request)
  const checker = await sim.personOf(OPERATOR, 'operator', 2)
  const url = `${ADJUSTMENTS}/${request.json().data.reference}/approve`
  const answer = await checker.call({ url, body: {} })
  if (isOfClient && kind === 'recovery') {
    return assertAnswer(
      answer,
      books.draw(client, [[debt, kobo]]) ? undefined : 'insufficient_balance',
    )
  }
  assertAnswer(answer)
  if (kind === 'recovery') sim.banks.receive(bank, kobo)
  const loss = `write_off ${isOfClient ? `operator:${client.id}` : owner}`
  books.balances.post(kind === 'recovery' ? bankAccount(bank) : loss, debt, kobo)
}

// The part of the bank's shortfall that may still disappear: if a return fails, its money covers the reversal
// that came meanwhile.
function uncertainShortfall({ books }: Sim, bank: string): bigint {
  return books.items
    .filter((item) => item.state === 'returning' && item.bank === bank)
    .reduce((sum, item) => sum + least(item.kobo, item.shortKobo), 0n)
}
