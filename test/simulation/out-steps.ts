// Random steps of the simulation of money out. Each calls the service, compares the response with the
// expected one, and applies the same step to the model.

import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { ACCOUNTS, ADVICE, accountBody, adviceBody, INITIATE } from '../support/fixtures.ts'
import type { Part } from '../support/model-places.ts'
import { MODEL_SPLITS } from '../support/model-splits.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { available, collection, type OutClient, type OutCredit } from './out-books.ts'
import { BANKS, naira, type Sim } from './out-world.ts'

const ACCOUNTS_MAX = 6
const CREDITS_MAX = 5
const NAIRA_MAX = 20_000
const PAYER = { sourceAccountNumber: '0123456789', sourceAccountName: 'ADA OBI' }

export function amount(sim: Sim, maxKobo = BigInt(NAIRA_MAX * 100)): bigint {
  return BigInt(sim.random.integer(10_00, Math.max(10_00, Number(maxKobo))))
}

export const newPart = (kobo: bigint): Pick<Part, 'kobo' | 'charged' | 'shared'> => ({
  kobo,
  charged: null,
  shared: null,
})

// Asserts that the response is this refusal or, without one, a success.
export function assertAnswer(answer: LightMyRequestResponse, refusal?: string): void {
  const { code, ...rest } = answer.json()
  assert.equal(answer.statusCode === 200 ? undefined : code, refusal, JSON.stringify(rest))
}

// Sends a request as the client.
export async function ask(sim: Sim, client: OutClient, url: string, body: object) {
  return sim.call({ url, body, token: await sim.tokenOf(client.name) })
}

// Opens a collection account, with or without a split.
export async function openAccount(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  if (client.collections.length >= ACCOUNTS_MAX) return
  const split = sim.random.pick([null, null, ...Object.keys(MODEL_SPLITS)])
  const answer = await ask(sim, client, ACCOUNTS, accountBody({ splitCode: split }))
  assertAnswer(answer)
  const number = answer.json().data.accountNumber as string
  const { rows } = await sim.db.query<{ bank: string }>(
    'select bank_code as bank from numbers where account_number = $1',
    [number],
  )
  client.collections.push({ number, split, bank: rows[0]?.bank as string })
}

type Reported = { number: string; kobo: bigint; sessionId: string }

// Credits arrive at a bank, which then reports them; each must have this outcome.
async function report(sim: Sim, bank: string, credits: readonly Reported[], outcome: string) {
  const bodies = credits.map(({ sessionId, number: accountNumber, kobo }) => {
    sim.banks.receive(bank, kobo)
    return { sessionId, accountNumber, amount: naira(kobo), ...PAYER, sourceBankCode: '058' }
  })
  const answer = await postRail(sim.bench, `${bank}/credits`, bodies)
  for (const result of answer.json()) assert.equal(result.outcome, outcome, answer.body)
}

// Some credits to a client's collection accounts.
export async function credits(sim: Sim): Promise<void> {
  const { random, books } = sim
  const client = random.pick(sim.clients)
  const count = random.integer(1, CREDITS_MAX)
  const bank = random.pick(BANKS)
  const accounts = client.collections.filter((each) => each.bank === bank)
  if (accounts.length === 0) return
  const coming = Array.from({ length: count }, () => ({
    ...random.pick(accounts),
    kobo: amount(sim),
    sessionId: newSessionId(),
  }))
  await report(sim, bank, coming, 'booked')
  for (const { number, split, kobo, sessionId } of coming) {
    const account = collection(number)
    const part = newPart(kobo)
    books.book({ client, bank, sessionId, payment: null, account, part }, split)
  }
}

// A payment request that is paid in full.
export async function payment(sim: Sim): Promise<void> {
  const { random, books } = sim
  const client = random.pick(sim.clients)
  const [bank, kobo] = [random.pick(BANKS), amount(sim)]
  const split = random.pick([null, ...Object.keys(MODEL_SPLITS)])
  const advice = await ask(
    sim,
    client,
    ADVICE,
    adviceBody({ amount: naira(kobo), splitCode: split }),
  )
  assertAnswer(advice)
  const url = `${INITIATE}/${advice.json().responseData.adviceReference}`
  const started = await sim.call({ url, body: { bankCode: bank }, token: null })
  assertAnswer(started)
  const { bankAccount: number, paymentReference } = started.json().responseData
  const sessionId = newSessionId()
  await report(sim, bank, [{ number, kobo, sessionId }], 'booked')
  const account = available(client)
  const part = newPart(kobo)
  books.book({ client, bank, sessionId, payment: paymentReference, account, part }, split)
}

// A credit to an unknown number, which is suspended.
export async function nobodys(sim: Sim): Promise<void> {
  const [bank, kobo, sessionId] = [sim.random.pick(BANKS), amount(sim), newSessionId()]
  await report(sim, bank, [{ number: NOBODYS_NUMBER, kobo, sessionId }], 'suspended')
  sim.books.suspend({ bank, sessionId, kobo })
}

// A reversal of a credit or of suspended money, which has often left already. Sometimes the bank reports the
// reversal twice.
export async function reversal(sim: Sim): Promise<void> {
  const { random, books } = sim
  const credits = books.credits.slice(-60).filter(({ leftKobo }) => leftKobo > 0n)
  const items = books.items.slice(-20).filter((each) => each.reversedKobo < each.kobo)
  const isItem = items.length > 0 && random.integer(1, 5) === 1
  if (!isItem && credits.length === 0) return
  const item = isItem ? random.pick(items) : undefined
  const credit = isItem ? undefined : (random.pick(credits) as OutCredit)
  const { bank, sessionId: originalSessionId } = (item ?? credit) as OutCredit
  const leftNowKobo = item ? item.kobo - item.reversedKobo : (credit as OutCredit).leftKobo
  const kobo =
    random.integer(1, 2) === 1 ? leftNowKobo : BigInt(random.integer(1, Number(leftNowKobo)))
  const body = { sessionId: newSessionId(), originalSessionId, amount: naira(kobo) }
  const answer = await postRail(sim.bench, `${bank}/reversals`, body)
  assert.equal(answer.json().responseCode, '00', answer.body)
  sim.banks.receive(bank, -kobo)
  if (item) books.reverseItem(item, kobo)
  else books.reverse(credit as OutCredit, kobo)
  if (random.integer(1, 4) > 1) return
  const secondAnswer = await postRail(sim.bench, `${bank}/reversals`, body)
  assert.equal(secondAnswer.json().responseCode, '01', secondAnswer.body)
}
