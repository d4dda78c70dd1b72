// Holds: each acknowledged hold exists once with its terms and its event. Its held and forfeited amounts
// equal those of its transfers, replayed in order. Only holds move money to and from the ledger accounts of
// held money, and money leaves a hold only after two people agreed.

import { type Books, differs, existsOnce, sameAnswers } from './books.ts'
import type { Intent } from './testimony.ts'

const HOLDS = `
  select h.id, h.reason as key, h.reference, h.state, h.held_kobo, h.forfeited_kobo,
         coalesce(h.amount_kobo::text, 'all') as amount, c.client_id,
         coalesce((select sum(case reason when 'hold' then amount_kobo else -amount_kobo end)
                     from transfers where hold_id = h.id), 0) as held,
         coalesce((select sum(amount_kobo) from transfers
                    where hold_id = h.id and reason = 'forfeiture'), 0) as forfeited,
         (select count(*) from events e
           where e.type = 'hold.placed' and e.facts->>'reference' = h.reference) as told
    from holds h join clients c on c.id = h.client_id`

const HELD = `
  select (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
           where kind = 'held') as ledger,
         (select coalesce(sum(held_kobo), 0) from holds) as holds,
         (select count(*) from transfers t
            join ledger_accounts d on d.id = t.debit_account_id
            join ledger_accounts c on c.id = t.credit_account_id
           where t.hold_id is null and ('held' in (d.kind, c.kind) or c.kind = 'forfeited')) as strays`

// The transfers of holds, in order. `place` is the account that the held money came from or went to; held
// money from a due reserve is released to the available balance.
const MOVES = `
  select h.reference, t.reason, t.amount_kobo, o.id as account,
         case o.kind when 'reserve' then 'available' else o.kind || ' ' || o.id end as place
    from transfers t join holds h on h.id = t.hold_id
    join ledger_accounts o
      on o.id = case t.reason when 'hold' then t.debit_account_id else t.credit_account_id end
   order by t.id`

const ENDINGS = `
  select r.id, h.reference, r.kind, coalesce(r.amount_kobo::text, 'all') as amount, r.state,
         r.requested_by, coalesce(r.decided_by, '') as decided_by
    from hold_requests r join holds h on h.id = r.hold_id order by r.id`

type Row = Record<string, string>

export async function checkHolds(books: Books): Promise<string[]> {
  return [...(await checkPlacedHolds(books)), ...(await checkEndings(books))]
}

// Checks how holds ended: by an approved request of two people, with the money going where it belongs.
// After a lossy failover, an acknowledged approval may be missing.
async function checkEndings({ rows, testimony, isLossy = false }: Books): Promise<string[]> {
  const moves = Map.groupBy(await rows(MOVES), ({ reference }) => reference as string)
  const endings = Map.groupBy(await rows(ENDINGS), ({ reference }) => reference as string)
  const approvals = testimony.of('hold_approval') // The requests of the run, each with its answers.
  const holds = await rows(HOLDS)
  return [
    ...holds.flatMap((hold) => {
      const reference = hold.reference as string
      const approved = (endings.get(reference) ?? []).filter(({ state }) => state === 'approved')
      const { findings, forfeited } = replayMoves(reference, moves.get(reference) ?? [])
      return [...findings, ...checkApproved(hold, { approved, forfeited })]
    }),
    ...[...endings.values()].flat().flatMap((request) => checkRequest(request, approvals)),
    ...approvals.flatMap(({ key, terms, acknowledged }) => {
      if (acknowledged.length === 0 || isLossy) return []
      const request = (endings.get(terms.hold as string) ?? []).find(
        ({ id }) => id === terms.request,
      )
      return [
        ...differs(`the state of what ${key} approved`, request?.state, 'approved'),
        ...differs(`the kind of what ${key} approved`, request?.kind, terms.kind),
        ...differs(`the amount of what ${key} approved`, request?.amount, terms.amount),
      ]
    }),
  ]
}

// Checks that an approved request was approved by a user other than its maker, in a call that named this
// request.
function checkRequest(request: Row, approvals: readonly Intent[]): string[] {
  const { id, reference, state, requested_by: maker, decided_by: checker = '' } = request
  if (state !== 'approved') return []
  const isApprovalKnown = approvals.some(
    ({ terms, acknowledged, open }) =>
      terms.request === id &&
      checker === `user:${terms.approver}` &&
      (acknowledged.length > 0 || open > 0),
  )
  return [
    ...(isApprovalKnown ? [] : [`ending ${id} of hold ${reference} was approved by nobody`]),
    ...(maker === checker ? [`ending ${id} of hold ${reference} was approved by its maker`] : []),
  ]
}

// Replays the transfers of a hold in order. Checks that no more money leaves the hold than it has, and that
// released money returns to its source. Forfeited money counts as taken from the source accounts in the
// order of their ids.
function replayMoves(reference: string, moves: readonly Row[]) {
  const findings: string[] = []
  const sources = new Map<string, { place: string; kobo: bigint }>()
  const returned = new Map<string, bigint>()
  let [held, forfeited] = [0n, 0n]
  let isReleased = false
  for (const { reason, amount_kobo = '0', account = '', place = '' } of moves) {
    const kobo = BigInt(amount_kobo)
    if (reason === 'hold') {
      if (isReleased) findings.push(`hold ${reference} took money after its release`)
      sources.set(account, { place, kobo: (sources.get(account)?.kobo ?? 0n) + kobo })
      held += kobo
      continue
    }
    held -= kobo
    if (held < 0n) findings.push(`hold ${reference} gave out ${-held} more than it had`)
    if (reason === 'forfeiture') forfeited += kobo
    else {
      isReleased = true
      returned.set(destinationOf(place), (returned.get(destinationOf(place)) ?? 0n) + kobo)
    }
  }
  if (!isReleased) return { findings, forfeited }
  const expected = new Map<string, bigint>()
  let stillForfeited = forfeited
  const inOrder = [...sources].sort(([one], [other]) => Number(one) - Number(other))
  for (const [, { place, kobo }] of inOrder) {
    const expectedBack = kobo > stillForfeited ? kobo - stillForfeited : 0n
    stillForfeited -= kobo - expectedBack
    if (expectedBack > 0n)
      expected.set(destinationOf(place), (expected.get(destinationOf(place)) ?? 0n) + expectedBack)
  }
  for (const place of new Set([...expected.keys(), ...returned.keys()])) {
    const [actualKobo, expectedKobo] = [returned.get(place) ?? 0n, expected.get(place) ?? 0n]
    const name = `what hold ${reference} gave back to ${place}`
    findings.push(...differs(name, `${actualKobo}`, `${expectedKobo}`))
  }
  return { findings, forfeited }
}

// Names the balance that released money must go to. A client has one available balance in naira, and a
// reserve that has become due is released to it.
const destinationOf = (place: string) => (place.startsWith('available') ? 'available' : place)

type Approved = { approved: readonly Row[]; forfeited: bigint }

// Checks that a hold ends, and forfeits money, only by its approved requests. A request without an amount
// forfeits all that is left, so the total then exceeds the sum of the partial forfeitures.
function checkApproved(hold: Row, { approved, forfeited }: Approved): string[] {
  const { reference, state } = hold
  const last = approved.at(-1)
  const isEnded = last !== undefined && (last.kind === 'release' || last.amount === 'all')
  const expected = isEnded ? (last.kind === 'release' ? 'released' : 'forfeited') : 'active'
  const partForfeitures = approved.filter(
    ({ kind, amount }) => kind === 'forfeiture' && amount !== 'all',
  )
  const partlyForfeited = partForfeitures.reduce(
    (sum, { amount = '0' }) => sum + BigInt(amount),
    0n,
  )
  const isForfeitedWhole = isEnded && last.kind === 'forfeiture'
  return [
    ...differs(`the state of hold ${reference}`, state, expected),
    ...((isForfeitedWhole ? forfeited > partlyForfeited : forfeited === partlyForfeited)
      ? []
      : [`${forfeited} is forfeited of hold ${reference}, and ${partlyForfeited} was agreed`]),
    ...(isEnded ? differs(`what ended hold ${reference} holds`, hold.held_kobo, '0') : []),
  ]
}

// Checks that each acknowledged hold exists with its terms, and that held amounts equal the ledger.
async function checkPlacedHolds({ rows, testimony }: Books): Promise<string[]> {
  const holds = await rows(HOLDS)
  const [sums] = await rows(HELD)
  const intents = testimony.of('hold') // The requests of the run, each with its answers.
  const byKey = new Map(holds.map((hold) => [hold.key, hold]))
  return [
    ...existsOnce('hold', { intents, rows: holds, keyOf: ({ key }) => key as string }),
    ...sameAnswers('hold', intents, 'reference'),
    ...intents.flatMap(({ key, terms, acknowledged: [answer] }) => {
      const hold = byKey.get(key)
      if (!answer || !hold) return []
      return [
        ...differs(`the reference of ${key}`, hold.reference, answer.reference),
        ...differs(`the amount of ${key}`, hold.amount, terms.amount),
        ...differs(`the client of ${key}`, hold.client_id, terms.clientId),
      ]
    }),
    ...holds.flatMap((hold) => [
      ...differs(`what hold ${hold.reference} holds`, hold.held_kobo, hold.held),
      ...differs(
        `what is forfeited of hold ${hold.reference}`,
        hold.forfeited_kobo,
        hold.forfeited,
      ),
      ...differs(`the hold.placed events of ${hold.reference}`, hold.told, '1'),
      ...(hold.amount !== 'all' && BigInt(hold.held as string) > BigInt(hold.amount as string)
        ? [`hold ${hold.reference} holds ${hold.held} of ${hold.amount}`]
        : []),
    ]),
    ...differs('what is held', sums?.ledger, sums?.holds),
    ...differs('transfers of held money without a hold', sums?.strays, '0'),
  ]
}
