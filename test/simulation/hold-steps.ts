// Random steps with holds in the simulation of money out: an operator places a hold, sometimes at the same
// moment as a payout is requested, the worker fills it, and two operators release or forfeit it.

import assert from 'node:assert/strict'
import type { OutClient } from './out-books.ts'
import type { HoldTarget, OutHold } from './out-holds.ts'
import { amount, assertAnswer } from './out-steps.ts'
import { naira, OPERATOR, type Sim } from './out-world.ts'
import { adoptPayout, askPayout, newOrder } from './payout-steps.ts'

const HOLDS = '/api/v1/operator/holds'
const REASON = { reason: 'As ordered' }
const ACTIVE_MAX = 4
const MERCHANT = 'Nai0000319'
const APPROVALS = Array.from({ length: 5 }, () => 'approve')

const maker = (sim: Sim) => sim.personOf(OPERATOR, 'operator', 1)
const checker = (sim: Sim) => sim.personOf(OPERATOR, 'operator', 2)

// The money that a hold stops: one credit, a collection account, a merchant's money, or all of the client's.
function chooseTarget({ random, books }: Sim, client: OutClient): HoldTarget | undefined {
  const kind = random.pick([
    ...(['credit', 'credit', 'account', 'account'] as const),
    ...(['merchant', 'client'] as const),
  ])
  if (kind === 'credit') {
    const credits = books.credits.slice(-60).filter((credit) => credit.client === client)
    return credits.length === 0 ? undefined : { of: kind, credit: random.pick(credits) }
  }
  if (kind !== 'account') return { of: kind }
  const account = random.pick(client.collections)
  return account && { of: kind, number: account.number }
}

type Chosen = Pick<OutHold, 'client' | 'target' | 'kobo'>

// Sends the request that places a hold.
async function ask(sim: Sim, { client, target, kobo }: Chosen) {
  const body = {
    ...{ target: target.of, clientId: client.name, ...REASON },
    ...(target.of === 'credit' ? { sessionId: target.credit.sessionId } : {}),
    ...(target.of === 'account' ? { accountNumber: target.number } : {}),
    ...(target.of === 'merchant' ? { merchantCode: MERCHANT } : {}),
    ...(kobo === null ? {} : { amount: naira(kobo) }),
  }
  return (await maker(sim)).call({ url: HOLDS, body })
}

// A random hold. Two of three have an amount, which may be more than the money that is there; the others hold
// everything.
function chooseHold(sim: Sim, client: OutClient): Chosen | undefined {
  const target = chooseTarget(sim, client)
  if (!target || sim.books.holds.activeOf(client).length >= ACTIVE_MAX) return
  return { client, target, kobo: sim.random.integer(1, 3) === 1 ? null : amount(sim) }
}

// Places a random hold. A hold of a credit must be refused if it exceeds what is left of the credit.
export async function placeHold(sim: Sim): Promise<void> {
  const chosen = chooseHold(sim, sim.random.pick(sim.clients))
  if (!chosen) return
  const { target, kobo } = chosen
  const answer = await ask(sim, chosen)
  // A hold of everything (`kobo` is null) needs at least one kobo that is left of the credit.
  if (target.of === 'credit' && target.credit.leftKobo < (kobo ?? 1n)) {
    return assertAnswer(answer, 'hold_too_large')
  }
  assertAnswer(answer)
  adoptHold(sim, chosen, answer.json().data)
}

type HoldView = { reference: string; heldAmount: number }

// Places the hold in the model, and asserts that the service held the same amount.
function adoptHold(sim: Sim, chosen: Chosen, view: HoldView) {
  const { client, target } = chosen
  const kobo = chosen.kobo ?? (target.of === 'credit' ? target.credit.leftKobo : null)
  const hold = sim.books.holds.place({ client, target, kobo })
  hold.reference = view.reference
  assert.equal(view.heldAmount, Number(hold.heldKobo) / 100, `held by ${view.reference}`)
}

// Places a hold at the same moment as its client requests a payout. The ledger says which of the two moved
// money first, and the model applies them in this order.
export async function raceHold(sim: Sim): Promise<void> {
  const client = sim.random.pick(sim.clients)
  const chosen = chooseHold(sim, client)
  if (!chosen || chosen.target.of === 'credit') return // A hold of a credit may be refused.
  const order = newOrder(sim, client)
  await Promise.all([maker(sim), sim.tokenOf(client.name)])
  const [placed, paid] = await Promise.all([ask(sim, chosen), askPayout(sim, order)])
  assertAnswer(placed)
  const hold = placed.json().data
  const isPaidFirst = await hasMovedFirst(sim, paid.json().data?.reference, hold.reference)
  if (isPaidFirst) adoptPayout(sim, order, paid)
  adoptHold(sim, chosen, hold)
  if (!isPaidFirst) adoptPayout(sim, order, paid)
}

// Whether the payout posted a transfer before the hold did. A refused payout posts none. If only the hold
// posted none, the largest bigint stands for its first transfer, so that the payout was first.
async function hasMovedFirst({ db }: Sim, payout: string | undefined, hold: string) {
  const { rows } = await db.query<{ isFirst: boolean }>(
    `select (select min(t.id) from transfers t join payouts p on p.id = t.payout_id
              where p.reference = $1)
            < coalesce((select min(t.id) from transfers t join holds h on h.id = t.hold_id
                         where h.reference = $2), 9223372036854775807) as "isFirst"`,
    [payout ?? null, hold],
  )
  return rows[0]?.isFirst === true
}

// Requests the end of a random hold or, if there is a request, decides on it.
export async function endHold(sim: Sim): Promise<void> {
  const { random, books } = sim
  const active = books.holds.all.filter(({ state }) => state === 'active')
  const hold = random.pick(
    active.length > 0 && random.integer(1, 10) > 1 ? active : books.holds.all.slice(-20),
  )
  if (!hold) return
  if (hold.request && random.integer(1, 8) > 1) await decideEnd(sim, hold)
  else await askEnd(sim, hold)
}

// Requests that a hold is released, or that all or a part of its money is forfeited.
async function askEnd(sim: Sim, hold: OutHold): Promise<void> {
  const { random } = sim
  const kind = random.pick(['release', 'release', 'forfeit'] as const)
  const isPart = kind === 'forfeit' && random.integer(1, 2) === 1
  const kobo = isPart ? amount(sim, hold.heldKobo) : null
  const body = { ...REASON, ...(kobo === null ? {} : { amount: naira(kobo) }) }
  const answer = await (await maker(sim)).call({ url: `${HOLDS}/${hold.reference}/${kind}`, body })
  const refusal = refusalOf(hold, kind, kobo)
  assertAnswer(answer, refusal)
  if (!refusal) hold.request = { kind, kobo }
}

// The refusal that the service must return.
function refusalOf(hold: OutHold, kind: string, kobo: bigint | null): string | undefined {
  if (hold.state !== 'active') return 'hold_ended'
  if (kind === 'forfeit' && hold.heldKobo === 0n) return 'hold_empty'
  if (kobo !== null && kobo > hold.heldKobo) return 'hold_too_small'
  return hold.request ? 'hold_request_open' : undefined
}

// Approves, rejects or withdraws the request; or the maker tries to approve alone, which must be refused.
async function decideEnd(sim: Sim, hold: OutHold): Promise<void> {
  const { kind, kobo } = hold.request as NonNullable<OutHold['request']>
  const verb = sim.random.pick([...APPROVALS, 'reject', 'withdraw', 'alone'])
  const url = `${HOLDS}/${hold.reference}`
  if (verb === 'alone') {
    const answer = await (await maker(sim)).call({ url: `${url}/approve`, body: {} })
    return assertAnswer(answer, 'other_person_needed')
  }
  const person = await (verb === 'withdraw' ? maker(sim) : checker(sim))
  const body = verb === 'reject' ? REASON : {}
  assertAnswer(await person.call({ url: `${url}/${verb}`, body }))
  hold.request = null
  if (verb !== 'approve') return
  if (kind === 'release') sim.books.holds.release(hold)
  else sim.books.holds.forfeit(hold, kobo)
}

// Runs the worker that takes money into holds that lack some.
export async function fillHolds(sim: Sim): Promise<void> {
  await sim.fillHolds()
  for (const client of sim.clients) sim.books.holds.take(sim.books.holds.due(client))
}
