// Random steps of the simulation of money out: settlements are closed by hand and by schedule, approved or
// cancelled, and the settings of clients change.

import assert from 'node:assert/strict'
import type { FeeRule } from '../support/model-fees.ts'
import type { OutClient } from './out-books.ts'
import type { OutSettlement, Settlements } from './out-settlements.ts'
import { ask, assertAnswer } from './out-steps.ts'
import { naira, OPERATOR, type Sim } from './out-world.ts'
import { needsApproval } from './payout-steps.ts'

const SETTLEMENTS = '/api/v1/settlements'
const HOUR_MS = 3_600_000

const settlementsOf = (sim: Sim, client: OutClient) => sim.settlements.get(client) as Settlements

// Closes a settlement by request of the client, in the service and in the model. In the model, the cut-off is
// a millisecond after now or, if that is later, after the previous settlement's cut-off.
export async function close(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  const books = settlementsOf(sim, client)
  const answer = await ask(sim, client, SETTLEMENTS, {})
  const closed = books.close(Math.max(sim.now(), books.latest?.cutOffMs ?? 0) + 1)
  if (typeof closed === 'string') return assertAnswer(answer, closed) // The code of a refusal.
  assertAnswer(answer)
  await adopt(sim, books, [closed])
}

// Asserts that the service closed the same settlements as the model, copies their references to the model's
// settlements, and approves those that need no approval.
async function adopt(sim: Sim, books: Settlements, closed: OutSettlement[]): Promise<void> {
  const { rows } = await sim.db.query<{ reference: string; net: bigint; cutOff: Date }>(
    `select reference, net_kobo as net, cut_off as "cutOff" from settlements
      where client_id = $1 order by id desc limit $2`,
    [books.client.id, closed.length],
  )
  assert.deepEqual(
    rows.reverse().map(({ net, cutOff }) => [net, cutOff.getTime()]),
    closed.map(({ netKobo, cutOffMs }) => [netKobo, cutOffMs]),
  )
  for (const [index, settlement] of closed.entries()) {
    settlement.reference = rows[index]?.reference as string
    if (settlement.status === 'approved') await adoptPayouts(sim, books, settlement)
    else if (!needsApproval(books.client, settlement.netKobo)) {
      books.approve(settlement)
      await adoptPayouts(sim, books, settlement)
    }
  }
}

// Asserts that the service made a payout for each share, and adds these payouts to the model.
async function adoptPayouts(sim: Sim, books: Settlements, settlement: OutSettlement) {
  const { rows } = await sim.db.query<{
    reference: string
    status: string
    code: string | null
    kobo: bigint
  }>(
    `select p.reference, p.status, s.code, p.amount_kobo as kobo
       from payouts p join settlements t on t.id = p.settlement_id
       left join subaccounts s on s.id = p.subaccount_id
      where t.reference = $1 order by p.id`,
    [settlement.reference],
  )
  const due = settlement.shares.filter(({ kobo }) => kobo > 0n)
  assert.deepEqual(
    rows.map(({ code, kobo }) => ({ code, kobo })),
    due,
  )
  for (const { reference, status, code, kobo } of rows) {
    const money = { kobo, fee: 0n, vat: 0n, holding: books.paying(code), back: books.backOf(code) }
    const known = { reference, client: books.client, purpose: 'settlement', ...money } as const
    sim.books.payouts.set(reference, { ...known, status, isWaiting: false })
  }
}

// Cancels or approves a recent settlement.
export async function decideSettlement(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  const books = settlementsOf(sim, client)
  const settlement = sim.random.pick(books.all.slice(-3))
  if (!settlement) return
  const isOpen = settlement.status === 'closed'
  const url = `${SETTLEMENTS}/${settlement.reference}`
  if (sim.random.integer(1, 2) === 1) {
    const answer = await ask(sim, client, `${url}/cancel`, {})
    // Only the latest settlement can be cancelled, and only before its approval. Repeating that changes
    // nothing.
    const isDone = settlement.status === 'cancelled'
    const canCancel = isDone || (isOpen && books.latest === settlement)
    assertAnswer(answer, canCancel ? undefined : 'settlement_not_cancellable')
    if (canCancel && !isDone) books.cancel(settlement)
    return
  }
  if (!isOpen) return
  const person = await sim.personOf(client.name, 'owner')
  const answer = await person.call({ url: `${url}/approve`, body: {} })
  const isHeld = sim.books.holds.isAllHeld(client)
  assertAnswer(answer, isHeld ? 'client_held' : undefined)
  if (isHeld) return
  books.approve(settlement)
  await adoptPayouts(sim, books, settlement)
}

// Lets up to 30 hours pass, and then runs the worker that closes due settlements.
export async function schedule(sim: Sim): Promise<void> {
  sim.wait(sim.random.integer(1, 30) * HOUR_MS + sim.random.integer(0, 999))
  await sim.schedule()
  for (const books of sim.settlements.values()) {
    const closed: OutSettlement[] = []
    for (const { atMs, cutOffMs } of books.dueSlots(sim.now())) {
      books.handledToMs = atMs
      const result = books.close(cutOffMs, books.terms.minimumKobo)
      if (typeof result === 'string') continue // The code of a refusal: there is nothing to settle.
      closed.push(result)
      // Approves the settlement before the next one is closed, as the service does.
      if (!needsApproval(books.client, result.netKobo)) books.approve(result)
    }
    await adopt(sim, books, closed)
  }
}

const rule = (changes: Partial<FeeRule>): FeeRule => ({
  flatKobo: 0n,
  bps: 0,
  minKobo: 0n,
  capKobo: null,
  waiveBelowKobo: 0n,
  isVatIncluded: false,
  isCustomers: false,
  isSubaccounts: false,
  ...changes,
})

const RULES = [
  rule({ bps: 150, capKobo: 300_00n }),
  rule({ bps: 75, flatKobo: 10_00n, waiveBelowKobo: 100_00n, isVatIncluded: true }),
  rule({ flatKobo: 25_37n, bps: 13, isSubaccounts: true }),
]
const PAYOUT_RULES = [rule({ flatKobo: 52_50n }), rule({ bps: 20, isVatIncluded: true })]

// Gives the client another fee rule, for credits or for payouts.
async function setRule(sim: Sim, client: OutClient, basis: 'credit' | 'payout'): Promise<void> {
  const chosen = sim.random.pick(basis === 'credit' ? RULES : PAYOUT_RULES)
  const body = {
    clientId: client.name,
    code: 'simulated',
    basis,
    bps: chosen.bps,
    flat: naira(chosen.flatKobo),
    cap: chosen.capKobo === null ? null : naira(chosen.capKobo),
    waiveFlatBelow: naira(chosen.waiveBelowKobo),
    vatIncluded: chosen.isVatIncluded,
    bearer: chosen.isSubaccounts ? 'subaccount' : 'merchant',
  }
  sim.wait(1) // Rules of a client do not begin at the same moment.
  const token = await sim.tokenOf(OPERATOR)
  assertAnswer(await sim.call({ url: '/api/v1/operator/fee-rules', body, token }))
  if (basis === 'credit') client.rule = chosen
  else client.payoutRule = chosen
}

const RESERVES = [
  { reserveBps: 0, reserveDays: 0 },
  { reserveBps: 5_00, reserveDays: 1 },
  { reserveBps: 12_34, reserveDays: 3 },
]

// Changes the client's schedule, minimum amount and reserve.
async function setTerms(sim: Sim, client: OutClient): Promise<void> {
  const { random } = sim
  const books = settlementsOf(sim, client)
  const terms = {
    schedule: random.pick(['manual', 'daily@17:00', 'T+1@09:30']),
    minimumKobo: random.pick([0n, 500_00n]),
    ...random.pick(RESERVES),
  }
  const answer = await sim.call({
    method: 'PUT',
    url: '/api/v1/settlement-settings',
    body: {
      schedule: terms.schedule,
      minimumAmount: naira(terms.minimumKobo),
      reservePercent: terms.reserveBps / 100,
      reserveDays: terms.reserveDays,
    },
    token: await sim.tokenOf(client.name),
  })
  assertAnswer(answer)
  // A new schedule begins now: its earlier times are not made up for.
  if (terms.schedule !== books.terms.schedule) books.handledToMs = sim.now()
  books.terms = terms
}

// Changes the amount above which the client's payouts need approval.
async function setApproval(sim: Sim, client: OutClient): Promise<void> {
  const aboveKobo = sim.random.pick([null, 1_000_00n, 8_000_00n])
  const url = `/api/v1/operator/clients/${client.name}/payout-settings`
  const body =
    aboveKobo === null
      ? { payoutApproval: 'none' }
      : { payoutApproval: 'above', approvalAbove: naira(aboveKobo) }
  assertAnswer(await sim.call({ method: 'PATCH', url, body, token: await sim.tokenOf(OPERATOR) }))
  client.approvalAboveKobo = aboveKobo
}

// Changes one of a client's settings.
export async function settings(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  const which = sim.random.integer(1, 4)
  if (which === 1) await setRule(sim, client, 'credit')
  else if (which === 2) await setRule(sim, client, 'payout')
  else if (which === 3) await setTerms(sim, client)
  else await setApproval(sim, client)
}
